"""One row per kind of mixer and MLP: its picture, its role, its names and the small print of its box in a block."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.drawing.attention_panels import (
    attention,
    attention_role,
    compressed,
    compressed_role,
    convolved,
    expert_heads,
    latent,
    relative,
)
from cutaway.gallery.drawing.graph_to_dataflow import flows_of
from cutaway.gallery.drawing.mlp_panels import channel_mix, dense, moe, product_keys
from cutaway.gallery.drawing.node_items import Parts, per_layer
from cutaway.gallery.drawing.panel_content import PanelContent, not_understood
from cutaway.gallery.drawing.recurrent_panels import (
    gated_delta,
    kimi_delta,
    lightning,
    linear_mixer,
    mamba1,
    mamba2,
    matrix_lstm,
    rg_lru,
    rwkv,
    rwkv4,
    short_conv,
)
from cutaway.gallery.graph import Graph
from cutaway.gallery.sublayers import graph_of, parts_of


class Picture(NamedTuple):
    """How one class of mixer or MLP is drawn and called."""

    content: Callable[[Parts], PanelContent]
    role: Callable[[object], str]
    name: Callable[[object], str]  # on its box in the block
    small: Callable[[object], str]  # under the name
    short: Callable[[object], str]  # in a list: "MLA", "window 128", "dense 18,432"


def _heads(m) -> str:
    q, kv = m.num_attention_heads, m.num_key_value_heads
    return f"{q} heads" if q == kv else f"{q} query, {kv} KV head{'s' if kv > 1 else ''}"


def _attention_box(m: s.Attention) -> str:
    if m.cross:
        return "Cross-attention"
    if m.indexer:
        return "Sparse attention"
    if m.sliding_window or m.attention_chunk_size:
        return "Window attention" if m.sliding_window else "Chunked attention"
    return "Gated attention" if m.gate else "Attention"


def _attention_small(m: s.Attention) -> str:
    if m.weights_of is not None:
        return f"weights of layer {m.weights_of}"
    if m.kv_source is not None:
        return f"K, V of layer {m.kv_source}"
    return _heads(m)


def _attention_short(m: s.Attention) -> str:
    if m.cross:
        return "cross-attention"
    window = (
        f"window {m.sliding_window:,}"
        if m.sliding_window
        else f"chunks {m.attention_chunk_size:,}"
        if m.attention_chunk_size
        else ""
    )
    kind = "MHA" if m.num_key_value_heads == m.num_attention_heads else "MQA" if m.num_key_value_heads == 1 else "GQA"
    word = window or (f"sparse {kind}" if m.indexer else kind)
    if m.kv_source is not None:
        word += ", shared KV"
    return word + (", NoPE" if m.position == "nope" else "")


def _latent_short(m: s.LatentAttention) -> str:
    word = f"MLA window {m.sliding_window:,}" if m.sliding_window else "MLA"
    if m.indexer:
        word += " + reused index" if m.indexer.shared else " + indexer"
    return word


def _moe_small(m: s.MoE) -> str:
    shared = f" + {max(m.n_shared_experts, 1)} shared" if m.shared_expert_intermediate_size else ""
    return f"{m.num_experts_per_tok} of {m.num_experts}{shared}"


def _v4_short(m: s.CompressedAttention) -> str:
    return (
        f"window {m.sliding_window:,}"
        if not m.compress_ratio
        else f"{'CSA' if m.indexer else 'HCA'} {m.compress_ratio}"
    )


def _says(text: str) -> Callable[[object], str]:
    return lambda m: text


def _n(unit: str) -> Callable[[object], str]:
    return lambda m: f"{getattr(m, 'num_heads', 0):,} {unit}"


def _v4_name(m: s.CompressedAttention) -> str:
    return {"window": "Window, K = V", "sparse": "Sparse, compressed"}.get(compressed_role(m), "Compressed")


def _delta_small(m: s.GatedDeltaNet) -> str:
    return f"{m.linear_num_value_heads} value, {m.linear_num_key_heads} key heads"


_LINEAR, _SSM, _DENSE, _HEADS = _says("linear"), _says("ssm"), _says("dense"), _n("heads")
_ROWS = (
    (s.Attention, attention, attention_role, _attention_box, _attention_small, _attention_short),
    (s.ConvolvedAttention, convolved, attention_role, _attention_box, _attention_small,
     lambda m: "CCA" + (f" window {m.sliding_window:,}" if m.sliding_window else "")),
    (s.RelativeAttention, relative, attention_role, _attention_box, _attention_small, _attention_short),
    (s.LatentAttention, latent, attention_role, _says("Latent attention"),
     lambda m: f"{m.num_attention_heads} heads", _latent_short),
    (s.CompressedAttention, compressed, compressed_role, _v4_name,
     lambda m: f"{m.num_attention_heads} heads, 1 KV", _v4_short),
    (s.ExpertHeads, expert_heads, _says("full"), _says("Experts of heads"),
     lambda m: f"{m.num_experts_per_tok} of {m.num_experts}", _says("expert heads")),
    (s.GatedDeltaNet, gated_delta, _LINEAR, _says("Gated DeltaNet"), _delta_small, _says("delta")),
    (s.KimiDelta, kimi_delta, _LINEAR, _says("Kimi delta"), _HEADS, _says("KDA")),
    (s.Mamba2, mamba2, _SSM, _says("Mamba-2"), _HEADS, _says("Mamba-2")),
    (s.Mamba1, mamba1, _SSM, _says("Mamba"), lambda m: f"{m.d_inner:,} channels", _says("Mamba")),
    (s.LightningAttention, lightning, _LINEAR, _says("Lightning"), _HEADS, _says("lightning")),
    (s.ShortConv, short_conv, _LINEAR, _says("Short conv"), lambda m: f"{m.conv_L_cache} tokens",
     _says("short conv")),
    (s.MatrixLSTM, matrix_lstm, _LINEAR, _says("mLSTM"), _HEADS, _says("mLSTM")),
    (s.RwkvTimeMix, rwkv, _LINEAR, _says("RWKV-7"), _HEADS, _says("RWKV-7")),
    (s.RGLRU, rg_lru, _LINEAR, _says("RG-LRU"), lambda m: f"{m.lru_width:,} channels", _says("RG-LRU")),
    (s.RwkvMean, rwkv4, _LINEAR, _says("RWKV-4"), lambda m: f"{m.attention_hidden_size:,} channels",
     _says("RWKV-4")),
    (s.ProductKeys, product_keys, _says("moe"), _says("Product keys"),
     lambda m: f"{m.num_experts_per_tok} of {m.num_experts:,}", _says("product keys")),
    (s.ChannelMix, channel_mix, _DENSE, _says("Channel mix"), lambda m: f"width {m.intermediate_size:,}",
     lambda m: f"mix {m.intermediate_size:,}"),
    (s.LinearMixer, linear_mixer, _DENSE, _says("One matrix"), _says("no mixing"), _says("one matrix")),
    (s.NotUnderstood, not_understood, _says("plain"), _says("Not understood"), lambda m: m.what[:20],
     _says("not understood")),
    (s.Dense, dense, _DENSE, _says("Dense MLP"), lambda m: f"width {m.intermediate_size:,}",
     lambda m: f"dense {m.intermediate_size:,}"),
    (s.MoE, moe, _says("moe"), _says("Mixture of experts"), _moe_small, _says("MoE")),
)  # fmt: skip
PICTURES: dict[type, Picture] = {row[0]: Picture(*row[1:]) for row in _ROWS}


def picture_of(m: object) -> Picture:
    kind: Any = type(m)
    return PICTURES.get(kind) or picture_of_graph(kind)


@cache
def picture_of_graph(kind: type) -> Picture:
    """A kind that has no row here: its graph is its picture, its docstring its name."""
    name = (kind.__doc__ or kind.__name__).strip().split("\n")[0].split(":")[0].split(".")[0][:60]
    role = getattr(kind, "ROLE", "")
    brief = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__)

    def content(parts: Parts) -> PanelContent:
        wears = role or role_in(parts.graph)
        return PanelContent(wears, name, per_layer(parts), flows_of(parts.graph, parts, wears), graph=parts.graph)

    def wears(m: object) -> str:
        return role or role_in(graph_of(m, 1024))

    small = f"{brief.split(' ')[-1].lower()}"
    return Picture(content, wears, _says(brief), _says(small), _says(brief))


def role_in(graph: Graph) -> str:
    """The colour of a kind that names none: what it keeps while decoding, or that it keeps nothing."""
    kinds = {keep.kind for node in graph.nodes for keep in node.keeps}
    return "full" if "kv" in kinds else "sparse" if "compressed" in kinds else "linear" if kinds else "dense"


def role_of(half: object | None) -> str:
    """The colour of a half in the tower."""
    found = parts_of(half)
    return picture_of(found[0]).role(found[0]) if found else ""


def short_of(half: object | None) -> str:
    """A half in a word or two."""
    found = parts_of(half)
    words = list(dict.fromkeys(picture_of(part).short(part) for part in found))
    return (
        (" + " if len(words) > 1 else "").join(words)
        if len(words) != 1 or len(found) == 1
        else f"{len(found)} × {words[0]}"
    )
