"""matrix_lstm."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class MatrixLSTM:
    """xLSTM's mLSTM: a matrix memory per head with exponential gates."""

    num_heads: int
    qk_head_dim: int
    v_head_dim: int
    bias: bool = False


def graph(m: MatrixLSTM, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = MatrixLSTM, graph
