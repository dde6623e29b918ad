"""latent."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph
from gallery.mixers.indexer import Indexer
from gallery.records import Normal, Rope


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """MLA: one latent per token serves all heads; RoPE is kept apart."""

    num_attention_heads: int
    q_lora_rank: int  # 0 = a full q projection
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    rotary_dim: int = 0  # 0 = the "rope" half is not rotated (NoPE)
    bias: frozenset[str] = frozenset()
    gate: str = ""
    sliding_window: int = 0
    kv_source: int | None = None
    indexer: Indexer | None = None
    rope: Rope | None = None
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)
    scale: float | None = 0.0  # 0 = 1 / √(qk_nope_head_dim + qk_rope_head_dim), None = not known


def graph(m: LatentAttention, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = LatentAttention, graph
