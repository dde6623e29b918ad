"""A mixture of experts as a coarser graph: the router is one box, what every token visits is another.

The boxes name all nodes that they fold; the words on the router's box say what those do.
"""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.gallery.drawing.items import Item
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide, wrapped
from cutaway.gallery.drawing.steps import LINES, act, glu_words
from cutaway.gallery.graph import Graph, Node

BOX = "box"  # the operation of a folded node


class Box(Item):
    """Several nodes in one named box, with lines that say what they do."""

    __slots__ = ("hover", "name", "reads", "shown", "text")

    def __init__(
        self, role: str, name: str, text: list[str], nodes: tuple[str, ...], hover: str = "", reads: str = ""
    ) -> None:
        self.role, self.name, self.text, self.nodes, self.hover, self.reads = role, name, text, nodes, hover, reads
        self.says = []
        self.fit(1)

    def fit(self, scale: float) -> None:
        self.wrap(10**4)

    def wrap(self, room: float) -> None:
        """The words in lines of at most this width."""
        self.shown = [line for words in self.text for line in wrapped(words, "small", room)]
        self.w = max([wide(self.name, "name"), *(wide(line, "small") for line in self.shown)]) + 18
        self.h = 26 + 14 * len(self.shown) + (2 if self.shown else 0)

    def title(self) -> str:
        return self.hover

    def shapes(self, m: Marks, x: float, y: float) -> None:
        if self.reads:
            m.open("", (self.reads,), refer=True)
        m.rect("box " + self.role, x - self.w / 2, y, self.w, self.h, 6)
        m.middle("name", x, y + 13, self.name)
        for i, line in enumerate(self.shown):
            m.middle("small", x, y + 31 + 14 * i, line)
        if self.reads:
            m.close()

    def lines(self) -> list[str]:
        return [", ".join([self.name, *self.text]) + (f" [{self.hover}]" if self.hover else "")]


def behind(graph: Graph, value: str, stop: set[str]) -> list[str]:
    """A value and all nodes it comes from, in running order."""
    nodes = {node.name: node for node in graph.nodes}
    found, pending = set(), [value]
    while pending:
        name = pending.pop()
        if name in nodes and name not in found and name not in stop:
            found.add(name)
            pending += nodes[name].inputs
    return [name for name in nodes if name in found]


def coarse(graph: Graph) -> Graph:
    """The graph with its router, and all that belongs to a shared expert, as one node each."""
    experts = next(node for node in graph.nodes if node.op == "experts")
    boxes = {"router": behind(graph, experts.inputs[1], set())}
    own = set(boxes["router"]) | set(behind(graph, experts.name, set()))
    joined = next((node for node in graph.nodes if node.op == "add" and node.name == "with_shared"), None)
    if joined:
        boxes["shared"] = behind(graph, joined.inputs[1], own)
    inside = {name: box for box, names in boxes.items() for name in names}
    out: list[Node] = []
    for node in graph.nodes:
        box = inside.get(node.name)
        if box is None:
            out.append(
                Node(node.name, node.op, tuple(inside.get(n, n) for n in node.inputs), node.tensors, node.facts,
                     node.keeps, node.words, node.note)
            )  # fmt: skip
        elif node.name == boxes[box][-1]:
            out.append(folded(box, boxes[box], graph, inside))
    return Graph(tuple(out), inside.get(graph.out, graph.out))


def folded(name: str, names: list[str], graph: Graph, inside: dict[str, str]) -> Node:
    """One node for several; of what it reads, the input of the graph is drawn and anything else is named."""
    own = [node for node in graph.nodes if node.name in names]
    reads = list(dict.fromkeys(value for node in own for value in node.inputs if inside.get(value) != name))
    drawn = ("x",) if "x" in reads else tuple(reads[:1])
    tensors = {f"{node.name}.{word}": tensor for node in own for word, tensor in node.tensors.items()}
    return Node(name, BOX, drawn, tensors, {"own": own, "reads": [r for r in reads if r not in drawn]})


SCORES = {"sqrtsoftplus": "√softplus"}


def router_lines(own: list[Node]) -> list[str]:
    """What a router does with its logits: scores, the choice, the weights of the chosen."""
    by_op = {node.op: node for node in own}
    score, choose, weigh = by_op.get("score"), by_op.get("choose"), by_op["weigh"]
    out = [f"logits soft-capped at ± {by_op['softcap'].facts['cap']:g}"] if "softcap" in by_op else []
    words = f"{SCORES.get(score.facts['act'], score.facts['act'])} scores" if score else ""
    if choose is None:
        out.append(f"{words}, experts by the token alone: a hash")
    else:
        bias = " + selection bias" if "bias" in choose.tensors else ""
        top = f"top {choose.facts['k']}"
        if choose.facts["groups"] > 1:
            top += f" in {choose.facts['topk_group']} of {choose.facts['groups']} groups"
        out += [f"{words}{bias}, {top}" if score else f"{top} logits{bias}, then {weigh.facts['score']}"]
    weights = ["weights normalised"] if weigh.facts["normalise"] else []
    weights += [f"× {weigh.facts['scale']:g}"] if weigh.facts["scale"] != 1 else []
    weights = ["weights", *weights] if weights and "×" in weights[0] else weights
    return [*out, *([" ".join(weights)] if weights else []), *stored_scale(own)]


def stored_scale(own: list[Node]) -> list[str]:
    """What the weights of the chosen are multiplied by at last, where that is stored (Gemma 4, Inkling)."""
    numbers = next((node.tensors["weight"].shape[0] for node in own if node.name == "weights_scaled"), 0)
    return ["× a stored number" + (" per expert" if numbers > 1 else "")] if numbers else []


def expert_words(node: Node) -> str:
    """What happens inside an expert: SiLU(gate) × up."""
    facts = node.facts
    return glu_words(facts) if facts.get("gated", True) else f"{act(facts['act'])}(up)"


def shared_words(nodes: Iterable[Node]) -> str:
    """The same inside the expert that every token visits; "" where none has a way of its own."""
    node = next((one for one in nodes if one.name in ("shared.glu", "shared.act")), None)
    return ", ".join(LINES[node.op](node)) if node and node.op in LINES else ""
