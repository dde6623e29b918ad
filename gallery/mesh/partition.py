"""What one operation needs and gives on each of t tensor ranks: a Cut; and the rules that many operations share.

A rule takes (At, the lanes that are wanted of what comes out, the lanes in which inputs are there) and returns a Cut,
or None: every rank does the whole operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

from cutaway.gallery.graph import Node
from cutaway.gallery.mesh.lanes import Lanes, heads_of

Have = list[Lanes | None]
Cutters = Mapping[str, tuple[tuple[int, Lanes], ...]]  # a tensor's word -> (axis, what of it) one after the other


class Partition(NamedTuple):
    """One operation, cut."""

    asks: tuple[Lanes | None, ...]  # of each input; None: the whole of it
    out: Lanes | None = None
    partial: bool = False  # what comes out is to be summed over the ranks
    tensors: Cutters = MappingProxyType({})
    once: tuple[str, ...] = ()  # tensors that the first rank alone uses
    facts: Callable[[int], Mapping[str, Any]] = lambda place: {}
    inputs: Callable[[int, list[Any]], list[Any]] | None = None
    after: Callable[[int, list[Any], Any], Any] | None = None  # (place, inputs as they were, what was made)
    wish: bool = False  # every rank does the whole operation after all; its inputs may come in lanes


class At(NamedTuple):
    """An operation in its place: its node, the forms of its inputs and of what it gives, how many ranks."""

    node: Node
    forms: list[tuple[int, ...]]  # of one token: (width,) or (heads, size)
    out: tuple[int, ...]
    t: int

    def width(self, place: int = 0) -> int:
        """Numbers of one input per token."""
        return prod(self.forms[place])


Rule = Callable[[At, Lanes | None, Have], Partition | None]


def choose_lanes(have: Have, want: Lanes | None) -> Lanes | None:
    """The lanes an operation works on: those that are there, else those that are wanted."""
    return next((lanes for lanes in have if lanes is not None), want)


def number_rule(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """A function of each number."""
    lanes = choose_lanes(have[:1], want)
    return None if lanes is None else Partition((lanes,) + (None,) * (len(at.forms) - 1), lanes)


def head_rule(*words: str) -> Rule:
    """A function of each head's numbers; tensors named here have a part for each head."""

    def rule(at: At, want: Lanes | None, have: Have) -> Partition | None:
        lanes = choose_lanes(have[:1], want)
        ids = heads_of(lanes, at.forms[0][-1]) if len(at.forms[0]) > 1 else None
        if ids is None:
            return None
        more = (None,) * (len(at.forms) - 1)
        return Partition(
            (lanes, *more), lanes, tensors={word: ((0, ids),) for word in words if word in at.node.tensors}
        )

    return rule


def elementwise_rule(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Number by number of several inputs; one that has a number for each head goes with the head."""
    widest = max(at.width(i) for i in range(len(at.forms)))
    like = [lanes for i, lanes in enumerate(have) if at.width(i) == widest]
    lanes = choose_lanes(like, want)
    if lanes is None:
        return None
    asks: list[Lanes | None] = []
    for place, form in enumerate(at.forms):
        if at.width(place) == widest:
            asks.append(lanes)
        elif at.width(place) > 1 and widest % prod(form) == 0:
            ids = heads_of(lanes, widest // prod(form))
            if ids is None:
                return None
            asks.append(ids)
        else:
            asks.append(None)
    return Partition(tuple(asks), lanes)
