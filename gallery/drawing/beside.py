"""What a flow says beside its items: the names of values of elsewhere, its heading, bytes beside its yellow boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.gallery.drawing import steps
from cutaway.gallery.drawing.flow import Lane
from cutaway.gallery.drawing.items import Kept
from cutaway.gallery.drawing.parts import Parts
from cutaway.gallery.graph import Node

TAGS = {
    "q_a_layernorm": "query latent",
    "q_a_norm": "query latent",
    "latent": "latent",
    "key": "rotated key",
    "keys": "K",
    "values": "V",
    "a": "rate a",
    "conv_qk_grouped": "conv of q and k",
    "raw": "the stream before its norm",
}
RESULTS = {  # what no matrix and no box is named after: its tag says so, and the box of the operation that makes it
    "q_proj_adapted": "q, adapted",
    "k_proj_adapted": "k, adapted",
    "v_proj_adapted": "v, adapted",
    "gate_up_adapted": "gate and up, adapted",
    "k_mixed": "k, convolved",
    "v_mixed": "v, convolved",
    "q_sum": "q, convolved",
    "k_sum": "k, convolved",
    "q_mean": "mean",
    "qk": "q and k",
    "k_a": "k′",
    "r_k": "u",  # as the paper calls what the current token adds
    "v": "v",
    "v_late": "v, late",
}


def tag_words(value: str, node: Node | None) -> str:
    """A value of elsewhere in words: K of layer 13, query latent, only top 2,048 tokens."""
    where, _, name = value.rpartition(":")
    short = name.rpartition(".")[2]
    words = TAGS.get(short) or RESULTS.get(short, short)
    if where.startswith("layer"):
        return f"{words} of layer {where[5:]}"
    if where:
        return f"{words} of an earlier layer" if where == "earlier" else f"{words} of the model"
    if short in RESULTS:
        return words
    if value == "cross":
        return "from the other tower"
    if node is not None and node.words.startswith("top "):
        return node.words.replace("top ", "only ", 1)
    if node is not None and node.keeps:
        return steps.kept_words(node)
    return words


def titled(node: Node, lines: list[str]) -> list[str]:
    """The lines of an operation that further flows read, under the name that their tags call it by."""
    name = RESULTS.get(node.name, "")
    return [f"{name}: {lines[0]}", *lines[1:]] if name else lines


def heading(node: Node, name: str) -> str:
    """A further flow is called after the part it stands in: indexer, compressor."""
    part = name.rpartition(".")[0].replace(".", ", ").replace("_", " ")
    return part[:1].upper() + part[1:]


def say_bytes(parts: Parts, nodes: Mapping[str, Node], lanes: list[Lane], tail: list) -> None:
    """Bytes beside the last yellow box of each kind; boxes of uneven branches stand where their lane puts them."""
    boxes: dict[str, Kept] = {}
    for lane in lanes:
        ends = list(leaves(lane))
        level = all(end.items and isinstance(end.items[-1], Kept) for end in ends)
        for one in walk(lane):
            for item in one.items:
                if isinstance(item, Kept):
                    boxes[nodes[item.nodes[-1]].keeps[0].kind] = item
                    item.stands_high = item.high and level
    for item in tail:
        if isinstance(item, Kept):
            boxes[nodes[item.nodes[-1]].keeps[0].kind] = item
    for item in boxes.values():
        item.say(steps.kept_item(parts, nodes[item.nodes[-1]], (), True, True))


def walk(lane: Lane) -> Iterator[Lane]:
    """A lane and all its branches."""
    yield lane
    for branch in lane.branches:
        yield from walk(branch)


def leaves(lane: Lane) -> Iterator[Lane]:
    """Where a lane ends."""
    return (one for one in walk(lane) if not one.branches)
