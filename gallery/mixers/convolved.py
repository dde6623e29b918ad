"""Attention on convolved queries and keys (CCA): both pass two short convolutions, half of each value comes late."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.attention import Attention
from cutaway.gallery.records import Normal


@dataclass(frozen=True, slots=True)
class ConvolvedAttention(Attention):
    """Softmax attention whose queries and keys are mixed with those of the tokens before them."""

    first_kernel: int = 2  # channel by channel
    second_kernel: int = 2  # head by head, every number of a head with every other


def graph(m: ConvolvedAttention, h: int) -> Graph:
    """Projections, convolutions beside a plain mean, norms of unit length, attention."""
    g = Wires("self_attn.", "attention")
    heads, kv, d = m.num_attention_heads, m.num_key_value_heads, m.head_dim
    q, k = convolve_qk(m, g, h)
    unit = Normal("RMSNorm", 0.0)
    q, k = (g.norm(f"{word}_norm", value, 0, normal=unit) for word, value in (("q", q), ("k", k)))
    k = g.add("k_temp", "scale", k, tensors={"weight": g.tensor("qk_norm.temp", kv)}, per_head=True)
    if m.rope:
        q, k = (g.add(f"{word}_rope", "rope", value, rope=m.rope) for word, value in (("q", q), ("k", k)))
    v = values(m, g, h)
    kept = (Keep("kv", kv * d, f"k {kv} × {d}", window=m.sliding_window),)
    kept_v = (Keep("kv", kv * d, f"v {kv} × {d}", window=m.sliding_window),)
    k, v = g.add("keys", "keep", k, keeps=kept), g.add("values", "keep", v, keeps=kept_v)
    out = g.add("attend", "attend", q, k, v, scale=d**-0.5, window=m.sliding_window, heads=heads, d=d, dv=d)
    return g.graph(g.linear("o_proj", out, h, heads * d, "o" in m.bias))


def convolve_qk(m: ConvolvedAttention, g: Wires, h: int) -> tuple[str, str]:
    """Queries and keys side by side through both convolutions, each then added to the mean of what went in."""
    heads, kv, d, p = m.num_attention_heads, m.num_key_value_heads, m.head_dim, "qkv_proj."
    q = g.linear("q_proj", "x", heads * d, h, "q" in m.bias, module=p + "q_proj")
    k = g.linear("k_proj", "x", kv * d, h, "k" in m.bias, module=p + "k_proj")
    mean = g.add("q_mean", "head_mean", q, k, heads=heads, groups=kv, words="(q + its key) / 2")
    means = mean, g.add("k_mean", "group_mean", mean, groups=kv, words="mean of its queries")
    wide, columns = (heads + kv) * d, m.first_kernel + m.second_kernel - 2
    first = g.tensor(p + "conv_qk_depthwise.bias", wide)
    one = {"weight": g.tensor(p + "conv_qk_depthwise.weight", wide, 1, m.first_kernel), "bias": first}
    two = {"weight": g.tensor(p + "conv_qk_grouped.weight", wide, d, m.second_kernel),
           "bias": g.tensor(p + "conv_qk_grouped.bias", wide), "before": first}  # fmt: skip
    both = g.add("qk", "concat", q, k)
    keeps = (Keep("conv", wide * columns, f"{wide} × {columns}", fixed=True),)
    both = g.add("conv_qk_depthwise", "conv", both, tensors=one, keeps=keeps, kernel=m.first_kernel, act="")
    both = g.add("conv_qk_grouped", "conv", both, tensors=two, kernel=m.second_kernel, act="", channels=d)
    q = g.add("q_conv", "slice", both, start=0, stop=heads * d, split=(heads, d), words=f"q {heads * d:,}")
    k = g.add("k_conv", "slice", both, start=heads * d, stop=wide, split=(kv, d), words=f"k {kv * d:,}")
    return g.add("q_sum", "add", q, means[0]), g.add("k_sum", "add", k, means[1])


def values(m: ConvolvedAttention, g: Wires, h: int) -> str:
    """Half of the values from this token, half from the one before."""
    half, p = m.num_key_value_heads * m.head_dim // 2, "qkv_proj."
    now = g.linear("v_proj_current", "x", half, h, "v" in m.bias, module=p + "v_proj_current")
    late = g.linear("v_proj_delayed", "x", half, h, "v" in m.bias, module=p + "v_proj_delayed")
    before = {"before": g.tensor(p + "v_proj_delayed.bias", half)} if "v" in m.bias else {}
    late = g.add("v_late", "delay", late, tensors=before, keeps=(Keep("state", half, f"v {half}", fixed=True),))
    return g.add("v", "concat", now, late, split=(m.num_key_value_heads, m.head_dim))


RECORD, GRAPH = ConvolvedAttention, graph
