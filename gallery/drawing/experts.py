"""A mixture of experts -> a coarser graph, in which router and shared expert are one box each, and a field of cells.

The boxes name all nodes that they fold; the words on the router's box say what those do.
"""

from __future__ import annotations

from math import prod

from cutaway.gallery.drawing.annotations import expert_words, router_lines, shared_words
from cutaway.gallery.drawing.dataflow import Op
from cutaway.gallery.drawing.items import LINE, Box, Matrix
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.node_items import Parts
from cutaway.gallery.drawing.words import count
from cutaway.gallery.graph import Graph, Node
from cutaway.gallery.spec import MoE

BOX = "box"  # the operation of a folded node


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
            out.append(fold_nodes(box, boxes[box], graph, inside))
    return Graph(tuple(out), inside.get(graph.out, graph.out))


def fold_nodes(name: str, names: list[str], graph: Graph, inside: dict[str, str]) -> Node:
    """One node for several; of what it reads, the input of the graph is drawn and anything else is named."""
    own = [node for node in graph.nodes if node.name in names]
    reads = list(dict.fromkeys(value for node in own for value in node.inputs if inside.get(value) != name))
    drawn = ("x",) if "x" in reads else tuple(reads[:1])
    tensors = {f"{node.name}.{word}": tensor for node in own for word, tensor in node.tensors.items()}
    return Node(name, BOX, drawn, tensors, {"own": own, "reads": [r for r in reads if r not in drawn]})


# ---------------------------------------------------------------- the field of cells, and one expert opened


def choose_example(total: int, take: int, groups: int, from_groups: int) -> set[int]:
    """An example of a token's choice, always the same: spread, and in exactly `from_groups` of the groups."""
    groups = groups if 1 < groups <= total else 1
    size = total // groups
    taken = min(max(from_groups, 1), groups)
    pools = [list(range(g * size, (g + 1) * size)) for g in sorted(i * groups // taken for i in range(taken))]
    out: set[int] = set()
    for i in range(min(take, taken * size)):
        pool = pools[i * 5 % taken if taken % 5 else i % taken]
        out.add(pool.pop((5 + round(i * 0.618 * size) + 7 * i * i) % len(pool)))
    return out


MOST_CELLS = 4_096  # of one field: 64 by 64; published models have up to 896 experts


class Experts:
    """The field of expert cells with its router, and the matrices of one expert to scale."""

    GAP = 18  # between the matrices of a group; a narrow panel takes less

    def __init__(self, parts: Parts, each: int) -> None:
        m: MoE = parts.m
        self.m, self.h, self.parts = m, parts.h, parts
        self.groups: list[tuple[str, list[Matrix]]] = []
        first = [(n, s) for n, s in parts.own.items() if "{expert}" in n and n.endswith(".weight")]
        node = next(node for node in parts.graph.nodes if node.op == "experts")
        self.inner = expert_words(node)
        self.how = "weighed, then summed" if not m.on_input else "weighed before they run, then summed"
        self._group(parts, f"one expert · {count(each)} · {self.inner}", first, stacked=True)
        shared = [(n, s) for n, s in parts.own.items() if ".shared_experts." in n and n.endswith(".weight")]
        if shared:
            gate = ", behind a gate" if m.shared_gate else ""
            plural = f"{m.n_shared_experts} shared experts as one" if m.n_shared_experts > 1 else "shared expert"
            size = count(sum(prod(s) for _, s in shared))
            self._group(parts, f"{plural}, every token{gate} · {size}", shared)
        self.fold = max(1, -(-m.num_experts // MOST_CELLS))
        self.cells = -(-m.num_experts // self.fold)
        self.pools = m.n_group if self.fold == 1 else 1
        self.chosen = choose_example(self.cells, -(-m.num_experts_per_tok // self.fold), self.pools, m.topk_group)

    def _group(self, parts: Parts, heading: str, tensors: list, stacked: bool = False) -> None:
        matrices = []
        for name, shape in tensors:
            parts.left.pop(name, None)
            stored = parts.checkpoint_name(name)
            short = name.removesuffix(".weight").rpartition(".")[2]
            title = f"{stored} ({shape[0]} of them)" if stacked else stored
            matrices.append(Matrix("moe", short, shape[-1], shape[-2], title))
            matrices[-1].bare = True
        self.groups.append((heading, matrices))

    def matrices(self) -> list[Matrix]:
        return [matrix for _, group in self.groups for matrix in group]

    def field(self, nodes: tuple[str, ...]) -> Field:
        """The operation on experts."""
        return Field(self, nodes)

    def box(self, node: Node) -> Box:
        """The router, or what every token visits."""
        own = node.facts["own"]
        nodes = tuple(one.name for one in own)
        reads = (node.facts["reads"] or [""])[0]
        hover = "; ".join(
            self.parts.describe(tensor) for one in own for tensor in one.tensors.values() if node.name == "router"
        )
        if node.name == "router":
            first = next((one for one in own if one.name == "gate"), own[0])
            shape = first.tensors["weight"].shape if "weight" in first.tensors else (0, 0)
            return Box("moe", f"router {shape[-1]:,} → {shape[0]:,}", router_lines(own), nodes, hover, reads)
        many = f"{self.m.n_shared_experts} shared" if self.m.n_shared_experts > 1 else "shared expert"
        inner = shared_words(own)
        gate = [inner] if inner != self.inner and inner else []
        gate += ["× its own gate, σ"] if self.m.shared_gate else []
        gate += ["weighed by the router"] if reads else []
        for one in own:
            for tensor in one.tensors.values():
                self.parts.left.pop(tensor.name, None)
        alone = [tensor for one in own if "." not in one.name for tensor in one.tensors.values()]
        extra = "; ".join(self.parts.describe(tensor) for tensor in alone)
        return Box("moe", many, gate, nodes, extra, reads)

    def lines(self) -> list[str]:
        """The opened experts, a line each."""
        return [
            heading + ": " + "; ".join(matrix.lines()[0] for matrix in matrices) for heading, matrices in self.groups
        ]

    def grid_words(self) -> str:
        m = self.m
        grid = f"{self.cells} cells, {len(self.chosen)} of them lit as an example"
        grid += f", {self.group_words()}" if self.fold > 1 else ""
        return grid + (f", {m.zero_expert_num} zero experts" if m.zero_expert_num else "")

    # ---------------------------------------------------------------- the field of cells

    def group_words(self) -> str:
        """Beside the field, where its rows are groups: group 0–7; or how many experts a cell stands for."""
        m, (_, rows, _) = self.m, self.grid(500)
        if self.fold > 1:
            return f"a cell: {self.fold:,} experts"
        if m.n_group < 2 or m.num_experts % m.n_group or rows % m.n_group:
            return ""
        each = rows // m.n_group
        return f"group 0–{m.n_group - 1}" if each == 1 else f"{m.n_group} groups of {each} rows"

    def grid(self, most: float) -> tuple[int, int, int]:
        """(columns, rows, step) of the field within `most` px; a group is whole rows."""
        n, groups = self.cells, self.pools
        columns = max(1, next((c for limit, c in ((16, n), (64, 16), (512, 32)) if n <= limit), 64))
        if groups > 1 and n % groups == 0:
            size = n // groups
            columns = size if size <= 64 else next(c for c in range(64, 0, -1) if size % c == 0)
        rows = max(1, -(-n // columns))
        return columns, rows, max(3, min(15 if columns > 16 else 24, int(most // columns), max(4, 162 // rows)))

    def field_size(self, most: float) -> tuple[int, int]:
        columns, rows, step = self.grid(most)
        zero = 22 if self.m.zero_expert_num else 0
        return columns * step, rows * step + zero

    def put_field(self, m: Marks, x: float, y: float, most: float) -> None:
        """The cells, lit ones strong; identity experts as a dashed bar under them."""
        columns, rows, step = self.grid(most)
        side = step - (1 if step < 6 else 1.6 if step < 11 else 2.4)
        cell, n = f"h{side:g}v{side:g}h-{side:g}z", self.cells
        parts = []
        for r in range(rows):
            here = min(columns, n - r * columns)
            parts.append(f"M{x:g} {y + r * step:g}" + f"{cell}m{step} 0" * here)
        folded = f" ({self.group_words()})" if self.fold > 1 else ""
        m.open(f"{self.m.num_experts} experts{folded}; the lit ones are an example of what one token visits")
        m.path("cell moe", "".join(parts))
        lit = sorted(self.chosen)
        m.path("solid moe", "".join(f"M{x + i % columns * step:g} {y + i // columns * step:g}{cell}" for i in lit))
        m.close()
        if self.m.zero_expert_num:
            width = columns * step - (step - side)
            m.rect("ghost moe", x, y + rows * step + 4, width, 16, 3)
            m.middle("small", x + width / 2, y + rows * step + 12, f"{self.m.zero_expert_num} zero experts: no weights")

    # ---------------------------------------------------------------- opened experts

    def group_size(self, matrices: list[Matrix], lines: int = 1) -> tuple[float, float]:
        """Width and height of a group under a heading of so many lines."""
        w = sum(max(matrix.w, matrix.room) for matrix in matrices) + self.GAP * (len(matrices) - 1)
        lines += max(len(matrix.says) for matrix in matrices)
        return w, 14 + LINE * lines + max(matrix.h for matrix in matrices)

    def put_group(self, m: Marks, x: float, y: float, heading: list[str], matrices: list[Matrix]) -> None:
        m.beside(self.nodes_of(matrices))
        for i, line in enumerate(heading):
            m.text("ink", x, y + 12 + LINE * i, line)
        y += LINE * (len(heading) - 1)
        high = max(matrix.h for matrix in matrices)
        for matrix in matrices:
            slot = max(matrix.w, matrix.room)
            matrix.put(m, x + matrix.w / 2, y + 22 + high - matrix.h)
            for i, (style, words) in enumerate(matrix.says):
                m.text(style, x, y + 22 + high + 6 + 11 + LINE * i, words)
            x += slot + self.GAP
        m.close()

    def nodes_of(self, matrices: list[Matrix]) -> tuple[str, ...]:
        """The nodes that a group opens: the experts, or what belongs to a shared one."""
        if matrices is self.groups[0][1]:
            return ("experts",)
        return tuple(node.name for node in self.parts.graph.nodes if node.name.startswith("shared"))


class Field(Op):
    """The cells of all experts, as the operation that the router's weights run into."""

    def __init__(self, experts: Experts, nodes: tuple[str, ...]) -> None:
        self.experts = experts
        super().__init__("moe", [experts.how], nodes=nodes)

    def fit(self) -> None:
        super().fit()
        self.most(500)

    def most(self, room: float) -> None:
        """Take at most so much room."""
        label = self.experts.group_words()
        self.label = wide(label, "small") + 12 if label and room > 420 else 0
        self.field = self.experts.field_size(max(60, min(500, room - 20 - self.label)))
        self.least = max(self.field[0] + self.label + 20, self.room + 20)
        self.h = self.field[1] + 34

    def shrink(self) -> None:
        """It stays as it is."""

    def narrow(self, w: float) -> None:
        self.most(w)

    def shapes(self, m: Marks, x: float, y: float, w: float) -> None:
        m.rect("panel moe", x, y, w, self.h, 6)
        left = round(x + (w - self.field[0] - self.label) / 2 + self.label)
        self.experts.put_field(m, left, y + 10, max(60, min(500, self.least - 20 - self.label)))
        if self.label:
            m.text("small end", left - 10, y + 10 + self.field[1] / 2 + 4, self.experts.group_words())
        m.middle("small", x + w / 2, y + self.h - 12, self.words[0])

    def lines(self) -> list[str]:
        return [self.experts.grid_words(), *self.words]
