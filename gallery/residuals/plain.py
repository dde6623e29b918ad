"""The usual residual stream: each half reads a norm of it and adds what it finds; or both read the same."""

from __future__ import annotations

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.records import Plain
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import norm_after, norm_at, sublayer


def scale_value(g: Wires, name: str, value: str, by: float) -> str:
    """A value times a constant, where the constant is not one."""
    return value if by == 1.0 else g.add(name, "scale", value, by=by)


def add_sublayer(scheme: Plain, g: Wires, spec: ModelSpec, layer: Layer, word: str, stream: str, source: str) -> str:
    """One half between two points of the stream: norm, half, norm, sum, norm."""
    x = norm_at(g, spec, layer, f"{word}_in", source)
    out = sublayer(g, spec, layer, word, x)
    out = norm_at(g, spec, layer, f"{word}_out", out)
    out = scale_value(g, f"{word}_scaled", out, scheme.multiplier)
    return norm_after(g, spec, layer, word, g.add(f"{word}_add", "add", stream, out))


def graph(scheme: Plain, spec: ModelSpec, layer: Layer) -> Graph:
    """The mixer's half, then the MLP's; side by side where the layer says so."""
    g = Wires()
    if layer.parallel and layer.mixer is not None and layer.mlp is not None:
        return side_by_side(scheme, g, spec, layer)
    stream = norm_at(g, spec, layer, "embedding", "stream")
    for word in ("mixer", "mlp"):
        if getattr(layer, word) is not None:
            stream = add_sublayer(scheme, g, spec, layer, word, stream, stream)
    return g.graph(stream)


def side_by_side(scheme: Plain, g: Wires, spec: ModelSpec, layer: Layer) -> Graph:
    """Both halves read the same stream, through one norm or through one each, and both are added."""
    places = {norm.position for norm in layer.norms}
    x = norm_at(g, spec, layer, "mixer_in", "stream")
    y = norm_at(g, spec, layer, "mlp_in", "stream") if "mlp_in" in places else x
    mixed = scale_value(g, "mixer_scaled", sublayer(g, spec, layer, "mixer", x), scheme.multiplier)
    done = scale_value(g, "mlp_scaled", sublayer(g, spec, layer, "mlp", y), scheme.multiplier)
    return g.graph(g.add("mlp_add", "add", g.add("mixer_add", "add", "stream", mixed), done))


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """The embedding is the stream."""
    return x


leave = enter


def words(scheme: Plain) -> str:
    """How many streams, and what is unusual about them."""
    return "1" if scheme.multiplier == 1.0 else f"1, sublayer outputs × {scheme.multiplier:.3g}"


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = Plain, graph, enter, leave, words, as_it_is
