"""A spec and cuts -> the same spec in which these wires carry zeros and these norms are removed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.spec import ConfigError, ModelSpec
from cutaway.gallery.wiring import layer_graph

FINAL_NORM = "final_norm"


class Cut(NamedTuple):
    """A wire of a layer's graph, from `source` to `node`; or, without a source, the norm `node`."""

    layer: int | None  # None: outside the layers, where only the final norm can be removed
    node: str
    source: str = ""


def with_cuts(spec: ModelSpec, cuts: Iterable[Cut]) -> ModelSpec:
    """The spec with these cuts, each made once; ConfigError if it has no such wire or norm."""
    cuts = list(dict.fromkeys(cuts))
    outside = [one for one in cuts if one.layer is None]
    if any(one.node != FINAL_NORM or one.source for one in outside):
        raise ConfigError("Outside the layers, only the final norm can be removed.")
    copy = replace(spec, final_norm=None if outside else spec.final_norm)
    for index in {one.layer for one in cuts if one.layer is not None}:
        if not 0 <= index < len(spec.layers):
            raise ConfigError(f"There is no layer {index}: this model has layers 0 to {len(spec.layers) - 1}.")
        layer = copy.layers[index]
        graph = layer_graph(spec, layer)
        for one in cuts:
            if one.layer == index:
                graph = cut_wire(graph, one) if one.source else remove_norm(graph, one.node)
        copy.graphs[index] = (layer, graph)
    return copy


def remove_norm(graph: Graph, name: str) -> Graph:
    """The graph in which a norm passes its input on unchanged."""
    node = next((node for node in graph.nodes if node.name == name and node.op in ("norm", "keep")), None)
    if node is None:
        raise ConfigError(f"There is no norm called {name[:80]} in this layer.")
    return replace_node(graph, name, [Node(name, "keep", node.inputs[:1], facts=split_of(node))])


def cut_wire(graph: Graph, cut: Cut) -> Graph:
    """The graph in which a node reads zeros in place of a value."""
    node = next((node for node in graph.nodes if node.name == cut.node and cut.source in node.inputs), None)
    if node is None:
        raise ConfigError(f"There is no wire from {cut.source[:80]} to {cut.node[:80]} in this layer.")
    zeros = Node(f"{cut.source} cut before {cut.node}", "scale", (cut.source,), facts={"by": 0.0, "widths": None})
    inputs = tuple(zeros.name if name == cut.source else name for name in node.inputs)
    return replace_node(graph, cut.node, [zeros, node._replace(inputs=inputs)])


def split_of(node: Node) -> dict[str, object]:
    """The fact by which a node's value is split into heads, if it has one."""
    return {"split": node.facts["split"]} if node.facts.get("split") else {}


def replace_node(graph: Graph, name: str, by: list[Node]) -> Graph:
    """The graph with these nodes in the place of one."""
    nodes = [one for node in graph.nodes for one in (by if node.name == name else [node])]
    return Graph(tuple(nodes), graph.out)
