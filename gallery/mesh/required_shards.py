"""A graph -> in which lanes each node's value is wanted by those that read it: the reading that runs backwards.

Attention wants its heads, a gated MLP its width, a way back its input; what stands outside the two halves of a layer
wants vectors whole. A matrix whose output is wanted in lanes is cut by columns, so wants travel no further up.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.mesh.lanes import Lanes, join_wanted
from cutaway.gallery.mesh.partition import At
from cutaway.gallery.mesh.partition_rules import PARTITION_RULES

Forms = Mapping[str, tuple[int, ...]]


def half_of(name: str) -> str:
    """ "mixer" of "mixer.q_proj"; "" outside of both halves."""
    return name.partition(".")[0] if "." in name else ""


def required_lanes(graph: Graph, forms: Forms, t: int, last: Lanes | None = None) -> dict[str, Lanes | None]:
    """What is wanted of every node; `last` of the one that leaves the graph."""
    asked: dict[str, list[Lanes | None]] = {graph.out: [last]}
    found: dict[str, Lanes | None] = {}
    for node in reversed(graph.nodes):
        several = asked.get(node.name, [None])
        want = None if any(one is None for one in several) else join_wanted([one for one in several if one is not None])
        found[node.name] = want
        for source, ask in zip(node.inputs, lanes_of_inputs(node, forms, t, want), strict=True):
            inside = half_of(source) == half_of(node.name)
            asked.setdefault(source, []).append(ask if inside else None)
    return found


def lanes_of_inputs(node: Node, forms: Forms, t: int, want: Lanes | None) -> tuple[Lanes | None, ...]:
    """What a node asks of its inputs when its own value is wanted so."""
    cut, rule = None, PARTITION_RULES[node.op].rule
    if rule and t > 1 and all(source in forms for source in node.inputs):
        at = At(node, [forms[source] for source in node.inputs], forms[node.name], t)
        cut = rule(at, want, [None] * len(node.inputs))
    return cut.asks if cut else (None,) * len(node.inputs)
