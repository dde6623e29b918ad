"""A graph -> the flows of a panel: one for each central operation, with the lanes that rise into it and its tail.

The last central operation comes first, and everything that it alone needs; what other operations need (an indexer, a
compressor) are flows of their own. A value that one flow makes and another reads is a tag that names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from gallery.drawing import steps
from gallery.drawing.flow import Flow, Lane, Sign
from gallery.drawing.items import Item, Kept, Pill, Tag
from gallery.drawing.operation import Op
from gallery.drawing.parts import Parts
from gallery.drawing.router import BOX
from gallery.graph import Graph, Node


class Path(NamedTuple):
    """How one value comes about inside a flow: from `root` through `nodes`; `end` is the node that reads it."""

    root: str  # "x", or a value of elsewhere
    nodes: tuple[str, ...]
    end: str


class Flows:
    """The flows of one graph, main one first."""

    def __init__(self, graph: Graph, parts: Parts, role: str, experts: Any = None) -> None:
        self.experts = experts  # what stands for the operation on experts
        self.parts, self.role, self.out = parts, role, graph.out
        self.nodes = {node.name: node for node in graph.nodes}
        self.place = {name: i for i, name in enumerate(self.nodes)}
        self.users: dict[str, list[str]] = {name: [] for name in self.nodes}
        for node in graph.nodes:
            for name in dict.fromkeys(node.inputs):
                if name in self.users:
                    self.users[name].append(node.name)
        self.taken: dict[str, str] = {}  # node -> the central operation whose flow draws it
        self.extras: dict[str, tuple[str, ...]] = {}  # node -> small steps that are drawn with it
        self.tails: dict[str, list[str]] = {}  # what stands behind a central operation that another one reads
        self.centrals = [node.name for node in graph.nodes if steps.is_central(node)] or [self._fallback()]

    def _fallback(self) -> str:
        """The operation of a graph that has no central one: the last that takes several values, or an activation."""
        several = [n for n, node in self.nodes.items() if self._parent(node) is None]
        acts = [n for n, node in self.nodes.items() if node.op == "act"]
        return (several or acts or [self.out])[-1]

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
        node, alone = self.nodes[central], steps.is_matrix(self.nodes[central])
        self.taken[central] = central
        tail, gates = self._walk(central) if first else self._after(central)
        inner = self._folded(central)
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
        self._say_bytes([*lanes], things)
        fed = any(not lane.loose for lane in lanes)
        heading = "" if first else steps_heading(node, central)
        return Flow(self._source(lanes) if fed else "", lanes, op, things, heading)

    def _operation(self, node: Node, names: tuple[str, ...]) -> Op:
        """The central operation; that on experts brings a picture of its own."""
        op = steps.op_item(self.parts, node, self.role, names)
        return self.experts.field(names) if self.experts and node.op == "experts" else op

    def _alone(self, op: Op, node: Node, lanes: list[Lane], names: tuple[str, ...]) -> Op:
        """A graph that is one matrix: the matrix is the lane, the operation is its answer."""
        item = steps.matrix_item(self.parts, node, self.role, names)
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

    def _folded(self, central: str) -> set[str]:
        """The operation and what only arranges its inputs: products, sums and cuts that nothing else reads."""
        inner, before = {central}, list(self.nodes)[: self.place[central]]
        while True:
            more = [name for name in reversed(before) if name not in inner and self._arranges(name, inner)]
            if not more:
                return inner
            inner.update(more)

    def _arranges(self, name: str, inner: set[str]) -> bool:
        """Whether a node only prepares what the operation reads."""
        node = self.nodes[name]
        if name in self.taken or not self.users[name] or not set(self.users[name]) <= inner:
            return False
        if steps.is_central(node) or steps.is_matrix(node) or node.keeps or self._cut_of_many(node, inner):
            return False
        return steps.is_silent(node) or len(set(node.inputs)) > 1

    def _cut_of_many(self, node: Node, inner: set[str]) -> bool:
        """A cut that is drawn: one of something other than a matrix, or of a matrix that feeds more than this."""
        if node.op != "slice":
            return False
        source = self.nodes.get(node.inputs[0])
        return not source or not steps.is_matrix(source) or not self._feeds_only(source.name, inner)

    def _feeds_only(self, name: str, inner: set[str]) -> bool:
        """Whether a value reaches nothing but the operation, through cuts at most."""
        return all(u in inner or (self.nodes[u].op in ("slice", "concat") and set(self.users[u]) <= inner)
                   for u in self.users[name])  # fmt: skip

    def _parent(self, node: Node) -> str | None:
        """The one value a node is made from; cuts of one matrix put side by side count as one. None: several."""
        sources = list(dict.fromkeys(node.inputs))
        if len(sources) == 1:
            return sources[0]
        if node.op == "concat" and all(n in self.nodes and self.nodes[n].op == "slice" for n in sources):
            wholes = {self.nodes[n].inputs[0] for n in sources}
            return wholes.pop() if len(wholes) == 1 else None
        if sources and all(self._at_hand(name) for name in sources):
            self.extras[node.name] = tuple(name for name in sources if name != "x")
            return "x"
        return None if sources else ""

    def _at_hand(self, name: str) -> bool:
        """The input, or a small step on it that is drawn with what reads it (the token before)."""
        node = self.nodes.get(name)
        if node is None:
            return name == "x"
        return node.inputs == ("x",) and not (steps.is_matrix(node) or steps.is_central(node) or steps.is_kept(node))

    def _path(self, value: str, central: str) -> tuple[str, tuple[str, ...]]:
        """(root, nodes) of a value: back to the input, another flow's value, or where several values meet."""
        found: list[str] = []
        while value in self.nodes and self.taken.get(value, central) == central:
            node = self.nodes[value]
            parent = self._parent(node)
            if steps.is_central(node):
                steps_behind = tuple(reversed(found))
                self.tails[value] = list(steps_behind)
                return (steps_behind[-1] if steps_behind else value), ()
            if parent is None:
                break
            found.append(value)
            self.taken |= dict.fromkeys(self.extras.get(value, ()), central)
            if node.op == "concat":
                found += [n for n in reversed(node.inputs) if n != parent]  # the cuts it puts side by side
            value = parent
        return value, tuple(reversed(found))

    def _order(self, path: Path, node: Node, inner: set[str]) -> int:
        """Lanes stand in the order in which the operation names its inputs."""
        if path.end == node.name:
            return 2 * list(node.inputs).index(path.nodes[-1] if path.nodes else path.root)
        reached = path.end
        while reached not in node.inputs:
            reached = next((u for u in self.users[reached] if u in inner), node.inputs[-1])
        return 2 * list(node.inputs).index(reached) + 1

    # ---------------------------------------------------------------- behind the operation

    def _walk(self, central: str) -> tuple[list[str], dict[str, list[Path]]]:
        """The nodes from the main operation to the output, and how the other inputs of each come about."""
        tail, gates, here = [], {}, central
        while here != self.out and self.users[here]:
            there = self.users[here][-1]
            tail.append(there)
            self.taken[there] = central
            here = there
        before = central
        for name in tail:
            others = [n for n in dict.fromkeys(self.nodes[name].inputs) if n != before]
            gates[name] = [Path(*self._path(other, central), name) for other in others]
            before = name
        for paths in gates.values():
            for path in paths:
                self.taken |= dict.fromkeys(path.nodes, central)
        return tail, gates

    def _after(self, central: str) -> tuple[list[str], dict[str, list[Path]]]:
        """What stands behind a further operation: what its reader left to it, or steps that nobody drew yet."""
        tail = list(self.tails.get(central, ()))
        here = central
        while not tail or here != tail[-1]:
            users = [u for u in self.users[here] if u not in self.taken]
            if tail or len(users) != 1:
                break
            after = self.nodes[users[0]]
            if len(set(after.inputs)) > 1 or steps.is_central(after):
                break
            tail, here = [users[0]], users[0]
        self.taken |= dict.fromkeys(tail, central)
        return tail, {name: [] for name in tail}

    def _tail(self, tail: list[str], gates: dict, central: str, split: set[str], lanes: list[Lane]) -> list:
        """Items and signs; a sign brings a lane of its own."""
        out: list = []
        for name in tail:
            node = self.nodes[name]
            if gates.get(name):
                for path in gates[name]:
                    out.append(Sign(steps.SIGNS.get(node.op, "none"), (name,)))
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
        beside = steps.step_words(self.nodes[act[0]]) if act else ""
        return Lane(items, to="gate", beside=beside, loose=loose, ends=(path.end,), said=act)

    # ---------------------------------------------------------------- lanes

    def _split(self, entries: list[Path], gates: dict[str, list[Path]]) -> set[str]:
        """Fused matrices that are drawn part by part: more than two parts, or parts that go different ways."""
        heads: dict[str, set[tuple]] = {}
        for to, paths in (("op", entries), ("gate", [p for found in gates.values() for p in found])):
            for path in paths:
                cut = next((n for n in path.nodes if self.nodes[n].op in ("slice", "concat")), None)
                first = next((n for n in path.nodes if steps.is_matrix(self.nodes[n])), None)
                if path.root == "x" and cut and first and self.place[cut] > self.place[first]:
                    heads.setdefault(first, set()).add((to, self._until_cut(path.nodes, first)))
        return {name for name, ways in heads.items() if len(ways) > 2 or len({to for to, _ in ways}) > 1}

    def _until_cut(self, names: tuple[str, ...], first: str) -> str:
        """The last cut or side-by-side of those that follow a matrix at once."""
        at = names.index(first) + 1
        while at < len(names) and self.nodes[names[at]].op in ("slice", "concat", "scale"):
            at += 1
        return names[at - 1]

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
            items += self._adorned(paths, node)
            return Lane(items, ends=tuple(path.end for path in paths))
        ways: dict[str, list[Path]] = {}
        for path in paths:
            ways.setdefault(path.nodes[at] if len(path.nodes) > at else "", []).append(path)
        return Lane(items, [self._grow(way, at, split, node) for way in ways.values()])

    def _adorned(self, paths: list[Path], node: Node) -> list[Item]:
        """Queries are shown as cells where they enter softmax attention."""
        first = node.op == "attend" and any(
            (path.nodes[-1] if path.nodes else path.root) == node.inputs[0] for path in paths
        )
        found = steps.heads_item(self.parts, self.role) if first else None
        return [found] if found else []

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
            if steps.is_silent(node) and not self._shown(node):
                waiting += (node.name,)
                continue
            out = self._item(out, node, (*waiting, *self.extras.get(node.name, ()), node.name))
            waiting = ()
        if waiting:
            if out:
                out[-1].nodes += waiting
            else:
                out = [steps.pill_item(self.parts, self.nodes[waiting[-1]], waiting, self._cut_words(waiting[-1]))]
        return self._settle(out)

    def _cut(self, whole: Node, cuts: list[Node], nodes: tuple[str, ...]) -> Item:
        """A part of a fused matrix; several parts that stay together are one."""
        item = steps.slice_item(self.parts, whole, cuts[0], self.role, nodes)
        for cut in cuts[1:]:
            more = steps.slice_item(self.parts, whole, cut, self.role, nodes)
            item.name += f", {more.name}"
            item.fan_out += more.fan_out
            item.brief = f"→ {item.fan_out:,}"
        return item

    def _shown(self, node: Node) -> bool:
        """A cut of something other than a matrix is named."""
        source = self.nodes.get(node.inputs[0])
        return node.op == "slice" and not (source and steps.is_matrix(source))

    def _cut_words(self, name: str) -> str:
        """A cut as a pill: B 16."""
        node = self.nodes[name]
        if node.op != "slice":
            return ""
        size = node.facts.get("stop", 0) - node.facts.get("start", 0)
        return node.words or f"{steps.value_name(name)} {node.note or f'{size:,}' if size > 0 else ''}".strip()

    def _item(self, out: list, node: Node, nodes: tuple[str, ...]) -> list:
        """One more node behind the items so far."""
        if steps.is_matrix(node):
            return [*out, steps.matrix_item(self.parts, node, self.role, nodes)]
        if node.op == BOX:
            return [*out, self.experts.box(node)]
        if steps.is_kept(node):
            return [*out, steps.kept_item(self.parts, node, nodes, high=True, last=False)]
        pill = steps.pill_item(self.parts, node, nodes, self._cut_words(node.name))
        if out and isinstance(out[-1], Pill) and not self._named(out[-1]) and (both := steps.joined(out[-1], pill)):
            return [*out[:-1], both]
        return [*out, pill]

    def _named(self, pill: Pill) -> bool:
        """Whether a pill is the name of a part that is cut out."""
        return self.nodes[pill.nodes[-1]].op == "slice"

    @staticmethod
    def _settle(items: list) -> list:
        """A yellow box with something behind it does not stand right under the operation."""
        for item, after in pairwise(items):
            if isinstance(item, Kept) and not isinstance(after, str):
                item.stands_high = False
        return items

    def _tag(self, value: str, high: bool = False) -> Tag:
        """A value of elsewhere by its name."""
        role = self.role if value in self.nodes else "plain"
        return Tag(tag_words(value, self.nodes.get(value)), role, high, nodes=(value,))

    def _say_bytes(self, lanes: list[Lane], tail: list) -> None:
        """Bytes beside the last yellow box of each kind; boxes of uneven branches stand where their lane puts them."""
        boxes: dict[str, Kept] = {}
        for lane in lanes:
            ends = list(leaves(lane))
            level = all(end.items and isinstance(end.items[-1], Kept) for end in ends)
            for one in walk(lane):
                for item in one.items:
                    if isinstance(item, Kept):
                        boxes[self.nodes[item.nodes[-1]].keeps[0].kind] = item
                        item.stands_high = item.high and level
        for item in tail:
            if isinstance(item, Kept):
                boxes[self.nodes[item.nodes[-1]].keeps[0].kind] = item
        for item in boxes.values():
            item.say(steps.kept_item(self.parts, self.nodes[item.nodes[-1]], (), True, True))


def walk(lane: Lane) -> Iterator[Lane]:
    """A lane and all its branches."""
    yield lane
    for branch in lane.branches:
        yield from walk(branch)


def leaves(lane: Lane) -> Iterator[Lane]:
    """Where a lane ends."""
    return (one for one in walk(lane) if not one.branches)


TAGS = {
    "q_a_layernorm": "query latent",
    "q_a_norm": "query latent",
    "latent": "latent",
    "key": "rotated key",
    "keys": "K",
    "values": "V",
}


def tag_words(value: str, node: Node | None) -> str:
    """A value of elsewhere in words: K of layer 13, query latent, only top 2,048 tokens."""
    where, _, name = value.rpartition(":")
    short = name.rpartition(".")[2]
    words = TAGS.get(short, short)
    if where.startswith("layer"):
        return f"{words} of layer {where[5:]}"
    if where:
        return f"{words} of an earlier layer" if where == "earlier" else f"{words} of the model"
    if value == "cross":
        return "from the other tower"
    if node is not None and node.words.startswith("top "):
        return node.words.replace("top ", "only ", 1)
    if node is not None and node.keeps:
        return steps.kept_words(node)
    return words


def steps_heading(node: Node, name: str) -> str:
    """A further flow is called after the part it stands in: indexer, compressor."""
    part = name.rpartition(".")[0].replace(".", ", ").replace("_", " ")
    return part[:1].upper() + part[1:]


def flows_of(graph: Graph, parts: Parts, role: str) -> list[Flow]:
    """All flows of a graph, main one first."""
    return Flows(graph, parts, role).all()
