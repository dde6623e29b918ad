"""A residual stream that is weighed where a half is added to it, so that it does not grow with depth, or learns how."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.residuals.plain import enter, scale_value
from cutaway.gallery.residuals.stacking import as_it_is
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import norm_at, sublayer

NAMES = {"mixer": "post_attention_residual", "mlp": "post_feedforward_residual"}


@dataclass(frozen=True, slots=True)
class Weighted:
    """How the stream and what is added are weighed: "depth" by √((n - 1) / n) and √(1 / n) at the n-th sum (Beam),
    "stored" by a vector on the stream alone (Doge), "gate" by a learned share of each number (Muse Spark)."""

    how: str
    temperature: float = 1.0
    eps: float = 1e-3


def graph(scheme: Weighted, spec: ModelSpec, layer: Layer) -> Graph:
    """The mixer's half, then the MLP's."""
    g, stream = Wires(part="residual"), "stream"
    for place, word in enumerate(("mixer", "mlp")):
        x = norm_at(g, spec, layer, f"{word}_in", stream)
        out = norm_at(g, spec, layer, f"{word}_out", sublayer(g, spec, layer, word, x))
        n = 2 * (layer.index + 1) + place
        stream = WAYS[scheme.how](scheme, g, word, stream, out, n, spec.hidden_size)
    return g.graph(stream)


def by_depth(scheme: Weighted, g: Wires, word: str, stream: str, out: str, n: int, h: int) -> str:
    """Every half that was added so far weighs the same."""
    kept = scale_value(g, f"{word}_kept", stream, math.sqrt((n - 1) / n))
    return g.add(f"{word}_add", "add", kept, scale_value(g, f"{word}_scaled", out, 1 / math.sqrt(n)))


def stored_vector(scheme: Weighted, g: Wires, word: str, stream: str, out: str, n: int, h: int) -> str:
    """A vector of the stream's width on what was there."""
    kept = g.add(f"{word}_kept", "scale", stream, tensors={"weight": g.tensor(NAMES[word], h)}, words="× stored")
    return g.add(f"{word}_add", "add", kept, out)


def gate_sum(scheme: Weighted, g: Wires, word: str, stream: str, out: str, n: int, h: int) -> str:
    """β of what is added and √(1 - β²) of the stream."""
    tensors = {"gate": Tensor(NAMES[word] + "_gate.gate", (h,), "residual")}
    return g.add(
        f"{word}_add", "gated_sum", stream, out, tensors=tensors, temperature=scheme.temperature, eps=scheme.eps,
        words="√(1 − β²) stream + β half, β = σ(gate / temperature)",
    )  # fmt: skip


WAYS = {"depth": by_depth, "stored": stored_vector, "gate": gate_sum}


def words(scheme: Weighted) -> str:
    """How many streams, and what is unusual about them."""
    told = {"depth": "sums weighed by depth", "stored": "weighed by stored numbers", "gate": "sums weighed by a gate"}
    return f"1, {told[scheme.how]}"


RECORD, GRAPH, ENTER, LEAVE, WORDS, RESTACK = Weighted, graph, enter, enter, words, as_it_is
