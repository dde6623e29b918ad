"""one_matrix."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class LinearMixer:
    """One matrix in place of the attention (Nemotron-NAS): mixes no tokens at all."""


def graph(m: LinearMixer, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = LinearMixer, graph
