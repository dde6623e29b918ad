"""ModelSpec -> its drawing as plain data: cards and opened panels with their named nodes, for a page that lays out two.

It reads the same figure as layout.py: an item here is an item there, and carries the names of the nodes it stands for.
"""

from __future__ import annotations

from math import prod
from typing import Any

from cutaway.gallery.comparing.kinds import label
from cutaway.gallery.drawing.card_units import Unit, units_of
from cutaway.gallery.drawing.dataflow import Flow, Lane, Op, Sign
from cutaway.gallery.drawing.experts import Experts, Field
from cutaway.gallery.drawing.figure import Figure, figure
from cutaway.gallery.drawing.head_items import CacheBox, Heads
from cutaway.gallery.drawing.items import Box, Item, Matrix, Pill, Tag
from cutaway.gallery.drawing.layer_kinds import Kind, parts_in, picture_key
from cutaway.gallery.drawing.panel_content import PanelContent
from cutaway.gallery.drawing.pictures import picture_of
from cutaway.gallery.graph import Graph
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.sublayers import graph_of


def drawing_json(spec: ModelSpec, drawn: Figure | None = None) -> dict[str, Any]:
    """Cards and panels from top to bottom."""
    fig = drawn or figure(spec)
    return {
        "cards": [card(kind, spec) for kind in fig.kinds],
        "panels": [panel(part, content, parts_like(part, fig), spec.hidden_size) for part, content in fig.panels],
    }


def join_names(nodes: tuple[str, ...]) -> str:
    """Names of nodes in one text: none holds a space."""
    return " ".join(nodes)


# ---------------------------------------------------------------- cards


def card(kind: Kind, spec: ModelSpec) -> dict[str, Any]:
    """A kind of layer: its words, its units in running order, and what flows between them."""
    graph, found = units_of(kind, spec)
    streams = getattr(spec.residual, "streams", 0) if any(one.name.endswith("_collapse") for one in found) else 0
    return {
        "count": len(kind.indices),
        "which": kind.which,
        "says": kind.says,
        "role": kind.role,
        "full": kind.full,
        "layer": kind.layer.index,
        "streams": streams,
        "kinds": [type(getattr(kind.layer, half)).__name__ for half in ("mixer", "mlp")],
        "units": [unit_row(unit) for unit in found],
        "edges": [[source, unit.name] for unit in found for source in unit.inputs],
        "out": next((unit.name for unit in found if graph.out in unit.names), "stream"),
    }


def unit_row(unit: Unit) -> list[str]:
    """[name, kind, words, small print, role, nodes]."""
    if unit.part is None:
        return [unit.name, unit.kind, unit.words, "", "", join_names(unit.names)]
    picture = picture_of(unit.part)
    words = (picture.name(unit.part), picture.small(unit.part), picture.role(unit.part))
    return [unit.name, unit.kind, *words, join_names(unit.names)]


# ---------------------------------------------------------------- panels


def parts_like(part: object, fig: Figure) -> list[tuple[object, int]]:
    """What a panel shows, with how many layers have it: its like, and where nearly every layer differs in size all of
    its kind that no other panel shows."""
    shown = {picture_key(one) for one, _ in fig.panels}
    kind = (type(part), picture_of(part).role(part))
    return [
        (one, many)
        for one, many in parts_in(fig.tallies)
        if picture_key(one) == picture_key(part)
        or (picture_key(one) not in shown and (type(one), picture_of(one).role(one)) == kind)
    ]


def own_parameters(part: object, width: int) -> int:
    """Parameters that a mixer or MLP holds itself."""
    if getattr(part, "weights_of", None) is not None:
        return 0
    held = (one for one in graph_of(part, width).tensors() if one.of is None and one.part != "buffer")
    return sum(prod(one.shape) for one in held)


def panel(part: object, content: PanelContent, where: list[tuple[object, int]], width: int) -> dict[str, Any]:
    """An opened mixer or MLP: words, flows, the experts beside them, what is listed under them."""
    graph = content.graph or Graph((), "")
    facts = {name: value for node in graph.nodes for name, value in node.facts.items() if name == "heads"}
    return {
        "half": content.where.split(".")[1] if "." in content.where else "mixer",
        "kind": type(part).__name__,
        "label": label(part),
        "role": content.role,
        "title": content.title,
        "says": content.says,
        "layers": sum(many for _, many in where),
        "total": sum(own_parameters(one, width) * many for one, many in where),
        "where": content.where,
        "heads": facts.get("heads", 0) if isinstance(facts.get("heads", 0), int) else 0,
        "share": queries_per_kv(part),
        "flows": [flow(one) for one in content.flows],
        "groups": groups(content.experts),
        "chips": content.chips,
        "alarm": content.alarm,
        "nodes": join_names(tuple(node.name for node in graph.nodes)) if content.alarm or not content.flows else "",
    }


def queries_per_kv(part: object) -> int:
    """How many query heads share a key and value head."""
    heads, pairs = getattr(part, "num_attention_heads", 0), getattr(part, "num_key_value_heads", 0)
    return heads // pairs if heads and pairs else 1


def groups(experts: Experts | None) -> list[list]:
    """[heading, [[name, reads, writes], ...]] of one expert and of what every token visits."""
    found = experts.groups if experts else []
    return [[words, [[one.name, one.fan_in, one.fan_out] for one in matrices]] for words, matrices in found]


def flow(one: Flow) -> dict[str, Any]:
    """A flow; what is empty is left out."""
    rows = {
        "source": one.source,
        "heading": one.heading,
        "lanes": [lane(way) for way in one.lanes],
        "op": operation(one.op),
        "tail": [
            ["sign", step.what, join_names(step.nodes)] if isinstance(step, Sign) else item(step) for step in one.tail
        ],
    }
    return {key: value for key, value in rows.items() if value}


def lane(one: Lane) -> dict[str, Any]:
    """A lane from bottom to top."""
    rows = {
        "items": [item(step) for step in one.items],
        "branches": [lane(way) for way in one.branches],
        "gate": one.to == "gate",
        "loose": one.loose,
        "beside": one.beside,
        "said": join_names(one.said),
    }
    return {key: value for key, value in rows.items() if value}


def operation(op: Op) -> list:
    """["op", lines, nodes, state] or ["field", words, nodes, experts, chosen, groups, kept groups, zero experts]."""
    if isinstance(op, Field):
        m = op.experts.m
        sizes = (m.num_experts, m.num_experts_per_tok, m.n_group, m.topk_group, m.zero_expert_num)
        return ["field", list(op.words), join_names(op.nodes), *sizes]
    state = [f"{op.state.name} {op.state.size}"] if op.state else []
    return ["op", list(op.words), join_names(op.nodes), *state]


def item(one: Item) -> list:
    """[kind, words, nodes, more]: a matrix says what it reads and writes, a yellow box its bytes."""
    nodes = join_names(one.nodes)
    if isinstance(one, Matrix):
        return ["matrix", one.name, nodes, one.fan_in, one.fan_out, one.note]
    if isinstance(one, CacheBox):
        return ["kept" if one.keeps else "pill", one.text, nodes, one.bytes]
    if isinstance(one, Heads):
        return ["heads", one.text, nodes]
    if isinstance(one, Box):
        return ["box", one.name, nodes, list(one.text)]
    if isinstance(one, Tag):
        return ["tag", one.text, nodes]
    assert isinstance(one, Pill)
    return ["pill", one.text, nodes]
