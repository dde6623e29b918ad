"""Kimi Delta Attention: the delta rule with one decay per key channel."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.gated_delta import L2
from cutaway.gallery.records import Normal


@dataclass(frozen=True, slots=True)
class KimiDelta:
    """KDA: the delta rule with one decay per key channel."""

    num_heads: int
    head_dim: int
    short_conv_kernel_size: int
    full_rank_gate: bool = False
    full_rank_decay: bool = False  # Ling 3: one f_proj instead of f_a_proj and f_b_proj
    lower_bound: float = 0.0  # the logarithm of the decay is this times a sigmoid; 0 = -exp(A) · softplus, no bound
    hidden_act: str = "silu"  # after the convolutions
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)


def project_and_convolve(m: KimiDelta, g: Wires, word: str, h: int) -> str:
    """q, k or v: a matrix and a convolution."""
    n, d, kernel = m.num_heads, m.head_dim, m.short_conv_kernel_size
    name = f"{word}_conv1d"
    return g.add(
        name, "conv", g.linear(f"{word}_proj", "x", n * d, h, note=f"= {n} × {d}"), act=m.hidden_act, kernel=kernel,
        tensors={"weight": g.tensor(name + ".weight", n * d, 1, kernel)}, split=(n, d),
        keeps=(Keep("conv", n * d * kernel, f"{n * d} × {kernel}", fixed=True),),
    )  # fmt: skip


def decay(m: KimiDelta, g: Wires, h: int) -> str:
    """α per key channel: through a low rank, or one full matrix."""
    n, d = m.num_heads, m.head_dim
    if m.full_rank_decay:
        a = g.linear("f_proj", "x", n * d, h)
    else:
        a = g.linear("f_b_proj", g.linear("f_a_proj", "x", d, h), n * d, d)
    tensors = {"A_log": g.tensor("A_log", 1, 1, n, 1), "dt_bias": g.tensor("dt_bias", n * d)}
    return g.add("alpha", "decay", a, tensors=tensors, lower=m.lower_bound, words="α per channel")


def graph(m: KimiDelta, h: int) -> Graph:
    """q, k and v with a convolution each, the delta rule, a norm per head, an output gate."""
    g, n, d = Wires("self_attn.", "linear"), m.num_heads, m.head_dim
    q, k, v = (project_and_convolve(m, g, word, h) for word in "qkv")
    q, k = g.norm("q_norm", q, 0, normal=L2), g.norm("k_norm", k, 0, normal=L2)
    beta = g.add("beta", "act", g.linear("b_proj", "x", n, h), act="sigmoid", words="β = σ")
    out = g.add(
        "delta", "delta", q, k, v, beta, decay(m, g, h), scale=d**-0.5, heads=n, d=d, dv=d,
        lines=("S ← Diag(α) S + β k ⊗ (v − k·Diag(α)S)", "o = q·S"),
        keeps=(Keep("state", n * d * d, f"{n} × {d} × {d}", fixed=True, dtype="float32"),),
    )  # fmt: skip
    if m.full_rank_gate:
        gate = g.linear("g_proj", "x", n * d, h, split=(n, d))
    else:
        gate = g.linear("g_b_proj", g.linear("g_a_proj", "x", d, h), n * d, d, split=(n, d))
    out = g.norm("o_norm", out, d, normal=m.normal)
    out = g.add("gated", "multiply", out, g.add("gate_act", "act", gate, act="sigmoid", words="σ"))
    return g.graph(g.linear("o_proj", out, h, n * d))


RECORD, GRAPH = KimiDelta, graph
