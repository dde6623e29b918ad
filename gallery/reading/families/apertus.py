"""Apertus: xIELU, an activation with two learned numbers, and no gate; QK-norm per head."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading


def finish(r: Reading, fields: dict) -> dict:
    """xIELU's beta and eps are stored, but not trained."""
    names = [f"model.layers.{i}.mlp.act_fn.{word}" for i in range(r.depth) for word in ("beta", "eps")]
    return {**fields, "buffers": tuple((name, (1,)) for name in names)}


FAMILY = Family(
    source="transformers 5.23.0, models/apertus",
    defaults={"hidden_act": "xielu"},
    qk_norm="head",
    unread={"use_qk_norm": True},
    gated=False,
    finish=finish,
    names=(("input_layernorm", "attention_layernorm"), ("post_attention_layernorm", "feedforward_layernorm")),
)
