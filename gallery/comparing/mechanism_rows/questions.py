"""What rows of several kinds ask of a part: how far it sees, whether it has RoPE, whether it runs beside another."""

from __future__ import annotations

from typing import Any

from cutaway.gallery import spec as s


def sees_window(p: Any, spec: s.ModelSpec) -> bool:
    """Whether a mixer's window is shorter than the text the model was made for (Phi-3 128k's is not)."""
    window = getattr(p, "sliding_window", 0)
    return bool(window) and window < (spec.max_position_embeddings or window + 1)


def is_softmax(p: Any) -> bool:
    return isinstance(p, s.Attention | s.LatentAttention | s.CompressedAttention | s.ExpertHeads) and not getattr(
        p, "cross", False
    )


def sees_all(p: Any, spec: s.ModelSpec) -> bool:
    return is_softmax(p) and not sees_window(p, spec) and not getattr(p, "attention_chunk_size", 0)


def has_rope(p: Any) -> bool:
    return bool(getattr(p, "rope", None))


def side_by_side(how: str, half: str):
    return lambda layer: isinstance(getattr(layer, half), s.Combined) and getattr(layer, half).how == how
