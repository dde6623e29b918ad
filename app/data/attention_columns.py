"""A model's attention and experts as single numbers, for the columns of /data/models.json.

A model may have several kinds of mixers; columns on heads describe the softmax attention of most of its layers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from cutaway.app.model.view import ModelView
from cutaway.app.words.phrases import halves
from cutaway.gallery import spec as s
from cutaway.gallery.comparing.mechanism_rows.questions import sees_window

SOFTMAX = (
    s.Attention,
    s.CompressedAttention,
    s.ConvolvedAttention,
    s.ExpertHeads,
    s.LatentAttention,
    s.RelativeAttention,
)


def softmax_layers(view: ModelView) -> Iterator[tuple[Any, int]]:
    """(softmax attention over the text, in how many layers) of each group of equal layers."""
    for indices in view.alike:
        for part in halves(view.spec.layers[indices[0]].mixer):
            if isinstance(part, SOFTMAX) and not getattr(part, "cross", False):
                yield part, len(indices)


def usual_attention(view: ModelView) -> Any | None:
    """The softmax attention of most layers; None for a model without any."""
    counts: Counter[Any] = Counter()
    for part, layers in softmax_layers(view):
        counts[part] += layers
    return max(counts, key=counts.__getitem__) if counts else None


def reach(part: Any, view: ModelView) -> int:
    """The window or chunk of an attention, tokens; 0 if it reads all tokens, compressed or not."""
    if getattr(part, "compress_ratio", 0):
        return 0
    if sees_window(part, view.spec):
        return part.sliding_window
    return getattr(part, "attention_chunk_size", 0)


def attention_layers(view: ModelView) -> int:
    """Layers with softmax attention."""
    return sum(layers for _, layers in softmax_layers(view))


def window_layers(view: ModelView) -> int:
    """Layers whose softmax attention reads a window or a chunk."""
    return sum(layers for part, layers in softmax_layers(view) if reach(part, view))


def window_tokens(view: ModelView) -> int | None:
    """The window, or chunk, of most windowed layers; None without any."""
    counts: Counter[int] = Counter()
    for part, layers in softmax_layers(view):
        counts[reach(part, view)] += layers
    del counts[0]
    return max(counts, key=counts.__getitem__) if counts else None


def query_heads(view: ModelView) -> int | None:
    return getattr(usual_attention(view), "num_attention_heads", None)


def key_value_heads(view: ModelView) -> int | None:
    """None where heads share a latent instead."""
    return getattr(usual_attention(view), "num_key_value_heads", None)


def head_size(view: ModelView) -> int | None:
    """Length of a query: with latent attention its part without RoPE and its part with it."""
    part = usual_attention(view)
    if isinstance(part, s.LatentAttention):
        return part.qk_nope_head_dim + part.qk_rope_head_dim
    return getattr(part, "head_dim", None)


def largest_experts(view: ModelView) -> s.MoE | None:
    """The MoE layer with the most routed experts."""
    found = [part for layer in view.spec.layers for part in halves(layer.mlp) if isinstance(part, s.MoE)]
    return max(found, key=lambda part: part.num_experts, default=None)


def experts(view: ModelView) -> int | None:
    return getattr(largest_experts(view), "num_experts", None)


def chosen_experts(view: ModelView) -> int | None:
    return getattr(largest_experts(view), "num_experts_per_tok", None)
