"""lightning."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class LightningAttention:
    """Linear attention with a fixed decay per head (MiniMax-01, Ling 2.5): state heads x head_dim x head_dim."""

    num_heads: int
    head_dim: int
    fused_qkv: bool = True
    qk_norm: str = ""


def graph(m: LightningAttention, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = LightningAttention, graph
