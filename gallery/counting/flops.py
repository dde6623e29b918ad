"""ModelSpec -> the arithmetic of one token: what each mixer computes besides its matrices, and the matrices.

Two FLOPs per multiply-add. "Core" is what attends, scans or scores; projections are 2 per active weight. Decoding is
one new token at a context of T tokens; prefill is the sum over a prompt's tokens, each seeing only what came before.
The formulas are attention.md 6.2's, in the order of `spec.py`; rows marked * are our own count of the recurrence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gallery import spec as s


class Reads(NamedTuple):
    """One sum that runs over past entries: `flops` for each; one entry per `every` tokens, at most `cap` of them."""

    what: str
    flops: int
    every: int = 1
    cap: int | None = None

    def at(self, context: int) -> int:
        entries = context // self.every
        return self.flops * (entries if self.cap is None else min(entries, self.cap))

    def over(self, tokens: int) -> int:
        """Sum of `at` over contexts 1..tokens, without a loop."""
        limit = tokens if self.cap is None else min(tokens, self.cap * self.every + self.every - 1)
        full, rest = divmod(limit, self.every)
        entries = self.every * full * (full - 1) // 2 + full * (rest + 1)
        return self.flops * (entries + (tokens - limit) * (self.cap or 0))


class Fixed(NamedTuple):
    """Work per token that no context changes."""

    what: str
    flops: int

    def at(self, context: int) -> int:
        return self.flops

    def over(self, tokens: int) -> int:
        return self.flops * tokens


def _index(indexer: s.Indexer | None, every: int = 1) -> tuple[Reads, ...]:
    if indexer is None or indexer.shared:
        return ()
    pooled = indexer.block_size if indexer.style == "pooled" else 1  # QSA scores means of keys, M3 every key
    return (Reads("indexer scores", 2 * indexer.index_n_heads * indexer.index_head_dim, every * pooled),)


def _chosen(indexer: s.Indexer | None, window: int) -> int | None:
    if indexer is not None:
        return indexer.index_topk * (indexer.block_size if indexer.style == "minimax_m3" else 1)
    return window or None


def _attention(m: s.Attention) -> tuple:
    if m.cross:
        return ()
    flops = 2 * m.num_attention_heads * (m.head_dim + m.v_head_dim)
    cap = _chosen(m.indexer, m.sliding_window or m.attention_chunk_size)
    return (*_index(m.indexer), Reads("scores and values", flops, cap=cap))


def _latent(m: s.LatentAttention, absorbed: bool = True) -> tuple:
    """Absorbed: every head reads the latent itself. Expanded: keys and values are rebuilt, then read."""
    if absorbed:
        width = 2 * m.kv_lora_rank + m.qk_rope_head_dim
    else:
        width = m.qk_nope_head_dim + m.qk_rope_head_dim + m.v_head_dim
    cap = _chosen(m.indexer, m.sliding_window)
    return (*_index(m.indexer), Reads("scores and values", 2 * m.num_attention_heads * width, cap=cap))


def _compressed(m: s.CompressedAttention) -> tuple:
    flops = 4 * m.num_attention_heads * m.head_dim
    window = Reads("scores and values in the window", flops, cap=m.sliding_window)
    if not m.compress_ratio:
        return (window,)
    topk = m.indexer.index_topk if m.indexer else None
    entries = Reads("scores and values of compressed entries", flops, every=m.compress_ratio, cap=topk)
    return (*_index(m.indexer, m.compress_ratio), entries, window)


def _gated_delta(m: s.GatedDeltaNet) -> tuple:
    state = m.linear_num_value_heads * m.linear_key_head_dim * m.linear_value_head_dim
    return (Fixed("delta-rule update and read", 7 * state),)  # *


def _mamba1(m: s.Mamba1) -> tuple:
    return (Fixed("scan", 9 * m.d_inner * m.state_size),)  # *


def _matrix_lstm(m: s.MatrixLSTM) -> tuple:
    return (Fixed("memory update and read", 5 * m.num_heads * m.qk_head_dim * m.v_head_dim),)  # *


_MIXERS: dict[type, Callable[..., tuple]] = {
    s.Attention: _attention,
    s.LatentAttention: _latent,
    s.CompressedAttention: _compressed,
    s.GatedDeltaNet: _gated_delta,
    s.KimiDelta: lambda m: (Fixed("delta-rule update and read", 7 * m.num_heads * m.head_dim**2),),  # *
    s.Mamba2: lambda m: (Fixed("scan", 6 * m.num_heads * m.head_dim * m.state_size),),  # *
    s.Mamba1: _mamba1,
    s.LightningAttention: lambda m: (Fixed("state update and read", 5 * m.num_heads * m.head_dim**2),),  # *
    s.ShortConv: lambda m: (Fixed("convolution", 2 * m.conv_dim * m.conv_L_cache),),
    s.MatrixLSTM: _matrix_lstm,
    s.RwkvTimeMix: lambda m: (Fixed("delta-rule update and read", 8 * m.num_heads * m.head_dim**2),),  # *
    s.Combined: lambda m: tuple(part for one in m.parts for part in core(one)),
}


def core(mixer: object | None, absorbed: bool = True) -> tuple:
    """The core sums of one mixer. `absorbed` picks how latent attention is computed (decoding: absorbed)."""
    if isinstance(mixer, s.LatentAttention):
        return _latent(mixer, absorbed)
    rule = _MIXERS.get(type(mixer))
    return rule(mixer) if rule else ()


class LayerFlops(NamedTuple):
    index: int
    core_flops: int
    by_what: dict[str, int]


class Compute(NamedTuple):
    """Per new token at `context`, or (prefill) for a whole prompt of `context` tokens."""

    context: int
    prefill: bool
    core_flops: int
    by_what: dict[str, int]
    layers: tuple[LayerFlops, ...]


def compute(spec: s.ModelSpec, context: int, prefill: bool = False) -> Compute:
    """Core FLOPs of one decoded token, or of a prefill; prefill rebuilds MLA's keys, decoding absorbs them."""
    if isinstance(context, bool) or not isinstance(context, int) or context < 0:
        raise ValueError(f"context must be a whole number of at least 0, not {context!r}.")
    layers, total = [], {}
    for layer in spec.layers:
        mine: dict[str, int] = {}
        for part in core(layer.mixer, absorbed=not prefill):
            flops = (part.over(context) if prefill else part.at(context)) * spec.loops
            mine[part.what] = mine.get(part.what, 0) + flops
            total[part.what] = total.get(part.what, 0) + flops
        layers.append(LayerFlops(layer.index, sum(mine.values()), mine))
    return Compute(context, prefill, sum(total.values()), total, tuple(layers))
