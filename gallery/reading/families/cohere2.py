"""Command A: Command R's layer; three windowed layers with rotary position to one full layer without any."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.cohere import FAMILY as COHERE


def full(r: Reading, index: int) -> object:
    """Full layers have no position."""
    return attention(r, index, "full", rotary_dim=0, position="nope")


FAMILY = replace(
    COHERE,
    source="transformers 5.23.0, models/cohere2",
    windowed=True,
    defaults={**COHERE.defaults, "sliding_window_pattern": 4, "sliding_window": 4096},
    mixers={"full": full},
    nested="language_model.model",
    zoo="siglip",
)
