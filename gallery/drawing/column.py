"""One lane -> a column: items stacked on an axis, words to their right, branches side by side above them."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.gallery.drawing.flow import Lane
from cutaway.gallery.drawing.items import LINE, Item
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide

STEP = 17  # an edge between two boxes
BUS = 13  # from a bus up to the boxes it feeds, on top of STEP

Finish = Callable[[Marks, float, float, float, str], None]
INPUT = ("x",)  # what a graph calls its input


def rise(m: Marks, axis: float, y: float, top: float, names: str) -> None:
    """The last edge of a lane: straight up."""
    m.edge(axis, y, axis, top, tip="up", names=names)


def leads_to(items: list[Item], ends: tuple[str, ...]) -> tuple[str, ...]:
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
        y = self._stack(m, axis, bottom, low, source, leads_to(high, self.lane.ends))
        source = leads_to(low[::-1], source)
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
            y = self._stack(m, axis, y, high, source, self.lane.ends, start)
            source = leads_to(high[::-1], source)
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

    def _stack(
        self, m: Marks, axis: float, y: float, items: list[Item], source: tuple[str, ...], ends: tuple[str, ...],
        start: float | None = None,
    ) -> float:  # fmt: skip
        """Items upwards from y (the first one's room from `start`); returns the top of the last."""
        fed = not self.lane.loose or (start is not None and len(items) < len(self.lane.items))
        for i, item in enumerate(items):
            room = max(item.h, LINE * len(item.says))
            low = (y - STEP if start is None else start) - (room - item.h) / 2
            if fed:
                m.edge(axis, y, axis, low, tip="up", names=m.names(source, leads_to(items[i:], ends)))
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
        for i, (style, words) in enumerate(item.says):
            m.text(style, left + item.w + 8, first + LINE * i, words)
