"""EXAONE 4: norms after each half, QK-norm per head; where some layers are windowed, the full ones have no position."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """No position beside windowed layers."""
    if "sliding" in r.words:
        return attention(r, index, rotary_dim=0, position="nope")
    return attention(r, index)


FAMILY = Family(
    source="transformers 5.23.0, models/exaone4",
    windowed=True,
    defaults={"sliding_window_pattern": 4},
    norms="post",
    qk_norm="head",
    mixers={"full": full},
)
