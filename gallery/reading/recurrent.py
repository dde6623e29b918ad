"""From facts to one mixer that keeps a state instead of a growing cache."""

from __future__ import annotations

import math
from typing import Any

from cutaway.gallery.reading.attention import Reading, normal, unknown
from cutaway.gallery.reading.mlps import activation
from cutaway.gallery.reading.text_part import short
from cutaway.gallery.spec import ConfigError, GatedDeltaNet, KimiDelta, Mamba1, Mamba2, Normal, ShortConv


def inner_normal(r: Reading) -> Normal:
    """The norm on what a state returns: RMSNorm with a plain weight, whatever the stream's norms do."""
    return Normal("RMSNorm", normal(r).eps)


HEADS = ("linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim")


def gated_delta(r: Reading, index: int, word: str = "linear", fused: bool = False, **sizes: Any) -> GatedDeltaNet:
    """Gated DeltaNet; `sizes` are heads that a family knows better."""
    facts = r.facts
    own: dict[str, Any] = {name: facts.at_least(name, sizes[name] if sizes else facts.need(name)) for name in HEADS}
    return GatedDeltaNet(
        **own,
        linear_conv_kernel_dim=facts.need("linear_conv_kernel_dim", 4),
        fused=fused,
        allow_neg_eigval=facts.flag("linear_allow_neg_eigval"),
        hidden_act=activation(r),
        normal=inner_normal(r),
    )


def lower_bound(r: Reading) -> float:
    """The bound on the logarithm of a decay, where a config states one; 0 = none."""
    bound = r.facts.raw("kda_lower_bound")
    if bound is None or not r.facts.flag("kda_safe_gate", True):
        return 0.0
    if isinstance(bound, int | float) and not isinstance(bound, bool) and -1e6 < bound < 0:
        return float(bound)
    word = f"{r.facts.word_for('kda_lower_bound')} = {short(bound)}"
    r.contradict("kda_lower_bound", f"{word} is no logarithm of a decay, a negative number; none is drawn.")
    return 0.0


def kimi_delta(r: Reading, index: int, word: str = "linear") -> KimiDelta:
    """Kimi Delta Attention."""
    facts = r.facts
    return KimiDelta(
        num_heads=facts.need("kda_num_heads"),
        head_dim=facts.need("kda_head_dim"),
        short_conv_kernel_size=facts.integer("kda_conv") or facts.need("linear_conv_kernel_dim", 4),
        full_rank_gate=facts.flag("kda_full_rank_gate"),
        lower_bound=lower_bound(r),
        hidden_act=activation(r),
        normal=inner_normal(r),
    )


def mamba_act(r: Reading) -> str:
    """The activation after the short convolution: its own key, or the one of the MLP."""
    facts = r.facts
    return (facts.word("mamba_hidden_act") or facts.word("hidden_act", "silu"))[:40]


def step_limits(r: Reading) -> tuple[float, float]:
    """What the step size of Mamba-2 is clamped to; files write infinity as a number, a string or a dict."""
    said = r.facts.raw("time_step_limit")
    if not isinstance(said, list | tuple) or len(said) != 2:
        return (0.0, math.inf)
    low, high = (
        v if isinstance(v, int | float) and v >= 0 else other for v, other in zip(said, (0, math.inf), strict=True)
    )
    return (float(low), float(high))


def mamba2(r: Reading, index: int, word: str = "mamba") -> Mamba2:
    """Mamba-2: the head size may be left to inner width / heads."""
    facts = r.facts
    heads = facts.per_layer("mamba_num_heads", index)
    d = facts.raw("mamba_head_dim")
    if heads is None:
        raise ConfigError(
            "The config has a Mamba-2 layer but no mamba_num_heads (mamba_n_heads, n_mamba_heads); add it."
        )
    if heads < 1:
        facts.refuse("mamba_num_heads", heads, "a whole number from 1")
    if d is None or d == "auto":
        inner = facts.integer("mamba_intermediate_size") or int((facts.number("expand", 2) or 2) * r.hidden_size)
        d = max(inner // heads, 1)
    return Mamba2(
        num_heads=heads,
        head_dim=facts.check_integer("mamba_head_dim", d),
        state_size=facts.need("state_size", 128),
        n_groups=facts.integer("n_groups", 1) or 1,
        conv_kernel=facts.need("conv_kernel", 4),
        conv_bias=facts.flag("use_conv_bias", True),
        proj_bias=facts.flag("mamba_proj_bias"),
        gated_norm=facts.flag("mamba_rms_norm", True),
        chunk_size=facts.integer("chunk_size") or 0,
        hidden_act=mamba_act(r),
        normal=inner_normal(r),
        time_step_limit=step_limits(r),
    )


def mamba1(r: Reading, index: int, word: str = "mamba") -> Mamba1:
    """Mamba-1: the rank of the step size may be "auto", hidden_size / 16."""
    facts = r.facts
    rank = facts.raw("mamba_dt_rank", "auto")
    if rank is None or rank == "auto":
        rank = -(-r.hidden_size // 16)
    return Mamba1(
        d_inner=int((facts.number("expand", 2) or 2) * r.hidden_size),
        state_size=facts.need("state_size", 16),
        conv_kernel=facts.need("conv_kernel", 4),
        dt_rank=facts.check_integer("mamba_dt_rank", rank),
        conv_bias=facts.flag("use_conv_bias", True),
        proj_bias=facts.flag("mamba_proj_bias"),
        hidden_act=mamba_act(r),
    )


def short_conv(r: Reading, index: int, word: str = "conv") -> ShortConv:
    """LFM2's gated convolution."""
    facts = r.facts
    facts.settle("conv_dim")  # the class takes hidden_size whatever it says
    return ShortConv(r.hidden_size, facts.need("conv_L_cache", 3), facts.flag("conv_bias"))


def linear(r: Reading, index: int, word: str = "linear") -> object:
    """A layer that says only "linear": the keys beside it tell which mixer it is."""
    facts = r.facts
    if facts.raw("linear_num_value_heads") is not None:
        return gated_delta(r, index)
    if facts.raw("kda_num_heads") is not None:
        return kimi_delta(r, index)
    if facts.raw("mamba_num_heads") is not None:
        return mamba2(r, index)
    if facts.raw("mamba_dt_rank") is not None or facts.raw("state_size") is not None:
        return mamba1(r, index)
    return unknown(r, index, word)
