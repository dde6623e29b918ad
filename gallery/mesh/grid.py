"""Axes and their sizes -> ranks, the groups they form along each axis, and which links stay inside a node.

Ranks are numbered as Megatron-LM numbers them: the last axis is innermost, so its ranks are neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod


class Mesh:
    """Ranks in a grid of named axes, outermost first: Mesh({"pp": 2, "dp": 2, "tp": 4}, per_node=8).

    `experts` are axes that fold the ranks of each pipeline stage otherwise: {"edp": 2, "ep": 4, "etp": 1}.
    """

    def __init__(self, axes: Mapping[str, int], per_node: int, experts: Mapping[str, int] | None = None) -> None:
        self.axes, self.per_node, self.experts = dict(axes), per_node, dict(experts or {})
        wrong = [f"{name} {size}" for name, size in {**self.axes, **self.experts}.items() if size < 1]
        if wrong or per_node < 1:
            raise ValueError(f"An axis has at least 1 rank and a node at least 1 device, not {wrong or per_node}.")
        self.folds = [self.axes]
        if self.experts:
            stages = {"pp": self.axes["pp"]} if "pp" in self.axes else {}
            self.folds.append({**stages, **self.experts})
        self.size = prod(self.axes.values())
        if prod(self.folds[-1].values()) != self.size:
            here, there = (" x ".join(f"{name} {size}" for name, size in fold.items()) for fold in self.folds)
            raise ValueError(f"{here} are {self.size} ranks, {there} are {prod(self.folds[-1].values())}.")

    @property
    def ranks(self) -> list[int]:
        """0, 1, 2, ..."""
        return list(range(self.size))

    def fold(self, axis: str) -> dict[str, int]:
        """The axes among which this one stands."""
        for axes in self.folds:
            if axis in axes:
                return axes
        raise KeyError(f"This mesh has no axis {axis}; it has {', '.join({**self.axes, **self.experts})}.")

    def length(self, axis: str) -> int:
        """How many ranks a group along an axis has; an axis that the mesh does not have has one."""
        return next((axes[axis] for axes in self.folds if axis in axes), 1)

    def stride(self, axis: str) -> int:
        """How far apart neighbours along an axis are."""
        axes = self.fold(axis)
        names = list(axes)
        return prod(axes[name] for name in names[names.index(axis) + 1 :])

    def place(self, rank: int, axis: str) -> int:
        """Where along an axis a rank stands."""
        return rank // self.stride(axis) % self.length(axis) if self.length(axis) > 1 else 0

    def group(self, rank: int, axis: str) -> list[int]:
        """The ranks that differ from this one along one axis alone, in its order."""
        if self.length(axis) == 1:
            return [rank]
        stride = self.stride(axis)
        first = rank - self.place(rank, axis) * stride
        return [first + stride * place for place in range(self.length(axis))]

    def groups(self, axis: str) -> list[list[int]]:
        """Every group along an axis."""
        return [self.group(rank, axis) for rank in self.ranks if self.place(rank, axis) == 0]

    def node(self, rank: int) -> int:
        """The node a rank's device stands in."""
        return rank // self.per_node

    def link(self, a: int, b: int) -> str:
        """ "inside" a node, or "outside": between two."""
        return "inside" if self.node(a) == self.node(b) else "outside"

    def neighbours(self, group: list[int]) -> int:
        """How many ranks of a group share a node; 0 where its nodes hold unequal parts of it."""
        nodes = [self.node(rank) for rank in group]
        first = nodes.count(nodes[0])
        even = all(len(set(nodes[at : at + first])) == 1 for at in range(0, len(group), first))
        return first if even and len(set(nodes)) * first == len(group) else 0
