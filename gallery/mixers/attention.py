"""Softmax attention with its own keys and values: MHA, GQA, MQA and every option that hangs on it."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.indexer import Indexer, choose
from cutaway.gallery.records import Normal, Rope


@dataclass(frozen=True, slots=True)
class Attention:
    """Softmax attention with its own keys and values."""

    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    v_head_dim: int
    sliding_window: int = 0  # tokens; 0 = sees everything
    attention_chunk_size: int = 0  # tokens; 0 = no chunks
    rotary_dim: int = 0  # how many of head_dim are rotated; 0 = no rotary position (NoPE, learned, ALiBi)
    qk_norm: str = ""  # "" | "head" (weight of head_dim) | "full" (weight of the projection's width) | "per_head"
    #                    (one weight per head and dim) | "unweighted"
    bias: frozenset[str] = frozenset()  # which of "q", "k", "v", "o", "g" (the gate) carry a bias
    gate: str = ""  # "" | "elementwise" (a gate per head dim, in q_proj) | "separate" (the same as a matrix of its own)
    #                   | "headwise" (one number per head)
    sinks: bool = False  # one learned logit per head
    k_eq_v: bool = False  # no v_proj: values are the keys before their norm
    kv_source: int | None = None  # index of the layer whose K and V are reused; then no K/V weights and no cache here
    cross: bool = False  # keys and values come from another tower (images), not from the text
    position: str = "rope"  # "rope" | "nope" | "alibi" | "learned" (a table beside the embedding) | "waves" (sines and
    #                         cosines added to it) | "relative" (a learned bias by distance)
    indexer: Indexer | None = None
    qk_norm_bias: bool = False  # the QK-norm is a LayerNorm with a bias
    input_size: int = 0  # width it reads where not hidden_size (Zamba2 reads stream and embedding); 0 = the same
    weights_of: int | None = None  # index of the layer whose weights it uses
    in_multiplier: float = 1.0  # of what it reads (Falcon-H1)
    key_multiplier: float = 1.0  # of the keys, before they are rotated
    out_multiplier: float = 1.0  # of what it gives
    adapter: tuple[int, int] = ()  # type: ignore[assignment]  # (rank, number) of low-rank adapters on q, k and v
    scale: float | None = 0.0  # q·k times this goes into the softmax; 0 = 1 / √head_dim, None = not known
    rope: Rope | None = None
    qk_normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)
    qk_norm_after_rope: bool = False
    v_norm: bool = False  # values are normalised too, without a weight (Gemma 4)
    clip: float = 0.0  # q, k and v are clamped to ± this (OLMo, DBRX, MPT); 0 = not
    clip_last: bool = False  # after the QK-norm, not before it (OLMoE)
    softcap: float = 0.0  # scores become cap · tanh(scores / cap); 0 = not
    temperature: tuple = ()  # queries grow with their position: see running/numbers/attention.py
    value_scale: float = 1.0  # values are multiplied by it (MiMo-V2)
    gate_act: str = "sigmoid"
    gate_bias: bool = False  # one number per head is added to the gate (Beam)
    out_norm: Normal | None = None  # what a head gives is normalised, without a weight (Muse Spark)
    dynamic_mask: int = 0  # values say how strongly they are seen, and only so many keys are (Doge); 0 = not
    alibi_scale: float = 1.0  # ALiBi is multiplied by it (Falcon adds it before scaling)
    causal: bool = True  # False: every token sees every other, and nothing is kept
    q_lora_rank: int = 0  # queries come out of a normed latent of this width (Step 3); 0 = one q_proj
    sub_norm: bool = False  # a norm in front of o_proj (BitNet)
    differential: float = 0.0  # half of the heads minus λ times the other half, λ starting here (DiffLlama); 0 = not
    added: str = ""  # a value of the model, [heads, query, key], that is added to the scores (CPM-Ant)
    out_gate: str = ""  # name of one number whose tanh multiplies what it returns (Llama 3.2 Vision)


def queries(m: Attention, g: Wires, x: str, reads: int) -> tuple[str, str]:
    """(queries, their share of the gate if q_proj holds it)."""
    heads, d = m.num_attention_heads, m.head_dim
    if m.q_lora_rank:
        latent = g.linear("q_a_proj", x, m.q_lora_rank, reads, "q" in m.bias)
        latent = g.norm("q_a_layernorm", latent, m.q_lora_rank, normal=m.qk_normal)
        return g.linear("q_b_proj", latent, heads * d, m.q_lora_rank, split=(heads, d)), ""
    if m.gate != "elementwise":
        early = m.qk_norm == "full"
        q = g.linear("q_proj", x, heads * d, reads, "q" in m.bias, split=() if early else (heads, d))
        return add_adapter(m, g, "q", x, q, (heads, d)), ""
    both = g.linear("q_proj", x, 2 * heads * d, reads, "q" in m.bias, split=(heads, 2 * d))
    q = g.add("q", "slice", both, start=0, stop=d)
    return q, g.add("gate", "slice", both, start=d, stop=2 * d)


def add_adapter(m: Attention, g: Wires, which: str, x: str, value: str, split: tuple[int, int]) -> str:
    """Queries, keys or values of shared weights, and what this layer's own adapter adds to them."""
    if not m.adapter:
        return value
    rank, number = m.adapter
    module, rows = f"linear_{which}_adapter_list.{number}", split[0] * split[1]
    return g.add_adapter(f"{which}_proj", x, value, (rows, rank, m.input_size), module, split)


def place_and_rotate(m: Attention, g: Wires, which: str, value: str, heads: int) -> str:
    """Clamped, normalised and rotated, in the order of the family."""
    if m.clip and not m.clip_last:
        value = g.add(f"{which}_clip", "clip", value, limit=m.clip)
    if not m.qk_norm_after_rope:
        value = qk_norm(m, g, which, value, heads)
    if m.clip and m.clip_last:
        value = g.add(f"{which}_clip", "clip", value, limit=m.clip)
    if m.rope:
        value = g.add(f"{which}_rope", "rope", value, rope=m.rope)
    if m.qk_norm_after_rope:
        value = qk_norm(m, g, which, value, heads)
    if which == "q" and m.temperature:
        value = g.add("q_temperature", "temperature", value, temperature=m.temperature)
    return value


def qk_norm(m: Attention, g: Wires, which: str, value: str, heads: int) -> str:
    """The QK-norm, if there is one."""
    d = m.head_dim
    shape = {"head": (d,), "full": (heads * d,), "per_head": (heads, d), "unweighted": (0,)}.get(m.qk_norm)
    if shape is None:
        return value
    return g.norm(
        f"{which}_norm", value, shape, bias=m.qk_norm_bias, normal=m.qk_normal,
        split=(heads, d) if m.qk_norm == "full" else (),
    )  # fmt: skip


def keys_values(m: Attention, g: Wires, x: str, reads: int) -> tuple[str, str]:
    """Keys and values, kept while decoding; or those of an earlier layer."""
    if m.kv_source is not None:
        return f"layer{m.kv_source}:mixer.keys", f"layer{m.kv_source}:mixer.values"
    kv, d, dv = m.num_key_value_heads, m.head_dim, m.v_head_dim
    source = "cross" if m.cross else x
    k = g.linear("k_proj", source, kv * d, reads, "k" in m.bias, split=() if m.qk_norm == "full" else (kv, d))
    v = k if m.k_eq_v else g.linear("v_proj", source, kv * dv, reads, "v" in m.bias, split=(kv, dv))
    k, v = add_adapter(m, g, "k", x, k, (kv, d)), add_adapter(m, g, "v", x, v, (kv, dv))
    k = place_and_rotate(m, g, "k", g.scale("k_scaled", k, m.key_multiplier), kv)
    if m.clip and not m.k_eq_v:
        v = g.add("v_clip", "clip", v, limit=m.clip)
    if m.v_norm:
        v = g.norm("v_norm", v, 0, normal=m.qk_normal)
    if m.value_scale != 1.0:
        v = g.add("v_scale", "scale", v, by=m.value_scale)
    window = m.sliding_window or m.attention_chunk_size
    none = m.cross or not m.causal
    kept = () if none else (Keep("kv", kv * d, f"k {kv} × {d}", window=window),)
    kept_v = () if none else (Keep("kv", kv * dv, f"v {kv} × {dv}", window=window),)
    return g.add("keys", "keep", k, keeps=kept), g.add("values", "keep", v, keeps=kept_v)


def graph(m: Attention, h: int) -> Graph:
    """Q, K, V into the softmax; what hangs on them; back to the width of the stream."""
    g = Wires("cross_attn." if m.cross else "self_attn.", "attention", m.weights_of)
    heads, dv, reads = m.num_attention_heads, m.v_head_dim, m.input_size or h
    x = g.scale("in_scaled", "x", m.in_multiplier)
    q, gate = queries(m, g, x, reads)
    q = place_and_rotate(m, g, "q", q, heads)
    k, v = keys_values(m, g, x, reads)
    chosen = choose(m.indexer, g, x, h) if m.indexer else score_masks(m, g, v) if m.dynamic_mask else m.added
    out = differential_attention(m, g, q, k, v) if m.differential else masked_attention(m, g, q, k, v, chosen)
    if m.out_norm:
        out = g.norm("o_norm", out, 0, normal=m.out_norm)
    out = apply_gate(m, g, x, out, gate, h)
    if m.sub_norm:
        out = g.norm("attn_sub_norm", out, heads * dv, normal=m.qk_normal, flat=True, part="norm")
    out = g.linear("o_proj", out, h, heads * dv, "o" in m.bias, note=f"{heads} × {dv} in")
    out = g.scale("out_scaled", out, m.out_multiplier)
    return g.graph(g.gate_by_tanh(m.out_gate, out) if m.out_gate else out)


def scale(m: Attention) -> float | None:
    """What q·k is multiplied by."""
    return m.scale if m.scale is None or m.scale else m.head_dim**-0.5


def masked_attention(m: Attention, g: Wires, q: str, k: str, v: str, chosen: str) -> str:
    """The softmax under its masks."""
    heads = m.num_attention_heads
    tensors = {"sinks": g.tensor("sinks", heads)} if m.sinks else {}
    return g.add(
        "attend", "attend", *(q, k, v, *((chosen,) if chosen else ())), tensors=tensors,
        scale=scale(m), window=m.sliding_window, chunk=m.attention_chunk_size, softcap=m.softcap, causal=m.causal,
        alibi=m.position == "alibi", alibi_scale=m.alibi_scale, cross=m.cross, heads=heads, d=m.head_dim,
        dv=m.v_head_dim, at_most=m.indexer.at_most if m.indexer else 0,
    )  # fmt: skip


def score_masks(m: Attention, g: Wires, v: str) -> str:
    """How strongly each key is seen, and which keys at all, from the values alone."""
    kv = m.num_key_value_heads
    dt = g.linear("dt_proj", v, kv, kv * m.v_head_dim, bool(m.bias))
    return g.add(
        "dynamic_mask", "dynamic_mask", dt, tensors={"A": g.tensor("A", kv)}, window=m.sliding_window,
        keep=m.dynamic_mask, words=f"exp(A · softplus), the {m.dynamic_mask:,} largest",
    )  # fmt: skip


def differential_attention(m: Attention, g: Wires, q: str, k: str, v: str) -> str:
    """Differential attention: every head reads two heads of values; one half of the heads minus λ times the other."""
    heads, d, start = m.num_attention_heads, m.head_dim, m.differential
    tensors = {word: g.tensor(word, d) for word in ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2")}
    out = g.add(
        "attend", "differ", q, k, v, tensors=tensors, scale=scale(m), window=m.sliding_window, heads=heads, d=d,
        dv=2 * m.v_head_dim, start=start, lines=("softmax(q₁·k₁) v − λ softmax(q₂·k₂) v",
                                                 "λ = exp(λq₁·λk₁) − exp(λq₂·λk₂) + λ₀"),
    )  # fmt: skip
    out = g.norm("groupnorm", out, 0, normal=m.qk_normal)
    return g.add("one_minus", "scale", out, by=1 - start)


def apply_gate(m: Attention, g: Wires, x: str, out: str, gate: str, h: int) -> str:
    """What attention returns, times its gate."""
    heads, dv = m.num_attention_heads, m.v_head_dim
    if m.gate == "headwise":
        gate = g.linear("g_proj", x, heads, h, split=(heads, 1))
    elif m.gate == "separate":
        gate = g.linear("gate_proj", x, heads * dv, h, "g" in m.bias, split=(heads, dv))
    if not gate:
        return out
    if m.gate_bias:
        gate = g.add("gate_shifted", "shift", gate, tensors={"bias": g.tensor("gate_bias", heads)})
    opened = g.add("gate_act", "act", gate, act=m.gate_act)
    return g.add("gated", "multiply", out, opened)


RECORD, GRAPH = Attention, graph
