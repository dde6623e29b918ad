"""The small scorer that picks which kept entries a sparse mixer reads: DSA, MiniMax-M3's blocks, and their kin."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Wires


@dataclass(frozen=True, slots=True)
class Indexer:
    """A small scorer that picks which cached entries a sparse mixer reads (DSA, MiniMax-M3, V4's CSA)."""

    index_n_heads: int
    index_head_dim: int
    index_topk: int  # tokens, or blocks where `block_size` > 1
    block_size: int = 1  # scores are pooled over blocks of this many tokens
    shared: bool = False  # True: no weights and no index keys of its own, reuses the choice of an earlier layer
    q_rank: int = 0  # width its queries are projected from (q_lora_rank); 0 = hidden_size
    style: str = "dsa"  # "dsa" | "minimax_m3" | "v4" | "pooled"


def choose(m: Indexer, g: Wires, x: str, h: int) -> str:
    """Nodes that end in the choice of entries; the name of that choice."""
    raise NotImplementedError
