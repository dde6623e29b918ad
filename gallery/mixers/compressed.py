"""compressed."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph
from gallery.mixers.indexer import Indexer


@dataclass(frozen=True, slots=True)
class CompressedAttention:
    """DeepSeek-V4: one vector is key and value for all heads; a window of them, plus compressed entries."""

    num_attention_heads: int
    head_dim: int
    qk_rope_head_dim: int
    q_lora_rank: int
    o_groups: int
    o_lora_rank: int
    sliding_window: int
    compress_ratio: int  # 0 = window only; 4 = CSA (overlapping, indexed); 128 = HCA (dense over entries)
    overlap: bool = False  # CSA: two windows feed each entry
    sinks: bool = True
    indexer: Indexer | None = None


def graph(m: CompressedAttention, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = CompressedAttention, graph
