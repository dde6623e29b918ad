"""ndarray: numbers in one list and a shape. Arithmetic broadcasts as numpy's does; every result is a copy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

from cutaway.app.your_model.plain_numpy import indexing

RANKS = {bool: 0, int: 1, float: 2}
KINDS = {bool: "b", int: "i", float: "f"}
Shape = tuple[int, ...]


class DType:
    """The type of an array's numbers; equal to Python's own."""

    def __init__(self, of: type) -> None:
        self.of, self.kind = of, KINDS[of]

    def __eq__(self, other: object) -> bool:
        return self.of is (other.of if isinstance(other, DType) else other)

    def __hash__(self) -> int:
        return hash(self.of)


class ndarray:
    """Numbers in C order, all of one of Python's types."""

    __slots__ = ("of", "shape", "values")

    def __init__(self, values: list, shape: Shape, of: type = float) -> None:
        self.values, self.shape, self.of = values, shape, of

    # ------------------------------------------------------------ what it is

    @property
    def dtype(self) -> DType:
        return DType(self.of)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def T(self) -> ndarray:
        return self.transpose(tuple(range(self.ndim))[::-1])

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator:
        return (self[place] for place in range(len(self)))

    def __float__(self) -> float:
        return float(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def item(self) -> Any:
        """The only number."""
        (value,) = self.values
        return value

    def tolist(self) -> list:
        """Lists in lists."""
        made = self.values
        for size in self.shape[:0:-1]:
            made = [made[at : at + size] for at in range(0, len(made), size)] if size else []
        return list(made)

    # ------------------------------------------------------------ the same numbers, otherwise

    def copy(self) -> ndarray:
        return ndarray(self.values[:], self.shape, self.of)

    def astype(self, kind: type) -> ndarray:
        return ndarray(list(map(kind, self.values)), self.shape, kind)

    def reshape(self, *shape: Any) -> ndarray:
        sizes = list(shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape)
        if -1 in sizes:
            rest = math.prod(size for size in sizes if size != -1)
            sizes[sizes.index(-1)] = len(self.values) // rest if rest else 0
        if math.prod(sizes) != len(self.values):
            raise ValueError(f"cannot reshape array of size {len(self.values)} into shape {tuple(sizes)}")
        return ndarray(self.values[:], tuple(sizes), self.of)

    def transpose(self, axes: Shape) -> ndarray:
        steps = indexing.strides(self.shape)
        shape = tuple(self.shape[axis] for axis in axes)
        at = indexing.positions([range(0, self.shape[axis] * steps[axis], steps[axis] or 1) for axis in axes])
        return ndarray([self.values[place] for place in at], shape, self.of)

    def swapaxes(self, a: int, b: int) -> ndarray:
        axes = list(range(self.ndim))
        axes[a], axes[b] = axes[b], axes[a]
        return self.transpose(tuple(axes))

    def __getitem__(self, key: Any) -> Any:
        at, shape = indexing.found(key, self.shape)
        values = self.values[at] if isinstance(at, slice) else [self.values[place] for place in at]
        return ndarray(values, shape, self.of) if shape is not None else values[0]

    def __setitem__(self, key: Any, value: Any) -> None:
        at, shape = indexing.found(key, self.shape)
        places = range(*at.indices(len(self.values))) if isinstance(at, slice) else at
        given = array(value)
        for place, one in zip(places, spread(given.values, given.shape, shape or ()), strict=True):
            self.values[place] = self.of(one)

    # ------------------------------------------------------------ over an axis

    def along(self, do: Callable[[list], Any], axis: int | None, keepdims: bool, of: type) -> Any:
        """What `do` makes of all numbers along an axis."""
        if axis is None:
            return do(self.values)
        axis %= self.ndim
        n, inner = self.shape[axis], math.prod(self.shape[axis + 1 :])
        values, block = self.values, n * inner
        outer = math.prod(self.shape[:axis])
        made = [do(values[o * block + i : (o + 1) * block : inner]) for o in range(outer) for i in range(inner)]
        shape = (*self.shape[:axis], *((1,) if keepdims else ()), *self.shape[axis + 1 :])
        return ndarray(made, shape, of) if shape else made[0]

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.along(sum, axis, keepdims, float if self.of is float else int)

    def mean(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.along(lambda found: sum(found) / len(found), axis, keepdims, float)

    def max(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.along(max, axis, keepdims, self.of)

    def min(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.along(min, axis, keepdims, self.of)

    def std(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.along(deviation, axis, keepdims, float)

    # ------------------------------------------------------------ arithmetic

    def __matmul__(self, other: ndarray) -> ndarray:
        width = self.shape[-1]
        if other.shape[0] != width or other.ndim > 2:
            raise ValueError(f"matmul: {self.shape} and {other.shape} do not fit")
        count = other.shape[1] if other.ndim == 2 else 1
        columns = [other.values[column::count] for column in range(count)]
        rows = [self.values[at : at + width] for at in range(0, len(self.values), width)]
        made = [sum(map(operator.mul, row, column)) for row in rows for column in columns]
        return ndarray(made, (*self.shape[:-1], *other.shape[1:]))

    def __neg__(self) -> ndarray:
        return ndarray(list(map(operator.neg, self.values)), self.shape, self.of)

    def __abs__(self) -> ndarray:
        return ndarray(list(map(abs, self.values)), self.shape, self.of)


def deviation(found: list) -> float:
    """The standard deviation of all that is there."""
    mean = sum(found) / len(found)
    return math.sqrt(sum((one - mean) ** 2 for one in found) / len(found))


def array(given: Any, dtype: Any = None) -> ndarray:
    """An array of numbers, of lists of them, or of an array."""
    if isinstance(given, ndarray):
        return given.astype(dtype) if dtype and given.of is not dtype else given
    shape: Shape = ()
    values = [given]
    while values and isinstance(values[0], list | tuple | range | ndarray):
        shape += (len(values[0]),)
        values = [one for row in values for one in row]
    of = dtype or max(map(type, values), key=RANKS.__getitem__, default=float)
    return ndarray(values if of is float and not dtype else list(map(of, values)), shape, of)


def spread(values: list, shape: Shape, to: Shape) -> list:
    """The numbers of a shape as those of a larger one, each repeated where the larger has more."""
    if shape == to or 0 in to:
        return values if shape == to else []
    if len(values) == 1:
        return values * math.prod(to)
    sizes, block = (1,) * (len(to) - len(shape)) + shape, 1
    for size, wanted in zip(sizes[::-1], to[::-1], strict=True):
        if size not in (1, wanted):
            raise ValueError(f"operands could not be broadcast together with shapes {shape} {to}")
        if size != wanted:
            values = [one for at in range(0, len(values), block) for one in values[at : at + block] * wanted]
        block *= wanted
    return values


def together(*shapes: Shape) -> Shape:
    """The shape that all of these broadcast to."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(next((size for size in sizes if size != 1), 1) for sizes in zip(*padded, strict=True))


def both(do: Callable[[Any, Any], Any], a: Any, b: Any, of: type | None = None) -> ndarray:
    """Number by number; `of` is the type of the result, the larger of theirs where none is given."""
    kind = of or max(type_of(a), type_of(b), key=RANKS.__getitem__)
    if not isinstance(b, ndarray):
        return ndarray(list(map(do, a.values, repeat(b))), a.shape, kind)
    if not isinstance(a, ndarray):
        return ndarray(list(map(do, repeat(a), b.values)), b.shape, kind)
    shape = together(a.shape, b.shape)
    return ndarray(list(map(do, spread(a.values, a.shape, shape), spread(b.values, b.shape, shape))), shape, kind)


def type_of(one: Any) -> type:
    return one.of if isinstance(one, ndarray) else type(one)


def divided(x: float, y: float) -> float:
    """x / y as IEEE 754 has it."""
    if y:
        return x / y
    return math.nan if not x or x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)


def operation(name: str, do: Callable[[Any, Any], Any], of: type | None = None) -> None:
    """An operator of ndarray, from either side."""
    setattr(ndarray, f"__{name}__", lambda self, other: both(do, self, other, of))
    setattr(ndarray, f"__r{name}__", lambda self, other: both(do, other, self, of))


for _name in ("add", "sub", "mul", "floordiv", "mod", "pow", "xor", "and", "or"):
    operation(_name, getattr(operator, f"{_name}_" if _name in ("and", "or") else _name))
operation("truediv", divided, float)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    operation(_name, getattr(operator, _name), bool)
