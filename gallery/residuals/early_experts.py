"""Arctic's layer: a dense MLP follows attention; the experts read what entered the layer, and join at its end."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.residuals import plain
from cutaway.gallery.residuals.shortcut import norm_of
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.spec import Combined, Layer, ModelSpec
from cutaway.gallery.sublayers import part_graphs


@dataclass(frozen=True, slots=True)
class EarlyExperts:
    """Experts need not wait for attention: they read the stream before it, through a norm of their own."""


def graph(scheme: EarlyExperts, spec: ModelSpec, layer: Layer) -> Graph:
    """mixer, dense MLP; the experts beside both."""
    if not isinstance(layer.mlp, Combined):
        return plain.graph(plain.Plain(), spec, layer)
    g, h = Wires(), spec.hidden_size
    dense, experts = part_graphs(layer.mlp, h)
    early = g.inline("mlp.experts", experts, x=norm_of(g, spec, layer, "mlp_in", 0, "stream"))
    stream = plain.add_sublayer(plain.Plain(), g, spec, layer, "mixer", "stream", "stream")
    out = g.inline("mlp.0", dense, x=norm_of(g, spec, layer, "mlp_in", 1, stream))
    stream = g.add("mlp_add", "add", stream, out)
    return g.graph(g.add("experts_add", "add", stream, early, words="the experts join"))


def words(scheme: EarlyExperts) -> str:
    """How many streams, and what is unusual about them."""
    return "1, experts that read what enters the layer"


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = EarlyExperts, graph, plain.enter, plain.leave, words, as_it_is
