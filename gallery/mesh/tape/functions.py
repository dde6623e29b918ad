"""FUNCTIONS: numpy's other functions on taped values, one row each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cutaway.gallery.mesh.tape.rules import Array, sum_to_shape
from cutaway.gallery.mesh.tape.taped import Taped, data_of


def owner(values: Sequence[Any]) -> Taped:
    """The first taped one."""
    return next(x for x in values if isinstance(x, Taped))


def record_op(values: Sequence[Any], made: Array, back: Callable[[Array], Sequence[Array]]) -> Taped:
    """One value of several, of which some may be plain; `back` gives a gradient for each."""
    taped = [place for place, x in enumerate(values) if isinstance(x, Taped)]

    def through(given: list[Array]) -> list[Array]:
        found = back(given[0])
        return [found[place] for place in taped]

    return owner(values).tape.record([values[place] for place in taped], [made], through)[0]


def concatenate(values: Sequence[Any], axis: int = 0) -> Taped:
    """One after the other along an axis."""
    plain = [data_of(x) for x in values]
    ends = np.cumsum([x.shape[axis] for x in plain])[:-1]
    return record_op(values, np.concatenate(plain, axis), lambda given: np.split(given, ends, axis))


def stack(values: Sequence[Any], axis: int = 0) -> Taped:
    """Side by side along a new axis."""
    plain = [data_of(x) for x in values]
    return record_op(values, np.stack(plain, axis), lambda given: list(np.moveaxis(given, axis, 0)))


def where(mark: Any, a: Any, b: Any) -> Taped:
    """a where the mark is, b elsewhere."""
    mark, shapes = data_of(mark), [np.shape(data_of(a)), np.shape(data_of(b))]

    def back(given: Array) -> list[Array]:
        return [sum_to_shape(np.where(mark, given, 0), shapes[0]), sum_to_shape(np.where(mark, 0, given), shapes[1])]

    return record_op([a, b], np.where(mark, data_of(a), data_of(b)), back)


def repeat(x: Taped, times: int, axis: int) -> Taped:
    """Each of an axis so many times."""
    shape = list(x.shape)
    axis %= x.ndim
    parts = (*shape[: axis + 1], times, *shape[axis + 1 :])
    return x.rearrange(lambda a: np.repeat(a, times, axis), lambda g: g.reshape(parts).sum(axis + 1))


def tile(x: Taped, times: tuple[int, ...]) -> Taped:
    """The whole so many times along each axis."""
    shape = x.shape
    parts = tuple(n for pair in zip(times, shape, strict=True) for n in pair)
    over = tuple(range(0, len(parts), 2))
    return x.rearrange(lambda a: np.tile(a, times), lambda g: g.reshape(parts).sum(over))


def take_along_axis(x: Any, index: Any, axis: int) -> Any:
    """Numbers by their place along an axis."""
    index = data_of(index)

    def back(given: Array) -> Array:
        out = np.zeros(x.shape)
        places = list(np.ogrid[tuple(slice(n) for n in given.shape)])
        places[axis] = np.broadcast_to(index, given.shape)
        np.add.at(out, tuple(places), given)
        return out

    return x.derive(np.take_along_axis(x.data, index, axis), back)


def put_along_axis(x: Any, index: Any, values: Any, axis: int) -> None:
    """Numbers to their place along an axis, in the value itself."""
    index = data_of(index)
    places = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    places[axis] = index
    x[tuple(places)] = values


def broadcast_to(x: Taped, shape: tuple[int, ...]) -> Taped:
    """The same numbers again and again."""
    return x.rearrange(lambda a: np.broadcast_to(a, shape), lambda g: sum_to_shape(g, x.shape))


def clip(x: Any, low: Any, high: Any) -> Any:
    """Between two limits."""
    inside = (x.data >= low) & (x.data <= high)
    return x.derive(np.clip(x.data, low, high), lambda given: given * inside)


def einsum(words: str, a: Any, b: Any) -> Taped:
    """A sum of products over the letters that do not come out."""
    ins, out = words.split("->")
    one, two = ins.split(",")
    plain = data_of(a), data_of(b)

    def back(given: Array) -> list[Array]:
        return [towards(one, given, out, two, plain[1], plain[0]), towards(two, given, out, one, plain[0], plain[1])]

    return record_op([a, b], np.einsum(words, *plain), back)


def towards(own: str, given: Array, out: str, other: str, value: Array, like: Array) -> Array:
    """The gradient of one of two factors; a letter that it alone had was summed over."""
    known = "".join(letter for letter in own if letter in out + other)
    found = np.einsum(f"{out},{other}->{known}", given, value)
    for place, letter in enumerate(own):
        if letter not in known:
            found = np.expand_dims(found, place)
    return np.broadcast_to(found, like.shape)


def zeros_like(x: Any, shape: tuple[int, ...] | None = None) -> Taped:
    """Zeros that may be assigned to."""
    return x.tape.leaf(np.zeros(x.shape if shape is None else shape))


def moveaxis(x: Any, source: int, destination: int) -> Taped:
    """One axis elsewhere."""
    return x.rearrange(lambda a: np.moveaxis(a, source, destination), lambda g: np.moveaxis(g, destination, source))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "concatenate": concatenate, "stack": stack, "where": where, "repeat": repeat, "tile": tile,
    "take_along_axis": take_along_axis, "put_along_axis": put_along_axis, "broadcast_to": broadcast_to, "clip": clip,
    "einsum": einsum, "zeros_like": zeros_like, "moveaxis": moveaxis,
    "sum": lambda x, axis=None, keepdims=False: x.sum(axis, keepdims),
    "mean": lambda x, axis=None, keepdims=False: x.mean(axis, keepdims),
    "reshape": lambda x, shape: x.reshape(shape), "swapaxes": lambda x, a, b: x.swapaxes(a, b),
}  # fmt: skip
