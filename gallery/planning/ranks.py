"""A layout -> where ranks stand: how far apart the ranks of an axis are, who is in a group, how many share a node.

The order is written as Megatron-LM's --order, innermost first: "tp-cp-ep-dp-pp". Experts fold the same ranks otherwise:
etp, ep and edp stand where tp, ep and dp do, and cp is part of edp.
"""

from __future__ import annotations

from functools import cache

from cutaway.gallery.planning.layout import Layout

GROUPS = {  # a communicator's axis -> the parts of axes along which its ranks differ
    "tp": ("dcp", "tp"), "dcp": ("dcp",), "cp": ("cp",), "pp": ("pp",), "dp": ("cp", "dp_shard", "dp"),
    "dp_shard": ("cp", "dp_shard"), "dp_replicate": ("dp",), "etp": ("etp",), "ep": ("ep",),
    "edp": ("edp_shard", "edp"), "edp_shard": ("edp_shard",), "edp_replicate": ("edp",),
}  # fmt: skip


def sizes(layout: Layout, expert: bool) -> dict[str, int]:
    """How many ranks each part of an axis has, in one of the two folds."""
    if expert:
        shard = layout.expert_shard
        return {"etp": layout.etp, "ep": layout.ep, "edp_shard": shard, "edp": layout.edp // shard, "pp": layout.pp}
    dp, copies = layout.dp, layout.replicas
    tp = {"dcp": layout.dcp, "tp": layout.tp // layout.dcp}
    return {**tp, "cp": layout.cp, "dp_shard": dp // copies, "dp": copies, "pp": layout.pp}


@cache
def places(order: str) -> tuple[list[str], list[str]]:
    """The parts of axes, innermost first, in both folds."""
    words = order.split("-")
    own = {"tp": ["dcp", "tp"], "cp": ["cp"], "dp": ["dp_shard", "dp"], "pp": ["pp"]}
    experts = {"tp": ["etp"], "ep": ["ep"], "dp": ["edp_shard", "edp"], "pp": ["pp"]}
    found, folded = ([part for word in words for part in parts.get(word, [])] for parts in (own, experts))
    return found, folded


def steps(layout: Layout, axis: str) -> list[tuple[int, int]]:
    """(how many, how far apart) along each part of a communicator's axis, innermost first."""
    expert = axis[0] == "e"
    out, stride, size = [], 1, sizes(layout, expert)
    for name in places(layout.order)[expert]:
        if name in GROUPS[axis]:
            out.append((size[name], stride))
        stride *= size[name]
    return out


def count_in_node(layout: Layout, axis: str) -> int:
    """How many ranks of a group stand in one node."""
    found = 1
    for size, stride in steps(layout, axis):
        found *= min(max(layout.per_node // stride, 1), size)
    return found


def group(layout: Layout, axis: str, rank: int = 0) -> list[int]:
    """The ranks that differ from one along an axis alone, itself among them, in the order of the axis."""
    along = steps(layout, axis)
    found = [rank - sum(rank // stride % size * stride for size, stride in along)]
    for size, stride in along:
        found = [first + place * stride for place in range(size) for first in found]
    return found


def stage_of(layout: Layout, rank: int) -> int:
    """The pipeline stage of a rank."""
    ((size, stride),) = steps(layout, "pp")
    return rank // stride % size


def first_rank(layout: Layout, stage: int) -> int:
    """The first rank of a stage."""
    ((_, stride),) = steps(layout, "pp")
    return stage * stride
