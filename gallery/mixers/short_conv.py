"""short_conv."""

from __future__ import annotations

from dataclasses import dataclass

from gallery.graph import Graph


@dataclass(frozen=True, slots=True)
class ShortConv:
    """A gated depthwise convolution over the last `conv_L_cache` tokens (LFM2)."""

    conv_dim: int
    conv_L_cache: int
    bias: bool = False


def graph(m: ShortConv, h: int) -> Graph:
    """Not written yet."""
    raise NotImplementedError(type(m).__name__)


RECORD, GRAPH = ShortConv, graph
