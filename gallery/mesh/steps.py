"""What one collective is made of: chunks on their way, steps in which they go at once, and the whole schedule."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Send(NamedTuple):
    """One chunk on its way: places within the group, slots of the sender and the receiver."""

    source: int
    destination: int
    chunk: int
    into: int
    adds: bool = False  # to what is there, instead of taking its place


class Step(NamedTuple):
    """What is sent at once."""

    phase: str
    sends: list[Send]
    frees: bool = False  # the sender gives up what it sends
    first: bool = False  # it sends what it held before the first step


class Schedule(NamedTuple):
    """The steps, and whether slots are put in order at the end: nothing is sent for that."""

    steps: list[Step]
    order: int = 0  # 0: they are in order; else how many ranks share a node

    def slot_of(self, rank: int, slot: int, n: int) -> int:
        """Where a slot of a rank belongs in the end: a chunk from d places below lies d places above."""
        if not self.order:
            return slot
        (node, place), (above, beside) = divmod(rank, self.order), divmod(slot, self.order)
        return (2 * node - above) % (n // self.order) * self.order + (2 * place - beside) % self.order


def distances(n: int) -> list[int]:
    """1, 2, 4, ... below n."""
    return [2**k for k in range((n - 1).bit_length())]


def send_all_chunks(pairs: Iterable[tuple[int, int]], n: int) -> Step:
    """Every chunk of every pair's first to its second."""
    return Step("broadcast", [Send(a, b, c, c) for a, b in pairs for c in range(n)])


def doubling_pairs(n: int, root: int) -> list[list[tuple[int, int]]]:
    """Who sends to whom until all n have it, the farthest first."""
    far = reversed(distances(n))
    return [[((root + i) % n, (root + i + d) % n) for i in range(0, n - d, 2 * d)] for d in far]
