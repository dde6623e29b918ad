"""Gemma 2: norms before and after each half, every other layer windowed."""

from dataclasses import replace

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.families.gemma import FAMILY as GEMMA


def alternate(facts: Facts, depth: int) -> list[str]:
    """Even layers are windowed."""
    return ["full" if index % 2 else "sliding" for index in range(depth)]


FAMILY = replace(
    GEMMA,
    source="transformers 5.23.0, models/gemma2",
    windowed=True,
    acts={},
    defaults={**GEMMA.defaults, "query_pre_attn_scalar": 256, "max_position_embeddings": 8_192},
    norms="sandwich",
    words=alternate,
)
