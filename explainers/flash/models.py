"""Catalogued models -> the sizes of the heads that see furthest; devices -> what a tile may take on the chip.

A row: [slug, title, numbers of a query or key, numbers of a value, query heads, layers with such heads, tokens they
see back (0 = all before them, -1 = all)]. Attention that reads only what an indexer picks, or compressed entries, is
left out: its tiles are others.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from cutaway.explainers import catalogued
from cutaway.gallery.planning.devices import DEVICES

COLUMNS = ("slug", "title", "qk", "v", "heads", "layers", "window")
# device -> (what it is called, KiB of shared memory that one thread block may use, MB of L2 cache)
CHIPS = {
    "a100_sxm": ("A100", 163, 40),
    "l40s": ("L40S", 99, 96),
    "h100_sxm": ("H100", 227, 50),
    "h200_sxm": ("H200", 227, 50),
    "b200_sxm": ("B200", 227, 126),
}
SOURCE = "CUDA C++ programming guide, technical specifications per compute capability; NVIDIA's architecture papers"


def chips() -> list[dict]:
    """The devices of the page: bytes, bytes a second, FLOP/s in BF16, and where both take equally long."""
    made = []
    for key, (title, kib, l2) in CHIPS.items():
        peak, bandwidth = DEVICES[key].peaks["bfloat16"], DEVICES[key].bandwidth_bytes
        sizes = {"sram": kib * 1024, "l2": l2 * 10**6, "peak": peak, "bandwidth": bandwidth, "ridge": peak / bandwidth}
        made.append({"key": key, "title": title} | sizes)
    return made


def heads_of(spec: Any) -> Counter:
    """(qk, v, heads, window) of every attention over whole keys and values -> in how many layers."""
    from cutaway.gallery import spec as s
    from cutaway.gallery.sublayers import parts_of

    found: Counter = Counter()
    for layer in spec.layers:
        for m in parts_of(layer.mixer):
            if not isinstance(m, s.Attention | s.LatentAttention) or m.indexer or getattr(m, "cross", False):
                continue
            if getattr(m, "attention_chunk_size", 0) or getattr(m, "dynamic_mask", 0):
                continue
            qk = m.head_dim if isinstance(m, s.Attention) else m.qk_nope_head_dim + m.qk_rope_head_dim
            window = m.sliding_window if getattr(m, "causal", True) else -1
            longest = spec.max_position_embeddings
            window = 0 if longest and window >= longest else window
            found[qk, m.v_head_dim, m.num_attention_heads, window] += 1
    return found


def row(spec: Any) -> list[int] | None:
    """The heads of one model that see furthest; of those, the ones in most layers."""
    found = heads_of(spec)
    if not found:
        return None
    sees = lambda window: window if window > 0 else float("inf")  # noqa: E731
    (qk, v, heads, window), layers = max(found.items(), key=lambda one: (sees(one[0][3]), one[1]))
    return [qk, v, heads, layers, window]


def rows() -> list[list]:
    """Every catalogued model with such heads; a variant only where it differs from its base."""
    from cutaway.gallery import catalog

    return catalogued.rows(catalog.drawable_rows(), row)
