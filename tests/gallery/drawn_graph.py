"""A drawing's SVG -> what it says it is a picture of: for each graph its nodes, its edges, and what it folds.

In the SVG `data-g` names a graph, `data-n` the nodes that a thing stands for, `data-r` values it only points at,
`data-e` the edges a line stands for ("a>b"; "a>" is a trunk that several edges share).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree

from cutaway.gallery.graph import Graph


@dataclass
class Drawn:
    """The picture of one graph."""

    nodes: set[str] = field(default_factory=set)
    things: list[tuple[str, ...]] = field(default_factory=list)  # the nodes of each drawn thing
    edges: set[tuple[str, str]] = field(default_factory=set)
    trunks: set[str] = field(default_factory=set)
    points: set[str] = field(default_factory=set)
    strange: list[str] = field(default_factory=list)  # lines that no edge of the graph stands behind
    named: set[tuple[str, str]] = field(default_factory=set)  # (value of elsewhere, node of the box that names it)


def read_svg(text: str) -> list[tuple[str, Drawn]]:
    """(graph's name, its picture) of an SVG, in order."""
    found: list[tuple[str, Drawn]] = []

    def visit(element, drawn: Drawn | None, own: set[str]) -> None:
        if name := element.get("data-g"):
            drawn = Drawn()
            found.append((name, drawn))
        if drawn is not None:
            look_at(element, drawn, own)
        nodes = set((element.get("data-n") or "").split())
        for child in element:
            visit(child, drawn, nodes or own)

    visit(ElementTree.fromstring(text), None, set())
    return found


def look_at(element, drawn: Drawn, own: set[str]) -> None:
    """One element's names."""
    if nodes := tuple((element.get("data-n") or "").split()):
        drawn.nodes |= set(nodes)
        drawn.things.append(nodes)
    for value in (element.get("data-r") or "").split():
        drawn.points.add(value)
        drawn.named |= {(value, node) for node in own}
    for name in (element.get("data-e") or "").split():
        source, arrow, node = name.partition(">")
        if not arrow:
            drawn.strange.append(name)
        elif node:
            drawn.edges.add((source, node))
        else:
            drawn.trunks.add(source)


def faults(graph: Graph, drawn: Drawn, folded: dict[str, str] | None = None) -> list[str]:
    """What is drawn and does not run, what runs and is not drawn. `folded`: node -> the named box it is part of."""
    folded = folded or {}
    box = lambda name: folded.get(name, name)  # noqa: E731
    nodes = {box(node.name) for node in graph.nodes}
    tensors = {(tensor.name, box(node.name)) for node in graph.nodes for tensor in node.tensors.values()}
    edges = {(box(a), box(b)) for a, b in graph.edges()}
    edges = {(a, b) for a, b in edges if a != b}
    inside = {(a, b) for thing in drawn.things for a in thing for b in thing}
    inside |= {(a, b) for thing in drawn.things if set(thing) >= nodes for a, b in edges}  # one box for all of it
    inside |= drawn.named
    out = [f"node {name} is drawn and does not run" for name in drawn.nodes - nodes - {"out"}]
    out += [f"node {name} runs and is not drawn" for name in nodes - drawn.nodes]
    allowed = edges | tensors | {(box(graph.out), "out")}
    out += [f"edge {a} > {b} is drawn and does not run" for a, b in drawn.edges - allowed]
    out += [f"edge {a} > {b} runs and is not drawn" for a, b in edges - drawn.edges - inside]
    values = nodes | {source for source, _ in edges} | {name for name, _ in tensors}
    out += [f"{name} is pointed at and does not exist" for name in (drawn.points | drawn.trunks) - values]
    return out + [f"a line without an edge: {name}" for name in drawn.strange]
