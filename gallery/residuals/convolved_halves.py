"""What each half finds passes a short convolution, and is added to it, before it is added to the stream."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Tensor, Wires
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import norm_at, sublayer


@dataclass(frozen=True, slots=True)
class ConvolvedHalves:
    """A causal convolution over the last `kernel` tokens behind the mixer, and one behind the MLP (Inkling)."""

    kernel: int
    keeps: bool = True  # decoding keeps the last columns of both


def add_convolution(g: Wires, word: str, x: str, h: int, kernel: int, averaged: bool = False) -> str:
    """x and its convolution, summed; `averaged` divides by the root of how many terms that are."""
    weight = {"weight": Tensor(f"{word}_conv.conv1d.weight", (h, 1, kernel), "conv")}
    keeps = (Keep("conv", h * kernel, f"{h} × {kernel}", fixed=True),)
    out = g.add(f"{word}_conv", "conv", x, tensors=weight, keeps=keeps, kernel=kernel, act="")
    out = g.add(f"{word}_conv_add", "add", out, x)
    if not averaged:
        return out
    return g.add(f"{word}_conv_mean", "scale", out, by=(kernel + 1) ** -0.5, words=f"÷ √{kernel + 1}")


def graph(scheme: ConvolvedHalves, spec: ModelSpec, layer: Layer) -> Graph:
    """Norm, half, convolution, sum; twice."""
    g, stream = Wires(), "stream"
    for word in ("mixer", "mlp"):
        if getattr(layer, word) is not None:
            x = sublayer(g, spec, layer, word, norm_at(g, spec, layer, f"{word}_in", stream))
            x = add_convolution(g, word, x, spec.hidden_size, scheme.kernel)
            stream = g.add(f"{word}_add", "add", stream, x)
    return g.graph(stream)


def enter(spec: ModelSpec, g: Wires, x: str) -> str:
    """The embedding is the stream."""
    return x


leave = enter


def words(scheme: ConvolvedHalves) -> str:
    """How many streams, and what is unusual about them."""
    return "1, convolved sublayers"


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = ConvolvedHalves, graph, enter, leave, words, as_it_is
