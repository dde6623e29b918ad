"""DeepSeek-V4's mixers in words: one vector is key and value; a window of them, and compressed entries behind it."""

from __future__ import annotations

from cutaway.gallery.drawing.band import Band
from cutaway.gallery.drawing.inside import drawn
from cutaway.gallery.drawing.parts import Inside, Parts, per_layer
from cutaway.gallery.spec import CompressedAttention


def compressed(parts: Parts) -> Inside:
    """One vector is key and value for all heads: a window of raw ones, and compressed entries for what lies behind."""
    m: CompressedAttention = parts.m
    role = compressed_role(m)
    rope = f"RoPE on {m.qk_rope_head_dim} of {m.head_dim}"
    says = [per_layer(parts), "one vector is key and value for all heads", rope]
    if m.compress_ratio:
        says.append(f"one entry per {m.compress_ratio} tokens behind it")
    return drawn(parts, role, compressed_name(m), " · ".join(says), Band.of(m, role))


def compressed_role(m: CompressedAttention) -> str:
    return "window" if not m.compress_ratio else "sparse" if m.indexer else "latent"


def compressed_name(m: CompressedAttention) -> str:
    if not m.compress_ratio:
        return "Attention with K = V, window only"
    return "Compressed sparse attention" if m.indexer else "Heavily compressed attention"
