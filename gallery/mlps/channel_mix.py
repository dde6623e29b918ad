"""RWKV's channel mix: a two-matrix MLP that reads each token mixed with the one before it."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Wires


@dataclass(frozen=True, slots=True)
class ChannelMix:
    """relu² between key and value; RWKV-4 gates the result by a receptance. What it keeps is listed with the mixer."""

    intermediate_size: int
    receptance: bool = False  # RWKV-4: a gate, and mixes under its own names
    hidden_act: str = "relu2"


def token_mix(m: ChannelMix, g: Wires, word: str, before: str, h: int) -> str:
    """A token mixed with the one before it; RWKV-7 counts from the other side."""
    shape = (1, 1, h) if m.receptance else (h,)
    tensors = {"mix": g.tensor(f"time_mix_{word}" if m.receptance else "x_k", *shape)}
    pair = ("x", before) if m.receptance else (before, "x")
    return g.add(f"{word}_mix", "lerp", *pair, tensors=tensors, words="+ last token")


def graph(m: ChannelMix, h: int) -> Graph:
    """up, relu², down, and the gate of RWKV-4."""
    g, width = Wires("mlp.", "dense"), m.intermediate_size
    before = g.add("time_shift", "previous", "x", words="the token before")
    up = g.linear("up_proj", token_mix(m, g, "key", before, h), width, h)
    out = g.linear("down_proj", g.add("act", "act", up, act=m.hidden_act), h, width)
    if m.receptance:
        gate = g.linear("receptance", token_mix(m, g, "receptance", before, h), h, h)
        out = g.add("gated", "multiply", out, g.add("receptance_act", "act", gate, act="sigmoid", words="σ"))
    return g.graph(out)


RECORD, GRAPH = ChannelMix, graph
