"""A graph -> the flows of a panel: one for each central operation, with the lanes that rise into it and its tail.

The last central operation comes first, and everything that it alone needs; what other operations need (an indexer, a
compressor) are flows of their own. A value that one flow makes and another reads is a tag that names it.
"""

from __future__ import annotations

from cutaway.gallery.drawing.annotations import flow_heading, prefix_name, step_words
from cutaway.gallery.drawing.dataflow import Flow, Lane, Op, Sign
from cutaway.gallery.drawing.dataflow_paths import Path
from cutaway.gallery.drawing.flow_items import FlowItems
from cutaway.gallery.drawing.items import Item, Tag
from cutaway.gallery.drawing.kept_bytes import say_bytes
from cutaway.gallery.drawing.node_items import SIGNS, Parts, heads_item, is_matrix, matrix_item, op_item
from cutaway.gallery.graph import Graph, Node


class Flows(FlowItems):
    """The flows of one graph, main one first."""

    def all(self) -> list[Flow]:
        """Flows until every node is drawn."""
        out: list[Flow] = []
        pending = [self.centrals[-1]]
        while pending:
            out.append(self._flow(pending.pop(0), first=not out))
            missing = [n for n in self.nodes if n not in self.taken]
            if not pending and missing:
                left = [n for n in self.centrals if n in missing]
                pending = [left[-1] if left else missing[-1]]
        return [out[0], *sorted(out[1:], key=lambda flow: self.place[flow.op.nodes[0]])]

    # ---------------------------------------------------------------- one flow

    def _flow(self, central: str, first: bool) -> Flow:
        node, alone = self.nodes[central], is_matrix(self.nodes[central])
        self.taken[central] = central
        tail, gates = self._walk(central) if first else self._after(central)
        inner = self._fold(central)
        for name in inner:
            self.taken[name] = central
        entries = [
            Path(*self._path(source, central), name)
            for name in sorted(inner, key=self.place.__getitem__)
            for source in dict.fromkeys(self.nodes[name].inputs)
            if source not in inner
        ]
        entries.sort(key=lambda path: self._order(path, node, inner))
        split = self._split(entries, gates)
        for path in entries:
            self.taken |= dict.fromkeys(path.nodes, central)
        lanes = self._lanes(entries, split, node)
        if node.tensors.get("sinks"):
            lanes.append(Lane([Tag(f"sinks {node.facts['heads']}", self.role, nodes=(node.tensors["sinks"].name,))],
                              loose=True, ends=(central,)))  # fmt: skip
        things = self._tail(tail, gates, central, split, lanes)
        names = (central, *sorted(inner - {central}, key=self.place.__getitem__))
        if alone:
            op = Op(self.role, ["y = W x, token by token"], nodes=names)
            op = self._alone(op, node, lanes, names)
        else:
            op = self._operation(node, names)
        say_bytes(self.parts, self.nodes, lanes, things)
        fed = any(not lane.loose for lane in lanes)
        heading = "" if first else flow_heading(node, central)
        return Flow(self._source(lanes) if fed else "", lanes, op, things, heading)

    def _operation(self, node: Node, names: tuple[str, ...]) -> Op:
        """The central operation; that on experts brings a picture of its own."""
        op = op_item(self.parts, node, self.role, names)
        op.words = prefix_name(node, op.words)
        return self.experts.field(names) if self.experts and node.op == "experts" else op

    def _alone(self, op: Op, node: Node, lanes: list[Lane], names: tuple[str, ...]) -> Op:
        """A graph that is one matrix: the matrix is the lane, the operation is its answer."""
        item = matrix_item(self.parts, node, self.role, names)
        for lane in lanes[:1]:
            lane.items.append(item)
            lane.ends = ("out",)
        op.nodes = ("out",)
        return op

    def _source(self, lanes: list[Lane]) -> str:
        """The input with its width, as the first matrix reads it."""
        for lane in lanes:
            for item in lane.items:
                if hasattr(item, "fan_in") and not lane.loose:
                    return f"x {item.fan_in:,}"
        return f"x {self.parts.h:,}"

    # ---------------------------------------------------------------- behind the operation

    def _tail(self, tail: list[str], gates: dict, central: str, split: set[str], lanes: list[Lane]) -> list:
        """Items and signs; a sign brings a lane of its own."""
        out: list = []
        for name in tail:
            node = self.nodes[name]
            if gates.get(name):
                if node.words:  # a step of its own before the sign
                    out = self._item(out, node, (name,))
                for path in gates[name]:
                    out.append(Sign(SIGNS.get(node.op, "none"), (name,)))
                    lanes.append(self._gate(path, split))
                continue
            out = self._item(out, node, (name,))
        return self._settle(out)

    def _gate(self, path: Path, split: set[str]) -> Lane:
        """What meets the tail at a sign; a last activation is a word beside its edge."""
        names = list(path.nodes)
        act: tuple[str, ...] = ()
        if len(names) > 1 and self.nodes[names[-1]].op == "act":
            act = (names.pop(),)
        items = self._items(names, split)
        loose = path.root != "x"
        if loose and path.root:
            items.insert(0, self._tag(path.root))
        beside = step_words(self.nodes[act[0]]) if act else ""
        return Lane(items, to="gate", beside=beside, loose=loose, ends=(path.end,), said=act)

    # ---------------------------------------------------------------- lanes

    def _lanes(self, entries: list[Path], split: set[str], node: Node) -> list[Lane]:
        """One lane for each first item; paths that begin alike share it and branch."""
        groups: dict[tuple, list[Path]] = {}
        for path in entries:
            head = path.nodes[:1] if path.nodes else (path.root,)
            if path.nodes and any(n in split for n in path.nodes):
                first = next(n for n in path.nodes if n in split)
                head = (self._until_cut(path.nodes, first),)
            key = (path.root, *(head if path.root == "x" or path.nodes else ()))
            groups.setdefault(key, []).append(path)
        out = []
        for (root, *_), paths in groups.items():
            lane = self._grow(paths, 0, split, node)
            if root != "x":
                lane.loose = True
                if root:
                    lane.items.insert(0, self._tag(root, high=not lane.items and not lane.branches))
            out.append(lane)
        return out

    def _grow(self, paths: list[Path], at: int, split: set[str], node: Node) -> Lane:
        """The items that all paths share, then a branch for each way on."""
        shared: list[str] = []
        while all(len(path.nodes) > at for path in paths) and len({path.nodes[at] for path in paths}) == 1:
            shared.append(paths[0].nodes[at])
            at += 1
        ended = all(len(path.nodes) == at for path in paths)
        items = self._items(shared, split)
        if ended:
            items += self._add_heads(paths, node)
            return Lane(items, ends=tuple(path.end for path in paths))
        ways: dict[str, list[Path]] = {}
        for path in paths:
            ways.setdefault(path.nodes[at] if len(path.nodes) > at else "", []).append(path)
        return Lane(items, [self._grow(way, at, split, node) for way in ways.values()])

    def _add_heads(self, paths: list[Path], node: Node) -> list[Item]:
        """Queries are shown as cells where they enter softmax attention."""
        first = node.op == "attend" and any(
            (path.nodes[-1] if path.nodes else path.root) == node.inputs[0] for path in paths
        )
        found = heads_item(self.parts, self.role) if first else None
        return [found] if found else []


def flows_of(graph: Graph, parts: Parts, role: str) -> list[Flow]:
    """All flows of a graph, main one first."""
    return Flows(graph, parts, role).all()
