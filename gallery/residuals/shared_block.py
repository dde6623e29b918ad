"""A transformer that several layers share: it reads stream and embedding side by side, and a state space reads on.

What it finds goes, beside the stream, into the state space alone; only what that finds is added to the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.residuals.plain import Plain
from cutaway.gallery.residuals.plain import graph as plain
from cutaway.gallery.residuals.stacking import FixedDepth
from cutaway.gallery.spec import Combined, Layer, ModelSpec
from cutaway.gallery.sublayers import graph_of, norm_at, sublayer


@dataclass(frozen=True, slots=True)
class SharedBlock:
    """Layers whose mixer is attention, then a state space, run the shared transformer; the others are plain."""


def graph(scheme: SharedBlock, spec: ModelSpec, layer: Layer) -> Graph:
    """[stream, embedding], norm, attention, norm, MLP, a matrix; with the stream into the state space."""
    if not isinstance(layer.mixer, Combined):
        return plain(Plain(), spec, layer)
    g, h = Wires(part="residual"), spec.hidden_size
    attention, state_space = layer.mixer.parts
    x = norm_at(g, spec, layer, "mixer_in", g.add("side_by_side", "concat", "stream", "model:embed"))
    x = g.inline("mixer.0", graph_of(attention, h), x=x)
    x = sublayer(g, spec, layer, "mlp", norm_at(g, spec, layer, "mlp_in", x))
    x = g.add("shared_add", "add", "stream", g.linear("linear", x, h, h))
    x = g.inline("mixer.1", graph_of(state_space, h), x=norm_at(g, spec, layer, "state_in", x))
    return g.graph(g.add("mixer_add", "add", "stream", x))


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """The embedding is the stream."""
    return x


leave = enter


def words(scheme: SharedBlock) -> str:
    """How many streams, and what is unusual about them."""
    return "1, a block that layers share"


def restack(scheme: SharedBlock, sources: Sequence[int]) -> SharedBlock:
    """No other depth: a copied layer would bring a transformer of its own."""
    raise FixedDepth("layers share one transformer block")


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = SharedBlock, graph, enter, leave, words, restack
