"""ModelSpec -> whether its wiring is proved: its family ran golden forwards, and so did every part of its graphs.

A signature is a graph without its sizes: operations, edges, which tensors and which switches. proofs.json holds the
signatures of all golden cases whose logits equal the modelling code's, and the families they are of; it is written by
`python tests/oracle/forward.py --keep`, and a test holds it to the cases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from gallery.drawing.census import census
from gallery.graph import Graph, Node
from gallery.halves import graph_of
from gallery.records import Normal, Rope
from gallery.spec import ModelSpec
from gallery.wiring import after, before, layer_graph

HALF = re.compile(r"(mixer|mlp)(\.\d+)*(?=\.)")  # the part of a node's name that says whose it is
PROOFS = Path(__file__).parent / "proofs.json"


class Proof(NamedTuple):
    """What can be said of a model's wiring; `cases` is how many golden forwards its family has."""

    proved: bool
    cases: int
    words: str


def switch(value: object) -> object:
    """A fact without its size: numbers only as "there is one", rotations by their kind, the rest as it is."""
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int | float):
        return bool(value)
    if isinstance(value, Rope):
        return (value.kind, value.interleaved, value.last)
    if isinstance(value, Normal):
        return (value.kind, value.plus_one)
    if isinstance(value, tuple | list):
        return sorted({repr(switch(one)) for one in value})
    return str(value)


def outline(node: Node) -> tuple:
    """One node without its sizes and without the numbers of layers."""
    inputs = tuple(name.partition(":")[2] if name.startswith("layer") else name for name in node.inputs)
    facts = sorted((key, switch(value)) for key, value in node.facts.items() if key not in ("lines", "split"))
    return (node.name, node.op, inputs, sorted(node.tensors), facts)


def signature(graph: Graph) -> str:
    """Twelve hex digits that two graphs share exactly when they are wired alike."""
    text = repr([outline(node) for node in graph.nodes] + [graph.out])
    return blake2b(text.encode(), digest_size=6).hexdigest()


def skeleton(graph: Graph) -> Graph:
    """A layer with each mixer and MLP as one node: how they hang in the stream."""

    def half(name: str) -> str:
        found = HALF.match(name)
        return found[0] if found else name

    nodes: dict[str, Node] = {}
    for node in graph.nodes:
        name = half(node.name)
        inputs = tuple(one for one in dict.fromkeys(map(half, node.inputs)) if one != name)
        if name == node.name:
            nodes[name] = node._replace(inputs=inputs)
        else:
            before = nodes[name].inputs if name in nodes else ()
            nodes[name] = Node(name, "half", tuple(dict.fromkeys((*before, *inputs))))
    return Graph(tuple(nodes.values()), half(graph.out))


def signatures(spec: ModelSpec) -> Iterator[str]:
    """Of what stands before the layers, each mixer, each MLP, each way they hang in the stream, and what follows."""
    yield signature(before(spec))
    for layer, _ in census(spec):
        yield signature(skeleton(layer_graph(spec, layer)))
        for half in (layer.mixer, layer.mlp):
            if half is not None:
                yield signature(graph_of(half, spec.hidden_size))
    yield signature(after(spec))


@cache
def kept() -> dict:
    """proofs.json: {"families": {name: number of cases}, "signatures": [...]}."""
    return json.loads(PROOFS.read_text(encoding="utf-8")) if PROOFS.exists() else {"families": {}, "signatures": []}


def proof(spec: ModelSpec) -> Proof:
    """Proved, or the reason why not, in words."""
    known, cases = kept(), kept()["families"].get(spec.family, 0)
    if spec.read_from_keys:
        return Proof(False, 0, "wiring read from keys alone, not proved")
    if not cases:
        return Proof(False, 0, "wiring as the report says, not proved: no modelling code was run for this family")
    if spec.not_understood or not set(signatures(spec)) <= set(known["signatures"]):
        return Proof(False, cases, "wiring as the report says, not proved: a part of it is in no model that was run")
    return Proof(True, cases, "wiring proved: logits equal")
