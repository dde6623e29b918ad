"""The tensors of mixers that keep a state: delta rules, state spaces, linear attention, convolutions."""

from __future__ import annotations

from gallery.counting.naming import Tensor
from gallery.spec import (
    GatedDeltaNet,
    KimiDelta,
    LightningAttention,
    Mamba1,
    Mamba2,
    MatrixLSTM,
    RwkvTimeMix,
    ShortConv,
)


def linear(name: str, rows: int, columns: int, part: str, bias: bool = False) -> list[Tensor]:
    """A matrix, stored as (out, in), and its bias if it has one."""
    out: list[Tensor] = [(name + ".weight", (rows, columns), part)]
    if bias:
        out.append((name + ".bias", (rows,), part))
    return out


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
    """KDA: three projections with a convolution each, a decay per channel, an output gate, both of low or full rank."""
    p, part, n, d = "self_attn.", "linear", m.num_heads, m.head_dim
    inner = n * d
    out = []
    for word in "qkv":
        out += linear(f"{p}{word}_proj", inner, h, part)
    for word in "qkv":
        out.append((f"{p}{word}_conv1d.weight", (inner, 1, m.short_conv_kernel_size), part))
    out += [(p + "A_log", (1, 1, n, 1), part), (p + "dt_bias", (inner,), part)]
    if m.full_rank_decay:
        out += linear(p + "f_proj", inner, h, part)
    else:
        out += linear(p + "f_a_proj", d, h, part) + linear(p + "f_b_proj", inner, d, part)
    out += linear(p + "b_proj", n, h, part)
    if m.full_rank_gate:
        out += linear(p + "g_proj", inner, h, part)
    else:
        out += linear(p + "g_a_proj", d, h, part) + linear(p + "g_b_proj", inner, d, part)
    return [*out, (p + "o_norm.weight", (d,), part), *linear(p + "o_proj", h, inner, part)]


def mamba2(m: Mamba2, h: int) -> list[Tensor]:
    """Mamba-2: one projection for z, x, B, C and dt."""
    p, part = "mamba.", "ssm"
    inner, conv = m.num_heads * m.head_dim, m.num_heads * m.head_dim + 2 * m.n_groups * m.state_size
    out: list[Tensor] = [(p + name, (m.num_heads,), part) for name in ("A_log", "D", "dt_bias")]
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
    if m.inner_norms and m.inner_norm_weights:
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
    out: list[Tensor] = [(f"{p}x_{word}", (1, 1, h), part) for word in "rwkvag"]
    out += [*((p + word, (h,), part) for word in ("k_k", "k_a")), (p + "r_k", (m.num_heads, m.head_dim), part)]
    for word in "rkvo":
        out += linear(f"{p}{word}_proj", h, h, part)
    loras = (
        ("w_lora", m.decay_low_rank_dim, True), ("v_lora", m.v_low_rank_dim, True),
        ("a_lora", m.a_low_rank_dim, True), ("g_lora", m.gate_low_rank_dim, False),
    )  # fmt: skip
    for name, rank, bias in loras:
        if rank:
            out += linear(f"{p}{name}.lora.0", rank, h, part) + linear(f"{p}{name}.lora.2", h, rank, part, bias)
    return [*out, (p + "g_norm.weight", (h,), part), (p + "g_norm.bias", (h,), part)]
