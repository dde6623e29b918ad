"""ModelSpec -> whether its wiring is proved: its family ran golden forwards, and so did every part of its graphs.

A signature is a graph without its sizes: operations, edges, which tensors and which switches. proofs.json holds the
signatures of all that ran in golden cases whose logits equal the modelling code's, and the families and classes they
are of; it is written by `python tests/oracle/forward.py --keep`, and a test holds it to the cases. A signature has no
numbers: each constant that a config sets (reading/constants.py) must have been in a case of its own family, at a value
that its class would not have had anyway.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from cutaway.gallery.drawing.layer_kinds import census
from cutaway.gallery.drawing.words import layers
from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.joined import join_words
from cutaway.gallery.records import Normal, Rope
from cutaway.gallery.spec import Layer, ModelSpec
from cutaway.gallery.sublayers import graph_of
from cutaway.gallery.wiring import closing_graph, layer_graph, opening_graph, sees_images

HALF = re.compile(r"(mixer|mlp)(\.\d+)*(?=\.)")  # the part of a node's name that says whose it is
CLASS_END = re.compile(r"(Text|Thinker)*(Model|ForCausalLM|ForConditionalGeneration|LMHeadModel)$")
THE_CLASS = "transformers' class"  # names the other party of a contradiction that read(as_class=True) would draw
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


def layer_signature(spec: ModelSpec, layer: Layer) -> Iterator[str]:
    """Of its mixer, its MLP, and the way they hang in the stream."""
    yield signature(skeleton(layer_graph(spec, layer)))
    for half in (layer.mixer, layer.mlp):
        if half is not None:
            yield signature(graph_of(half, spec.hidden_size))


def signatures(spec: ModelSpec, ran: Callable[[Layer], bool] = lambda layer: True) -> Iterator[str]:
    """Of what stands before the layers, each layer that ran, and what follows."""
    yield signature(opening_graph(spec))
    for layer, _ in census(spec):
        if ran(layer):
            yield from layer_signature(spec, layer)
    yield signature(closing_graph(spec))


def runs_without_images(spec: ModelSpec, layer: Layer) -> bool:
    """Whether golden cases, which have tokens alone, run a layer: one that reads an image is passed over."""
    return not sees_images(layer_graph(spec, layer))


@cache
def load_proofs() -> dict:
    """proofs.json: families and how many cases each has, classes by model_type, signatures, constants by family."""
    empty: dict = {"families": {}, "classes": {}, "signatures": [], "constants": {}}
    return json.loads(PROOFS.read_text(encoding="utf-8")) if PROOFS.exists() else empty


def stem(name: str) -> str:
    """A class without what it is wrapped in: Gemma3 of Gemma3ForConditionalGeneration and Gemma3TextModel."""
    return CLASS_END.sub("", name)


def run_class(spec: ModelSpec) -> str:
    """The class that ran for a model's family, where its own did not; "" = its own did.

    A ForConditionalGeneration runs the language model that its text_config names, so that its model_type counts.
    """
    classes = load_proofs()["classes"].get(spec.family, {})
    wraps = not spec.architecture or spec.architecture.endswith("ForConditionalGeneration")
    own = spec.model_type if wraps else ""
    if not classes or own in classes or stem(spec.architecture) in map(stem, classes.values()):
        return ""
    return classes.get(spec.model_type) or classes.get(spec.family) or next(iter(classes.values()))


def proof(spec: ModelSpec) -> Proof:
    """Proved, or the reason why not, in words."""
    known, cases = load_proofs(), load_proofs()["families"].get(spec.family, 0)
    if spec.read_from_keys:
        return Proof(False, 0, "wiring read only from config keys, not proved")
    if not cases:
        return Proof(False, 0, "wiring taken from the report, not proved: no modelling code was run for this family")
    kinds = {one.made_of: one for one in spec.layers}
    passed = {kind for kind, one in kinds.items() if not runs_without_images(spec, one)}
    unseen = [one.index for one in spec.layers if one.made_of in passed]
    ran = signatures(spec, lambda layer: layer.index not in unseen)
    if spec.not_understood or not set(ran) <= set(known["signatures"]):
        return Proof(
            False,
            cases,
            "wiring taken from the report, not proved: one of its parts is in none of the models that were run",
        )
    if unseen:
        where = layers(unseen, len(spec.layers)) or f"layers {', '.join(map(str, unseen))}"
        where = where.replace(",", " layer,", 1) if where.startswith("every") else where
        return Proof(
            False, cases, f"wiring proved except in {where}: these layers read an image, and no images were run"
        )
    if constants := unproved_constants(spec):
        return Proof(
            False,
            cases,
            f"wiring proved except for the value of {join_words(constants)}, which no test case of this family sets",
        )
    return Proof(True, cases, f"wiring {say_proved(spec)}")


def unproved_constants(spec: ModelSpec) -> list[str]:
    """The constants that a config sets and no golden case of its family did."""
    return sorted({name for name, _ in spec.constants} - set(load_proofs()["constants"].get(spec.family, ())))


def say_proved(spec: ModelSpec) -> str:
    """Proved, as which class, and whether transformers' class does something else than what is drawn."""
    as_class, differs = run_class(spec), any(THE_CLASS in said for said in spec.contradictions)
    but = "except where transformers' class differs from the drawing"
    if as_class:
        return f"proved with {as_class}: logits are equal{f' {but}' * differs}; the model's own class was not run"
    if differs:
        return f"proved {but}: logits are equal otherwise"
    return "proved: logits equal those of the modelling code"
