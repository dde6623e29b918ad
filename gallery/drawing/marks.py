"""Marks: the flat list of shapes a layout yields. Numbers and style words only; svg.py turns them into text.

A style is one or more class words of figure.css ("box full"). Each mark is a tuple whose first entry is its kind:
rect, text, path, edge (a polyline), tip (an arrowhead), sum (a circled sign), open and close (a hover title).
"""

from __future__ import annotations

from gallery.drawing.measure import size_of, wide

TIP = 7  # length of an arrowhead
_BACK = {"up": (0, 4), "down": (0, -4), "right": (-4, 0), "left": (4, 0)}


class Marks(list):
    """A list of marks with one short method per kind."""

    __slots__ = ()

    def rect(self, style: str, x: float, y: float, w: float, h: float, r: float = 0) -> None:
        self.append(("rect", style, x, y, w, h, r))

    def path(self, style: str, d: str) -> None:
        self.append(("path", style, d))

    def text(self, style: str, x: float, y: float, words: str) -> None:
        """`y` is the baseline."""
        self.append(("text", style, x, y, words))

    def middle(self, style: str, x: float, y: float, words: str) -> None:
        """Centred on (x, y) both ways."""
        self.append(("text", style + " mid", x, round(y + size_of(style) * 0.36, 1), words))

    def edge(self, *points: float, tip: str = "") -> None:
        """A line through the points; `tip` = up, down, left or right puts an arrowhead at its end."""
        if tip:
            self.append(("tip", tip, points[-2], points[-1]))
            dx, dy = _BACK[tip]
            points = (*points[:-2], points[-2] + dx, points[-1] + dy)  # the line ends inside the head
        self.append(("edge", points))

    def sign(self, x: float, y: float, what: str) -> None:
        """A circled plus or times, radius 9."""
        self.append(("sum", what, x, y))

    def open(self, title: str) -> None:
        self.append(("open", title))

    def close(self) -> None:
        self.append(("close",))


def text_box(mark: tuple) -> tuple[float, float, float, float]:
    """(left, top, right, bottom) of a text mark, with the spare width."""
    _, style, x, y, words = mark
    width, size = wide(words, style), size_of(style)
    left = x - width / 2 if style.endswith(" mid") else x - width if style.endswith(" end") else x
    return left, y - size * 0.78, left + width, y + size * 0.24
