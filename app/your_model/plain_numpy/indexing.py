"""What stands in square brackets, and an array's shape -> the places in its list, and the shape of what they give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

Shape = tuple[int, ...]


def strides(shape: Shape) -> list[int]:
    """How far apart neighbours along each axis stand in the list."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def positions(axes: Sequence[Iterable[int]]) -> list[int]:
    """The sum of one offset of each axis, for all combinations, the last axis fastest."""
    found = [0]
    for offsets in axes:
        found = [place + offset for place in found for offset in offsets]
    return found


def found(key: Any, shape: Shape) -> tuple[list[int] | slice, Shape | None]:
    """(places, shape of the answer); no shape where it is one number."""
    if isinstance(key, slice) and key.step in (None, 1):
        start, stop, _ = key.indices(shape[0])
        inner = math.prod(shape[1:])
        return slice(start * inner, max(start, stop) * inner), (max(stop - start, 0), *shape[1:])
    keys = whole_key(key, len(shape))
    axes: list[Sequence[int]] = []
    sizes: list[Shape] = []
    lists: list[tuple[list[int], Shape]] = []  # index arrays, which are taken together
    at = 0
    steps = strides(shape)
    for one in keys:
        if one is None:
            sizes.append((1,))
            continue
        size, step = shape[at], steps[at]
        at += 1
        if isinstance(one, slice):
            axes.append([place * step for place in range(*one.indices(size))])
            sizes.append((len(axes[-1]),))
        elif hasattr(one, "values"):
            if not lists:
                sizes.append(())
                axes.append([])
                where = len(sizes) - 1, len(axes) - 1
            lists.append(([inside(place, size) * step for place in one.values], one.shape))
        else:
            axes.append([inside(one.__index__(), size) * step])
    if lists:
        sizes[where[0]], axes[where[1]] = combined(lists)
    whole = tuple(size for part in sizes for size in part)
    return positions(axes), whole if sizes else None


def whole_key(key: Any, rank: int) -> list[Any]:
    """A key for every axis: an ellipsis, or what is left out, stands for all of them."""
    keys = list(key) if isinstance(key, tuple) else [key]
    here = next((place for place, one in enumerate(keys) if one is Ellipsis), len(keys))
    rest = keys[here + 1 :]
    named = sum(one is not None and one is not Ellipsis for one in keys)
    return [*keys[:here], *[slice(None)] * (rank - named), *rest]


def inside(place: int, size: int) -> int:
    """A place counted from the start; IndexError outside."""
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of bounds for axis with size {size}")
    return place % size


def combined(lists: list[tuple[list[int], Shape]]) -> tuple[Shape, list[int]]:
    """Index arrays side by side: (their common shape, the offset of each entry)."""
    from cutaway.app.your_model.plain_numpy.array import spread, together

    shape = together(*(one[1] for one in lists))
    each = [spread(offsets, own, shape) for offsets, own in lists]
    return shape, [sum(offsets) for offsets in zip(*each, strict=True)]
