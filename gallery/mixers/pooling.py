"""Several tokens become one entry: the weighed mean that DeepSeek-V4's compressors and their indexers share."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.records import Normal, Rope


class Pooling(NamedTuple):
    """How entries are made: one of `size` numbers for every `ratio` tokens."""

    size: int
    ratio: int
    overlap: bool  # the window before feeds each entry too, through columns of its own
    normal: Normal
    rope: Rope | None


APE = "ape: a learned bias for each place in the pooled window"


def pool(p: Pooling, g: Wires, h: int, box: Keep) -> Graph:
    """A vector and a gate per token, their weighed mean per window, a norm, a position of its own."""
    width = 2 * p.size if p.overlap else p.size
    kv, gate = g.linear("kv_proj", "x", width, h), g.linear("gate_proj", "x", width, h)
    span = f"· kv of {'2 × ' if p.overlap else ''}{p.ratio} tokens"
    tensors = {"position_bias": g.tensor("position_bias", p.ratio, width)}
    entry = g.add("pool", "pool", kv, gate, tensors=tensors, ratio=p.ratio, overlap=p.overlap, size=p.size,
                  lines=("Σ softmax(gate + ape)", span), words=APE)  # fmt: skip
    entry = g.norm("kv_norm", entry, p.size, normal=p.normal)
    entry = g.rope("entry_rope", entry, p.rope, every=p.ratio)
    return g.graph(g.add("entries", "keep", entry, keeps=(box,)))
