"""Apertus: xIELU, an activation with two learned numbers, and no gate; QK-norm per head."""

from gallery.reading.attention import Reading
from gallery.reading.family import Family
from gallery.spec import Extra

XIELU = (
    Extra(
        "activation",
        "xIELU's two learned numbers",
        (("mlp.act_fn.alpha_p", (1,)), ("mlp.act_fn.alpha_n", (1,))),
        "dense",
    ),
)


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """One pair per layer, where the activation is xIELU."""
    return XIELU if r.facts.word("hidden_act", "xielu") == "xielu" else ()


def finish(r: Reading, fields: dict) -> dict:
    """xIELU's beta and eps are stored, but not trained."""
    names = [f"model.layers.{i}.mlp.act_fn.{word}" for i in range(r.depth) for word in ("beta", "eps")]
    return {**fields, "buffers": tuple((name, (1,)) for name in names)}


FAMILY = Family(
    source="transformers 5.23.0, models/apertus",
    defaults={"hidden_act": "xielu"},
    qk_norm="head",
    gated=False,
    extras=extras,
    finish=finish,
    names=(("input_layernorm", "attention_layernorm"), ("post_attention_layernorm", "feedforward_layernorm")),
)
