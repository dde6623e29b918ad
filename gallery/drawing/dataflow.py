"""A dataflow: lanes rise from the input into an operation, and a tail leads out of it.

Two arrangements of the same flow: lanes_wide.py (lanes side by side, the tail to the right) and lanes_narrow.py (lanes
in several tiers, the tail on top, for narrow panels). Both keep the lanes' order: no edges cross.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cutaway.gallery.drawing.items import Item, Matrix
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide


class State:
    """A fixed state that every token rewrites: a grid of cells, with its name and size."""

    SIDE, CELL = 8, 6

    def __init__(self, name: str, size: str) -> None:
        self.name, self.size, self.h = name, size, self.SIDE * self.CELL
        self.shown = size
        self.w = self._width(size)

    def _width(self, size: str) -> int:
        return self.h + 10 + max(wide(self.name, "keptsays"), wide(size, "monoink"))

    def narrow(self, w: float) -> None:
        """The format of the numbers goes where there is no room for it; the outline keeps it."""
        self.shown, self.w = self.size, self._width(self.size)
        if self.w > w:
            self.shown = self.size.replace(" FP32", "")
            if self._width(self.shown) > w:
                self.shown = self.size.rpartition("= ")[2]
            self.w = self._width(self.shown)

    def put(self, m: Marks, x: float, y: float) -> None:
        m.path("keepsoft", f"M{x:g} {y:g}{_SOFT}")
        m.path("keepcell", f"M{x:g} {y:g}{_STRONG}")
        m.text("keptsays", x + self.h + 10, y + self.h / 2 - 4, self.name)
        m.text("monoink", x + self.h + 10, y + self.h / 2 + 12, self.shown)

    def lines(self) -> list[str]:
        return [f"keeps {self.name}: {self.size}"]


def _scatter(lit: bool) -> str:
    """The cells of a state that are bright, or those that are not, as one relative path: a fixed scatter."""
    side, step = State.SIDE, State.CELL
    cells = (
        ("h5v5h-5z" if ((r * 7 + c * 11 + r * c * 5) % 8 < 3) is lit else "") + f"m{step} 0"
        for r in range(side)
        for c in range(side)
    )
    return "".join(cell + (f"m-{side * step} {step}" if i % side == side - 1 else "") for i, cell in enumerate(cells))


_STRONG, _SOFT = _scatter(True), _scatter(False)


class Op:
    """The operation that the lanes run into: one or two lines, and the state it keeps."""

    def __init__(
        self, role: str, lines: list[str], state: State | None = None, uses: str = "", nodes: tuple[str, ...] = ()
    ) -> None:
        self.role, self.words, self.state, self.uses, self.nodes = role, lines, state, uses, nodes
        self.fit()

    def fit(self) -> None:
        """As it is before any panel asks for less: panels of all widths, and of all models, share it."""
        if self.state:
            self.state.narrow(float("inf"))
        self.style, self.stacked = "name", False
        self._measure()
        self.h = max(20 * len(self.words) + 16, self.state.h + 14 if self.state else 0)

    def _measure(self) -> None:
        state = self.state
        self.room = max(wide(line, self.style) for line in self.words)
        self.least = self.room + (28 if self.style == "name" else 18) + (state.w + 24 if state else 0)

    def shrink(self) -> None:
        """Smaller words, for a flow that may stand beside another."""
        self.style = "ink"
        self._measure()

    def narrow(self, w: float) -> None:
        """Where words and state do not fit beside each other in `w`, the state goes under the words."""
        self.stacked = self.state is not None and self.least > w
        if self.state and self.stacked:
            self.state.narrow(w - 20)
            self.h = 20 * len(self.words) + 16 + self.state.h + 8

    def put(self, m: Marks, x: float, y: float, w: float) -> None:
        m.open(self.uses, self.nodes)
        self.shapes(m, x, y, w)
        m.close()

    def shapes(self, m: Marks, x: float, y: float, w: float) -> None:
        m.rect("box " + self.role, x, y, w, self.h, 6)
        centre, middle = x + w / 2, y + self.h / 2
        if self.state and self.stacked:
            middle = y + 8 + 10 * len(self.words)
            self.state.put(m, max(x + 10, round(centre - self.state.w / 2)), y + self.h - self.state.h - 8)
        elif self.state:
            spare = max(0, (w - self.least) / 3)
            centre = x + 14 + spare + self.room / 2
            self.state.put(m, x + 14 + self.room + 24 + spare * 2, y + (self.h - self.state.h) / 2)
        first = middle - 10 * (len(self.words) - 1)
        for i, line in enumerate(self.words):
            m.middle(self.style, centre, first + 20 * i, line)

    def lines(self) -> list[str]:
        return [*self.words, *([f"[{self.uses}]"] if self.uses else []), *(self.state.lines() if self.state else [])]


# ---------------------------------------------------------------- lanes and flows


@dataclass(slots=True)
class Lane:
    """Items from bottom to top; then either branches, or the operation ("op"), or a sign of the tail ("gate")."""

    items: list[Item]
    branches: list[Lane] = field(default_factory=list)
    to: str = "op"
    beside: str = ""  # a word beside the last edge
    loose: bool = False  # does not come from the input (its first item says where from)
    ends: tuple[str, ...] = ()  # the nodes that read what comes out
    said: tuple[str, ...] = ()  # the nodes that the word beside the last edge stands for


@dataclass(slots=True)
class Sign:
    """A circled sign of the tail, where a gate lane arrives."""

    what: str  # "times" | "plus" | "none"
    nodes: tuple[str, ...] = ()


@dataclass(slots=True)
class Flow:
    """One operation with everything that leads into it and out of it."""

    source: str  # words under the input: "x 7,168"
    lanes: list[Lane]
    op: Op
    tail: list  # Items, and a Sign where a gate lane arrives
    heading: str = ""

    def __post_init__(self) -> None:
        self.tail = [Sign(item) if isinstance(item, str) else item for item in self.tail]

    def items(self) -> list[Item]:
        found: list[Item] = []
        pending = list(self.lanes)
        while pending:
            lane = pending.pop(0)
            found += lane.items
            pending[:0] = lane.branches
        return found + [item for item in self.tail if not isinstance(item, Sign)]

    def matrices(self) -> list[Matrix]:
        return [item for item in self.items() if isinstance(item, Matrix)]

    def lines(self, indent: str = "") -> list[str]:
        """The outline: input, lanes bottom to top, operation, tail."""
        out = [indent + self.heading] if self.heading else []
        out += [indent + line for lane in self.lanes for line in _lane_lines(lane)]
        out += [indent + "⇒ " + line for line in self.op.lines()]
        tail = [item.what if isinstance(item, Sign) else " · ".join(item.lines()) for item in self.tail]
        return out + ([indent + "→ " + " → ".join(tail)] if tail else [])


def _lane_lines(lane: Lane) -> list[str]:
    own = " → ".join(" · ".join(item.lines()) for item in lane.items)
    if lane.beside:
        own += f" ({lane.beside})"
    if not lane.branches:
        return [own]
    return [own + " →", *("  " + line for branch in lane.branches for line in _lane_lines(branch))]


def scale_for(matrices: list[Matrix], most_wide: float, most_high: float) -> float:
    """The one scale of a panel: px per square root of a parameter, so that the largest sides just fit."""
    return min([min(most_wide / w, most_high / h) for w, h in (m.sides for m in matrices)], default=1.0)
