"""The nodes of a flow -> its drawn items: cuts go with what they cut or what follows, small steps join."""

from __future__ import annotations

from itertools import pairwise

from cutaway.gallery.drawing.annotations import tag_words, value_name
from cutaway.gallery.drawing.dataflow_paths import Paths
from cutaway.gallery.drawing.experts import BOX, Experts
from cutaway.gallery.drawing.head_items import CacheBox
from cutaway.gallery.drawing.items import Item, Pill, Tag
from cutaway.gallery.drawing.node_items import (
    Parts,
    cache_item,
    is_cache,
    is_matrix,
    is_silent,
    join_pills,
    matrix_item,
    pill_item,
    slice_item,
)
from cutaway.gallery.graph import Graph, Node


class FlowItems(Paths):
    """The paths of one graph, and what stands for their nodes in a drawing."""

    def __init__(self, graph: Graph, parts: Parts, role: str, experts: Experts | None = None) -> None:
        super().__init__(graph)
        self.experts = experts  # what stands for the operation on experts
        self.parts, self.role = parts, role

    def _items(self, names: list[str] | tuple[str, ...], split: set[str]) -> list[Item]:
        """Nodes in a row as items: cuts go with what they cut or what follows, small steps join."""
        out: list[Item] = []
        waiting: tuple[str, ...] = ()
        names = list(names)
        while names:
            node = self.nodes[names.pop(0)]
            if node.name in split and names:
                run = [node.name]
                while names and self.nodes[names[0]].op in ("slice", "concat", "scale"):
                    run.append(names.pop(0))
                cuts = [n for n in run if self.nodes[n].op == "slice"]
                out.append(self._cut(node, [self.nodes[n] for n in cuts], (*waiting, *run)))
                waiting = ()
                continue
            if is_silent(node) and not self._is_named(node):
                waiting += (node.name,)
                continue
            out = self._item(out, node, (*waiting, *self.extras.get(node.name, ()), node.name))
            waiting = ()
        if waiting:
            if out:
                out[-1].nodes += waiting
            else:
                out = [pill_item(self.parts, self.nodes[waiting[-1]], waiting, self._cut_words(waiting[-1]))]
        return self._settle(out)

    def _cut(self, whole: Node, cuts: list[Node], nodes: tuple[str, ...]) -> Item:
        """A part of a fused matrix; several parts that stay together are one."""
        item = slice_item(self.parts, whole, cuts[0], self.role, nodes)
        for cut in cuts[1:]:
            more = slice_item(self.parts, whole, cut, self.role, nodes)
            item.name += f", {more.name}"
            item.fan_out += more.fan_out
            item.brief = f"→ {item.fan_out:,}"
        return item

    def _cut_words(self, name: str) -> str:
        """A cut as a pill: B 16."""
        node = self.nodes[name]
        if node.op != "slice":
            return ""
        size = node.facts.get("stop", 0) - node.facts.get("start", 0)
        return node.words or f"{value_name(name)} {node.note or f'{size:,}' if size > 0 else ''}".strip()

    def _item(self, out: list, node: Node, nodes: tuple[str, ...]) -> list:
        """One more node behind the items so far."""
        if is_matrix(node):
            return [*out, matrix_item(self.parts, node, self.role, nodes)]
        if self.experts and node.op == BOX:
            return [*out, self.experts.box(node)]
        if is_cache(node):
            return [*out, cache_item(self.parts, node, nodes, high=True, last=False)]
        pill = pill_item(self.parts, node, nodes, self._cut_words(node.name))
        if (
            out
            and isinstance(out[-1], Pill)
            and not self._is_named_cut(out[-1])
            and (both := join_pills(out[-1], pill))
        ):
            return [*out[:-1], both]
        return [*out, pill]

    def _is_named_cut(self, pill: Pill) -> bool:
        """Whether a pill is the name of a part that is cut out."""
        return self.nodes[pill.nodes[-1]].op == "slice"

    @staticmethod
    def _settle(items: list) -> list:
        """A yellow box with something behind it does not stand right under the operation."""
        for item, after in pairwise(items):
            if isinstance(item, CacheBox) and not isinstance(after, str):
                item.stands_high = False
        return items

    def _tag(self, value: str, high: bool = False) -> Tag:
        """A value of elsewhere by its name."""
        role = self.role if value in self.nodes else "plain"
        return Tag(tag_words(value, self.nodes.get(value)), role, high, nodes=(value,))
