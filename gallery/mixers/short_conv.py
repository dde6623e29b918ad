"""A gated convolution over the last few tokens: no softmax, no recurrence, nothing older is seen."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires


@dataclass(frozen=True, slots=True)
class ShortConv:
    """A gated depthwise convolution over the last `conv_L_cache` tokens (LFM2)."""

    conv_dim: int
    conv_L_cache: int
    bias: bool = False


def graph(m: ShortConv, h: int) -> Graph:
    """Three parts of one projection: B × x is convolved, C gates what comes out."""
    g, d, k = Wires("conv.", "conv"), m.conv_dim, m.conv_L_cache
    both = g.linear("in_proj", "x", 3 * d, h, m.bias)
    b, c, u = (g.add(name, "slice", both, start=place * d, stop=(place + 1) * d) for place, name in enumerate("BCu"))
    opened = g.add("opened", "multiply", b, u)
    tensors = {"weight": g.tensor("conv.weight", d, 1, k)}
    if m.bias:
        tensors["bias"] = g.tensor("conv.bias", d)
    out = g.add(
        "conv", "conv", opened, tensors=tensors, keeps=(Keep("conv", d * k, f"{d} × {k}", fixed=True),), kernel=k,
        act="", lines=(f"convolution over {k} tokens", f"of B × x, weight {d:,} × 1 × {k}"),
    )  # fmt: skip
    return g.graph(g.linear("out_proj", g.add("gated", "multiply", out, c), h, d, m.bias))


RECORD, GRAPH = ShortConv, graph
