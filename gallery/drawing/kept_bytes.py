"""The lanes of a flow -> the bytes beside its yellow boxes, once for each kind of what decoding keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.gallery.drawing.dataflow import Lane
from cutaway.gallery.drawing.head_items import CacheBox
from cutaway.gallery.drawing.node_items import Parts, cache_item
from cutaway.gallery.graph import Node


def say_bytes(parts: Parts, nodes: Mapping[str, Node], lanes: list[Lane], tail: list) -> None:
    """Bytes beside the last yellow box of each kind; boxes of uneven branches stand where their lane puts them."""
    boxes: dict[str, CacheBox] = {}
    for lane in lanes:
        ends = list(lane_ends(lane))
        level = all(end.items and isinstance(end.items[-1], CacheBox) for end in ends)
        for one in walk_lanes(lane):
            for item in one.items:
                if isinstance(item, CacheBox):
                    boxes[nodes[item.nodes[-1]].keeps[0].kind] = item
                    item.stands_high = item.high and level
    for item in tail:
        if isinstance(item, CacheBox):
            boxes[nodes[item.nodes[-1]].keeps[0].kind] = item
    for item in boxes.values():
        item.say(cache_item(parts, nodes[item.nodes[-1]], (), True, True))


def walk_lanes(lane: Lane) -> Iterator[Lane]:
    """A lane and all its branches."""
    yield lane
    for branch in lane.branches:
        yield from walk_lanes(branch)


def lane_ends(lane: Lane) -> Iterator[Lane]:
    """Where a lane ends."""
    return (one for one in walk_lanes(lane) if not one.branches)
