"""Flows -> a strip: their matrices, caches and operations in a row, without the wiring that another panel shows."""

from __future__ import annotations

from cutaway.gallery.drawing.flow import Flow
from cutaway.gallery.drawing.items import LINE, Item, Pill
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.operation import Op

GAP, ROW = 26, 16
Thing = str | Op | Item  # a heading, an operation, or what else stands in a row


class Strip:
    """The things of some flows from left to right, in as many rows as they need."""

    def __init__(self, flows: list[Flow], scale: float, room: int) -> None:
        self.rows: list[list[tuple[int, Thing]]] = [[]]
        at = 0
        for thing in self._things(flows):
            if isinstance(thing, Item):
                thing.fit(scale)
            w = self._width(thing)
            if at and (at + w > room or isinstance(thing, str)):
                self.rows.append([])
                at = 0
            self.rows[-1].append((at, thing))
            at += w + GAP
        self.heights = [max((self._height(thing) for _, thing in row), default=0) for row in self.rows]
        self.height = sum(self.heights) + ROW * (len(self.rows) - 1)

    @staticmethod
    def _things(flows: list[Flow]) -> list[Thing]:
        """Headings, items and operations in the order of the flow; small steps stay in the other panel."""
        out: list[Thing] = []
        for flow in flows:
            out += [flow.heading] if flow.heading else []
            tail = [item for item in flow.tail if isinstance(item, Item)]
            items = [item for item in flow.items() if not isinstance(item, Pill)]
            last = len(items) - sum(not isinstance(item, Pill) for item in tail)
            out += [*items[:last], flow.op, *items[last:]]
        return out

    @staticmethod
    def _width(thing: Thing) -> int:
        if isinstance(thing, str):
            return wide(thing, "smallx")
        if isinstance(thing, Op):
            return thing.least
        return int(thing.w + (8 + thing.room if thing.says else 0)) + 1

    @staticmethod
    def _height(thing: Thing) -> float:
        if isinstance(thing, str):
            return LINE
        return thing.h if isinstance(thing, Op) else max(thing.h, LINE * len(thing.says))

    def put(self, m: Marks, x: float, y: float, role: str) -> None:
        """Draw with the left edge at x and the top at y; things of a row are level in their middles."""
        for row, height in zip(self.rows, self.heights, strict=True):
            middle = round(y + height / 2)
            for at, thing in row:
                self._place(m, thing, x + at, middle, role)
            y += height + ROW

    @staticmethod
    def _place(m: Marks, thing: Thing, x: float, middle: float, role: str) -> None:
        if isinstance(thing, str):
            m.text("smallx " + role, x, middle + 4, thing)
            return
        if isinstance(thing, Op):
            thing.put(m, x, middle - thing.h / 2, thing.least)
            return
        thing.put(m, x + thing.w / 2, middle - thing.h / 2)
        first = middle - LINE * len(thing.says) / 2 + 11
        for i, (style, words) in enumerate(thing.says):
            m.text(style, x + thing.w + 8, first + LINE * i, words)
