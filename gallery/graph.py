"""A graph of operations: how a mixer, an MLP, a layer or a whole model is wired. Written once, read many ways.

A node is one operation on the values of the nodes it names; `tensors` are the weights it uses, under our own names.
Nodes stand in the order in which they run. Readings: the tensors are the weights table, `keeps` is what decoding
keeps, `operations.py` says what a node costs, `running/` computes it, `mesh/` splits it over devices, `drawing/` draws
it.

An input is the name of an earlier node of the same graph, an input of the graph ("x", "stream"), a value of the
whole run ("tokens", "model:NAME" of the model's own graph), "layer3:NAME", a value of an earlier layer, or
"earlier:NAME", that of the last earlier layer with such a node.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from cutaway.gallery.records import ConfigError

MOST_NODES = 5_000  # of one graph; published models stay under 100
NOTHING: Mapping[str, Any] = MappingProxyType({})


def _fixed(held: dict[str, Any]) -> MappingProxyType[str, Any]:
    """A mapping that nobody changes; by its name a pickle finds it again."""
    return MappingProxyType(held)


copyreg.pickle(MappingProxyType, lambda held: (_fixed, (dict(held),)))  # a spec with a graph is pickled for the browser


class Tensor(NamedTuple):
    """A weight as a node uses it: our name inside the layer (or the model), shape, part of the ledger.

    part "buffer": stored and used, but no parameter. `of` is the layer that holds it, where that is another one.
    """

    name: str
    shape: tuple[int, ...]
    part: str
    of: int | None = None


class Keep(NamedTuple):
    """What decoding keeps of a node: `numbers` per entry, or per state.

    `layout` is how a packed cache stores it: "plain", "latent" and "entry" (of which `rotated` numbers carry the
    position), "index". An entry comes every `every` tokens; `window` > 0 caps how many tokens stay.
    """

    kind: str  # "kv" | "compressed" | "index" | "state" | "conv"
    numbers: int
    words: str  # its shape: "k 8 × 128", "state 32 × 128 × 128"
    layout: str = "plain"
    rotated: int = 0
    every: int = 1
    window: int = 0
    fixed: bool = False  # one state, rewritten by every token
    pending: int = 0  # entries' worth of raw inputs that wait for an entry to close (V4's overlapping windows)
    doubled: bool = False  # one vector that is key and value, which transformers holds twice
    dtype: str = ""  # "float32" where the modelling code keeps it so; "" = the cache's, or the model's


class Node(NamedTuple):
    """One operation. `facts` is all that its numbers, its cost and its picture need beside the tensors."""

    name: str
    op: str  # a row of operations.OPERATIONS
    inputs: tuple[str, ...]
    tensors: Mapping[str, Tensor] = NOTHING  # what the operation calls it -> the tensor
    facts: Mapping[str, Any] = NOTHING
    keeps: tuple[Keep, ...] = ()
    words: str = ""  # what the picture says of it; "" = what its operation says
    note: str = ""  # said beside it in the picture: "= 64 × 128"


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in running order; `out` is the node whose value leaves the graph."""

    nodes: tuple[Node, ...]
    out: str

    def tensors(self) -> Iterator[Tensor]:
        """Every tensor in running order, each once."""
        seen: set[str] = set()
        for node in self.nodes:
            for tensor in node.tensors.values():
                if tensor.name not in seen:
                    seen.add(tensor.name)
                    yield tensor

    def edges(self) -> set[tuple[str, str]]:
        """(from, to) of every value that flows, graph inputs and values of other graphs included."""
        return {(source, node.name) for node in self.nodes for source in node.inputs}


class Stage(NamedTuple):
    """One step of a model whose layers do not simply follow each other: a graph that makes the stream out of values
    of the model, layers in order, and a graph that reads the stream they leave."""

    first: Graph
    layers: tuple[int, ...]
    then: Graph


class Wires:
    """A graph while it is being written: every method adds a node and returns its name, to be wired on.

    `prefix` goes before every tensor's name ("self_attn."), `part` is the ledger's part for them, `of` the layer that
    holds them where it is another one.
    """

    def __init__(self, prefix: str = "", part: str = "other", of: int | None = None) -> None:
        self.prefix, self.part, self.of = prefix, part, of
        self.nodes: list[Node] = []

    def add(
        self, name: str, op: str, *inputs: str, tensors: Mapping[str, Tensor] | None = None,
        keeps: tuple[Keep, ...] = (), words: str = "", note: str = "", **facts: Any,
    ) -> str:  # fmt: skip
        """Any operation."""
        if len(self.nodes) >= MOST_NODES:
            raise ConfigError(
                f"A part of this model would be wired of more than {MOST_NODES:,} operations ({name[:40]} and on), "
                "which no published one is. Correct the count in the config that makes them."
            )
        self.nodes.append(Node(name, op, inputs, tensors or {}, facts, keeps, words, note))
        return name

    def same_prefix(self) -> Wires:
        """Wires for a part of this graph, under the same prefix."""
        return Wires(self.prefix, self.part)

    def tensor(self, name: str, *shape: int, part: str = "") -> Tensor:
        """A tensor under this graph's prefix."""
        return Tensor(self.prefix + name, shape, part or self.part, self.of)

    def linear(
        self, name: str, x: str, rows: int, columns: int, bias: bool = False, module: str = "", **more: Any
    ) -> str:
        """x W' + b. The module that holds it is called as the node unless `module` says else. `split=(heads, d)`
        shapes what comes out."""
        module, part = module or name, more.pop("part", "")
        tensors = {"weight": self.tensor(module + ".weight", rows, columns, part=part)}
        if bias:
            tensors["bias"] = self.tensor(module + ".bias", rows, part=part)
        return self.add(name, "linear", x, tensors=tensors, **more)

    def scale(self, name: str, x: str, by: float) -> str:
        """x times a constant, where the constant is not one."""
        return x if by == 1.0 else self.add(name, "scale", x, by=by)

    def add_adapter(
        self, name: str, x: str, value: str, sizes: tuple[int, int, int], module: str, split: tuple[int, ...] = ()
    ) -> str:
        """A value and, added to it, what a low-rank adapter of this layer's own makes of x; (rows, rank, columns)."""
        rows, rank, columns = sizes
        held, self.of = self.of, None
        low = self.linear(f"{name}_adapter_0", x, rank, columns, module=module + ".0")
        low = self.linear(f"{name}_adapter_1", low, rows, rank, module=module + ".1", split=split)
        self.of = held
        return self.add(f"{name}_adapted", "add", value, low)

    def norm(self, name: str, x: str, width: int | tuple[int, ...], module: str = "", **more: Any) -> str:
        """A normalisation over the last axis: facts of `Normal` below, or their defaults; width 0 has no weight."""
        module, part = module or name, more.pop("part", "")
        shape = width if isinstance(width, tuple) else (width,)
        tensors = {}
        if shape != (0,) and more.pop("weight", True):
            tensors["weight"] = self.tensor(module + ".weight", *shape, part=part)
            if more.pop("bias", False):
                tensors["bias"] = self.tensor(module + ".bias", *shape, part=part)
        return self.add(name, "norm", x, tensors=tensors, **more)

    def gate_by_tanh(self, name: str, value: str) -> str:
        """A value times the tanh of one learned number, which stands beside the module."""
        gate = self.add("out_gate", "parameter", tensors={"weight": Tensor(name, (1,), "residual")})
        return self.add("gated_out", "multiply", value, self.add("out_gate_act", "act", gate, act="tanh"))

    def rope(self, name: str, x: str, rope: Any, **more: Any) -> str:
        """x rotated by its position; nothing where there is no rotation."""
        return self.add(name, "rope", x, *((rope.learned,) if rope.learned else ()), rope=rope, **more) if rope else x

    def inline(self, at: str, graph: Graph, **inputs: str) -> str:
        """Another graph as a part of this one: its nodes are called "at.name", its inputs are wired as said."""
        if not graph.nodes:
            return inputs[graph.out]
        own = {node.name for node in graph.nodes}
        for node in graph.nodes:
            wired = tuple(f"{at}.{n}" if n in own else inputs.get(n, n) for n in node.inputs)
            self.nodes.append(
                Node(f"{at}.{node.name}", node.op, wired, node.tensors, node.facts, node.keeps, node.words, node.note)
            )
        return f"{at}.{graph.out}" if graph.out in own else inputs[graph.out]

    def graph(self, out: str) -> Graph:
        """The finished graph."""
        return Graph(tuple(self.nodes), out)
