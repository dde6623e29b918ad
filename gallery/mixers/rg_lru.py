"""A real-gated linear recurrence: one number per channel, faded by a gate of its own and fed through another."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires


@dataclass(frozen=True, slots=True)
class RGLRU:
    """Griffin's recurrent block: a short convolution, the RG-LRU, a gate beside them. State: lru_width numbers."""

    lru_width: int
    num_heads: int  # the two gates have a matrix per head
    conv_kernel: int
    hidden_act: str = "gelu_pytorch_tanh"  # of the gate beside


def graph(m: RGLRU, h: int) -> Graph:
    """x through a convolution into the recurrence; y beside it opens what comes out."""
    g, n = Wires("recurrent.", "linear"), m.lru_width
    y = g.add("y_act", "act", g.linear("linear_y", "x", n, h, True), act=m.hidden_act)
    u = g.linear("linear_x", "x", n, h, True)
    conv = {"weight": g.tensor("conv_1d.weight", n, 1, m.conv_kernel), "bias": g.tensor("conv_1d.bias", n)}
    keeps = (Keep("conv", n * m.conv_kernel, f"{n} × {m.conv_kernel}", fixed=True),)
    u = g.add("conv_1d", "conv", u, tensors=conv, keeps=keeps, kernel=m.conv_kernel, act="")
    taken, kept = open_gate(m, g, "input", u), open_gate(m, g, "recurrent", u)
    state = g.add(
        "rg_lru", "rg_lru", u, taken, kept, tensors={"rate": g.tensor("rg_lru.recurrent_param", n)},
        keeps=(Keep("state", n, f"state {n}", fixed=True, dtype="float32"),),
        lines=("h ← a h + √(1 − a²) (i × x)", "a = exp(−8 r softplus(λ))"),
    )  # fmt: skip
    return g.graph(g.linear("linear_out", g.add("gated", "multiply", state, y), h, n, True))


def open_gate(m: RGLRU, g: Wires, which: str, u: str) -> str:
    """One of the two gates, σ of a matrix per head."""
    d = m.lru_width // m.num_heads
    tensors = {
        "weight": g.tensor(f"rg_lru.{which}_gate_weight", m.num_heads, d, d),
        "bias": g.tensor(f"rg_lru.{which}_gate_bias", m.num_heads, d),
    }
    both = g.add(f"{which}_gate", "per_head", u, tensors=tensors, turned=True)
    return g.add(f"{which}_gate_act", "act", both, act="sigmoid", words=f"{'i' if which == 'input' else 'r'} = σ")


RECORD, GRAPH = RGLRU, graph
