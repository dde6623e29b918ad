"""mamba2."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class Mamba2:
    """State space with one decay per head: state num_heads x head_dim x state_size."""

    num_heads: int
    head_dim: int
    state_size: int
    n_groups: int
    conv_kernel: int
    conv_bias: bool = True
    proj_bias: bool = False
    gated_norm: bool = True
    chunk_size: int = 0


def graph(m: Mamba2, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = Mamba2, graph
