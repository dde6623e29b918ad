"""A flow for a narrow panel: lanes in tiers, one above the other, the tail on top of the operation.

The input runs up a rail on the left and feeds each tier from below. The lanes of the top tier rise straight into the
operation; those of lower tiers turn right and rise on rails of their own, the lowest outermost, so nothing crosses.
"""

from __future__ import annotations

from cutaway.gallery.drawing.dataflow import Flow, Lane, Sign
from cutaway.gallery.drawing.head_items import CacheBox, Heads
from cutaway.gallery.drawing.items import Box, Item, Matrix
from cutaway.gallery.drawing.lanes_wide import INPUT, LEAN, STEP, Column
from cutaway.gallery.drawing.marks import Marks

RAIL = 9  # from one rail to the next
GAP = 14


def tighten(item: Item, room: float = 200) -> None:
    """What a narrow panel leaves to the hover title and the outline: notes of matrices, bytes beside yellow boxes."""
    if isinstance(item, Matrix) and not item.brief:
        item.shorten(False)
    elif isinstance(item, Heads):
        item.says = [("dim", item.text.replace(" heads", ""))]
    elif isinstance(item, CacheBox):
        item.says = []
    elif isinstance(item, Box):
        item.wrap(room)


class LanesNarrow:
    """A flow measured in tiers for a panel of `avail` width; `height` is what it needs."""

    def __init__(self, flow: Flow, scale: float, avail: int, tight: bool = True) -> None:
        for item in flow.items():
            item.fit(scale)
            if tight:
                tighten(item)
        self.flow, self.avail = flow, avail
        self.left = 12 if flow.source else 0
        lanes = sorted(flow.lanes, key=lambda lane: lane.to == "gate")
        columns = [Column(lane, GAP, LEAN) for lane in lanes]
        if any(c.left + c.right > avail - 5 * RAIL for c in columns):
            for matrix in flow.matrices():
                matrix.shorten(True)
            columns = [Column(lane, GAP // 2, LEAN) for lane in lanes]
        for rails in range(self._ends(columns) + 1):
            self.tiers = self._fill(columns, avail - self.left - rails * RAIL - 6)
            gates = [c for c in self.tiers[0] if c.lane.to == "gate"]
            self.rails = sum(self._ends(tier) for tier in self.tiers[1:]) + len(gates)
            if self.rails <= rails:
                break
        self.width = avail
        flow.op.narrow(avail - sum(c.lane.to == "gate" for c in columns) * RAIL - 2)
        self.tail = Column(Lane([t for t in flow.tail if not isinstance(t, Sign)]), GAP, LEAN)
        self.heights = [max(c.height for c in tier) + 7 * self._ends(tier) for tier in self.tiers]
        self.above = sum(self._reach(t) for t in flow.tail) + 4
        source = 26 if flow.source else 6
        self.height = int(self.above + flow.op.h + sum(self.heights) + GAP * (len(self.tiers) - 1) + source)

    @staticmethod
    def _fill(columns: list[Column], avail: int) -> list[list[Column]]:
        tiers: list[list[Column]] = [[]]
        used = [0]
        for column in columns:
            w = column.left + column.right + GAP
            last = len(tiers) - 1
            spots = [last] if column.lane.to == "gate" else range(len(tiers))  # a gate's rail has to be the outermost
            at = next((i for i in spots if not tiers[i] or used[i] + w - GAP <= avail), None)
            if at is None:
                tiers.append([])
                used.append(0)
                at = last + 1
            tiers[at].append(column)
            used[at] += w
        return tiers

    @staticmethod
    def _reach(thing) -> int:
        return 18 + STEP if isinstance(thing, Sign) else max(thing.h, 14 * len(thing.says)) + STEP

    def put(self, m: Marks, x: float, y: float, avail: int) -> None:
        """Draw with the left edge at x and the top at y."""
        x, y = round(x), round(y)
        op_w = self.avail - sum(c.lane.to == "gate" for tier in self.tiers for c in tier) * RAIL - 2
        op_top = y + self.above
        op_bottom = op_top + self.flow.op.h
        self.flow.op.put(m, x, op_top, op_w)
        self.rail_x = x + self.avail - 3 - self.rails * RAIL
        signs = self._tail(m, x + self.avail // 2 - 60, op_top)
        bottoms: list[float] = []
        top: float = op_bottom
        for tier, height in zip(self.tiers, self.heights, strict=True):
            bottom = top + height
            self._tier(m, tier, x + self.left, top, bottom, op_bottom, signs)
            if any(not c.lane.loose for c in tier):
                bottoms.append(bottom)
            top = bottom + GAP
        self._source(m, x, bottoms)

    def _tier(
        self, m: Marks, tier: list[Column], x: float, top: float, bottom: float, op_bottom: float, signs: list
    ) -> None:
        need = sum(c.left + c.right for c in tier) + GAP * (len(tier) - 1)
        free = self.avail - self.left - self.rails * RAIL - 6 - need
        gap = GAP + min(40, max(0, free) // max(len(tier), 1))
        level = iter(range(round(top) + 6, 10**6, 7))

        def turn(m: Marks, axis: float, y: float, _: float, names: str) -> None:
            """Right, and up on the next rail into the operation."""
            path = (axis, y, axis, at := next(level), self._next_rail(), at, self.rail_x, op_bottom)
            m.edge(*path, tip="up", names=names)

        def pass_by(m: Marks, axis: float, y: float, _: float, names: str) -> None:
            """Right, up past the operation, and into the sign of the tail."""
            sx, sy = signs.pop(0)
            path = (axis, y, axis, at := next(level), self._next_rail(), at, self.rail_x, sy, sx + 9, sy)
            m.edge(*path, tip="left", names=names)

        at, axes = x, []
        for column in tier:
            axis = round(at + column.left)
            at = axis + column.right + gap
            if not column.lane.loose:
                axes.append(axis)
            if column.lane.to == "gate" and signs:
                column.put(m, axis, bottom, top + 30, pass_by)
            elif top == op_bottom:
                column.put(m, axis, bottom, top)
            else:
                column.put(m, axis, bottom, top + 6 + 7 * self._ends(tier), turn)
        if axes:
            m.trunk(INPUT, x - self.left + 4, bottom, axes[-1], bottom)

    @staticmethod
    def _ends(tier: list[Column]) -> int:
        return sum(column.leaves() for column in tier)

    def _next_rail(self) -> float:
        self.rail_x += RAIL
        return self.rail_x

    def _tail(self, m: Marks, axis: float, op_top: float) -> list[tuple[float, float]]:
        """The tail upwards from the operation; returns where its signs stand."""
        y, signs, source = op_top, [], self.flow.op.nodes
        for thing in self.flow.tail:
            if isinstance(thing, Sign):
                m.edge(axis, y, axis, y - STEP, tip="up", names=m.names(source, thing.nodes))
                m.sign(axis, y - STEP - 9, thing.what, thing.nodes)
                signs.append((axis, y - STEP - 9))
                y -= STEP + 18
            else:
                y = self.tail.stack(m, axis, y, [thing], source, ())
            source = thing.nodes
        return signs

    def _source(self, m: Marks, x: float, bottoms: list[float]) -> None:
        if not bottoms or not self.flow.source:
            return
        foot = bottoms[-1] + 10
        m.trunk(INPUT, x + 4, foot, x + 4, bottoms[0])
        m.text("dim", x + 10, foot + 6, self.flow.source)
