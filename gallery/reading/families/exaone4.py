"""EXAONE 4: norms after attention and MLP, QK-norm per head; where there is a window, full layers have no position."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """No position where the config has a window, even if no layer uses it."""
    if "sliding" in r.words or r.facts.integer("sliding_window") is not None:
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
