"""One matrix where others have attention: no token sees another."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Wires


@dataclass(frozen=True, slots=True)
class LinearMixer:
    """One matrix in place of the attention (Nemotron-NAS): mixes no tokens at all."""


def graph(m: LinearMixer, h: int) -> Graph:
    """y = W x."""
    g = Wires("self_attn.", "attention")
    return g.graph(g.linear("linear_attn", "x", h, h))


RECORD, GRAPH = LinearMixer, graph
