"""The drawn items that show heads as cells: query heads in their groups, and what decoding keeps for every token."""

from __future__ import annotations

from cutaway.gallery.drawing.items import Item
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide


class Heads(Item):
    """Heads as cells, in groups that share one key and value head."""

    __slots__ = ("cells", "group", "row", "text")
    CELL, STEP, GAP, ROW = 3, 4, 3, 40

    def __init__(self, role: str, cells: int, group: int, text: str) -> None:
        self.role, self.cells, self.text = role, min(cells, 480), text
        self.group = group if 1 < group < self.cells else 0
        self.nodes = ()
        self.says = [("dim", text)]
        step = self.group if self.group and self.group <= self.ROW else 1
        rows = -(-self.cells // (self.ROW // step * step))
        self.row = row = -(-self.cells // rows // step) * step
        rows = -(-self.cells // row)
        self.w = row * self.STEP - 1 + (self.GAP * ((row - 1) // self.group) if self.group else 0)
        self.h = 11 if rows == 1 else rows * 6 - 1

    def fit(self, scale: float) -> None:
        self.says = [("dim", self.text)]

    def shapes(self, m: Marks, x: float, y: float) -> None:
        group, row = self.group or self.cells, self.row
        rows = -(-self.cells // row)
        height = 11 if rows == 1 else 5
        cell = f"h3v{height}h-3zm4 0"
        out, left = [], self.cells
        for r in range(rows):
            out.append(f"M{x - self.w / 2:g} {y + r * 6:g}")
            here = min(row, left)
            left -= here
            full, rest = divmod(here, group)
            out.append((cell * group + "m3 0") * full + cell * rest)
        m.path("solid " + self.role, "".join(out))

    def lines(self) -> list[str]:
        return [self.text]


class CacheBox(Item):
    """What decoding keeps for every token: a yellow box, with one cell per head where there are heads.

    `keeps` False: the same box in plain, in a model that keeps nothing.
    """

    __slots__ = ("_beside", "bytes", "heads", "keeps", "stands_high", "text")

    def __init__(
        self,
        text: str,
        heads: int = 0,
        beside: list[str] | None = None,
        least: int = 0,
        high: bool = True,
        keeps: bool = True,
    ) -> None:
        self.keeps = keeps
        self.stands_high, self.bytes = high, (beside or ["", ""])[-1]
        self.text, self.heads, self.role = text, heads if keeps and 1 < heads <= 64 else 0, "cached"
        self.says = []
        self._beside = [("keptsays" if i == 0 else "dim", line) for i, line in enumerate(beside or [])]
        self.nodes = ()
        cells = min(self.heads, 32) * 4 - 1
        self.w = max(wide(text, "kept") + 16, cells + 14, least)
        self.h = 26 if not self.heads else 36 if self.heads <= 32 else 42

    @property
    def high(self) -> bool:
        return self.stands_high

    def fit(self, scale: float) -> None:
        self.says = self._beside

    def say(self, other: CacheBox) -> None:
        """The words beside it are those of the other."""
        self._beside, self.bytes = other._beside, other.bytes

    def shapes(self, m: Marks, x: float, y: float) -> None:
        m.rect("keep" if self.keeps else "pill", x - self.w / 2, y, self.w, self.h, 4)
        m.middle("kept" if self.keeps else "small", x, y + (13 if not self.heads else 12), self.text)
        if self.heads:
            left, row = self.heads, min(self.heads, 32)
            d = []
            for top in range(0, self.heads, 32):
                here = min(32, left)
                left -= here
                d.append(
                    f"M{x - (row * 4 - 1) / 2:g} {y + 22 + top / 32 * 7:g}"
                    + f"h3v{5 if self.heads > 32 else 9}h-3zm4 0" * here
                )
            m.path("keepcut", "".join(d))

    def lines(self) -> list[str]:
        return [" · ".join(filter(None, [f"keeps {self.text}" if self.keeps else self.text, self.bytes]))]
