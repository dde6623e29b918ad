"""The interpreter: a spec, its tensors by the names of the modelling code's state dict, and tokens -> logits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.running import numbers
from cutaway.gallery.running.state import State
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.wiring import closing_graph, course, layer_graph, opening_graph, sees_images

Array = np.ndarray


@dataclass
class Run:
    """What one run of a model shares: the spec, where its tensors are, the tokens, values of earlier graphs."""

    spec: ModelSpec
    state: State
    tokens: Array
    values: dict[str, Array] = field(default_factory=dict)  # "model:NAME", "layer3:NAME"
    layer: int | None = None  # whose graph runs
    watch: Callable[[str, Array], None] | None = None  # told ("layer3", value) and ("layer3:mixer.q_proj", value)

    @property
    def positions(self) -> Array:
        """0, 1, 2, ..."""
        return np.arange(len(self.tokens))


def run(spec: ModelSpec, tensors: Mapping[str, Array], tokens: Sequence[int], watch: Callable | None = None) -> Array:
    """Logits [tokens, vocab_size] in float64 of one sequence, without a cache.

    `tensors`: arrays under the names of the modelling code's state dict (transformers 5.23.0). KeyError names what is
    missing. `watch(name, value)` is told the value of every node and of every layer.
    """
    return forward(Run(spec, State(spec, tensors), check_tokens(spec, tokens), watch=watch))


def forward(this: Run) -> Array:
    """The logits of a run that is set up."""
    spec = this.spec
    stream = evaluate(this, opening_graph(spec), {}, "model", None)
    for stage in course(spec):
        stream = evaluate(this, stage.first, {"stream": stream}, "model", None)
        for layer in (spec.layers[index] for index in stage.layers):
            graph = layer_graph(spec, layer)
            if not sees_images(graph):
                stream = evaluate(this, graph, {"stream": stream}, f"layer{layer.index}", layer.index)
        stream = evaluate(this, stage.then, {"stream": stream}, "model", None)
    return evaluate(this, closing_graph(spec), {"stream": stream}, "model", None)


def check_tokens(spec: ModelSpec, tokens: Sequence[int]) -> Array:
    """Token ids as an array; a ValueError says what is no token of this model."""
    ids, rows = np.asarray(tokens), spec.embedding_rows or spec.vocab_size
    if ids.ndim != 1 or not ids.size or ids.dtype.kind not in "iu":
        raise ValueError("tokens must be one sequence of at least one whole number.")
    if ids.min() < 0 or ids.max() >= rows:
        raise ValueError(f"tokens go from {ids.min()} to {ids.max()}; 0 to {rows - 1:,} was looked for.")
    return ids


def evaluate(this: Run, graph: Graph, inputs: Mapping[str, Array], where: str, layer: int | None) -> Array:
    """The value that leaves a graph; every node's value stays reachable as "where:NAME"."""
    own: dict[str, Array] = {**inputs, "tokens": this.tokens}

    def value(name: str) -> Array:
        return own[name] if name in own else this.values[name]

    this.layer = layer
    for node in graph.nodes:
        made = compute(this, node, [value(name) for name in node.inputs], layer)
        own[node.name] = this.values[f"{where}:{node.name}"] = made
        if layer is not None:
            this.values[f"earlier:{node.name}"] = made
        if this.watch:
            this.watch(f"{where}:{node.name}", made)
    if this.watch and graph.nodes:
        this.watch(where, value(graph.out))
    return value(graph.out)


def compute(this: Run, node: Node, inputs: list[Array], layer: int | None) -> Array:
    """One node's value; `split` among its facts shapes the last axis into (heads, size)."""
    tensors = {
        word: this.state.get(tensor.name, layer if tensor.of is None else tensor.of)
        for word, tensor in node.tensors.items()
    }
    made = numbers.NUMBERS[node.op](this, node, tensors, *inputs)
    split = node.facts.get("split")
    return made.reshape(len(made), *split) if split else made
