"""A dense MLP: gate, up and down, or up and down."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

from gallery.graph import Graph, Wires
from gallery.records import Normal


@dataclass(frozen=True, slots=True)
class Dense:
    """gate, up and down (gated) or up and down."""

    intermediate_size: int
    gated: bool = True
    hidden_act: str = "silu"
    bias: bool = False
    weights_of: int | None = None  # index of the layer whose weights it uses; then none of its own
    limit: float = 0.0  # gate and up are clamped to it before they meet (swiglu_limit); 0 = not
    limit_after: bool = False  # the gate is clamped after its activation, not before (Step 3.5)
    sparsity: float = 0.0  # share of the gate that becomes zero: what lies below mean + so many deviations (Gemma 3n)
    sub_norm: Normal | None = None  # a norm in front of down_proj (BitNet)


def graph(m: Dense, h: int, prefix: str = "mlp.", part: str = "dense") -> Graph:
    """up, times the activated gate, down."""
    if m.weights_of is not None:
        raise NotImplementedError("an MLP on another layer's weights")
    g, width = Wires(prefix, part), m.intermediate_size
    if m.gated:
        gate = g.linear("gate_proj", "x", width, h, m.bias)
        if m.sparsity:
            gate = g.add("gate_sparse", "sparse", gate, deviations=NormalDist().inv_cdf(m.sparsity),
                         words=f"the largest {1 - m.sparsity:.0%}")  # fmt: skip
        up = g.linear("up_proj", "x", width, h, m.bias)
        inner = g.add("glu", "glu", gate, up, act=m.hidden_act, limit=m.limit, limit_after=m.limit_after)
    else:
        inner = g.add("act", "act", g.linear("up_proj", "x", width, h, m.bias), act=m.hidden_act)
    if m.sub_norm:
        inner = g.norm("ffn_sub_norm", inner, width, normal=m.sub_norm)
    return g.graph(g.linear("down_proj", inner, h, width, m.bias))


RECORD, GRAPH = Dense, graph
