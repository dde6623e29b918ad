"""A spec -> random weights, seeded by each tensor's name: the same in every Python, in numpy and without."""

from __future__ import annotations

import re
from math import prod, sqrt
from random import Random

import numpy as np

from cutaway.gallery.graph import Tensor
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph

# (pattern of a name, mean, standard deviation); other matrices have a deviation of 1 / sqrt(width they read).
MOMENTS = (
    (re.compile(r"A_log$"), 0.0, 0.5),
    (re.compile(r"dt_bias$"), -1.0, 0.5),
    (re.compile(r"\bD$"), 1.0, 0.1),
    (re.compile(r"sink"), 0.0, 0.5),
    (re.compile(r"bias$"), 0.0, 0.1),
    (re.compile(r"norm|scal"), 1.0, 0.1),
    (re.compile(r"embed"), 0.0, 0.5),
)


class NamedWeights:
    """Tensors as the interpreter asks for them: `get(name, layer)`."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self.made: dict[tuple[int | None, str], np.ndarray] = {}
        self.shapes: dict[int | None, dict[str, Tensor]] = {}

    def get(self, name: str, layer: int | None) -> np.ndarray:
        """One tensor, made at the first request."""
        key = (layer, name)
        if key not in self.made:
            where = name if layer is None else f"layer{layer}.{name}"
            self.made[key] = values(where, self.tensors(layer)[name].shape, self.spec)
        return self.made[key]

    def tensors(self, layer: int | None) -> dict[str, Tensor]:
        """The tensors of a layer, or (None) of the graphs before and after the layers, by name."""
        if layer not in self.shapes:
            graphs = [layer_graph(self.spec, self.spec.layers[layer])] if layer is not None else []
            graphs = graphs or [opening_graph(self.spec), closing_graph(self.spec)]
            self.shapes[layer] = {one.name: one for graph in graphs for one in graph.tensors()}
        return self.shapes[layer]


def values(name: str, shape: tuple[int, ...], spec: ModelSpec) -> np.ndarray:
    """Uniform random numbers of a tensor; of a table of experts by token, 0 or 1."""
    draw = Random(name).random
    if name.endswith("tid2eid"):
        return np.array([int(draw() * 2) for _ in range(prod(shape))]).reshape(shape)
    mean, deviation = moments(name, shape)
    spread = deviation * sqrt(12)
    return np.array([mean + (draw() - 0.5) * spread for _ in range(prod(shape))]).reshape(shape)


def moments(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """(mean, standard deviation) of a tensor's numbers."""
    for pattern, mean, deviation in MOMENTS:
        if pattern.search(name) and (len(shape) < 2 or mean == 0.0):
            return mean, deviation
    return (0.0, 1 / sqrt(shape[-1])) if len(shape) > 1 else (0.0, 0.3)
