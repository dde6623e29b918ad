"""The functions of numpy that gallery/running calls, in plain Python: the browser's Python knows it as `numpy`.

numpy for WebAssembly is in no package registry, only on one network of servers, so that a site cannot be built with
it from pinned packages; and a small copy of a model has so few numbers that lists of them do. Names, arguments and
answers are numpy's. What holds it to numpy: golden logits of the modelling code computed with either
(tests/oracle/forward), and a browser's tensors beside those of numpy in CPython.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import repeat as same
from typing import Any

from cutaway.app.your_model.plain_numpy import indexing
from cutaway.app.your_model.plain_numpy.array import Shape, array, both, ndarray, spread, together
from cutaway.app.your_model.plain_numpy.einsum import einsum as einsum

inf, nan, int64 = math.inf, math.nan, int
asarray = array


def sizes(shape: int | Shape) -> Shape:
    return (shape,) if isinstance(shape, int) else tuple(shape)


# ---------------------------------------------------------------- made anew


def full(shape: int | Shape, value: Any, dtype: type | None = None) -> ndarray:
    of = dtype or type(value)
    return ndarray([of(value)] * math.prod(sizes(shape)), sizes(shape), of)


def zeros(shape: int | Shape, dtype: type = float) -> ndarray:
    return full(shape, 0, dtype)


def ones(shape: int | Shape, dtype: type = float) -> ndarray:
    return full(shape, 1, dtype)


def zeros_like(x: ndarray, shape: Shape | None = None) -> ndarray:
    return zeros(x.shape if shape is None else shape, x.of)


def arange(*of: int) -> ndarray:
    made = list(range(*map(int, of)))
    return ndarray(made, (len(made),), int)


def broadcast_to(x: ndarray, shape: Shape) -> ndarray:
    return ndarray(list(spread(x.values, x.shape, tuple(shape))), tuple(shape), x.of)


# ---------------------------------------------------------------- number by number


def each(do: Callable[[float], Any], rescued: Callable[[float], float], of: type = float) -> Callable[[Any], Any]:
    """A function of one number as one of arrays; `rescued` answers where `do` raises and IEEE 754 has a value."""

    def safe(x: float) -> Any:
        try:
            return do(x)
        except (ValueError, OverflowError):
            return rescued(x)

    def answered(x: Any) -> Any:
        if not isinstance(x, ndarray):
            return safe(x)
        try:
            return ndarray(list(map(do, x.values)), x.shape, of)
        except (ValueError, OverflowError):
            return ndarray(list(map(safe, x.values)), x.shape, of)

    return answered


def no_number(x: float) -> float:
    return math.nan


exp = each(math.exp, lambda x: math.inf)
expm1 = each(math.expm1, lambda x: math.inf)
log = each(math.log, lambda x: math.nan if x < 0 else -math.inf)
log2 = each(math.log2, lambda x: math.nan if x < 0 else -math.inf)
sqrt, tanh, sin, cos = (each(one, no_number) for one in (math.sqrt, math.tanh, math.sin, math.cos))
floor = each(lambda x: float(math.floor(x)), lambda x: x)
sign = each(lambda x: float((x > 0) - (x < 0)), no_number)
isfinite = each(math.isfinite, no_number, bool)
abs = each(abs, no_number)  # numpy's name


def maximum(a: Any, b: Any) -> Any:
    return both(max, a, b) if isinstance(a, ndarray) or isinstance(b, ndarray) else max(a, b)


def minimum(a: Any, b: Any) -> Any:
    return both(min, a, b) if isinstance(a, ndarray) or isinstance(b, ndarray) else min(a, b)


def clip(x: Any, low: Any, high: Any) -> Any:
    return minimum(maximum(x, low), high)


def logaddexp(a: Any, b: Any) -> Any:
    """log(e^a + e^b)."""

    def one(x: float, y: float) -> float:
        return max(x, y) + math.log1p(math.exp(-math.fabs(x - y))) if x != y else x + math.log(2)

    return both(one, a, b, float)


def frompyfunc(do: Callable[[float], float], inputs: int, outputs: int) -> Callable[[Any], Any]:
    """A function of one number as one of arrays."""
    return each(do, no_number)


def where(chosen: ndarray, a: Any, b: Any) -> ndarray:
    parts = [one if isinstance(one, ndarray) else array(one) for one in (chosen, a, b)]
    shape = together(*(one.shape for one in parts))
    flags, yes, no = (spread(one.values, one.shape, shape) for one in parts)
    of = float if float in (parts[1].of, parts[2].of) else parts[1].of
    return ndarray([y if flag else n for flag, y, n in zip(flags, yes, no, strict=True)], shape, of)


# ---------------------------------------------------------------- side by side, again, in another order


def concatenate(parts: Sequence[ndarray], axis: int = 0) -> ndarray:
    parts = list(parts)
    axis %= parts[0].ndim
    shape = list(parts[0].shape)
    shape[axis] = sum(one.shape[axis] for one in parts)
    blocks = [math.prod(one.shape[axis:]) for one in parts]
    made: list = []
    for row in range(math.prod(shape[:axis])):
        for one, block in zip(parts, blocks, strict=True):
            made += one.values[row * block : (row + 1) * block]
    return ndarray(made, tuple(shape), float if any(one.of is float for one in parts) else parts[0].of)


def stack(parts: Sequence[ndarray], axis: int = 0) -> ndarray:
    rank = parts[0].ndim + 1
    axis %= rank
    return concatenate([one.reshape(*one.shape[:axis], 1, *one.shape[axis:]) for one in parts], axis)


def repeat(x: Any, times: Any, axis: int = 0) -> ndarray:
    """Each entry along an axis so many times, or each of its own number of times."""
    x = array(x)
    axis %= x.ndim
    counts = list(times) if isinstance(times, tuple | list | ndarray) else [times] * x.shape[axis]
    places = [place for place, count in enumerate(counts) for _ in range(count)]
    return x[(*[slice(None)] * axis, ndarray(places, (len(places),), int))]


def tile(x: ndarray, times: Shape) -> ndarray:
    for axis, count in enumerate(times):
        x = concatenate([x] * count, axis) if count != 1 else x
    return x


def moveaxis(x: ndarray, source: int, to: int) -> ndarray:
    axes = [axis for axis in range(x.ndim) if axis != source % x.ndim]
    axes.insert(to % x.ndim, source % x.ndim)
    return x.transpose(tuple(axes))


def swapaxes(x: ndarray, a: int, b: int) -> ndarray:
    return x.swapaxes(a, b)


def ndim(x: Any) -> int:
    return x.ndim if isinstance(x, ndarray) else 0


def rows(x: ndarray) -> list[list]:
    """The numbers along the last axis, one list after another."""
    width = x.shape[-1]
    return [x.values[at : at + width] for at in range(0, len(x.values), width)]


def sort(x: ndarray, axis: int = -1) -> ndarray:
    return ndarray([one for row in rows(x) for one in sorted(row)], x.shape, x.of)


def argsort(x: ndarray, axis: int = -1, kind: str = "") -> ndarray:
    made = [place for row in rows(x) for place in sorted(range(len(row)), key=row.__getitem__)]
    return ndarray(made, x.shape, int)


def take_along_axis(x: ndarray, places: ndarray, axis: int = -1) -> ndarray:
    found = [row[place] for row, own in zip(rows(x), rows(places), strict=True) for place in own]
    return ndarray(found, places.shape, x.of)


def put_along_axis(x: ndarray, places: ndarray, value: Any, axis: int = -1) -> None:
    """Numbers along the last axis written at these places, in x itself."""
    width = x.shape[-1]
    given = iter(spread(value.values, value.shape, places.shape)) if isinstance(value, ndarray) else same(value)
    for number, own in enumerate(rows(places)):
        for place in own:
            x.values[number * width + indexing.inside(place, width)] = x.of(next(given))
