"""A flow for a wide panel: lanes side by side under the operation, fed by a bus; the tail leads out to the right."""

from __future__ import annotations

from cutaway.gallery.drawing.column import INPUT, STEP, Column
from cutaway.gallery.drawing.flow import Flow, Sign
from cutaway.gallery.drawing.items import LINE, Matrix
from cutaway.gallery.drawing.marks import Marks


class Columns:
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
            for i, (style, words) in enumerate(thing.says):
                m.text(style + " mid", at, middle + thing.h / 2 + 14 + LINE * i, words)
            edge = at + thing.w / 2
