"""mamba1."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class Mamba1:
    """State space with a diagonal state per channel: state d_inner x state_size."""

    d_inner: int
    state_size: int
    conv_kernel: int
    dt_rank: int
    conv_bias: bool = True
    proj_bias: bool = False
    inner_norms: bool = False  # Jamba: norms on dt, B and C


def graph(m: Mamba1, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = Mamba1, graph
