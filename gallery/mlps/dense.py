"""A dense MLP: gate, up and down, or up and down."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.records import Normal


@dataclass(frozen=True, slots=True)
class Dense:
    """gate, up and down (gated) or up and down."""

    intermediate_size: int
    gated: bool = True
    hidden_act: str = "silu"
    bias: bool = False
    weights_of: int | None = None  # index of the layer whose weights it uses
    adapter: tuple[int, int] = ()  # type: ignore[assignment]  # (rank, number) of a low-rank adapter on gate and up
    limit: float = 0.0  # gate and up are clamped to it before they meet (swiglu_limit); 0 = not
    limit_after: bool = False  # the gate is clamped after its activation, not before (Step 3.5)
    sparsity: float = 0.0  # share of the gate that becomes zero: what lies below mean + so many deviations (Gemma 3n)
    glu: str = "glu"  # how gate and up meet: "glu" | "swigluoai" ((up + 1) · gate · σ(alpha · gate))
    alpha: float = 1.0
    gate_multiplier: float = 1.0  # of the gate before its activation (Falcon-H1)
    out_multiplier: float = 1.0  # of what it gives
    sub_norm: Normal | None = None  # a norm in front of down_proj (BitNet)
    global_scale: bool = False  # what it gives times one learned number (Inkling)
    out_gate: str = ""  # name of one number whose tanh multiplies what it returns (Llama 3.2 Vision)


def graph(m: Dense, h: int, prefix: str = "mlp.", part: str = "dense") -> Graph:
    """up, times the activated gate, down."""
    g, width = Wires(prefix, part, m.weights_of), m.intermediate_size
    if m.gated:
        gate = g.scale("gate_scaled", g.linear("gate_proj", "x", width, h, m.bias), m.gate_multiplier)
        if m.sparsity:
            gate = g.add("gate_sparse", "sparse", gate, deviations=NormalDist().inv_cdf(m.sparsity),
                         words=f"the largest {1 - m.sparsity:.0%}")  # fmt: skip
        up = g.linear("up_proj", "x", width, h, m.bias)
        if m.adapter:
            gate, up = add_adapter(m, g, gate, up, h)
        inner = g.add("glu", "glu", gate, up, act=m.hidden_act, limit=m.limit, limit_after=m.limit_after,
                      glu=m.glu, alpha=m.alpha)  # fmt: skip
    else:
        inner = activate(m, g, g.linear("up_proj", "x", width, h, m.bias))
    if m.sub_norm:
        inner = g.norm("ffn_sub_norm", inner, width, normal=m.sub_norm, part="norm")
    out = g.scale("out_scaled", g.linear("down_proj", inner, h, width, m.bias), m.out_multiplier)
    if m.global_scale:
        out = g.add("global_scale", "scale", out, tensors={"weight": g.tensor("global_scale", 1)})
    return g.graph(g.gate_by_tanh(m.out_gate, out) if m.out_gate else out)


def activate(m: Dense, g: Wires, up: str) -> str:
    """The activation of an MLP without a gate; xIELU has two learned numbers, and two that are stored (Apertus)."""
    if m.hidden_act != "xielu":
        return g.add("act", "act", up, act=m.hidden_act)
    learned = {word: g.tensor(f"act_fn.{word}", 1) for word in ("alpha_p", "alpha_n")}
    return g.add("act", "xielu", up, tensors=learned, beta=0.5, eps=-1e-6)


def add_adapter(m: Dense, g: Wires, gate: str, up: str, h: int) -> tuple[str, str]:
    """Gate and up of shared weights, and what this layer's own adapter adds to both."""
    (rank, number), width = m.adapter, m.intermediate_size
    both = g.add("gate_up", "concat", gate, up)
    both = g.add_adapter("gate_up", "x", both, (2 * width, rank, h), f"gate_up_proj_adapter_list.{number}")
    gate = g.add("gate", "slice", both, start=0, stop=width)
    return gate, g.add("up", "slice", both, start=width, stop=2 * width)


RECORD, GRAPH = Dense, graph
