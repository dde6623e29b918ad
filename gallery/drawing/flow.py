"""A flow: lanes rise from the input into an operation, and a tail leads out of it.

Two arrangements of the same flow: `Columns` in columns.py (lanes side by side, the tail to the right) and `Tiers` in
tiers.py (lanes in several tiers, the tail on top, for narrow panels). Both keep the lanes' order: no edges cross.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cutaway.gallery.drawing.items import Item, Matrix
from cutaway.gallery.drawing.operation import Op


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
