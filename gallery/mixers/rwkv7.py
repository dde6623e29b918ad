"""rwkv7."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class RwkvTimeMix:
    """RWKV-7: a generalised delta rule with vector decay; state heads x head_dim x head_dim."""

    num_heads: int
    head_dim: int
    decay_low_rank_dim: int
    gate_low_rank_dim: int
    a_low_rank_dim: int
    v_low_rank_dim: int


def graph(m: RwkvTimeMix, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = RwkvTimeMix, graph
