"""A graph -> its FLOPs as terms: so many a token whatever the context, and so many for every past entry it reads."""

from __future__ import annotations

from math import prod
from typing import Any

from cutaway.gallery.graph import Graph
from cutaway.gallery.operations import OPERATIONS
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.wiring import layer_graph

# {"token": FLOPs, "experts": of these, routed experts', "reads": [[FLOPs an entry, every, cap, when], ...]}
Terms = dict[str, Any]


def terms(graph: Graph) -> Terms:
    """What the rows of operations.py say of a graph's nodes."""
    token, experts, reads = 0, 0, []
    for node in graph.nodes:
        row = OPERATIONS[node.op]
        flops = row.flops(node) if row.flops else 0
        token, experts = token + flops, experts + (flops if row.what == "experts" else 0)
        for one in row.reads(node) if row.reads else ():
            reads.append([one.flops, one.every, one.cap, one.when])
    return merge_terms({"token": token, "experts": experts, "reads": reads})


def merge_terms(found: Terms) -> Terms:
    """Reads of equal reach are one."""
    sums: dict[tuple[Any, ...], int] = {}
    for flops, *reach in found["reads"]:
        sums[tuple(reach)] = sums.get(tuple(reach), 0) + flops
    return {**found, "reads": [[flops, *reach] for reach, flops in sums.items()]}


def mtp_terms(spec: ModelSpec, place: int) -> Terms:
    """Of a layer that predicts a further token: itself, and what joins it to the stream; the head comes on top."""
    found = terms(layer_graph(spec, spec.mtp[place]))
    joined = spec.mtp_extras[place].tensors if place < len(spec.mtp_extras) else ()
    matrices = [shape for name, shape in joined if len(shape) == 2 and "embed" not in name and "head" not in name]
    return {**found, "token": found["token"] + 2 * sum(prod(shape) for shape in matrices)}
