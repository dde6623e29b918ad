"""A model's own graphs, run by all ranks of a mesh on their parts, with the running code that runs the whole.

Before a node runs, its inputs are brought into the lanes and rows that its split asks for; partial sums wait until
somebody needs their sum, so that two halves of a layer that are added meet once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.mesh import conversions, dispatch
from cutaway.gallery.mesh.collectives import Parts
from cutaway.gallery.mesh.grid import Mesh
from cutaway.gallery.mesh.lanes import Lanes, heads_of
from cutaway.gallery.mesh.mesh_ranks import MeshRanks, RankRun
from cutaway.gallery.mesh.partition import At, Partition
from cutaway.gallery.mesh.partition_rules import PARTITION_RULES
from cutaway.gallery.mesh.required_shards import required_lanes
from cutaway.gallery.mesh.value import Value
from cutaway.gallery.running import numbers
from cutaway.gallery.running.interpreter import Run, forward
from cutaway.gallery.running.state import State
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.wiring import closing_graph, course, layer_graph, opening_graph, sees_images

Array = np.ndarray


class Sharded(MeshRanks):
    """A model on a mesh: its ranks, and every value that they computed."""

    def __init__(
        self, spec: ModelSpec, tensors: Mapping[str, Array], mesh: Mesh, tokens: Sequence[Sequence[int]],
        sequence_parallel: bool = False, rows: Sequence[Array] | None = None, stages: Sequence[int] = (),
        gradients: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(spec, State(spec, tensors), mesh, tokens, sequence_parallel, rows, stages, gradients)
        self.values: dict[str, Value] = {}
        self.forms: dict[str, tuple[int, ...]] = {}
        forward(Run(spec, self.state, self.tokens[0], watch=self.shape))

    def shape(self, name: str, value: Array) -> None:
        """The form of a value, as the whole run has it."""
        self.forms[name] = np.shape(value)[1:]

    def on_this_stage(self, value: Value) -> Value:
        """A value on this stage's ranks: sent, where another stage made it."""
        parts = value.parts or value.pending or {}
        if not parts or set(parts) == set(self.ranks):
            return value
        conversions.settle(self, value)
        key = str(self.ranks[0])
        known = conversions.conversions_of(value, "sent")
        if key not in known:
            to = dict(zip(sorted(value.parts or {}), self.ranks, strict=True))
            sent = self.wire.send(value.parts or {}, to, value.name)
            known[key] = Value(value.name, value.form, sent, value.lanes, None, value.own_rows, value.free)
        return known[key]

    # ------------------------------------------------------------ the whole model

    def logits(self) -> Value:
        """Forward, as the interpreter goes."""
        spec = self.spec
        stream = self.evaluate(opening_graph(spec), None, "model", None)
        for stage in course(spec):
            stream = self.evaluate(stage.first, stream, "model", None)
            for layer in (spec.layers[index] for index in stage.layers):
                graph = layer_graph(spec, layer)
                self.enter_stage(self.stages[layer.index])
                if not sees_images(graph):
                    stream = self.evaluate(graph, stream, f"layer{layer.index}", layer.index)
            stream = self.evaluate(stage.then, stream, "model", None)
        self.enter_stage(self.mesh.length("pp") - 1)
        return self.evaluate(closing_graph(spec), stream, "model", None, self.vocabulary())

    def vocabulary(self) -> Lanes | None:
        """The rows of the head on each rank."""
        head = next((node for node in closing_graph(self.spec).nodes if node.name == "head"), None)
        if head is None or self.t == 1:
            return None
        return tuple(np.array_split(np.arange(head.tensors["weight"].shape[0]), self.t))

    def evaluate(
        self, graph: Graph, stream: Value | None, where: str, layer: int | None, last: Lanes | None = None
    ) -> Value:
        """The value that leaves a graph; every node's stays reachable as "where:NAME"."""
        own = {} if stream is None else {"stream": stream}
        forms = {node.name: self.forms[f"{where}:{node.name}"] for node in graph.nodes}
        for name in {name for node in graph.nodes for name in node.inputs} - forms.keys() - {"tokens"}:
            forms[name] = own[name].form if name in own else self.values[name].form
        asked = required_lanes(graph, forms, self.t, last)
        for node in graph.nodes:
            inputs = [self.input_value(name, own) for name in node.inputs]
            made = self.node(node, inputs, forms, asked[node.name], layer)
            made.name = f"{where}:{node.name}"
            own[node.name] = self.values[made.name] = made
            if layer is not None:
                self.values[f"earlier:{node.name}"] = made
        return own[graph.out] if graph.out in own else self.values[graph.out]

    def input_value(self, name: str, own: dict[str, Value]) -> Value:
        """An input of a node."""
        if name == "tokens":
            return Value(name, (), {rank: self.sequence(rank) for rank in self.ranks}, free=True)
        return self.on_this_stage(own[name] if name in own else self.values[name])

    # ------------------------------------------------------------ one node

    def node(
        self, node: Node, inputs: list[Value], forms: Mapping[str, Any], want: Lanes | None, layer: int | None
    ) -> Value:
        """Its value on every rank."""
        if dispatch.is_dealt(self, node):
            return dispatch.dispatch_experts(self, node, inputs, forms[node.name], layer)
        summed = conversions.stays_partial(self, node, inputs)
        if summed is not None:
            return summed
        for value in inputs:
            conversions.settle(self, value)
        at = At(node, [forms.get(name, ()) for name in node.inputs], forms[node.name], self.t)
        rule = PARTITION_RULES[node.op].rule
        cut = rule(at, want, [value.lanes for value in inputs]) if rule and self.t > 1 else None
        if cut is None or cut.wish:
            return self.replicate(node, inputs, at, layer)
        return self.cut(node, inputs, at, cut, layer)

    def cut(self, node: Node, inputs: list[Value], at: At, cut: Partition, layer: int | None) -> Value:
        """Each rank its lanes."""
        several = [conversions.in_lanes(self, value, ask) for value, ask in zip(inputs, cut.asks, strict=True)]
        made = self.run_on_ranks(node, several, inputs, False, layer, cut)
        if cut.partial:
            return Value(node.name, at.out, None, pending=made)
        return Value(node.name, at.out, made, cut.out, free=self.is_free(node, inputs))

    def replicate(self, node: Node, inputs: list[Value], at: At, layer: int | None) -> Value:
        """Every rank the whole of it: of its own rows where it looks at one token at a time."""
        shared = PARTITION_RULES[node.op].tokens and any(value.own_rows for value in inputs)
        several = [conversions.in_rows(self, value, shared) for value in inputs]
        made = self.run_on_ranks(node, several, inputs, shared, layer, None)
        return Value(node.name, at.out, made, own_rows=shared, free=self.is_free(node, inputs))

    def is_free(self, node: Node, inputs: list[Value]) -> bool:
        """Whether what comes out has no row for each token."""
        rows = [value for value in inputs if value.name != "tokens"]
        return not PARTITION_RULES[node.op].rows or (
            bool(rows) and all(value.free for value in rows) and node.op != "attend"
        )

    def run_on_ranks(
        self,
        node: Node,
        several: list[Parts],
        inputs: list[Value],
        shared: bool,
        layer: int | None,
        cut: Partition | None,
    ) -> Parts:
        """The operation's own numbers on every rank; of the whole sequence where it looks at other tokens."""
        split = PARTITION_RULES[node.op]
        gather = not split.tokens and self.mesh.length("cp") > 1
        if gather:
            several = [
                (conversions.in_place if place in split.here else conversions.gather_sequence)(self, one, value)
                for place, (one, value) in enumerate(zip(several, inputs, strict=True))
            ]
        rows_come_out = not self.is_free(node, inputs)
        out = {}
        for rank in self.ranks:
            rows = None if gather or not split.tokens else self.own(rank, shared)
            here = self.here(rank, layer, rows)
            own = [self.tokens_of(part[rank], value, rows) for part, value in zip(several, inputs, strict=True)]
            made = self.numbers(here, node, own, rank, cut, shared)
            out[rank] = made[self.own(rank, False)] if gather and rows_come_out else made
        return out

    def tokens_of(self, part: Any, value: Value, rows: Array | None) -> Any:
        """The tokens themselves, at the rows that a rank looks at."""
        return part[rows] if value.name == "tokens" and rows is not None else part

    def numbers(self, here: RankRun, node: Node, own: list[Any], rank: int, cut: Partition | None, shared: bool) -> Any:
        """One rank's value of one node."""
        place = self.place(rank)
        words = (
            node.tensors if cut is None or place == 0 else {w: x for w, x in node.tensors.items() if w not in cut.once}
        )
        cutters = cut.tensors if cut else {}
        equal = cut is None and not shared
        tensors = {
            word: self.weights.get(rank, tensor, here.layer, cutters.get(word, ()), place, equal)
            for word, tensor in words.items()
        }
        if cut:
            node = node._replace(facts={**node.facts, **cut.facts(place)})
        given = cut.inputs(place, own) if cut and cut.inputs else own
        made = numbers.NUMBERS[node.op](here, node, tensors, *given)
        if cut and cut.after:
            made = cut.after(place, own, made)
        return reshape_heads(made, node.facts.get("split"), cut.out if cut else None)


def reshape_heads(made: Any, split: Sequence[int] | None, lanes: Lanes | None) -> Any:
    """Into heads; of lanes as many as there are, and lanes that hold heads in part stay as they are."""
    if not split:
        return made
    if lanes is None:
        return made.reshape(len(made), *split)
    return made if heads_of(lanes, prod(split[1:])) is None else made.reshape(len(made), -1, *split[1:])
