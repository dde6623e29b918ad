"""A state dict under the modelling code's names -> the tensors of a graph under ours, whatever was fused or turned.

The rules are those that make the names (naming.py); here each tensor remembers how it got into the stored one, and
that way is walked back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cutaway.gallery.counting.naming import count_interleaved, hit, lay_out
from cutaway.gallery.graph import Tensor
from cutaway.gallery.spec import ModelSpec


class Way(NamedTuple):
    """One step of a tensor into a stored one: laid out anew, or some rows of it."""

    letters: str
    shape: tuple[int, ...]  # before the step
    axis: int = -1  # of a fusion; -1 = none
    start: int = 0  # its rows in the fused one
    total: int = 0
    groups: int = 1  # interleaved in this many groups


class Stored(NamedTuple):
    """One of our tensors on its way into a state dict."""

    ours: str
    name: str
    shape: tuple[int, ...]
    ways: tuple[Way, ...] = ()


def walk(tensors: list[Stored], rules: tuple[tuple[str, ...], ...]) -> list[Stored]:
    """Every tensor under the name the rules give it, with the way it went."""
    for ours, theirs, *where in rules:
        if where and not any(one.name == where[0] for one in tensors):
            continue
        letters, _, target = theirs.rpartition(" ")
        if " + " in ours:
            tensors = fuse(tensors, ours.split(" + "), target, letters)
            continue
        for place, one in enumerate(tensors):
            rest = hit(one.name, ours)
            if rest is not None:
                step = (Way(letters, one.shape),) if letters else ()
                tensors[place] = Stored(one.ours, target + rest, lay_out(one.shape, letters), one.ways + step)
    return tensors


def fuse(tensors: list[Stored], sources: list[str], target: str, letters: str) -> list[Stored]:
    """Several modules along their output rows, wherever all of them are there."""
    groups: dict[str, dict[str, list[int]]] = {}
    for place, one in enumerate(tensors):
        for source in sources:
            rest = hit(one.name, source)
            if rest is not None:
                groups.setdefault(rest, {}).setdefault(source, []).append(place)
    out = list(tensors)
    for rest, found in groups.items():
        if len(found) != len(sources):
            continue
        first = tensors[found[sources[0]][0]]
        axis = 1 if (len(first.shape) > 2 and first.shape[1] > 1) or "{expert}" in first.name else 0
        total = sum(tensors[found[source][0]].shape[axis] for source in sources)
        start = 0
        for source in sources:
            rows = tensors[found[source][0]].shape[axis]
            shape = list(first.shape)
            shape[axis] = total
            for place in found[source]:
                one = tensors[place]
                way = Way(letters, one.shape, axis, start, total, count_interleaved(letters))
                out[place] = Stored(one.ours, target + rest, lay_out(tuple(shape), letters), (*one.ways, way))
            start += rows
    return out


def undo_step(array: np.ndarray, way: Way) -> np.ndarray:
    """One step undone."""
    fused = list(way.shape)
    if way.axis >= 0:
        fused[way.axis] = way.total
    if "F" in way.letters:
        array = array.reshape(fused[0], -1, *array.shape[1:])
    if "T" in way.letters and array.ndim > 1:
        array = np.swapaxes(array, -1, -2)
    if way.axis < 0:
        return array.reshape(way.shape)
    array = np.moveaxis(array, way.axis, 0)
    rows, n = way.shape[way.axis], way.groups
    array = array.reshape(n, way.total // n, *array.shape[1:])[:, way.start // n : (way.start + rows) // n]
    return np.moveaxis(array.reshape(rows, *array.shape[2:]), 0, way.axis)


def outer_rules(rules: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """The rules for what stands around the layers, and those that rename their results again (backbone, model)."""
    heads, found = {"model", "lm_head"}, []
    for rule in rules:
        if rule[0].partition(".")[0] in heads:
            found.append(rule)
            heads.add(rule[1].partition(".")[0])
    return tuple(found)


def squeeze_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without axes of one, which checkpoints keep or drop as they like."""
    return tuple(size for size in shape if size != 1)


class State:
    """Tensors by our names: `get(name, layer)`, layer None for those outside the layers."""

    def __init__(self, spec: ModelSpec, tensors: Mapping[str, np.ndarray]) -> None:
        self.spec, self.tensors = spec, tensors
        self.rules = (*spec.names, *spec.state_names)
        self.outside = outer_rules(self.rules)
        self.inside = tuple(rule for rule in self.rules if rule not in self.outside)
        self.found: dict[tuple[int | None, str], np.ndarray] = {}
        self.plans: dict[int | None, dict[str, Stored]] = {}

    def get(self, name: str, layer: int | None) -> np.ndarray:
        """One tensor as the graph wants it; KeyError says what was looked for."""
        key = (layer, name)
        if key not in self.found:
            self.found[key] = self.fetch(name, layer)
        return self.found[key]

    def fetch(self, name: str, layer: int | None) -> np.ndarray:
        """Through the rules into the state dict, and the way back."""
        plan = self.plan(layer)
        if name not in plan:
            raise KeyError(f"{name} is a tensor of no graph here (layer {layer}).")
        stored = plan[name]
        full = stored.name if layer is None else f"{self.place(layer)}.{stored.name}"
        if "{head}" in full:
            return self.stacked(full, stored.shape[0])
        if full not in self.tensors:
            raise KeyError(f"The state dict has no {full}, looked for as {name} of layer {layer}.")
        array = np.asarray(self.tensors[full])
        more = "{expert}" in name and len(array) > stored.shape[0]  # LongCat's class has rows that no token reaches
        if squeeze_shape(array.shape[more:]) != squeeze_shape(stored.shape[more:]):
            raise ValueError(f"{full} has the shape {array.shape}; {stored.shape} was looked for, as {name}.")
        for way in reversed(stored.ways):
            array = undo_step(array, way)
        return array

    def stacked(self, full: str, heads: int) -> np.ndarray:
        """A tensor that the state dict holds head by head."""
        return np.stack([np.asarray(self.tensors[full.format(head=number)]) for number in range(heads)])

    def plan(self, layer: int | None) -> dict[str, Stored]:
        """Our name -> where it is stored, for one layer."""
        if layer not in self.plans:
            own = self.own(layer)
            walked = walk(
                [Stored(t.name, t.name, t.shape) for t in own], self.outside if layer is None else self.inside
            )
            self.plans[layer] = {one.ours: one for one in walked}
        return self.plans[layer]

    def own(self, layer: int | None) -> list[Tensor]:
        """The tensors of a layer's graph, or of what stands around the layers."""
        from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph

        if layer is None:
            return list(
                {
                    t.name: t for graph in (opening_graph(self.spec), closing_graph(self.spec)) for t in graph.tensors()
                }.values()
            )
        return list(layer_graph(self.spec, self.spec.layers[layer]).tensors())

    def place(self, layer: int) -> str:
        """Where one layer stands."""
        return self.spec.places[layer] if self.spec.places else f"{self.stack()}.{layer}"

    def stack(self) -> str:
        """Where the layers stand."""
        return walk([Stored("", "model.layers", ())], self.outside)[0].name
