"""The drawn items of an opened mixer or MLP: each has a box on an axis and words beside it.

`fit(scale)` settles the box (w, h) and the words; `put(marks, x, y)` draws the box centred on x with its top at y.
Where the words go (right of the box, or above it) is the layout's choice: see lanes_wide.py and lanes_narrow.py.
"""

from __future__ import annotations

from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide, wrap
from cutaway.gallery.drawing.words import count

LINE = 14  # from one line of words to the next


class Item:
    """One step of a lane. `high` items stand under the operation, all others above the input."""

    __slots__ = ("h", "nodes", "role", "says", "w")
    h: float
    w: float
    role: str
    says: list[tuple[str, str]]  # (style, words) beside the box
    nodes: tuple[str, ...]  # the nodes of the graph it stands for
    refer = False  # it only points at them: they are drawn elsewhere

    @property
    def high(self) -> bool:
        """Whether it stands right under the operation, so that all of its kind are level."""
        return False

    def fit(self, scale: float) -> None:
        """Settle w, h and the words beside the box."""

    @property
    def room(self) -> int:
        """Width of the words beside the box."""
        return max([wide(words, style) for style, words in self.says], default=0)

    def put(self, m: Marks, x: float, y: float) -> None:
        """Draw it: the nodes it stands for, its title, its shapes."""
        title = self.title()
        if title or self.nodes:
            m.open(title, self.nodes, self.refer)
        self.shapes(m, x, y)
        if title or self.nodes:
            m.close()

    def title(self) -> str:
        """What is said when it is hovered."""
        return ""

    def shapes(self, m: Marks, x: float, y: float) -> None:
        raise NotImplementedError

    def lines(self) -> list[str]:
        """What the outline says about this item."""
        raise NotImplementedError


class Matrix(Item):
    """A weight matrix: its area is its share of the parameters, its sides lean the way its shape does."""

    __slots__ = ("bare", "brief", "fan_in", "fan_out", "inside", "many", "name", "note", "tensor")

    def __init__(
        self, role: str, name: str, fan_in: int, fan_out: int, tensor: str = "", note: str = "", brief: str = ""
    ) -> None:
        self.role, self.name, self.fan_in, self.fan_out = role, name, fan_in, fan_out
        self.tensor, self.note, self.brief, self.bare, self.nodes = tensor or name, note, brief, False, ()
        self.many = 1  # matrices that share out its rows, each for inputs of its own

    @property
    def sides(self) -> tuple[float, float]:
        """(width, height) at scale 1: the product is the number of parameters, the ratio the root of out : in."""
        wide, high = max(self.fan_in, 1), max(self.fan_out, 1)  # a broken config may give 0
        area, lean = (wide * high) ** 0.5, (high / wide) ** 0.25
        return area * lean, area / lean

    @property
    def shape(self) -> str:
        if self.many > 1:
            return f"{self.many:,} × ({self.fan_in:,} → {self.fan_out // self.many:,})"
        return f"{self.fan_in:,} → {self.fan_out:,}"

    def fit(self, scale: float) -> None:
        w, h = self.sides
        self.w, self.h = max(6, round(w * scale)), max(6, round(h * scale))
        self.inside = not self.bare and self.h >= 16 and wide(self.name, "mono") + 6 <= self.w
        says = [] if self.inside else [("mono", self.name)]
        says.append(("dim", self.brief or self.shape))
        if self.note and not self.brief:
            says.append(("dim", self.note))
        self.says = says

    def shorten(self, more: bool) -> None:
        """Fewer words beside the box: no note; with `more` no width that it reads either."""
        words = ("dim", self.shape)
        if more:
            words = ("dim", f"→ {self.note[2:]}" if self.note.startswith("= ") else f"→ {self.fan_out:,}")
        self.says = [*(() if self.inside else self.says[:1]), words]

    def title(self) -> str:
        return f"{self.tensor}: {self.shape}, {count(self.fan_in * self.fan_out)} parameters"

    def shapes(self, m: Marks, x: float, y: float) -> None:
        m.rect("box " + self.role, x - self.w / 2, y, self.w, self.h, 3 if self.w > 9 and self.h > 9 else 1)
        if self.inside:
            m.middle("mono", x, y + self.h / 2, self.name)

    def lines(self) -> list[str]:
        note = f" ({self.note.removeprefix('= ')})" if self.note else ""
        return [f"{self.name} {self.shape}{note}, {count(self.fan_in * self.fan_out)}"]


class Pill(Item):
    """A small step without a matrix: a norm, RoPE, an activation, a short convolution with what it keeps."""

    __slots__ = ("columns", "says_title", "text", "uses")

    def __init__(self, text: str, columns: int = 0, title: str = "") -> None:
        self.text, self.columns, self.says_title, self.role = text, columns, title, "plain"
        self.says = []
        self.nodes = ()
        self.uses: tuple[str, ...] = ()  # values of elsewhere that no line leads from
        self.w, self.h = wide(text, "small") + 14 + (columns * 6 + 4 if columns else 0), 20

    def title(self) -> str:
        return self.says_title

    def shapes(self, m: Marks, x: float, y: float) -> None:
        left, kept = x - self.w / 2, self.columns * 6 + 4 if self.columns else 0
        m.rect("pill", left, y, self.w, self.h, 4)
        if kept:
            cells = "h4.6v9h-4.6zm6 0" * self.columns
            m.path("keepcell", f"M{left + 7:g} {y + 5.5:g}{cells}")
        if self.uses:
            m.open("", self.uses, refer=True)
        m.middle("small", x + kept / 2, y + 10, self.text)
        if self.uses:
            m.close()

    def lines(self) -> list[str]:
        kept = f" (keeps {self.columns} columns)" if self.columns else ""
        return [self.text + kept + (f" [{self.says_title}]" if self.says_title else "")]


class Tag(Item):
    """Where a lane comes from, when that is not the input: another layer, another tower, the indexer."""

    __slots__ = ("stands_high", "text")
    refer = True

    def __init__(self, text: str, role: str = "plain", high: bool = True, nodes: tuple[str, ...] = ()) -> None:
        self.nodes = nodes
        self.text, self.role, self.says, self.stands_high = text, role, [], high
        self.w, self.h = wide(text, "small") + 16, 22

    @property
    def high(self) -> bool:
        return self.stands_high

    def shapes(self, m: Marks, x: float, y: float) -> None:
        m.rect("ghost " + self.role, x - self.w / 2, y, self.w, self.h, 11)
        m.middle("small", x, y + 11, self.text)

    def lines(self) -> list[str]:
        return [self.text]


# ---------------------------------------------------------------- several nodes in one box


class Box(Item):
    """Several nodes in one named box, with lines that say what they do."""

    __slots__ = ("hover", "name", "reads", "shown", "text")

    def __init__(
        self, role: str, name: str, text: list[str], nodes: tuple[str, ...], hover: str = "", reads: str = ""
    ) -> None:
        self.role, self.name, self.text, self.nodes, self.hover, self.reads = role, name, text, nodes, hover, reads
        self.says = []
        self.fit(1)

    def fit(self, scale: float) -> None:
        self.wrap(10**4)

    def wrap(self, room: float) -> None:
        """The words in lines of at most this width."""
        self.shown = [line for words in self.text for line in wrap(words, "small", room)]
        self.w = max([wide(self.name, "name"), *(wide(line, "small") for line in self.shown)]) + 18
        self.h = 26 + 14 * len(self.shown) + (2 if self.shown else 0)

    def title(self) -> str:
        return self.hover

    def shapes(self, m: Marks, x: float, y: float) -> None:
        if self.reads:
            m.open("", (self.reads,), refer=True)
        m.rect("box " + self.role, x - self.w / 2, y, self.w, self.h, 6)
        m.middle("name", x, y + 13, self.name)
        for i, line in enumerate(self.shown):
            m.middle("small", x, y + 31 + 14 * i, line)
        if self.reads:
            m.close()

    def lines(self) -> list[str]:
        return [", ".join([self.name, *self.text]) + (f" [{self.hover}]" if self.hover else "")]
