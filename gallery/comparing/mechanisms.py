"""A spec -> the set of its mechanisms: words for what it does, each of one part. Sizes are not mechanisms.

The tables of mechanism_rows/ have one row a mechanism, and nothing else lists them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from cutaway.gallery import spec as s
from cutaway.gallery.cached import cached_for_spec
from cutaway.gallery.comparing.finding import Hit, seen_in
from cutaway.gallery.comparing.mechanism_rows import (
    attention,
    biases,
    experts,
    layers,
    mixers,
    mlps,
    norms,
    positions,
    stacks,
    streams,
)
from cutaway.gallery.comparing.mechanism_rows.row import Mechanism

MECHANISMS: tuple[Mechanism, ...] = (
    *mixers.ROWS,
    *attention.ROWS,
    *mlps.ROWS,
    *experts.ROWS,
    *norms.ROWS,
    *positions.ROWS,
    *biases.ROWS,
    *layers.ROWS,
    *streams.ROWS,
    *stacks.ROWS,
)
BY_KEY = {row.key: row for row in MECHANISMS}
BIT = {row.key: 1 << place for place, row in enumerate(MECHANISMS)}


@cached_for_spec
def mechanisms(spec: s.ModelSpec) -> tuple[str, ...]:
    """The keys of what a model has, in the order of the table."""
    seen = seen_in(spec)
    return tuple(row.key for row in MECHANISMS if row.find(seen))


def find_mechanism(spec: s.ModelSpec, key: str) -> list[Hit]:
    """Where a model has a mechanism; what most layers have first."""
    return sorted(BY_KEY[key].find(seen_in(spec)), key=lambda hit: -len(hit.layers))


def bits(keys: Iterable[str]) -> int:
    """A set of mechanisms as one number."""
    return sum(BIT[key] for key in keys)


@cache
def keys_of(mask: int) -> tuple[str, ...]:
    """The set that such a number stands for, in the order of the table."""
    return tuple(row.key for place, row in enumerate(MECHANISMS) if mask >> place & 1)


def place_of(key: str) -> int:
    """The place of a mechanism in the table."""
    return BIT[key].bit_length() - 1


def labels(keys: Iterable[str]) -> list[str]:
    """Mechanisms as they stand on a label."""
    return [BY_KEY[key].short for key in keys]
