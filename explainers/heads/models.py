"""Catalogued models -> the few numbers per model that the heads page plays with.

A row is COLUMNS; a shape is SHAPE: layers whose attention has the same heads and widths stand together, however far
they look back. Layers that keep nothing of their own (reused keys and values, images) are left out; DeepSeek-V4, which
compresses along time, does not fit on this slider and is left out whole.
"""

from __future__ import annotations

from collections import Counter

from cutaway.explainers import catalogued
from cutaway.gallery import spec as s
from cutaway.gallery.counting.memory import memory
from cutaway.gallery.sublayers import parts_of

COLUMNS = ("slug", "title", "width_in", "loops", "state_bytes", "beside_bytes", "index_bytes", "shapes")
# state_bytes: fixed states in layers without attention of their own; beside_bytes: in those that have it
SHAPE = ("latent", "heads", "kv", "k", "v", "rank", "rope", "bias", "k_eq_v", "turned", "windows")
# windows: [layers, tokens (0 = everything), 1 if the tokens are a chunk]


def own_attention(spec: s.ModelSpec) -> list[s.Attention | s.LatentAttention]:
    """Every attention of the model that keeps keys and values, or a latent, of its own text."""
    return [m for layer in spec.layers for m in own_in(layer)]


def own_in(layer: s.Layer) -> list[s.Attention | s.LatentAttention]:
    """Those of one layer."""
    found = [m for m in parts_of(layer.mixer) if isinstance(m, s.Attention | s.LatentAttention)]
    return [m for m in found if m.kv_source is None and not getattr(m, "cross", False)]


def shape(mixer: s.Attention | s.LatentAttention) -> tuple:
    """What makes two attentions alike: everything of SHAPE but the window."""
    if isinstance(mixer, s.LatentAttention):
        turned = int(mixer.rope is not None)
        widths = (mixer.qk_nope_head_dim, mixer.v_head_dim, mixer.kv_lora_rank, mixer.qk_rope_head_dim)
        return (1, mixer.num_attention_heads, 0, *widths, 0, 0, turned)
    m: s.Attention = mixer
    bias = int("k" in m.bias) + int("v" in m.bias)
    return (0, m.num_attention_heads, m.num_key_value_heads, m.head_dim, m.v_head_dim, 0, 0, bias, int(m.k_eq_v), 1)


def window(mixer: s.Attention | s.LatentAttention, longest: int | None) -> tuple[int, int]:
    """(tokens, is it a chunk): (0, 0) sees everything, also where the window is as long as the context (Phi-3)."""
    chunk = getattr(mixer, "attention_chunk_size", 0)
    tokens = mixer.sliding_window or chunk
    return (tokens, int(not mixer.sliding_window)) if tokens and tokens < (longest or tokens + 1) else (0, 0)


def shapes(spec: s.ModelSpec) -> list[list]:
    """The distinct shapes, those that see everything first, then the most common."""
    counts: dict[tuple, Counter] = {}
    for mixer in own_attention(spec):
        counts.setdefault(shape(mixer), Counter())[window(mixer, spec.max_position_embeddings)] += 1
    rows = [[*key, [[n, *w] for w, n in sorted(windows.items())]] for key, windows in counts.items()]
    return sorted(rows, key=lambda row: (row[-1][0][1] != 0, -sum(n for n, *_ in row[-1])))


def width_in(spec: s.ModelSpec) -> int:
    """How wide the vectors are that keys and values are made from: hidden_size, but twice that in Zamba2."""
    return getattr(own_attention(spec)[0], "input_size", 0) or spec.hidden_size


def row(spec: s.ModelSpec) -> list | None:
    """One model, or None where it has no attention that fits the page."""
    if any(isinstance(m, s.CompressedAttention) for layer in spec.layers for m in parts_of(layer.mixer)):
        return None
    kinds = shapes(spec)
    if not kinds:
        return None
    kept = memory(spec, 1024)
    states = [one.by_kind.get("state", 0) + one.by_kind.get("conv", 0) for one in kept.layers]
    beside = sum(states[layer.index] for layer in spec.layers if own_in(layer))
    index = kept.by_kind.get("index", 0) // 1024
    if memory(spec, 1000).by_kind.get("index", 0) != 1000 * index:
        return None  # GLM-5.3 Flash: indexer keys that stand for several tokens each grow in steps
    if len(kinds) > 1 and (beside or index):
        return None  # Inkling: the page tells what is kept beside attention only of layers that are all alike
    return [width_in(spec), spec.loops, sum(states) - beside, beside, index, kinds]


def rows() -> list[list]:
    """Every catalogued model with a config that has attention; a variant only where it differs from its base."""
    from cutaway.gallery import catalog

    return catalogued.rows(catalog.gallery_rows(), row)


def weights_bytes(slug: str) -> int:
    """What the model of the first beats weighs in BF16."""
    from cutaway.gallery import catalog, parameters

    return 2 * parameters(catalog.spec(slug)).total
