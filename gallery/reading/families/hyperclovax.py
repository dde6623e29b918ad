"""HyperCLOVA X: Llama's layer, with a second norm after attention and MLP where a key says so; multiplied logits."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.spec import Norm


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Two, or four."""
    two = (norm(r, "mixer_in", "input_layernorm"), norm(r, "mlp_in", "post_attention_layernorm"))
    four = (two[0], norm(r, "mixer_out", "post_norm1"), two[1], norm(r, "mlp_out", "post_norm2"))
    return four if r.facts.flag("use_post_norm", True) else two


def finish(r: Reading, fields: dict) -> dict:
    """logits_scaling multiplies, where Granite's of the same name divides."""
    return {**fields, "logits_multiplier": r.facts.number("logits_scaling") or 1.0}


FAMILY = Family(
    source="transformers 5.23.0, models/hyperclovax",
    defaults={"attention_multiplier": None},  # then the class works out 1 / √head_dim
    norms_of=norms,
    finish=finish,
)
