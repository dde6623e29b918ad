"""Numbers at a few points -> the short sum that gives them everywhere: [[factor, field, field, ...], ...].

Every count of a mixer or an MLP is a sum of products of its fields, each at most once in a product. A field that may be
0 counts as two: its value, and whether it is 0 (a query latent that is not there leaves one whole matrix).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

Sums = list[tuple[int, tuple[str, ...]]]  # (factor, names); "name=0" is 1 where the field is 0
NONE = "=0"
USUAL = 128  # where a field that is 0 now is looked at


class Axis(NamedTuple):
    """One field, and the points at which counts are taken."""

    name: str
    value: int
    zero: bool  # whether it may be 0

    @property
    def step(self) -> int:
        return self.value or USUAL

    @property
    def points(self) -> tuple[int, ...]:
        return (self.step, 2 * self.step, 0)[: 2 + self.zero]

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """What each number along the axis is the factor of, once `along` has been there."""
        return ((), (self.name,), (self.name + NONE,))[: 2 + self.zero]

    def along(self, found: Sequence[int]) -> list[int]:
        """Counts at its points -> (constant, slope, what is there at 0 besides)."""
        slope, rest = divmod(found[1] - found[0], self.step)
        if rest:
            raise ArithmeticError(f"A count does not grow with {self.name} by whole numbers: {found}.")
        constant = found[0] - slope * self.step
        return [constant, slope, *(one - constant for one in found[2:])]


def fit_sums(axes: Sequence[Axis], count: Callable[[dict[str, int]], Sequence[int]]) -> list[Sums]:
    """The sums that `count` follows, one for each number that it gives."""
    points = list(product(*(range(len(axis.points)) for axis in axes)))
    grids = [count({axis.name: axis.points[at] for axis, at in zip(axes, point, strict=True)}) for point in points]
    out = []
    for numbers in zip(*grids, strict=True):
        told = dict(zip(points, numbers, strict=True))
        for place, axis in enumerate(axes):
            told = difference_along(told, place, axis)
        out.append(
            [
                (factor, tuple(word for axis, at in zip(axes, point, strict=True) for word in axis.words[at]))
                for point, factor in told.items()
                if factor
            ]
        )
    return out


def difference_along(told: dict[tuple[int, ...], int], place: int, axis: Axis) -> dict[tuple[int, ...], int]:
    """Counts along one axis as what they are made of."""
    out: dict[tuple[int, ...], int] = {}
    for point in told:
        if point[place] == 0:
            line = [(*point[:place], at, *point[place + 1 :]) for at in range(len(axis.points))]
            out.update(zip(line, axis.along([told[one] for one in line]), strict=True))
    return out


def evaluate_sums(sums: Sums, values: dict[str, int]) -> int:
    """What they give."""
    total = 0
    for factor, names in sums:
        for name in names:
            factor *= int(not values[name.removesuffix(NONE)]) if name.endswith(NONE) else values[name]
        total += factor
    return total
