"""A stream whose every sum is weighed: what a half found and the stream itself are both shifted and scaled first."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import norm_at, sublayer

NAMES = {"mixer": "post_attention_residual_scale", "mlp": "post_mlp_residual_scale"}


@dataclass(frozen=True, slots=True)
class ScaledStream:
    """(value + bias) × scale, number by number, of both terms of each sum and of the embedding (ZAYA)."""


def shift_and_scale(g: Wires, name: str, value: str, module: str, h: int) -> str:
    """(value + bias) × scale."""
    bias, scale = (Tensor(f"{module}_{word}", (h,), "residual") for word in ("bias", "scale"))
    value = g.add(f"{name}_shifted", "shift", value, tensors={"bias": bias})
    return g.add(f"{name}_scaled", "scale", value, tensors={"weight": scale})


def graph(scheme: ScaledStream, spec: ModelSpec, layer: Layer) -> Graph:
    """Each half reads a norm of the stream; both terms of its sum are weighed."""
    g, stream, h = Wires(), "stream", spec.hidden_size
    for word in ("mixer", "mlp"):
        if getattr(layer, word) is not None:
            x = sublayer(g, spec, layer, word, norm_at(g, spec, layer, f"{word}_in", stream))
            x = shift_and_scale(g, word, x, NAMES[word] + ".hidden_states", h)
            stream = shift_and_scale(g, f"{word}_stream", stream, NAMES[word] + ".residual", h)
            stream = g.add(f"{word}_add", "add", stream, x)
    return g.graph(stream)


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """The embedding is weighed too."""
    return shift_and_scale(g, "embed", x, "model.input_hidden_states", spec.hidden_size)


def leave(spec: ModelSpec, g: Wires, x: str) -> str:
    """The stream itself."""
    return x


def words(scheme: ScaledStream) -> str:
    """How many streams, and what is unusual about them."""
    return "1, every sum scaled"


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = ScaledStream, graph, enter, leave, words, as_it_is
