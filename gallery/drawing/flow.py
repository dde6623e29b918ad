"""A flow: lanes rise from the input into an operation, and a tail leads out of it.

Two arrangements of the same flow: `Columns` (lanes side by side, the tail to the right) and `Tiers` in tiers.py
(lanes in several tiers, the tail on top, for narrow panels). Both keep the order of the lanes, so no edges cross.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .items import LINE, Item, Matrix
from .marks import Marks
from .measure import wide
from .operation import Op

STEP = 17  # an edge between two boxes
BUS = 13  # from a bus up to the boxes it feeds, on top of STEP


@dataclass(slots=True)
class Lane:
    """Items from bottom to top; then either branches, or the operation ("op"), or a sign of the tail ("gate")."""

    items: list[Item]
    branches: list[Lane] = field(default_factory=list)
    to: str = "op"
    beside: str = ""  # a word beside the last edge
    loose: bool = False  # does not come from the input (its first item says where from)


@dataclass(slots=True)
class Flow:
    """One operation with everything that leads into it and out of it."""

    source: str  # words under the input: "x 7,168"
    lanes: list[Lane]
    op: Op
    tail: list  # Items, and the word "times" or "plus" where the gate lane arrives
    heading: str = ""

    def items(self) -> list[Item]:
        found: list[Item] = []
        pending = list(self.lanes)
        while pending:
            lane = pending.pop(0)
            found += lane.items
            pending[:0] = lane.branches
        return found + [item for item in self.tail if not isinstance(item, str)]

    def matrices(self) -> list[Matrix]:
        return [item for item in self.items() if isinstance(item, Matrix)]

    def lines(self, indent: str = "") -> list[str]:
        """The outline: input, lanes bottom to top, operation, tail."""
        out = [indent + self.heading] if self.heading else []
        out += [indent + line for lane in self.lanes for line in _lane_lines(lane)]
        out += [indent + "⇒ " + line for line in self.op.lines()]
        tail = [item if isinstance(item, str) else " · ".join(item.lines()) for item in self.tail]
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


Finish = Callable[[Marks, float, float, float], None]


def rise(m: Marks, axis: float, y: float, top: float) -> None:
    """The last edge of a lane: straight up."""
    m.edge(axis, y, axis, top, tip="up")


LEAN = 15  # in narrow panels no box reaches further left of its axis than this


class Column:
    """A lane measured: how far it reaches left and right of its axis, and how high it is."""

    __slots__ = ("branches", "height", "lane", "lean", "left", "offsets", "right")

    def __init__(self, lane: Lane, gap: int, lean: int = 0) -> None:
        self.lane, self.lean = lane, lean
        left, right, height = 0.0, 0.0, 0.0
        for item in lane.items:
            own = self._left(item)
            left = max(left, own)
            right = max(right, item.w - own + (8 + item.room if item.says else 0))
            height += max(item.h, LINE * len(item.says)) + STEP
        self.branches = [Column(branch, gap, lean) for branch in lane.branches]
        self.offsets: list[float] = []
        if self.branches:
            at, previous = 0.0, None
            for branch in self.branches:
                at += previous.right + gap + branch.left if previous else 0
                self.offsets.append(at)
                previous = branch
            left = max(left, self.branches[0].left)
            right = max(right, at + self.branches[-1].right)
            height += max(branch.height for branch in self.branches) + BUS
        else:
            height += STEP if lane.items else 2 * STEP
            if lane.beside:
                right = max(right, 8 + wide(lane.beside, "label"))
                height += 6
        self.left, self.right, self.height = int(left + 0.5), int(right + 0.5), height

    def _left(self, item: Item) -> float:
        """How far the item's box reaches left of the axis."""
        return min(item.w / 2, self.lean) if self.lean else item.w / 2

    def leaves(self) -> int:
        """How many ends the lane has."""
        return sum(branch.leaves() for branch in self.branches) or 1

    def put(self, m: Marks, axis: float, bottom: float, top: float, finish: Finish = rise) -> None:
        """Draw from `bottom` (where the edge from the bus begins); `finish` draws the last edge of each end."""
        y = self._stack(m, axis, bottom, [i for i in self.lane.items if not i.high or self.branches])
        if self.branches:
            bus = y - BUS
            for offset, branch in zip(self.offsets, self.branches, strict=True):
                if offset:
                    m.edge(axis, bus, axis + offset, bus)
                branch.put(m, axis + offset, bus, top, finish)
            m.edge(axis, y, axis, bus)
            return
        high = [item for item in self.lane.items if item.high]
        if high:
            y = self._stack(m, axis, y, high, top + sum(max(i.h, LINE * len(i.says)) + STEP for i in high))
        finish(m, axis, y, top)
        if self.lane.beside:
            last = self.lane.items[-1]
            words_above = max(0, (LINE * len(last.says) - last.h) / 2)
            m.text("label", axis + 8, y - 9 - words_above, self.lane.beside)

    def _stack(self, m: Marks, axis: float, y: float, items: list[Item], start: float | None = None) -> float:
        """Items upwards from y (the first one's room from `start`); returns the top of the last."""
        fed = not self.lane.loose
        for item in items:
            room = max(item.h, LINE * len(item.says))
            low = (y - STEP if start is None else start) - (room - item.h) / 2
            if fed:
                m.edge(axis, y, axis, low, tip="up")
            fed = True
            self._place(m, item, axis, low - item.h)
            y = low - item.h
            start = None if start is None else y - (room - item.h) / 2 - STEP
        return y

    def _place(self, m: Marks, item: Item, axis: float, top: float) -> None:
        left = axis - self._left(item)
        item.put(m, left + item.w / 2, top)
        first = top + item.h / 2 - LINE * len(item.says) / 2 + 11
        for i, (style, words) in enumerate(item.says):
            m.text(style, left + item.w + 8, first + LINE * i, words)


class Columns:
    """A flow measured as columns; `width` and `height` are what it needs."""

    def __init__(self, flow: Flow, scale: float, avail: int, lean: int = 0, notes: bool = True, wish: int = 0) -> None:
        for item in flow.items():
            item.fit(scale)
            if not notes and isinstance(item, Matrix) and item.note and not item.brief:
                item.says = item.says[:-1]
        self.flow, self.lean = flow, lean
        for gap in (34, 24, 16, 12):
            self._measure(gap)
            if self.width <= (wish or avail):
                break
        self.fits = self.width <= avail

    def _measure(self, gap: int) -> None:
        flow = self.flow
        self.columns = [Column(lane, gap, self.lean) for lane in flow.lanes]
        self.axes: list[float] = []
        at, right_of_op = 0.0, 0.0
        inner = [c for c in self.columns if c.lane.to == "op"]
        gates = [c for c in self.columns if c.lane.to == "gate"]
        for column in inner:
            self.axes.append(at + column.left)
            at += column.left + column.right + gap
        self.op_w = max(at - gap, flow.op.least, 120)
        spare = (self.op_w - (at - gap)) / 2
        self.axes = [axis + spare for axis in self.axes]
        right_of_op = self.op_w
        self._measure_tail(right_of_op, gates, gap)
        self.zone = max([c.height for c in inner], default=STEP)
        tail_low = max([s[3] for s in self.spots], default=0) - flow.op.h / 2
        for column in gates:
            self.zone = max(self.zone, column.height - flow.op.h / 2, tail_low + column.height - STEP + 10)
        self.above = max([flow.op.h / 2, *(s[2] for s in self.spots)])
        self.height = int(self.above + flow.op.h / 2 + self.zone + (34 if flow.source else 8))

    def _measure_tail(self, at: float, gates: list[Column], gap: int) -> None:
        """Spots of the tail: (thing, x of its middle, reach above and below the axis)."""
        self.spots: list[tuple] = []
        waiting = list(gates)
        self.gate_axes: list[float] = []
        edge, floor, said = at, at, 0.0
        for thing in self.flow.tail:
            if isinstance(thing, str):
                x = edge + 18 + 9
                if waiting:
                    column = waiting.pop(0)
                    x = max(x, floor + gap + column.left)
                    self.gate_axes.append(x)
                    floor = x + column.right
                self.spots.append((thing, x, 9, 9))
                edge = x + 9
                continue
            words = thing.room if thing.says else 0
            half = max(thing.w, words) / 2 if thing.says else thing.w / 2
            x = max(edge + 22 + thing.w / 2, edge + 4 + half if thing.says else 0, said + half + 10)
            self.spots.append((thing, x, thing.h / 2, thing.h / 2 + (LINE * len(thing.says) + 6 if thing.says else 0)))
            edge = x + thing.w / 2
            said = x + half if thing.says else said
        ends = [x + (max(t.w, t.room) / 2 if not isinstance(t, str) else 9) for t, x, _, _ in self.spots]
        self.width = int(max([at, floor, *ends]) + 1)

    def put(self, m: Marks, x: float, y: float, avail: int) -> None:
        """Draw into a room of `avail` width, centred."""
        x = round(x + (avail - self.width) / 2)
        middle = round(y + self.above)
        op_top, op_bottom = middle - self.flow.op.h / 2, middle + self.flow.op.h / 2
        bottom = op_bottom + self.zone
        self.flow.op.put(m, x, op_top, self.op_w)
        fed = []
        inner, gates = iter(self.axes), iter(self.gate_axes)
        for column in self.columns:
            gate = column.lane.to == "gate"
            axis = round(x + next(gates if gate else inner))
            column.put(m, axis, bottom, middle + 9 if gate else op_bottom)
            if not column.lane.loose:
                fed.append(axis)
        self._bus(m, fed, bottom)
        self._tail(m, x, middle)

    def _bus(self, m: Marks, axes: list[float], y: float) -> None:
        if not axes or not self.flow.source:
            return
        centre = round((axes[0] + axes[-1]) / 2) if len(axes) > 1 else axes[0]
        if len(axes) > 1:
            m.edge(axes[0], y - 1, axes[0], y, axes[-1], y, axes[-1], y - 1)
        m.edge(centre, y, centre, y + 12)
        m.middle("dim", centre, y + 22, self.flow.source)

    def _tail(self, m: Marks, x: float, middle: float) -> None:
        edge = x + self.op_w
        for thing, at, _, _ in self.spots:
            at = round(x + at)
            if isinstance(thing, str):
                m.edge(edge, middle, at - 9, middle, tip="right")
                m.sign(at, middle, thing)
                edge = at + 9
                continue
            m.edge(edge, middle, at - thing.w / 2, middle, tip="right")
            thing.put(m, at, middle - thing.h / 2)
            for i, (style, words) in enumerate(thing.says):
                m.text(style + " mid", at, middle + thing.h / 2 + 14 + LINE * i, words)
            edge = at + thing.w / 2
