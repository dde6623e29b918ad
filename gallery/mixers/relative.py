"""Attention whose positions are learned: each token makes its own bias for every distance, from a bank of profiles."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.attention import Attention, apply_gate, qk_norm, scale


@dataclass(frozen=True, slots=True)
class RelativeAttention(Attention):
    """Softmax attention on convolved keys and values, with a bias by distance in place of a rotation."""

    d_rel: int = 0  # profiles that a head mixes
    rel_extent: int = 0  # farther tokens have no bias
    kernel: int = 4  # of the convolutions on keys and values, whose input is added to what they give
    averaged: bool = False  # that sum over the root of how many terms it has
    dynamic: bool = False  # the taps also depend on the token; queries, keys and values read three inputs
    l2_clip: float = 0.0  # queries and keys are no longer than this; 0 = normalised instead
    rel_l2_clip: float = 0.0  # the same for what mixes the profiles
    log_scaling: tuple[float, float] = ()  # type: ignore[assignment]  # (alpha, floor): queries grow with their position
    sink_proj: bool = False  # the sink of a head depends on the token


def graph(m: RelativeAttention, h: int) -> Graph:
    """Queries, convolved keys and values, the bias by distance; what comes out opened by a gate."""
    g = Wires("self_attn.", "attention")
    heads, kv, d, dv = m.num_attention_heads, m.num_key_value_heads, m.head_dim, m.v_head_dim
    q = g.linear("q_proj", "x", heads * d, h, split=(heads, d))
    q = grow_queries(m, g, "q", clip_length(m, g, "q", q, heads, d, m.l2_clip))
    k, v = add_convolution(m, g, "k", h, d), add_convolution(m, g, "v", h, dv)
    k = clip_length(m, g, "k", k, kv, d, m.l2_clip)
    if m.v_norm:
        v = g.norm("v_norm", v, 0, normal=m.qk_normal)
    k = g.add("keys", "keep", k, keeps=(Keep("kv", kv * d, f"k {kv} × {d}", window=m.sliding_window),))
    v = g.add("values", "keep", v, keeps=(Keep("kv", kv * dv, f"v {kv} × {dv}", window=m.sliding_window),))
    r = g.linear("r_proj", "x", heads * m.d_rel, h, split=(heads, m.d_rel))
    r = grow_queries(m, g, "rel", clip_length(m, g, "rel", r, heads, m.d_rel, m.rel_l2_clip))
    bank = {"weight": g.tensor("rel_logits_proj.proj", m.d_rel, m.rel_extent)}
    bias = g.add("bias", "relative", r, tensors=bank, words=f"a bias per distance, up to {m.rel_extent:,}")
    sinks = (g.linear("sink_proj", "x", heads, h),) if m.sink_proj else ()
    out = g.add("attend", "attend", q, k, v, bias, *sinks, scale=scale(m), window=m.sliding_window, heads=heads, d=d,
                dv=dv, plus=" + bias")  # fmt: skip
    return g.graph(g.linear("o_proj", apply_gate(m, g, "x", out, "", h), h, heads * dv, note=f"{heads} × {dv} in"))


def clip_length(m: RelativeAttention, g: Wires, which: str, value: str, heads: int, d: int, limit: float) -> str:
    """Normalised (queries and keys alone), or shortened where it is too long; queries times a stored number first."""
    if not limit:
        return qk_norm(m, g, which, value, heads) if which != "rel" else value
    if which != "k":
        stored = {"weight": g.tensor(f"{which}_l2_clip.scale", heads, d)}
        value = g.add(f"{which}_scaled", "scale", value, tensors=stored)
    return g.add(f"{which}_l2_clip", "l2_clip", value, limit=limit, words=f"|{which}| ≤ {limit:.3g}")


def grow_queries(m: RelativeAttention, g: Wires, which: str, value: str) -> str:
    """Longer texts make queries longer."""
    if not m.log_scaling:
        return value
    alpha, floor = m.log_scaling
    return g.add(f"{which}_grown", "log_scale", value, alpha=alpha, floor=floor)


def add_convolution(m: RelativeAttention, g: Wires, which: str, h: int, d: int) -> str:
    """Keys or values, added to their own convolution over the last tokens."""
    kv, n = m.num_key_value_heads, m.kernel
    wide, x = kv * d, f"x_{which}" if m.dynamic else "x"
    value = g.linear(f"{which}_proj", x, wide, h)
    keeps, terms = (Keep("conv", wide * n, f"{wide} × {n}", fixed=True),), n + 1
    if m.dynamic:
        taps = g.linear(f"{which}_taps", x, kv * n, h, module=f"{which}_sconv.weight_proj", split=(kv, n))
        static = {"weight": g.tensor(f"{which}_sconv.static_weight", n, wide)}
        out = g.add(f"{which}_sconv", "dynamic_conv", value, taps, tensors=static, keeps=keeps, kernel=n)
        terms = 2 * n + 1
    else:
        weight = {"weight": g.tensor(f"{which}_sconv.conv1d.weight", wide, 1, n)}
        out = g.add(f"{which}_sconv", "conv", value, tensors=weight, keeps=keeps, kernel=n, act="")
    by = {"by": terms**-0.5, "words": f"÷ √{terms}"}
    out = g.add(f"{which}_mixed", "add", out, value, split=() if m.averaged else (kv, d))
    return g.add(f"{which}_mean", "scale", out, split=(kv, d), **by) if m.averaged else out


RECORD, GRAPH = RelativeAttention, graph
