"""Molmo 2: QK-norm per head or over the whole projection, norms before or after each half, rows for image tokens."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import norm
from cutaway.gallery.reading.ropes import rope_of
from cutaway.gallery.spec import Norm


def full(r: Reading, index: int) -> object:
    """Layers outside rope_scaling_layers rotate by the plain frequencies."""
    stretched = r.facts.items("rope_scaling_layers")
    mixer = attention(r, index)
    if stretched is None or index in stretched:
        return mixer
    return attention(r, index, rope=rope_of(r, mixer.rotary_dim, kind="default", scaling=()))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """norm_after: on what each half returns."""
    places = ("mixer_out", "mlp_out") if r.facts.flag("norm_after") else ("mixer_in", "mlp_in")
    names = ("input_layernorm", "post_attention_layernorm")
    return tuple(norm(r, place, name) for place, name in zip(places, names, strict=True))


def finish(r: Reading, fields: dict) -> dict:
    """Image tokens have rows in the embedding that the head does not know."""
    return {**fields, "embedding_rows": fields["vocab_size"] + (r.facts.integer("additional_vocab_size", 128) or 0)}


FAMILY = Family(
    source="transformers 5.23.0, models/molmo2",
    spellings={"norm_after": "norm_after", "additional_vocab_size": "additional_vocab_size",
               "rope_scaling_layers": "rope_scaling_layers"},
    qk_norm="head",
    o_bias=False,
    mixers={"full": full},
    norms_of=norms,
    finish=finish,
)  # fmt: skip
