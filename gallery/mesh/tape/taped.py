"""An array and the tape it stands on: operations are recorded, then walked back from a number to all that made it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from cutaway.gallery.mesh.tape.rules import UFUNCS, Array, Rule, sum_to_shape

Back = Callable[[list[Array]], Sequence[Array | None]]  # gradients of what was made -> of what it was made of
PLAIN = {"argsort", "argmax", "sort", "ndim", "shape", "size"}  # numpy's functions whose answer has no gradient


class Row(NamedTuple):
    """One operation: what it was made of, what it made, and the way back."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]  # of the outputs
    back: Back


class Tape:
    """Rows in the order in which they ran; values are known by their number."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.count = 0

    def leaf(self, array: Array) -> Taped:
        """A value that nothing made: a weight, an input."""
        self.count += 1
        return Taped(np.asarray(array, dtype=float), self, self.count)

    def record(self, inputs: Sequence[Taped], arrays: Sequence[Array], back: Back) -> list[Taped]:
        """Several values made at once of others."""
        made = [self.leaf(array) for array in arrays]
        shapes = tuple(np.shape(array) for array in arrays)
        self.rows.append(Row(tuple(x.number for x in inputs), tuple(x.number for x in made), shapes, back))
        return made

    def backward(self, starts: Sequence[tuple[Taped, Array]]) -> dict[int, Array]:
        """Gradients by number, from those of the last values."""
        found: dict[int, Array] = {}
        for value, gradient in starts:
            found[value.number] = found.get(value.number, 0) + gradient
        for row in reversed(self.rows):
            if not any(number in found for number in row.outputs):
                continue
            given = [found.get(n, np.zeros(s)) for n, s in zip(row.outputs, row.shapes, strict=True)]
            for number, more in zip(row.inputs, row.back(given), strict=True):
                if more is not None:
                    found[number] = found[number] + more if number in found else more
        return found


class NoTape(Tape):
    """Values stay plain arrays and nothing is recorded: for who asks for no gradient."""

    def leaf(self, array: Array) -> Any:
        return np.asarray(array, dtype=float)

    def record(self, inputs: Sequence[Any], arrays: Sequence[Array], back: Back) -> list[Any]:
        return list(arrays)


def data_of(x: Any) -> Any:
    """The plain array of a value, taped or not; of lists and tuples those of their members."""
    if isinstance(x, Taped):
        return x.data
    return type(x)(data_of(one) for one in x) if isinstance(x, list | tuple) else x


class Taped(NDArrayOperatorsMixin):
    """An array on a tape. Assigning to a part of it makes it another value under the same name."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}  # numpy's, by name: tape/__init__ gives them

    def __init__(self, data: Array, tape: Tape, number: int) -> None:
        self.data, self.tape, self.number = data, tape, number

    shape = property(lambda self: self.data.shape)
    ndim = property(lambda self: self.data.ndim)
    size = property(lambda self: self.data.size)
    dtype = property(lambda self: self.data.dtype)
    nbytes = property(lambda self: self.data.nbytes)
    T = property(lambda self: self.rearrange(lambda x: x.T, lambda g: g.T))

    def __len__(self) -> int:
        return len(self.data)

    def __array__(self, *args: Any, **kwargs: Any) -> Array:
        raise TypeError("A taped value was asked for as a plain array; its gradient would be lost.")

    def derive(self, array: Array, back: Callable[[Array], Array]) -> Taped:
        """A value made of this one alone."""
        return self.tape.record([self], [array], lambda given: [back(given[0])])[0]

    def rearrange(self, there: Callable[[Array], Array], back: Callable[[Array], Array]) -> Taped:
        """The same numbers in other places."""
        return self.derive(there(self.data), back)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        name = ufunc.__name__.removesuffix(" (vectorized)")
        if method != "__call__" or kwargs or name not in UFUNCS:
            raise TypeError(f"No way back is known for numpy's {name} ({method}).")
        return call_ufunc(UFUNCS[name], ufunc, inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        name = function.__name__
        if name in PLAIN:
            return function(*data_of(args), **kwargs)
        if name not in self.functions:
            raise TypeError(f"No way back is known for numpy's {name}.")
        return self.functions[name](*args, **kwargs)

    def __getitem__(self, key: Any) -> Taped:
        key = data_of(key)

        def back(given: Array) -> Array:
            out = np.zeros(self.data.shape)
            np.add.at(out, key, given)
            return out

        return self.derive(self.data[key], back)

    def __setitem__(self, key: Any, value: Any) -> None:
        """The old value outside of the key, the new one inside."""
        key, array = data_of(key), self.data.copy()
        array[key] = data_of(value)
        shape = np.shape(data_of(value))

        def outside(given: Array) -> Array:
            kept = given.copy()
            kept[key] = 0
            return kept

        old = Taped(self.data, self.tape, self.number)
        if isinstance(value, Taped):
            made = self.tape.record(
                [old, value], [array], lambda given: [outside(given[0]), sum_to_shape(given[0][key], shape)]
            )[0]
        else:
            made = old.derive(array, outside)
        self.data, self.number = made.data, made.number

    def reshape(self, *shape: Any) -> Taped:
        """The same numbers in another shape."""
        whole = self.data.shape
        return self.rearrange(lambda x: x.reshape(*shape), lambda g: g.reshape(whole))

    def ravel(self) -> Taped:
        """As one row."""
        return self.reshape(-1)

    def swapaxes(self, a: int, b: int) -> Taped:
        """Two axes exchanged."""
        return self.rearrange(lambda x: x.swapaxes(a, b), lambda g: g.swapaxes(a, b))

    def copy(self) -> Taped:
        """A value that may be assigned to while this one stays."""
        return Taped(self.data, self.tape, self.number)

    def astype(self, dtype: Any) -> Taped:
        """It holds floats already."""
        return self

    def sum(self, axis: Any = None, keepdims: bool = False) -> Taped:
        """Over some axes, or all."""
        shape = self.data.shape

        def back(given: Array) -> Array:
            full = given if keepdims or axis is None else np.expand_dims(given, axis)
            return np.broadcast_to(full, shape)

        return self.derive(np.asarray(self.data.sum(axis, keepdims=keepdims)), back)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Taped:
        """Their sum over how many they are."""
        out = self.sum(axis, keepdims)
        return out / (self.size / max(out.size, 1))

    def max(self, axis: Any = None, keepdims: bool = False) -> Taped:
        """The largest; equal ones share the gradient."""
        top = self.data.max(axis, keepdims=True)
        mark = self.data == top
        mark = mark / mark.sum(axis, keepdims=True)
        made = self.data.max(axis, keepdims=keepdims)
        return self.derive(np.asarray(made), lambda given: np.reshape(given, top.shape) * mark)

    def std(self, axis: Any = None, keepdims: bool = False) -> Taped:
        """The root of the mean squared distance from the mean."""
        away = self - self.mean(axis, keepdims=True)
        return np.sqrt((away * away).mean(axis, keepdims=keepdims))


def call_ufunc(rule: Rule | None, ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """The ufunc on plain arrays, recorded; None: what comes out has no gradient (a comparison)."""
    plain = [data_of(x) for x in inputs]
    made = ufunc(*plain)
    if rule is None:
        return made
    made = np.asarray(made, dtype=float)
    taped = [place for place, x in enumerate(inputs) if isinstance(x, Taped)]
    shapes = [np.shape(x) for x in plain]

    def back(given: list[Array]) -> list[Array | None]:
        found = rule(*plain, made, given[0])
        return [None if found[at] is None else widen_gradient(found[at], given[0], shapes[at]) for at in taped]

    owner = inputs[taped[0]]
    return owner.tape.record([inputs[at] for at in taped], [made], back)[0]


def widen_gradient(found: Any, given: Array, shape: tuple[int, ...]) -> Array:
    """A gradient that may still be narrower than what came out."""
    found = np.asarray(found)
    return sum_to_shape(found if found.ndim >= len(shape) else np.broadcast_to(found, given.shape), shape)
