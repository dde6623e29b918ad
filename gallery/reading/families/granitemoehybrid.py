"""Granite 4: Mamba-2 or attention, which rotates only where the config says "rope"; every layer visits a shared MLP."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families import granitemoe


def full(r: Reading, index: int) -> object:
    """position_embedding_type: "rope", or nothing at all."""
    if r.facts.word("position_embedding_type") == "rope":
        return attention(r, index)
    return attention(r, index, rotary_dim=0, position="nope")


FAMILY = replace(
    granitemoe.FAMILY,
    source="transformers 5.23.0, models/granitemoehybrid",
    every_layer="mamba",
    mixers={"full": full},
    topk_first=True,
)
