"""A communicator's ranks and bytes -> what a rank sends, and what of it leaves the node.

Bytes are those of the bandwidth-optimal algorithm (NVIDIA/nccl-tests, doc/PERFORMANCE.md): an all-gather or a
reduce-scatter of S bytes sends (n - 1) / n x S, an all-reduce twice that. Sums and gathers go through each node once.
"""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.ranks import count_in_node


class Collective(NamedTuple):
    """One communicator of a rank: on its stage, over one step."""

    axis: str  # of ranks.GROUPS
    operation: str
    ranks: int
    calls: int  # in one step
    bytes: int  # that each rank sends in one step
    leaving_bytes: int  # of these, to other nodes at least


def round_half_up(number: float) -> int:
    """The nearest whole number, halves upwards, as JavaScript's Math.round does."""
    return floor(number + 0.5)


def gather_bytes(ranks: float, size: float) -> float:
    """Bytes a rank sends in an all-gather or a reduce-scatter of so many bytes."""
    return (ranks - 1) / ranks * size


def make_collective(
    layout: Layout, axis: str, operation: str, ranks: int, calls: float, size: float, times: int = 1
) -> Collective:
    """`times` gathers (or sums, which cost the same) of `size` bytes in all calls together."""
    sent, leaving = sent_bytes(layout, axis, ranks, size, times)
    return Collective(axis, operation, ranks, int(calls), round_half_up(sent), round_half_up(leaving))


def sent_bytes(layout: Layout, axis: str, ranks: int, size: float, times: int) -> tuple[float, float]:
    """(bytes a rank sends, of these to other nodes) where so many bytes are gathered so often."""
    here = count_in_node(layout, axis)
    return times * gather_bytes(ranks, size), times * gather_bytes(ranks / here, size) / here
