"""Mamba-1: a state per channel that the token itself decides how much to forget and to take in."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.records import Normal


@dataclass(frozen=True, slots=True)
class Mamba1:
    """State space with a diagonal state per channel: state d_inner x state_size."""

    d_inner: int
    state_size: int
    conv_kernel: int
    dt_rank: int
    conv_bias: bool = True
    proj_bias: bool = False
    inner_norms: bool = False  # norms on dt, B and C (Jamba, FalconMamba)
    inner_norm_weights: bool = True  # FalconMamba's have none
    inner_normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)
    hidden_act: str = "silu"  # after the convolution
    num_heads: int = 1  # Zamba: x_proj and dt_proj apart for each head, and x and z alternate in in_proj


def graph(m: Mamba1, h: int) -> Graph:
    """x through a short convolution; Δ, B and C are read off it; the scan, gated by z."""
    g, d, n = Wires("mamba.", "ssm"), m.d_inner, m.state_size
    both = g.linear("in_proj", "x", 2 * d, h, m.proj_bias)
    if m.num_heads > 1:
        u, z = (g.add(name, "slice", both, start=place, stop=2 * d, step=2) for place, name in enumerate("uz"))
    else:
        u, z = (g.add(name, "slice", both, start=place * d, stop=(place + 1) * d) for place, name in enumerate("uz"))
    u = short_convolution(g, u, d, m.conv_kernel, m.conv_bias, m.hidden_act)
    delta, b, c = select_parameters(m, g, u)
    heads = m.num_heads
    shape = (heads, d // heads) if heads > 1 else (d,)
    out = g.add(
        "scan", "scan", u, delta, b, c, heads=heads, groups=heads, state_size=n, per_state=True,
        tensors={"A_log": g.tensor("A_log", *shape, n), "D": g.tensor("D", *shape)},
        keeps=(Keep("state", d * n, f"state {d} × {n}", fixed=True, dtype="float32"),),
        lines=("h ← exp(Δ A) h + Δ B x", "y = C·h + D x"),
    )  # fmt: skip
    out = g.add("gated", "multiply", out, g.add("gate", "act", z, act="silu"))
    return g.graph(g.linear("out_proj", out, h, d, m.proj_bias))


def select_parameters(m: Mamba1, g: Wires, u: str) -> tuple[str, str, str]:
    """Δ, B and C of one token, read off its convolved x."""
    rank, n, heads, d = m.dt_rank, m.state_size, m.num_heads, m.d_inner // m.num_heads
    rows = rank + 2 * n
    if heads > 1:
        both = g.add("x_proj", "per_head", u, tensors={"weight": g.tensor("x_proj_weight", heads, rows, d)})
    else:
        both = g.linear("x_proj", u, rows, d, note=f"= {rank} + 2 × {n}")
    cuts = {"dt": (0, rank), "B": (rank, rank + n), "C": (rank + n, rows)}
    dt, b, c = (g.add(name, "slice", both, start=start, stop=stop) for name, (start, stop) in cuts.items())
    if m.inner_norms:
        widths = {"dt": rank, "b": n, "c": n} if m.inner_norm_weights else dict.fromkeys(("dt", "b", "c"), 0)
        dt, b, c = (
            g.norm(f"{word}_layernorm", value, widths[word], normal=m.inner_normal)
            for word, value in zip(widths, (dt, b, c), strict=True)
        )
    if heads > 1:
        tensors = {"weight": g.tensor("dt_proj_weight", heads, d, rank), "bias": g.tensor("dt_proj_bias", heads, d)}
        dt = g.add("dt_proj", "per_head", dt, tensors=tensors)
    else:
        dt = g.linear("dt_proj", dt, d, rank, True)
    return g.add("delta", "step", dt, words="Δ = softplus"), b, c


def short_convolution(g: Wires, x: str, channels: int, kernel: int, bias: bool, act: str) -> str:
    """The short convolution before a scan, which keeps its last columns."""
    tensors = {"weight": g.tensor("conv1d.weight", channels, 1, kernel)}
    if bias:
        tensors["bias"] = g.tensor("conv1d.bias", channels)
    keeps = (Keep("conv", channels * kernel, f"{channels} × {kernel}", fixed=True),)
    return g.add("conv1d", "conv", x, tensors=tensors, keeps=keeps, kernel=kernel, act=act)


RECORD, GRAPH = Mamba1, graph
