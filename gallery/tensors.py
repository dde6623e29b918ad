"""From one half of a layer to its tensors: (name inside the layer, shape, part), under our own names.

Our names are those that most checkpoints use (`self_attn.q_proj.weight`); naming.py turns them into a family's own.
Formulas were checked tensor by tensor against the modelling code (tests/oracle).
"""

from __future__ import annotations

from .naming import Tensor
from .spec import (
    Attention,
    Combined,
    CompressedAttention,
    Dense,
    GatedDeltaNet,
    Indexer,
    KimiDelta,
    LatentAttention,
    LightningAttention,
    LinearMixer,
    Mamba1,
    Mamba2,
    MatrixLSTM,
    MoE,
    NotUnderstood,
    RwkvTimeMix,
    ShortConv,
)


def linear(name: str, rows: int, columns: int, part: str, bias: bool = False) -> list[Tensor]:
    """A matrix, stored as (out, in), and its bias if it has one."""
    out = [(name + ".weight", (rows, columns), part)]
    if bias:
        out.append((name + ".bias", (rows,), part))
    return out


def attention(m: Attention, h: int) -> list[Tensor]:
    """Q, K, V, O and whatever hangs on them."""
    if m.weights_of is not None:
        return []
    p, part = ("cross_attn." if m.cross else "self_attn."), "attention"
    heads, kv, d, dv = m.num_attention_heads, m.num_key_value_heads, m.head_dim, m.v_head_dim
    reads = m.input_size or h
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


def gated_delta(m: GatedDeltaNet, h: int) -> list[Tensor]:
    """Gated DeltaNet: Qwen3-Next fuses its projections, Qwen3.5 has four."""
    p, part = "linear_attn.", "linear"
    keys, values = m.linear_num_key_heads * m.linear_key_head_dim, m.linear_num_value_heads * m.linear_value_head_dim
    heads = m.linear_num_value_heads
    if m.fused:
        out = linear(p + "in_proj_qkvz", 2 * keys + 2 * values, h, part) + linear(p + "in_proj_ba", 2 * heads, h, part)
    else:
        out = linear(p + "in_proj_qkv", 2 * keys + values, h, part) + linear(p + "in_proj_z", values, h, part)
        out += linear(p + "in_proj_b", heads, h, part) + linear(p + "in_proj_a", heads, h, part)
    return [
        *out,
        (p + "conv1d.weight", (2 * keys + values, 1, m.linear_conv_kernel_dim), part),
        (p + "dt_bias", (heads,), part),
        (p + "A_log", (heads,), part),
        (p + "norm.weight", (m.linear_value_head_dim,), part),
        *linear(p + "out_proj", h, values, part),
    ]


def kimi_delta(m: KimiDelta, h: int) -> list[Tensor]:
    """KDA: three projections with a convolution each, a decay per channel, an output gate of low or full rank."""
    p, part, n, d = "self_attn.", "linear", m.num_heads, m.head_dim
    inner = n * d
    out = []
    for word in "qkv":
        out += linear(f"{p}{word}_proj", inner, h, part)
    for word in "qkv":
        out.append((f"{p}{word}_conv1d.weight", (inner, 1, m.short_conv_kernel_size), part))
    out += [(p + "A_log", (1, 1, n, 1), part), (p + "dt_bias", (inner,), part)]
    out += (
        linear(p + "f_a_proj", d, h, part) + linear(p + "f_b_proj", inner, d, part) + linear(p + "b_proj", n, h, part)
    )
    if m.full_rank_gate:
        out += linear(p + "g_proj", inner, h, part)
    else:
        out += linear(p + "g_a_proj", d, h, part) + linear(p + "g_b_proj", inner, d, part)
    return [*out, (p + "o_norm.weight", (d,), part), *linear(p + "o_proj", h, inner, part)]


def mamba2(m: Mamba2, h: int) -> list[Tensor]:
    """Mamba-2: one projection for z, x, B, C and dt."""
    p, part = "mamba.", "ssm"
    inner, conv = m.num_heads * m.head_dim, m.num_heads * m.head_dim + 2 * m.n_groups * m.state_size
    out = [(p + name, (m.num_heads,), part) for name in ("A_log", "D", "dt_bias")]
    out += linear(p + "in_proj", inner + conv + m.num_heads, h, part, m.proj_bias)
    out.append((p + "conv1d.weight", (conv, 1, m.conv_kernel), part))
    if m.conv_bias:
        out.append((p + "conv1d.bias", (conv,), part))
    if m.gated_norm:
        out.append((p + "norm.weight", (inner,), part))
    return out + linear(p + "out_proj", h, inner, part, m.proj_bias)


def mamba1(m: Mamba1, h: int) -> list[Tensor]:
    """Mamba-1: a diagonal state per channel."""
    p, part, inner, n = "mamba.", "ssm", m.d_inner, m.state_size
    out = [
        (p + "A_log", (inner, n), part),
        (p + "D", (inner,), part),
        (p + "conv1d.weight", (inner, 1, m.conv_kernel), part),
    ]
    if m.conv_bias:
        out.append((p + "conv1d.bias", (inner,), part))
    out += linear(p + "in_proj", 2 * inner, h, part, m.proj_bias) + linear(p + "x_proj", m.dt_rank + 2 * n, inner, part)
    out += linear(p + "dt_proj", inner, m.dt_rank, part, True) + linear(p + "out_proj", h, inner, part, m.proj_bias)
    if m.inner_norms:
        out += [(p + "dt_layernorm.weight", (m.dt_rank,), part), (p + "b_layernorm.weight", (n,), part)]
        out.append((p + "c_layernorm.weight", (n,), part))
    return out


def lightning(m: LightningAttention, h: int) -> list[Tensor]:
    """Lightning attention: q, k and v in one matrix, a norm and an output gate."""
    p, part, inner = "self_attn.", "linear", m.num_heads * m.head_dim
    out = linear(p + "qkv_proj", 3 * inner, h, part)
    if m.qk_norm == "head":
        out += [(p + "q_norm.weight", (m.head_dim,), part), (p + "k_norm.weight", (m.head_dim,), part)]
    out += linear(p + "output_gate", inner, h, part)
    return [*out, (p + "norm.weight", (inner,), part), *linear(p + "out_proj", h, inner, part)]


def short_conv(m: ShortConv, h: int) -> list[Tensor]:
    """LFM2: project to three, convolve, gate, project back."""
    out = linear("conv.in_proj", 3 * m.conv_dim, h, "conv", m.bias) + linear(
        "conv.out_proj", h, m.conv_dim, "conv", m.bias
    )
    out.append(("conv.conv.weight", (m.conv_dim, 1, m.conv_L_cache), "conv"))
    if m.bias:
        out.append(("conv.conv.bias", (m.conv_dim,), "conv"))
    return out


def matrix_lstm(m: MatrixLSTM, h: int) -> list[Tensor]:
    """xLSTM's mLSTM; its two gates always have a bias."""
    p, part = "mlstm_layer.", "linear"
    keys, values = m.num_heads * m.qk_head_dim, m.num_heads * m.v_head_dim
    out = linear(p + "q", keys, h, part, m.bias) + linear(p + "k", keys, h, part, m.bias)
    out += linear(p + "v", values, h, part, m.bias) + linear(p + "ogate_preact", values, h, part, m.bias)
    out += linear(p + "igate_preact", m.num_heads, h, part, True) + linear(
        p + "fgate_preact", m.num_heads, h, part, True
    )
    return [*out, (p + "multihead_norm.weight", (values,), part), *linear(p + "out_proj", h, values, part, m.bias)]


def rwkv(m: RwkvTimeMix, h: int) -> list[Tensor]:
    """RWKV-7's time mix as flash-linear-attention stores it; the first layer has no value mix (v_low_rank_dim 0)."""
    p, part = "attn.", "linear"
    out = [(f"{p}x_{word}", (1, 1, h), part) for word in "rwkvag"]
    out += [(p + word, (h,), part) for word in ("k_k", "k_a")] + [(p + "r_k", (m.num_heads, m.head_dim), part)]
    for word in "rkvo":
        out += linear(f"{p}{word}_proj", h, h, part)
    loras = (("w_lora", m.decay_low_rank_dim, True), ("v_lora", m.v_low_rank_dim, True))
    loras += (("a_lora", m.a_low_rank_dim, True), ("g_lora", m.gate_low_rank_dim, False))
    for name, rank, bias in loras:
        if rank:
            out += linear(f"{p}{name}.lora.0", rank, h, part) + linear(f"{p}{name}.lora.2", h, rank, part, bias)
    return [*out, (p + "g_norm.weight", (h,), part), (p + "g_norm.bias", (h,), part)]


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
        out += linear("mlp.fc2_latent_proj", h, m.latent_size, "experts")
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


HALVES = {
    Attention: attention, LatentAttention: latent, CompressedAttention: compressed, GatedDeltaNet: gated_delta,
    KimiDelta: kimi_delta, Mamba2: mamba2, Mamba1: mamba1, LightningAttention: lightning, ShortConv: short_conv,
    MatrixLSTM: matrix_lstm, RwkvTimeMix: rwkv, LinearMixer: linear_mixer, Dense: dense, MoE: moe, Combined: combined,
    NotUnderstood: nothing, type(None): nothing,
}  # fmt: skip


def half(m: object, h: int) -> list[Tensor]:
    """The tensors of one mixer or MLP."""
    return HALVES[type(m)](m, h)
