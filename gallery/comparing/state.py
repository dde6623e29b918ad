"""A spec on its way from one to another: its layers as they are now, and which of them still have a's kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.comparing.kinds import count_kinds, match_kinds, sames

HALVES = ("mixer", "mlp")
LAYER = tuple(one.name for one in fields(s.Layer))


class State:
    """A spec on its way from a to b."""

    def __init__(self, a: s.ModelSpec, b: s.ModelSpec) -> None:
        self.a, self.b, self.spec = a, b, a
        self.layers = list(a.layers)
        self.last = (a, a)  # fields of the model, and the spec that was built with them
        self.known: dict[tuple[int, int], bool] = {}  # whether a kind becomes a kind
        self.from_b = source(len(a.layers), b)
        self.kind = {half: sames(a, half) for half in HALVES}
        self.goal = {half: sames(b, half) for half in HALVES}
        self.pairs = {half: match_kinds(count_kinds(self.kind[half]), count_kinds(self.goal[half])) for half in HALVES}

    def built(self) -> s.ModelSpec:
        """The spec as it is now; graphs of layers that did not change are kept."""
        made = replace(self.spec, layers=tuple(self.layers))
        frame, last = self.last
        if frame is self.spec:
            made.graphs.update(last.graphs)
            made.listed.update(last.listed)
        self.last = (self.spec, made)
        return made

    def change(self, **change: Any) -> None:
        """Fields of the model."""
        self.spec = replace(self.spec, **change)

    def target(self, index: int, half: str) -> Any:
        """What b has in place of a's layer."""
        return getattr(self.b.layers[self.from_b[index]], half)

    def stays(self, index: int, half: str) -> bool:
        """Whether a layer keeps its kind, apart from fields."""
        kind, goal = self.kind[half][index], self.goal[half][self.from_b[index]]
        key = (id(kind), id(goal))
        if key not in self.known:
            self.known[key] = kind in self.pairs[half] and self.pairs[half][kind] == goal
        return self.known[key]

    def on_kind(self, half: str, kind: Any, change: Callable[[Any, Any], Any]) -> None:
        """Change a half in every layer of a kind; equal halves stay one object."""
        made: dict[int, Any] = {}
        ids = {id(one) for one in {id(one): one for one in self.kind[half]}.values() if one == kind}
        for i, layer in enumerate(self.layers):
            if id(self.kind[half][i]) in ids:
                now = getattr(layer, half)
                if id(now) not in made:
                    made[id(now)] = change(now, self.pairs[half][kind])
                self.layers[i] = with_parts(layer, **{half: made[id(now)]})


def with_parts(layer: s.Layer, **parts: Any) -> s.Layer:
    """A layer with other parts; the same one, whose graph is known, where they are the very parts that it has."""
    if all(getattr(layer, name) is part for name, part in parts.items()):
        return layer
    return s.Layer(**{name: parts[name] if name in parts else getattr(layer, name) for name in LAYER})


def source(depth: int, b: s.ModelSpec) -> list[int]:
    """For each of so many layers, the layer of b in its place; past b's end the pattern of its upper half repeats."""
    own = len(b.layers)
    if depth <= own:
        return list(range(depth))
    looks = list(zip(sames(b, "mixer"), sames(b, "mlp"), strict=True))

    def repeats(p: int) -> bool:
        return all(looks[i] == looks[i - p] for i in range(max(p, own // 2), own))

    period = next((p for p in range(1, own // 2 + 1) if repeats(p)), own)
    return [*range(own), *(own - period + i % period for i in range(depth - own))]
