"""Marks: the flat list of shapes a layout yields. Numbers and style words only; svg.py turns them into text.

A style is one or more class words of figure.css ("box full"). Each mark is a tuple whose first entry is its kind:
rect, text, path, edge (a polyline), tip (an arrowhead), sum (a circled sign), open and close (a hover title),
scope and leave (everything between them is a picture of one graph), part and close (a panel, a card or the tower, which
another drawing may show again), beside and close (words beside the box of some nodes).

Inside a scope a thing says which nodes of the graph it stands for, and a line between two things is named after the
edges of the graph between their nodes: "?" where the graph has none.
"""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.gallery.drawing.measure import size_of, wide

Edges = Iterable[tuple[str, str]]

TIP = 7  # length of an arrowhead
_BACK = {"up": (0, 4), "down": (0, -4), "right": (-4, 0), "left": (4, 0)}


class Marks(list):
    """A list of marks with one short method per kind."""

    __slots__ = ("wires",)

    def __init__(self) -> None:
        super().__init__()
        self.wires: dict[str, list[str]] | None = None  # node -> what it leads to, in the graph that is being drawn

    def scope(self, name: str, edges: Edges) -> None:
        """What follows, until `leave`, is a picture of the graph with these edges."""
        self.wires = {}
        for source, node in sorted(edges):
            self.wires.setdefault(source, []).append(node)
        self.append(("scope", name))

    def leave(self) -> None:
        self.wires = None
        self.append(("leave",))

    def names(self, sources: Iterable[str], nodes: Iterable[str]) -> str:
        """The edges of the graph from these to those, as "a>b c>d"."""
        if self.wires is None:
            return ""
        ends = set(nodes)
        if ends.intersection(sources):  # one thing in two places
            return " ".join(f"{name}>" for name in sources)
        return " ".join(f"{a}>{b}" for a in sources for b in self.wires.get(a, ()) if b in ends) or "?"

    def trunk(self, nodes: Iterable[str], *points: float) -> None:
        """A line that several edges share: it carries a value ("a>"), and is no edge of its own."""
        self.edge(*points, names=" ".join(f"{name}>" for name in nodes) if self.wires is not None else "")

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

    def edge(self, *points: float, tip: str = "", names: str = "") -> None:
        """A line through the points; `tip` = up, down, left or right puts an arrowhead at its end."""
        if tip:
            self.append(("tip", tip, points[-2], points[-1]))
            dx, dy = _BACK[tip]
            points = (*points[:-2], points[-2] + dx, points[-1] + dy)  # the line ends inside the head
        self.append(("edge", points, names))

    def sign(self, x: float, y: float, what: str, nodes: Iterable[str] = ()) -> None:
        """A circled plus or times, radius 9."""
        self.append(("sum", what, x, y, " ".join(nodes)))

    def open(self, title: str, nodes: Iterable[str] = (), refer: bool = False) -> None:
        """A hover title, and the nodes that what follows stands for (or, with `refer`, only refers to)."""
        self.append(("open", title, " ".join(nodes), refer))

    def part(self, name: str, box: tuple[float, float, float, float]) -> None:
        """What follows, until `close`, is a part of the drawing with a name; `box` is (left, top, right, bottom)."""
        self.append(("part", name, box))

    def beside(self, nodes: Iterable[str]) -> None:
        """What follows, until `close`, says something of these nodes."""
        self.append(("beside", " ".join(nodes)))

    def close(self) -> None:
        self.append(("close",))


def text_box(mark: tuple) -> tuple[float, float, float, float]:
    """(left, top, right, bottom) of a text mark, with the spare width."""
    _, style, x, y, words = mark
    width, size = wide(words, style), size_of(style)
    left = x - width / 2 if style.endswith(" mid") else x - width if style.endswith(" end") else x
    return left, y - size * 0.78, left + width, y + size * 0.24
