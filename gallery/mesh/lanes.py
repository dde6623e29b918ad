"""Which numbers of a vector each tensor rank holds: its lanes, as places in the whole vector, lowest first.

A value of heads counts as one vector, head after head. Lanes need not be even, and may be held twice.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray
Lanes = tuple[Array, ...]  # for each place of the tensor axis


def even(width: int, t: int) -> Lanes | None:
    """Equal parts, side by side; None where there are none."""
    return None if width % t else tuple(np.split(np.arange(width), t))


def widen_heads(ids: Lanes, size: int) -> Lanes:
    """All numbers of some heads."""
    return tuple((own[:, None] * size + np.arange(size)).ravel() for own in ids)


def heads(count: int, t: int, copies: bool = False) -> Lanes | None:
    """Heads dealt out evenly; with fewer heads than ranks each may be held by several."""
    if copies and count < t and t % count == 0:
        return tuple(np.array([place * count // t]) for place in range(t))
    return even(count, t)


def heads_of(lanes: Lanes | None, size: int) -> Lanes | None:
    """The heads of which lanes hold every number; None where one is held in part."""
    if lanes is None:
        return None
    ids = tuple(np.unique(own // size) for own in lanes)
    whole = widen_heads(ids, size)
    return ids if all(np.array_equal(a, b) for a, b in zip(whole, lanes, strict=True)) else None


def join_wanted(several: list[Lanes]) -> Lanes:
    """What any of several asks for."""
    return tuple(np.unique(np.concatenate(own)) for own in zip(*several, strict=True))


def places_in(held: Array, wanted: Array) -> Array:
    """Where the wanted numbers stand among those that are held."""
    found = np.searchsorted(held, wanted)
    if (found >= len(held)).any() or (held[found] != wanted).any():
        raise KeyError(f"{np.setdiff1d(wanted, held)[:4]} are wanted of lanes that do not hold them.")
    return found


def equal_everywhere(a: Lanes | None, b: Lanes | None) -> bool:
    """Whether two layouts hold the same numbers everywhere."""
    if a is None or b is None:
        return a is b
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
