"""Chameleon: Llama's layer with a LayerNorm on the queries and keys of each head; the 34B has its norms behind each
half instead of before it. Images are tokens: what turns them into tokens is no part of the language model."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.spec import Norm


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """swin_norm: behind attention and MLP, under the same names."""
    places = ("mixer_out", "mlp_out") if r.facts.flag("swin_norm") else ("mixer_in", "mlp_in")
    return tuple(norm(r, place, name) for place, name in zip(places, NAMES, strict=True))


NAMES = ("input_layernorm", "post_attention_layernorm")
FAMILY = Family(
    source="transformers 5.23.0, models/chameleon",
    norms_of=norms,
    qk_norm="per_head",
    qk_norm_bias=True,
    qk_norm_eps=1e-5,
)
