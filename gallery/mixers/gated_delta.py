"""Gated DeltaNet: the delta rule with one decay and one write strength per value head."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.records import Normal

L2 = Normal("L2Norm", 1e-6)


@dataclass(frozen=True, slots=True)
class GatedDeltaNet:
    """S <- a S; S += b k (v - S'k)': one state of key_head_dim x value_head_dim per value head."""

    linear_num_key_heads: int
    linear_num_value_heads: int
    linear_key_head_dim: int
    linear_value_head_dim: int
    linear_conv_kernel_dim: int
    fused: bool = False  # Qwen3-Next: in_proj_qkvz and in_proj_ba; Qwen3.5: four projections
    separate: bool = False  # OLMo Hybrid: q, k and v have a matrix and a convolution each
    allow_neg_eigval: bool = False
    hidden_act: str = "silu"  # after the convolution
    gate_act: str = "silu"  # on z
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)


def fused_projection(m: GatedDeltaNet, g: Wires, h: int) -> tuple[str, str, str, str]:
    """(what is convolved, z, b, a) of two matrices whose rows go key head by key head."""
    n, kn, dk, dv = m.linear_num_value_heads, m.linear_num_key_heads, m.linear_key_head_dim, m.linear_value_head_dim
    share = n // kn
    both = g.linear("in_proj_qkvz", "x", 2 * kn * dk + 2 * n * dv, h, split=(kn, 2 * dk + 2 * share * dv))
    parts, start = [], 0
    for name, size in (("q_in", dk), ("k_in", dk), ("v_in", share * dv), ("z", share * dv)):
        shape = (n, dv) if name == "z" else (kn * size,)
        parts.append(g.add(name, "slice", both, start=start, stop=start + size, split=shape))
        start += size
    ba = g.linear("in_proj_ba", "x", 2 * n, h, split=(kn, 2 * share))
    b = g.add("b", "slice", ba, start=0, stop=share, split=(n,))
    a = g.add("a", "slice", ba, start=share, stop=2 * share, split=(n,))
    return g.add("qkv", "concat", *parts[:3]), parts[3], b, a


def separate_projections(m: GatedDeltaNet, g: Wires, h: int) -> tuple[str, str, str, str]:
    """The same of four matrices."""
    n, dv = m.linear_num_value_heads, m.linear_value_head_dim
    keys = m.linear_num_key_heads * m.linear_key_head_dim
    mixed = g.linear("in_proj_qkv", "x", 2 * keys + n * dv, h)
    z = g.linear("in_proj_z", "x", n * dv, h, split=(n, dv))
    return mixed, z, g.linear("in_proj_b", "x", n, h), g.linear("in_proj_a", "x", n, h)


def short_convolution(m: GatedDeltaNet, g: Wires, name: str, x: str, width: int, split: tuple[int, ...] = ()) -> str:
    """Each channel over its last few tokens; they are kept."""
    kernel = m.linear_conv_kernel_dim
    return g.add(
        name, "conv", x, tensors={"weight": g.tensor(name + ".weight", width, 1, kernel)}, act=m.hidden_act,
        kernel=kernel, keeps=(Keep("conv", width * kernel, f"{width} × {kernel}", fixed=True),), split=split,
    )  # fmt: skip


def project_qkv(m: GatedDeltaNet, g: Wires, h: int) -> tuple[str, ...]:
    """q, k and v after their convolution, z, b and a."""
    n, kn, dk, dv = m.linear_num_value_heads, m.linear_num_key_heads, m.linear_key_head_dim, m.linear_value_head_dim
    keys = kn * dk
    width = 2 * keys + n * dv
    if m.separate:
        shapes = (("q", kn, dk), ("k", kn, dk), ("v", n, dv))
        made = {
            word: short_convolution(
                m, g, f"{word}_conv1d", g.linear(f"{word}_proj", "x", heads * d, h), heads * d, (heads, d)
            )
            for word, heads, d in shapes
        }
        z = g.linear("in_proj_z", "x", n * dv, h, split=(n, dv))
        return *made.values(), z, g.linear("in_proj_b", "x", n, h), g.linear("in_proj_a", "x", n, h)
    mixed, z, b, a = (fused_projection if m.fused else separate_projections)(m, g, h)
    mixed = short_convolution(m, g, "conv1d", mixed, width)
    q = g.add("q", "slice", mixed, start=0, stop=keys, split=(kn, dk))
    k = g.add("k", "slice", mixed, start=keys, stop=2 * keys, split=(kn, dk))
    return q, k, g.add("v", "slice", mixed, start=2 * keys, stop=width, split=(n, dv)), z, b, a


def graph(m: GatedDeltaNet, h: int) -> Graph:
    """Projections, convolutions over q, k and v, the delta rule, a norm per head, the gate z."""
    g = Wires("linear_attn.", "linear")
    n, dk, dv = m.linear_num_value_heads, m.linear_key_head_dim, m.linear_value_head_dim
    q, k, v, z, b, a = project_qkv(m, g, h)
    q, k = g.norm("q_norm", q, 0, normal=L2), g.norm("k_norm", k, 0, normal=L2)
    beta = g.add("beta", "act", b, act="sigmoid2" if m.allow_neg_eigval else "sigmoid",
                 words="β = 2σ" if m.allow_neg_eigval else "β = σ")  # fmt: skip
    tensors = {"A_log": g.tensor("A_log", n), "dt_bias": g.tensor("dt_bias", n)}
    alpha = g.add("alpha", "decay", a, tensors=tensors, words="α decay")
    out = g.add(
        "delta", "delta", q, k, v, beta, alpha, scale=dk**-0.5, heads=n, d=dk, dv=dv,
        lines=("S ← α S + β k ⊗ (v − k·αS)", "o = q·S"),
        keeps=(Keep("state", n * dk * dv, f"{n} × {dk} × {dv}", fixed=True, dtype="float32"),),
    )  # fmt: skip
    out = g.norm("norm", out, dv, normal=m.normal)
    out = g.add("gated", "multiply", out, g.add("z_act", "act", z, act=m.gate_act))
    return g.graph(g.linear("out_proj", out, h, n * dv))


RECORD, GRAPH = GatedDeltaNet, graph
