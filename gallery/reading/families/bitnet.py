"""BitNet b1.58: relu2 with a gate, and a norm in front of each output matrix."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import dense
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.spec import Dense


def full(r: Reading, index: int) -> object:
    """A norm on what the heads return."""
    return attention(r, index, sub_norm=True)


def mlp(r: Reading, index: int, word: str) -> Dense:
    """A norm inside the MLP."""
    return replace(dense(r, index), sub_norm=normal(r))


FAMILY = Family(
    source="transformers 5.23.0, models/bitnet", defaults={"hidden_act": "relu2"}, mixers={"full": full}, mlp=mlp
)
