"""The tensors of mixers that keep a state: delta rules, state spaces, linear attention, convolutions."""

from __future__ import annotations

from gallery.counting.naming import Tensor
from gallery.spec import (
    Mamba1,
    Mamba2,
    ShortConv,
)


def linear(name: str, rows: int, columns: int, part: str, bias: bool = False) -> list[Tensor]:
    """A matrix, stored as (out, in), and its bias if it has one."""
    out: list[Tensor] = [(name + ".weight", (rows, columns), part)]
    if bias:
        out.append((name + ".bias", (rows,), part))
    return out


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


def short_conv(m: ShortConv, h: int) -> list[Tensor]:
    """LFM2: project to three, convolve, gate, project back."""
    out = linear("conv.in_proj", 3 * m.conv_dim, h, "conv", m.bias) + linear(
        "conv.out_proj", h, m.conv_dim, "conv", m.bias
    )
    out.append(("conv.conv.weight", (m.conv_dim, 1, m.conv_L_cache), "conv"))
    if m.bias:
        out.append(("conv.conv.bias", (m.conv_dim,), "conv"))
    return out
