"""gated_delta."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class GatedDeltaNet:
    """S <- a S; S += b k (v - S'k)': one state of key_head_dim x value_head_dim per value head."""

    linear_num_key_heads: int
    linear_num_value_heads: int
    linear_key_head_dim: int
    linear_value_head_dim: int
    linear_conv_kernel_dim: int
    fused: bool = False  # Qwen3-Next: in_proj_qkvz and in_proj_ba; Qwen3.5: four projections
    allow_neg_eigval: bool = False


def graph(m: GatedDeltaNet, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = GatedDeltaNet, graph
