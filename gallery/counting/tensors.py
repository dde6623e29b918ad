"""From one half of a layer to its tensors: (name inside the layer, shape, part), under our own names.

Our names are those that most checkpoints use (`self_attn.q_proj.weight`); naming.py turns them into a family's own.
Formulas were checked tensor by tensor against the modelling code (tests/oracle).
"""

from __future__ import annotations

from collections.abc import Callable

from gallery.counting.naming import Tensor
from gallery.counting.tensors_recurrent import (
    linear,
    mamba1,
    mamba2,
    short_conv,
)
from gallery.mlps.experts import selection_bias
from gallery.spec import (
    Attention,
    Combined,
    CompressedAttention,
    Dense,
    Indexer,
    LatentAttention,
    LinearMixer,
    Mamba1,
    Mamba2,
    MoE,
    NotUnderstood,
    ShortConv,
)


def attention(m: Attention, h: int) -> list[Tensor]:
    """Q, K, V, O and whatever hangs on them."""
    if m.weights_of is not None:
        return []
    p, part = ("cross_attn." if m.cross else "self_attn."), "attention"
    heads, kv, d, dv = m.num_attention_heads, m.num_key_value_heads, m.head_dim, m.v_head_dim
    reads = m.input_size or h
    if m.q_lora_rank:
        out = linear(p + "q_a_proj", m.q_lora_rank, reads, part, "q" in m.bias)
        out.append((p + "q_a_layernorm.weight", (m.q_lora_rank,), part))
        out += linear(p + "q_b_proj", heads * d, m.q_lora_rank, part)
    else:
        out = linear(p + "q_proj", heads * d * (2 if m.gate == "elementwise" else 1), reads, part, "q" in m.bias)
    own = m.kv_source is None
    if own:
        out += linear(p + "k_proj", kv * d, reads, part, "k" in m.bias)
        if not m.k_eq_v:
            out += linear(p + "v_proj", kv * dv, reads, part, "v" in m.bias)
    out += linear(p + "o_proj", h, heads * dv, part, "o" in m.bias)
    out += qk_norm(m, p, own)
    if m.gate == "headwise":
        out += linear(p + "g_proj", heads, h, part)
    elif m.gate == "separate":
        out += linear(p + "gate_proj", heads * dv, h, part)
    if m.sinks:
        out.append((p + "sinks", (heads,), part))
    return out + (indexer(m.indexer, h) if m.indexer else [])


def qk_norm(m: Attention, p: str, own: bool) -> list[Tensor]:
    """The norms on queries and keys: one weight per head size, or one over the whole projection."""
    heads, kv, d = m.num_attention_heads, m.num_key_value_heads, m.head_dim
    sizes = {"head": ((d,), (d,)), "full": ((heads * d,), (kv * d,)), "per_head": ((heads, d), (kv, d))}.get(m.qk_norm)
    if not sizes:
        return []
    out = [(p + "q_norm.weight", sizes[0], "attention")]
    if m.qk_norm_bias:
        out.append((p + "q_norm.bias", sizes[0], "attention"))
    if own:
        out.append((p + "k_norm.weight", sizes[1], "attention"))
        if m.qk_norm_bias:
            out.append((p + "k_norm.bias", sizes[1], "attention"))
    return out


def latent(m: LatentAttention, h: int) -> list[Tensor]:
    """MLA: queries through a latent or not, keys and values always."""
    p, part, heads = "self_attn.", "attention", m.num_attention_heads
    query = heads * (m.qk_nope_head_dim + m.qk_rope_head_dim)
    if m.q_lora_rank:
        out = linear(p + "q_a_proj", m.q_lora_rank, h, part, "q" in m.bias)
        out.append((p + "q_a_layernorm.weight", (m.q_lora_rank,), part))
        out += linear(p + "q_b_proj", query, m.q_lora_rank, part)
    else:
        out = linear(p + "q_proj", query, h, part)
    if m.kv_source is None:
        out += linear(p + "kv_a_proj_with_mqa", m.kv_lora_rank + m.qk_rope_head_dim, h, part, "k" in m.bias)
        out.append((p + "kv_a_layernorm.weight", (m.kv_lora_rank,), part))
    out += linear(p + "kv_b_proj", heads * (m.qk_nope_head_dim + m.v_head_dim), m.kv_lora_rank, part)
    out += linear(p + "o_proj", h, heads * m.v_head_dim, part, "o" in m.bias)
    if m.gate:
        out += linear(p + "g_proj", heads * (m.v_head_dim if m.gate != "headwise" else 1), h, part)
    return out + (indexer(m.indexer, h) if m.indexer else [])


def indexer(m: Indexer, h: int) -> list[Tensor]:
    """The scorer that picks what a sparse mixer reads; a shared one has no weights."""
    if m.shared:
        return []
    heads, d, p, part = m.index_n_heads, m.index_head_dim, "self_attn.indexer.", "indexer"
    if m.style == "minimax_m3":
        p = "self_attn.index_"
        return [
            *linear(p + "q_proj", heads * d, h, part),
            *linear(p + "k_proj", d, h, part),
            (p + "q_norm.weight", (d,), part),
            (p + "k_norm.weight", (d,), part),
        ]
    return [
        *linear(p + "wq_b", heads * d, m.q_rank or h, part),
        *linear(p + "wk", d, h, part),
        (p + "k_norm.weight", (d,), part),
        (p + "k_norm.bias", (d,), part),
        *linear(p + "weights_proj", heads, h, part),
    ]


def compressed(m: CompressedAttention, h: int) -> list[Tensor]:
    """DeepSeek-V4: shared key-value vector, grouped low-rank output, and a compressor on most layers."""
    p, part, heads, d = "self_attn.", "attention", m.num_attention_heads, m.head_dim
    out = [
        *linear(p + "q_a_proj", m.q_lora_rank, h, part),
        (p + "q_a_norm.weight", (m.q_lora_rank,), part),
        *linear(p + "q_b_proj", heads * d, m.q_lora_rank, part),
        *linear(p + "kv_proj", d, h, part),
        (p + "kv_norm.weight", (d,), part),
        *linear(p + "o_a_proj", m.o_groups * m.o_lora_rank, heads * d // m.o_groups, part),
        *linear(p + "o_b_proj", h, m.o_groups * m.o_lora_rank, part),
    ]
    if m.sinks:
        out.append((p + "sinks", (heads,), part))
    if m.compress_ratio:
        out += compressor(p + "compressor.", m.compress_ratio, d, m.overlap, h, part)
    if m.indexer and not m.indexer.shared:
        q = p + "compressor.indexer."
        out += compressor(q, m.compress_ratio, m.indexer.index_head_dim, m.overlap, h, "indexer")
        out += linear(q + "q_b_proj", m.indexer.index_n_heads * m.indexer.index_head_dim, m.q_lora_rank, "indexer")
        out += linear(q + "scorer.weights_proj", m.indexer.index_n_heads, h, "indexer")
    return out


def compressor(p: str, ratio: int, d: int, overlap: bool, h: int, part: str) -> list[Tensor]:
    """Pools `ratio` tokens into one entry; twice the width where two windows feed each entry."""
    width = 2 * d if overlap else d
    return [
        (p + "position_bias", (ratio, width), part),
        *linear(p + "kv_proj", width, h, part),
        *linear(p + "gate_proj", width, h, part),
        (p + "kv_norm.weight", (d,), part),
    ]


def linear_mixer(m: LinearMixer, h: int) -> list[Tensor]:
    """One square matrix in place of attention."""
    return linear("self_attn.linear_attn", h, h, "attention")


def dense(m: Dense, h: int, p: str = "mlp.", part: str = "dense") -> list[Tensor]:
    """gate, up and down, or up and down."""
    if m.weights_of is not None:
        return []
    out = linear(p + "gate_proj", m.intermediate_size, h, part, m.bias) if m.gated else []
    out += linear(p + "up_proj", m.intermediate_size, h, part, m.bias)
    return out + linear(p + "down_proj", h, m.intermediate_size, part, m.bias)


def moe(m: MoE, h: int) -> list[Tensor]:
    """Router, experts (stacked, the expert count leading), and what every token visits."""
    p, e, width = "mlp.experts.{expert}.", m.num_experts, m.moe_intermediate_size
    inner = m.latent_size or h
    out = linear("mlp.gate", e + m.zero_expert_num, m.router_size or h, "router", m.router_bias)
    for name, rows, columns in (("gate_proj", width, inner), ("up_proj", width, inner), ("down_proj", inner, width)):
        if name == "gate_proj" and not m.gated:
            continue
        out.append((f"{p}{name}.weight", (e, rows, columns), "experts"))
        if m.bias:
            out.append((f"{p}{name}.bias", (e, rows), "experts"))
    if m.latent_size:
        out += linear("mlp.fc1_latent_proj", m.latent_size, h, "experts")
        if m.latent_norm:
            out.append(("mlp.latent_norm.weight", (m.latent_size,), "experts"))
        out += linear("mlp.fc2_latent_proj", h, m.latent_size, "experts")
    if m.selection_bias and m.selection_bias_trained:
        bias = selection_bias(m)
        out.append((bias.name, bias.shape, bias.part))
    if m.out_bias:
        out.append((m.out_bias, (h,), "experts"))
    if m.shared_expert_intermediate_size:
        shared = Dense(m.shared_expert_intermediate_size, m.gated, m.hidden_act)
        out += dense(shared, h, "mlp.shared_experts.", "shared")
    if m.shared_gate:
        out += linear("mlp.shared_expert_gate", 1, h, "shared")
    return out


def combined(m: Combined, h: int) -> list[Tensor]:
    """Several in one half: equal kinds are numbered, a lone dense MLP beside experts is the residual one."""
    kinds = [type(part) for part in m.parts]
    seen: dict[type, int] = {}
    out = []
    for part, kind in zip(m.parts, kinds, strict=True):
        tensors, number = half(part, h), seen.setdefault(kind, 0)
        seen[kind] += 1
        if kinds.count(kind) > 1:
            tensors = [(name.replace(".", f".{number}.", 1), shape, word) for name, shape, word in tensors]
        elif kind is Dense and MoE in kinds:
            tensors = [("residual_" + name, shape, word) for name, shape, word in tensors]
        out += tensors
    return out


def nothing(m: object, h: int) -> list[Tensor]:
    """What we do not understand has no tensors that we could name."""
    return []


HALVES: dict[type, Callable] = {
    Attention: attention, LatentAttention: latent, CompressedAttention: compressed,
    Mamba2: mamba2, Mamba1: mamba1, ShortConv: short_conv, LinearMixer: linear_mixer, Dense: dense, MoE: moe,
    Combined: combined,
    NotUnderstood: nothing, type(None): nothing,
}  # fmt: skip


def half(m: object, h: int) -> list[Tensor]:
    """The tensors of one mixer or MLP; a kind without a row here is read off its graph."""
    if type(m) in HALVES and not (getattr(m, "router_network", 0) or getattr(m, "shared_routed", False)):
        return HALVES[type(m)](m, h)
    from gallery.halves import graph_of

    return [(t.name, t.shape, t.part) for t in graph_of(m, h).tensors() if t.part != "buffer"]
