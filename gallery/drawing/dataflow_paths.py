"""A graph -> which nodes a flow of a panel draws: what folds into an operation, the paths into it, what stands behind.

A path is how one value comes about: from the input, or from a value of elsewhere, through the nodes that nothing else
reads. Nothing here is drawn; flow_items.py makes items of it.
"""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.drawing.node_items import is_cache, is_central, is_matrix, is_silent, learned_frequencies
from cutaway.gallery.graph import Graph, Node


class Path(NamedTuple):
    """How one value comes about inside a flow: from `root` through `nodes`; `end` is the node that reads it."""

    root: str  # "x", or a value of elsewhere
    nodes: tuple[str, ...]
    end: str


def _flowing(node: Node) -> Node:
    """A node with the inputs that lines lead from: learned frequencies are words on the rotation that reads them."""
    learned = learned_frequencies(node)
    return node._replace(inputs=tuple(name for name in node.inputs if name != learned)) if learned else node


class Paths:
    """The nodes of one graph, and the operation whose flow draws each."""

    def __init__(self, graph: Graph) -> None:
        self.out = graph.out
        self.nodes = {node.name: _flowing(node) for node in graph.nodes}
        self.place = {name: i for i, name in enumerate(self.nodes)}
        self.users: dict[str, list[str]] = {name: [] for name in self.nodes}
        for node in graph.nodes:
            for name in dict.fromkeys(node.inputs):
                if name in self.users:
                    self.users[name].append(node.name)
        self.taken: dict[str, str] = {}  # node -> the central operation whose flow draws it
        self.extras: dict[str, tuple[str, ...]] = {}  # node -> small steps that are drawn with it
        self.tails: dict[str, list[str]] = {}  # what stands behind a central operation that another one reads
        self.centrals = [node.name for node in graph.nodes if is_central(node)] or [self._fallback()]

    def _fallback(self) -> str:
        """The operation of a graph that has no central one: the last that takes several values, or an activation."""
        several = [n for n, node in self.nodes.items() if self._parent(node) is None]
        acts = [n for n, node in self.nodes.items() if node.op == "act"]
        return (several or acts or [self.out])[-1]

    # ---------------------------------------------------------------- into the operation

    def _fold(self, central: str) -> set[str]:
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
        if is_central(node) or is_matrix(node) or node.keeps or self._cut_of_many(node, inner):
            return False
        return is_silent(node) or len(set(node.inputs)) > 1

    def _cut_of_many(self, node: Node, inner: set[str]) -> bool:
        """A cut that is drawn: one of something other than a matrix, or of a matrix that feeds more than this."""
        if node.op != "slice":
            return False
        source = self.nodes.get(node.inputs[0])
        return not source or not is_matrix(source) or not self._feeds_only(source.name, inner)

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
        return node.inputs == ("x",) and not (is_matrix(node) or is_central(node) or is_cache(node))

    def _path(self, value: str, central: str) -> tuple[str, tuple[str, ...]]:
        """(root, nodes) of a value: back to the input, another flow's value, or where several values meet."""
        found: list[str] = []
        while value in self.nodes and self.taken.get(value, central) == central:
            node = self.nodes[value]
            parent = self._parent(node)
            if is_central(node):
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

    def _split(self, entries: list[Path], gates: dict[str, list[Path]]) -> set[str]:
        """Fused matrices that are drawn part by part: more than two parts, or parts that go different ways."""
        heads: dict[str, set[tuple]] = {}
        for to, paths in (("op", entries), ("gate", [p for found in gates.values() for p in found])):
            for path in paths:
                cut = next((n for n in path.nodes if self.nodes[n].op in ("slice", "concat")), None)
                first = next((n for n in path.nodes if is_matrix(self.nodes[n])), None)
                if path.root == "x" and cut and first and self.place[cut] > self.place[first]:
                    heads.setdefault(first, set()).add((to, self._until_cut(path.nodes, first)))
        return {name for name, ways in heads.items() if len(ways) > 2 or len({to for to, _ in ways}) > 1}

    def _until_cut(self, names: tuple[str, ...], first: str) -> str:
        """The last cut or side-by-side of those that follow a matrix at once."""
        at = names.index(first) + 1
        while at < len(names) and self.nodes[names[at]].op in ("slice", "concat", "scale"):
            at += 1
        return names[at - 1]

    def _is_named(self, node: Node) -> bool:
        """A cut of something other than a matrix is named."""
        source = self.nodes.get(node.inputs[0])
        return node.op == "slice" and not (source and is_matrix(source))

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
            if len(set(after.inputs)) > 1 or is_central(after):
                break
            tail, here = [users[0]], users[0]
        self.taken |= dict.fromkeys(tail, central)
        return tail, {name: [] for name in tail}
