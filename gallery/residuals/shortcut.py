"""LongCat's double layer: attention and MLP twice in turn, experts on a shortcut from the first MLP to the end."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.residuals import plain
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.spec import Combined, Layer, ModelSpec
from cutaway.gallery.sublayers import apply_norm, part_graphs


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Two sublayers one after the other; what the experts find in the first is added after the second."""


def graph(scheme: Shortcut, spec: ModelSpec, layer: Layer) -> Graph:
    """mixer 0, (experts and MLP 0 side by side), mixer 1, MLP 1; the experts join at the end."""
    if not isinstance(layer.mixer, Combined) or not isinstance(layer.mlp, Combined):  # the MTP layer
        return plain.graph(plain.Plain(), spec, layer)
    g, stream, h = Wires(), "stream", spec.hidden_size
    mixers, (*mlps, experts) = part_graphs(layer.mixer, h), part_graphs(layer.mlp, h)
    for number, (mixer, mlp) in enumerate(zip(mixers, mlps, strict=True)):
        out = g.inline(f"mixer.{number}", mixer, x=norm_of(g, spec, layer, "mixer_in", number, stream))
        stream = g.add(f"mixer_add.{number}", "add", stream, out)
        x = norm_of(g, spec, layer, "mlp_in", number, stream)
        if not number:
            shortcut = g.inline("mlp.experts", experts, x=x)
        stream = g.add(f"mlp_add.{number}", "add", stream, g.inline(f"mlp.{number}", mlp, x=x))
    return g.graph(g.add("shortcut_add", "add", stream, shortcut, words="the shortcut ends"))


def norm_of(g: Wires, spec: ModelSpec, layer: Layer, place: str, number: int, x: str) -> str:
    """The first or the second norm at a place."""
    norm = [one for one in layer.norms if one.position == place][number]
    return apply_norm(g, spec, norm, f"{place}_norm.{number}", norm.name, x)


def words(scheme: Shortcut) -> str:
    """How many streams, and what is unusual about them."""
    return "1, shortcut-connected experts"


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = Shortcut, graph, plain.enter, plain.leave, words, as_it_is
