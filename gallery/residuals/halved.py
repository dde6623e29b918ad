"""RWKV-4's stream at inference: it is halved every few layers, and later layers add half as much, so that 16-bit
numbers do not overflow."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.residuals.plain import Plain, add_sublayer, enter, scale_value
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import norm_at


@dataclass(frozen=True, slots=True)
class Halved:
    """Only the norms' epsilon sees it."""

    every: int  # layers


def graph(scheme: Halved, spec: ModelSpec, layer: Layer) -> Graph:
    """The plain stream with smaller answers, halved at the end of every so many layers."""
    g, plain = Wires(), Plain(2.0 ** -(layer.index // scheme.every))
    stream = norm_at(g, spec, layer, "embedding", "stream")
    for word in ("mixer", "mlp"):
        stream = add_sublayer(plain, g, spec, layer, word, stream, stream)
    return g.graph(scale_value(g, "halved", stream, 1.0 if (layer.index + 1) % scheme.every else 0.5))


def words(scheme: Halved) -> str:
    """How many streams, and what is unusual about them."""
    return "1, halved every few layers"


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = Halved, graph, enter, enter, words, as_it_is
