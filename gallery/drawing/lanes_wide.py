"""A flow for a wide panel: lanes side by side under the operation, fed by a bus; the tail leads out to the right.

A lane becomes a column: items stacked on an axis, words to their right, branches side by side above them.
"""

from __future__ import annotations

from collections.abc import Callable

from cutaway.gallery.drawing.dataflow import Flow, Lane, Sign
from cutaway.gallery.drawing.items import LINE, Item, Matrix
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide

STEP = 17  # an edge between two boxes
BUS = 13  # from a bus up to the boxes it feeds, on top of STEP

Finish = Callable[[Marks, float, float, float, str], None]
INPUT = ("x",)  # what a graph calls its input


def rise(m: Marks, axis: float, y: float, top: float, names: str) -> None:
    """The last edge of a lane: straight up."""
    m.edge(axis, y, axis, top, tip="up", names=names)


def first_nodes(items: list[Item], ends: tuple[str, ...]) -> tuple[str, ...]:
    """The nodes that the first of these things stands for; heads stand for none, so the next one counts."""
    return next((item.nodes for item in items if item.nodes), ends)


LEAN = 15  # in narrow panels no box reaches further left of its axis than this


class Column:
    """A lane measured: how far it reaches left and right of its axis, and how high it is."""

    __slots__ = ("branches", "height", "lane", "lean", "left", "offsets", "right")
    left: int
    right: int
    height: float

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
            at = 0.0
            previous: Column | None = None
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

    def put(
        self, m: Marks, axis: float, bottom: float, top: float, finish: Finish = rise, source: tuple[str, ...] = INPUT
    ) -> None:
        """Draw from `bottom` (where the edge from the bus begins); `finish` draws the last edge of each end."""
        low = [item for item in self.lane.items if not item.high or self.branches]
        high = [item for item in self.lane.items if item.high and not self.branches]
        y = self.stack(m, axis, bottom, low, source, first_nodes(high, self.lane.ends))
        source = first_nodes(low[::-1], source)
        if self.branches:
            last = low[-1] if low else None
            bus = y - BUS - (max(0, (LINE * len(last.says) - last.h) / 2) if last else 0)
            for offset, branch in zip(self.offsets, self.branches, strict=True):
                if offset:
                    m.trunk(source, axis, bus, axis + offset, bus)
                branch.put(m, axis + offset, bus, top, finish, source)
            m.trunk(source, axis, y, axis, bus)
            return
        if high:
            start = top + sum(max(i.h, LINE * len(i.says)) + STEP for i in high)
            y = self.stack(m, axis, y, high, source, self.lane.ends, start)
            source = first_nodes(high[::-1], source)
        self._end(m, axis, y, top, finish, source)

    def _end(self, m: Marks, axis: float, y: float, top: float, finish: Finish, source: tuple[str, ...]) -> None:
        """The last edge, with the word beside it."""
        said, ends = self.lane.said, self.lane.ends
        finish(m, axis, y, top, f"{m.names(source, said)} {m.names(said, ends)}" if said else m.names(source, ends))
        if self.lane.beside:
            last = self.lane.items[-1]
            words_above = max(0, (LINE * len(last.says) - last.h) / 2)
            m.open("", said)
            m.text("label", axis + 8, y - 9 - words_above, self.lane.beside)
            m.close()

    def stack(
        self, m: Marks, axis: float, y: float, items: list[Item], source: tuple[str, ...], ends: tuple[str, ...],
        start: float | None = None,
    ) -> float:  # fmt: skip
        """Items upwards from y (the first one's room from `start`); returns the top of the last."""
        fed = not self.lane.loose or (start is not None and len(items) < len(self.lane.items))
        for i, item in enumerate(items):
            room = max(item.h, LINE * len(item.says))
            low = (y - STEP if start is None else start) - (room - item.h) / 2
            if fed:
                m.edge(axis, y, axis, low, tip="up", names=m.names(source, first_nodes(items[i:], ends)))
            source = item.nodes or source
            fed = True
            self._place(m, item, axis, low - item.h)
            y = low - item.h
            start = None if start is None else y - (room - item.h) / 2 - STEP
        return y

    def _place(self, m: Marks, item: Item, axis: float, top: float) -> None:
        left = axis - self._left(item)
        item.put(m, left + item.w / 2, top)
        first = top + item.h / 2 - LINE * len(item.says) / 2 + 11
        m.beside(item.nodes)
        for i, (style, words) in enumerate(item.says):
            m.text(style, left + item.w + 8, first + LINE * i, words)
        m.close()


# ---------------------------------------------------------------- lanes side by side


class LanesWide:
    """A flow measured as columns; `width` and `height` are what it needs."""

    def __init__(self, flow: Flow, scale: float, avail: int, lean: int = 0, notes: bool = True, wish: int = 0) -> None:
        for item in flow.items():
            item.fit(scale)
            if not notes and isinstance(item, Matrix) and not item.brief:
                item.shorten(lean > 0)
        self.flow, self.lean, self.apart = flow, lean, 12 if wish else 22
        if wish:
            flow.op.shrink()
        self.plain = [None if lane.branches else Column(lane, 0, lean) for lane in flow.lanes]  # the same at every gap
        for gap in (34, 24, 16, 12, 10):
            self._measure(gap)
            if self.width <= (wish or avail):
                break
        self.fits = self.width <= avail

    def _measure(self, gap: int) -> None:
        flow = self.flow
        self.columns = [
            plain or Column(lane, gap, self.lean) for plain, lane in zip(self.plain, flow.lanes, strict=True)
        ]
        self.axes: list[float] = []
        at, right_of_op = 0.0, 0.0
        inner = [c for c in self.columns if c.lane.to == "op"]
        gates = [c for c in self.columns if c.lane.to == "gate"]
        for column in inner:
            self.axes.append(at + column.left)
            at += column.left + column.right + gap
        self.op_w = max(at - gap, flow.op.least, 6 * self.apart)
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
            if isinstance(thing, Sign):
                x = edge + 18 + 9
                if waiting:
                    column = waiting.pop(0)
                    x = max(x, floor + gap + column.left, said + 10 + column.left if said > edge else 0)
                    self.gate_axes.append(x)
                    floor = x + column.right
                self.spots.append((thing, x, 9, 9))
                edge = x + 9
                continue
            words = thing.room if thing.says else 0
            half = max(thing.w, words) / 2 if thing.says else thing.w / 2
            x = max(edge + self.apart + thing.w / 2, edge + 4 + half if thing.says else 0, said + half + 10)
            self.spots.append((thing, x, thing.h / 2, thing.h / 2 + (LINE * len(thing.says) + 6 if thing.says else 0)))
            edge = x + thing.w / 2
            said = x + half if thing.says else said
        ends = [x + (max(t.w, t.room) / 2 if not isinstance(t, Sign) else 9) for t, x, _, _ in self.spots]
        self.width = int(max([at, floor, *ends]) + 1)

    def put(self, m: Marks, x: float, y: float, avail: int) -> None:
        """Draw into a room of `avail` width, centred."""
        x = round(x + (avail - self.width) / 2)
        middle = round(y + self.above)
        op_top, op_bottom = middle - self.flow.op.h / 2, middle + self.flow.op.h / 2
        bottom = op_bottom + self.zone
        self.flow.op.put(m, x, op_top, self.op_w)
        fed: list[float] = []
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
            m.trunk(INPUT, axes[0], y - 1, axes[0], y, axes[-1], y, axes[-1], y - 1)
        m.trunk(INPUT, centre, y, centre, y + 12)
        m.middle("dim", centre, y + 22, self.flow.source)

    def _tail(self, m: Marks, x: float, middle: float) -> None:
        edge, source = x + self.op_w, self.flow.op.nodes
        for thing, at, _, _ in self.spots:
            at = round(x + at)
            names, source = m.names(source, thing.nodes), thing.nodes
            if isinstance(thing, Sign):
                m.edge(edge, middle, at - 9, middle, tip="right", names=names)
                m.sign(at, middle, thing.what, thing.nodes)
                edge = at + 9
                continue
            m.edge(edge, middle, at - thing.w / 2, middle, tip="right", names=names)
            thing.put(m, at, middle - thing.h / 2)
            m.beside(thing.nodes)
            for i, (style, words) in enumerate(thing.says):
                m.text(style + " mid", at, middle + thing.h / 2 + 14 + LINE * i, words)
            m.close()
            edge = at + thing.w / 2
