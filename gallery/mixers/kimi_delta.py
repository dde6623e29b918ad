"""kimi_delta."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class KimiDelta:
    """KDA: the delta rule with one decay per key channel."""

    num_heads: int
    head_dim: int
    short_conv_kernel_size: int
    full_rank_gate: bool = False
    full_rank_decay: bool = False  # Ling 3: one f_proj instead of f_a_proj and f_b_proj


def graph(m: KimiDelta, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = KimiDelta, graph
