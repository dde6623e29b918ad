"""What RESTACK (scheme, sources) of a residual scheme may answer: the scheme of a stack whose layers are copies of
those at `sources`, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Scheme = TypeVar("Scheme")


class FixedDepth(Exception):
    """Why the number of layers cannot change, said behind "The number of layers stays: "."""


def as_it_is(scheme: Scheme, sources: Sequence[int]) -> Scheme:
    """A scheme that asks nothing of a layer but its number serves a stack of any depth."""
    return scheme
