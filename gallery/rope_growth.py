"""A Rope -> the factor on its cos and sin, as transformers 5.23.0 computes it: what it calls attention_scaling.

The interpreter multiplies by it (running/frequencies.py), the drawing prints it; q and k both grow by it.
"""

from __future__ import annotations

import math
from typing import Any

from cutaway.gallery.records import Rope


def stretch_of(factor: float, share: float = 1.0) -> float:
    """YaRN's growth of cos and sin: 0.1 · share · ln(factor) + 1."""
    return 0.1 * share * math.log(factor) + 1 if factor > 1 else 1.0


def stretched_context(rope: Rope, said: dict[str, Any]) -> tuple[int, float]:
    """(the context before stretching, how many times it is stretched); 1 where no length is known."""
    old = said.get("original_max_position_embeddings") or rope.context
    return old, said.get("factor") or (rope.context / old if old else 1.0)


def yarn(rope: Rope, said: dict[str, Any], tokens: float) -> float:
    """attention_factor; or by mscale over mscale_all_dim; or by the factor alone."""
    if said.get("attention_factor") is not None:
        return said["attention_factor"]
    factor, one, all_dim = stretched_context(rope, said)[1], said.get("mscale"), said.get("mscale_all_dim")
    return stretch_of(factor, one) / stretch_of(factor, all_dim) if one and all_dim else stretch_of(factor)


def longrope(rope: Rope, said: dict[str, Any], tokens: float) -> float:
    """The root of 1 + ln(factor) / ln(old context), where the file names no number of its own."""
    old, factor = stretched_context(rope, said)
    named = said.get("long_mscale" if tokens > old else "short_mscale") or said.get("attention_factor")
    if named is not None:
        return named
    return math.sqrt(1 + math.log(factor) / math.log(old)) if factor > 1 and old > 1 else 1.0


GROWTHS = {"yarn": yarn, "longrope": longrope}


def growth(rope: Rope, tokens: float = 0) -> float:
    """What cos and sin are multiplied by in a text of so many tokens."""
    row = GROWTHS.get(rope.kind)
    return row(rope, dict(rope.scaling), tokens) if row else 1.0
