"""RWKV-4's time mix: a decaying mean of values per channel, no heads."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires


@dataclass(frozen=True, slots=True)
class RwkvMean:
    """RWKV-4: numerator, denominator and largest exponent per channel."""

    attention_hidden_size: int


def token_shift(g: Wires, x: str, word: str, before: str, h: int) -> str:
    """A token mixed with the one before it."""
    tensors = {"mix": g.tensor(f"time_mix_{word}", 1, 1, h)}
    return g.add(f"{word}_mix", "lerp", x, before, tensors=tensors, words="+ last token")


def graph(m: RwkvMean, h: int) -> Graph:
    """Keys, values and receptance read the token and its predecessor."""
    g, width = Wires("attention.", "linear"), m.attention_hidden_size
    kept = Keep("conv", 2 * width, f"last token, for both halves: 2 × {width}", fixed=True)
    before = g.add("time_shift", "previous", "x", words="the token before", keeps=(kept,))
    k, v, r = (g.linear(w, token_shift(g, "x", w, before, h), width, h) for w in ("key", "value", "receptance"))
    tensors = {word: g.tensor(word, width) for word in ("time_decay", "time_first")}
    out = g.add(
        "wkv", "wkv", k, v, tensors=tensors, heads=width, d=1, dv=3,
        lines=("mean of v weighed by exp(k)", "older weights fade by exp(−w)"),
        keeps=(Keep("state", 3 * width, f"3 × {width}", fixed=True, dtype="float32"),),
    )  # fmt: skip
    opened = g.add("receptance_act", "act", r, act="sigmoid", words="σ")
    return g.graph(g.linear("output", g.add("gated", "multiply", out, opened), h, width))


RECORD, GRAPH = RwkvMean, graph
