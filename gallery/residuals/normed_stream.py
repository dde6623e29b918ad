"""A stream that passes through its norms: what a half reads, normalised, is also what its answer is added to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.residuals.plain import enter, scale_value
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import norm_at, sublayer


@dataclass(frozen=True, slots=True)
class NormedStream:
    """norm(x) · alpha + half(norm(x)) · beta (MiniMax-01)."""

    mixer: tuple[tuple[float, float], ...]  # (alpha, beta) of every layer's mixer
    mlp: tuple[float, float] = (1.0, 1.0)


def graph(scheme: NormedStream, spec: ModelSpec, layer: Layer) -> Graph:
    """The mixer's half, then the MLP's."""
    g, stream = Wires(), "stream"
    for word, (alpha, beta) in (("mixer", scheme.mixer[layer.index % len(scheme.mixer)]), ("mlp", scheme.mlp)):
        x = norm_at(g, spec, layer, f"{word}_in", stream)
        out = scale_value(g, f"{word}_scaled", sublayer(g, spec, layer, word, x), beta)
        stream = g.add(f"{word}_add", "add", scale_value(g, f"{word}_kept", x, alpha), out)
    return g.graph(stream)


def words(scheme: NormedStream) -> str:
    """How many streams, and what is unusual about them."""
    return "1, through its norms"


def restack(scheme: NormedStream, sources: Sequence[int]) -> NormedStream:
    """A layer brings the numbers of the one it copies."""
    return replace(scheme, mixer=tuple(scheme.mixer[one % len(scheme.mixer)] for one in sources))


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = NormedStream, graph, enter, enter, words, restack
