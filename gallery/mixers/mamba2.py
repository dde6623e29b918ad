"""Mamba-2: a state per head with one decay, its keys and queries (B and C) shared by groups of heads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.mamba1 import short_convolution
from cutaway.gallery.records import Normal


@dataclass(frozen=True, slots=True)
class Mamba2:
    """State space with one decay per head: state num_heads x head_dim x state_size."""

    num_heads: int
    head_dim: int
    state_size: int
    n_groups: int
    conv_kernel: int
    conv_bias: bool = True
    proj_bias: bool = False
    gated_norm: bool = True
    chunk_size: int = 0
    out_bias: bool | None = None  # None = as proj_bias
    hidden_act: str = "silu"  # after the convolution
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)
    norm_before_gate: bool = False
    time_step_limit: tuple[float, float] = (0.0, math.inf)  # Δ stays between them
    in_multiplier: float = 1.0  # of what goes into in_proj (Falcon-H1)
    out_multiplier: float = 1.0  # of what it gives
    multipliers: tuple[float, ...] = ()  # of z, x, B, C and dt (Falcon-H1)


def graph(m: Mamba2, h: int) -> Graph:
    """One projection; x, B and C through a short convolution; the scan; its gated norm."""
    g, inner, bc = Wires("mamba.", "ssm"), m.num_heads * m.head_dim, m.n_groups * m.state_size
    conv = inner + 2 * bc
    x = g.scale("in_scaled", "x", m.in_multiplier)
    both = g.linear("in_proj", x, inner + conv + m.num_heads, h, m.proj_bias)
    if m.multipliers:
        both = g.add("in_proj_scaled", "scale", both, by=m.multipliers, widths=(inner, inner, bc, bc, m.num_heads))
    z = g.add("z", "slice", both, start=0, stop=inner, note=f"{m.num_heads} × {m.head_dim}")
    xbc = g.add("xBC", "slice", both, start=inner, stop=inner + conv)
    dt = g.add("dt", "slice", both, start=inner + conv, stop=inner + conv + m.num_heads)
    mixed = short_convolution(g, xbc, conv, m.conv_kernel, m.conv_bias, m.hidden_act)
    cuts = {"u": (0, inner), "B": (inner, inner + bc), "C": (inner + bc, conv)}
    u, b, c = (g.add(name, "slice", mixed, start=start, stop=stop) for name, (start, stop) in cuts.items())
    step = {"bias": g.tensor("dt_bias", m.num_heads)}
    delta = g.add("delta", "step", dt, tensors=step, limits=m.time_step_limit, words="Δ = softplus")
    out = g.add(
        "scan", "scan", u, delta, b, c, heads=m.num_heads, groups=m.n_groups, state_size=m.state_size, per_state=False,
        tensors={"A_log": g.tensor("A_log", m.num_heads), "D": g.tensor("D", m.num_heads)},
        keeps=(Keep("state", inner * m.state_size, f"state {m.num_heads} × {m.head_dim} × {m.state_size}",
                    fixed=True, dtype="float32"),),
        lines=("h ← exp(Δ A) h + Δ B ⊗ x", "y = C·h + D x"),
    )  # fmt: skip
    out = gated_norm(m, g, out, z, inner)
    out = g.linear("out_proj", out, h, inner, m.proj_bias if m.out_bias is None else m.out_bias)
    return g.graph(g.scale("out_scaled", out, m.out_multiplier))


def gated_norm(m: Mamba2, g: Wires, out: str, z: str, inner: int) -> str:
    """What the scan returns times SiLU(z), normalised group by group: after the gate, or before it."""
    gate = g.add("gate", "act", z, act="silu")
    facts: dict[str, Any] = {"normal": m.normal, "groups": m.n_groups}
    if m.gated_norm and m.norm_before_gate:
        out = g.norm("norm", out, inner, **facts)
    out = g.add("gated", "multiply", out, gate)
    if m.gated_norm and not m.norm_before_gate:
        out = g.norm("norm", out, inner, **facts)
    return out


RECORD, GRAPH = Mamba2, graph
