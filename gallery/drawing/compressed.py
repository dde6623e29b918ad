"""DeepSeek-V4's mixers: one vector is key and value; a window of them, and compressed entries for what lies behind."""

from __future__ import annotations

from gallery.drawing.band import Band
from gallery.drawing.flow import Flow, Lane
from gallery.drawing.items import Pill, Tag
from gallery.drawing.operation import Op
from gallery.drawing.parts import Inside, Parts, kept_box, per_layer
from gallery.drawing.steps import softmax
from gallery.spec import CompressedAttention


def compressed(parts: Parts) -> Inside:
    """One vector is key and value for all heads: a window of raw ones, and compressed entries for what lies behind."""
    m: CompressedAttention = parts.m
    role, heads, d = compressed_role(m), m.num_attention_heads, m.head_dim
    rope = "RoPE"
    q = [
        parts.matrix(role, "q_a_proj"),
        parts.pill("RMSNorm", "q_a_norm"),
        parts.matrix(role, "self_attn.q_b_proj", f"= {heads} × {d}"),
    ]
    window = kept_box(f"kv {d}", parts.kept("kv"))
    own = parts.pill(f"RMSNorm, {rope}", "self_attn.kv_norm")
    lanes = [Lane([*q, Pill(f"norm, {rope}")]), Lane([parts.matrix(role, "self_attn.kv_proj"), own, window])]
    flows: list[Flow] = []
    if m.compress_ratio:
        only = f"{m.indexer.index_topk:,} entries" if m.indexer else "all entries"
        lanes.append(Lane([Tag(only, role)], loose=True))
        entry = kept_box(f"entry {d}", parts.kept("compressed"), low=True)
        flows.append(_compressor(parts, m, "compressor", role, entry, "Compressor"))
        flows += _entry_indexer(parts, m)
    if m.sinks:
        parts.shown("sinks")
        lanes.append(Lane([Tag(f"sinks {heads}", role)], loose=True))
    tail = [parts.matrix(role, "o_a_proj", f"{m.o_groups} groups"), parts.matrix(role, "o_b_proj")]
    flow = Flow(f"x {parts.h:,}", lanes, Op(role, [softmax(0.0, d, "q·kv", "kv")]), tail)
    says = [per_layer(parts), "one vector is key and value for all heads", f"RoPE on {m.qk_rope_head_dim} of {d}"]
    if m.compress_ratio:
        says.append(f"one entry per {m.compress_ratio} tokens behind it")
    return Inside(role, compressed_name(m), " · ".join(says), [flow, *flows], band=Band.of(m, role))


def compressed_role(m: CompressedAttention) -> str:
    return "window" if not m.compress_ratio else "sparse" if m.indexer else "latent"


def compressed_name(m: CompressedAttention) -> str:
    if not m.compress_ratio:
        return "Shared-KV attention, window only"
    return "Compressed sparse attention" if m.indexer else "Heavily compressed attention"


def _compressor(parts: Parts, m: CompressedAttention, where: str, role: str, box, heading: str) -> Flow:
    lanes = []
    for name in ("kv", "gate"):
        matrix = parts.matrix(role, f"{where}.{name}_proj")
        matrix.brief = f"→ {matrix.fan_out:,}"
        lanes.append(Lane([matrix]))
    windows = "2 × " if m.overlap else ""
    op = Op(role, ["Σ softmax(gate) · kv", f"over {windows}{m.compress_ratio} tokens"])
    return Flow(f"x {parts.h:,}", lanes, op, [parts.pill("norm, RoPE", where + ".kv_norm"), box], heading)


def _entry_indexer(parts: Parts, m: CompressedAttention) -> list[Flow]:
    i = m.indexer
    if not i or i.shared:
        return []
    role, p = "sparse", "compressor.indexer"
    key = kept_box(f"index key {i.index_head_dim}", parts.kept("index"), low=True)
    keys = _compressor(parts, m, p, role, key, "Indexer's keys")
    query = parts.matrix(role, p + ".q_b_proj", f"= {i.index_n_heads} × {i.index_head_dim}")
    lanes = [
        Lane([Tag(f"query latent {m.q_lora_rank:,}", high=False), query], loose=True),
        Lane([Tag("index keys", role)], loose=True),
    ]
    lanes.append(Lane([parts.matrix(role, "weights_proj")]))
    tail = [Tag(f"top {i.index_topk:,} entries", role)]
    return [keys, Flow(f"x {parts.h:,}", lanes, Op(role, ["score = Σ w · ReLU(q·k)"]), tail, "Indexer")]
