"""One kind of layer -> its card: the graph of the layer from bottom to top, its halves hung into the stream.

The longest way through the layer stands on one axis. What skips a part of it runs up on rails at the right, what runs
beside it stands in a column at the left; nothing crosses.
"""

from __future__ import annotations

from collections.abc import Sequence

from gallery.drawing.layer_kinds import Kind
from gallery.drawing.marks import Marks
from gallery.drawing.measure import fitted, wide, wrapped
from gallery.drawing.pictures import picture_of
from gallery.drawing.units import Unit, chains, spine, units_of
from gallery.spec import ModelSpec

HIGH = {"half": 46, "norm": 24, "sign": 18, "pill": 20}
STREAM = ("stream",)


class Card:
    """The card of one kind of layer; `stretch` adds to its height, spread over the edges."""

    def __init__(self, kind: Kind, spec: ModelSpec, w: int, stretch: int = 0) -> None:
        self.kind, self.spec, self.w, self.stretch, self.full = kind, spec, w, stretch, kind.full
        self.graph, found = units_of(kind, spec)
        self.main = spine(found)
        self.place = {unit.name: i for i, unit in enumerate(self.main)} | {"stream": -1}
        self.order = {unit.name: i for i, unit in enumerate(found)}
        self._sort(chains(found, self.main))
        several = any(unit.name.endswith("_collapse") for unit in self.main)
        self.streams = getattr(spec.residual, "streams", 0) if several else 0
        self.spots: dict[int, tuple[float, float, float]] = {}  # id of a mixer or MLP -> where its fan begins
        drawn = {tensor.name for tensor in self.graph.tensors()}
        others = [one for one in kind.layer.extras if any(name not in drawn for name, _ in one.tensors)]
        self.extras = list(dict.fromkeys(extra.label for extra in others))[:4]
        self.says = self._says()
        self.h: float = self._full_height() if self.full else self._compact_height()

    def _sort(self, found: list[tuple[str, list[Unit], Unit]]) -> None:
        """What skips a part goes on rails at the right; what runs beside it, into a column at the left."""
        self.rails: list[tuple[int, list[Unit], int]] = []
        self.beside: list[tuple[int, list[Unit], int]] = []
        for start, between, end in sorted(found, key=lambda one: len(one[1])):
            a, b = self.place[start], self.place[end.name]
            taken = any(other == b for *_, other in self.rails)
            side = any(unit.kind == "half" for unit in between) or (taken and bool(between))
            (self.beside if side else self.rails).append((a, between, b))

    @property
    def wiring(self) -> list[str]:
        """What stands on the axis and beside it, apart from what the halves are."""
        return [*(unit.name for unit in self.main), *(f"{a} {b}" for a, _, b in (*self.rails, *self.beside))]

    def fold(self) -> None:
        """Make the card compact."""
        self.full, self.h = False, self._compact_height()

    def _compact_height(self) -> int:
        return 40 + 16 * len(self.says)

    def _says(self) -> list[str]:
        """The words under the count in one line if they fit, else in two."""
        room = self.w - 24
        brief = self.kind.says.removesuffix(" each")
        if wide(brief, "label") <= room:
            return [self.kind.says if wide(self.kind.says, "label") <= room else brief]
        lines = wrapped(self.kind.says, "label", room)
        return lines if len(lines) < 3 else [lines[0], fitted(" ".join(lines[1:]), "label", room)]

    def _full_height(self) -> float:
        self.edges = len(self.main) + 1
        body = sum(HIGH[unit.kind] for unit in self.main)
        head = 52 + 16 * len(self.says) + 16 * len(self.extras)
        return head + 26 + body + self.edges * 14 + 8 * self._sums() + self.stretch

    def _sums(self) -> int:
        """Where the stream goes on behind a sum, its words and forks need some room more."""
        return len({a for a, *_ in (*self.rails, *self.beside)})

    def put(self, m: Marks, x: float, y: float) -> None:
        """Draw with the left top corner at x, y."""
        self.x, self.y = x, y
        m.rect("card", x, y, self.w, self.h, 10)
        count = f"{len(self.kind.indices)} ×"
        m.text("count " + self.kind.role, x + 16, y + 29, count)
        beside = x + 16 + wide(count, "count") + 4
        m.text("label", beside, y + 28, fitted(self.kind.which, "label", x + self.w - 8 - beside))
        for i, line in enumerate(self.says):
            m.text("label", x + 16, y + 46 + 16 * i, line)
        if self.full:
            for i, label in enumerate(self.extras):
                at = y + 46 + 16 * (len(self.says) + i)
                m.text("small", x + 16, at, fitted(f"with {label}", "small", self.w - 24))
            m.scope(f"layer{self.kind.layer.index}", [*self.graph.edges(), (self.graph.out, "out")])
            self._stream(m)
            m.leave()
        else:
            m.scope(f"layer{self.kind.layer.index}", ())
            m.open(self.kind.says, [node.name for node in self.graph.nodes])  # all of it in one box
            m.close()
            m.leave()
            self._spread_spots()

    def _spread_spots(self) -> None:
        """A compact card has no boxes: its right edge is shared out among the panels it opens."""
        opened = self.kind.opened
        for i, part in enumerate(opened):
            step = (self.h - 8) / len(opened)
            self.spots[id(part)] = (self.y + 4 + i * step, self.y + 4 + (i + 1) * step, self.x + self.w)

    # ---------------------------------------------------------------- where things stand

    def _measure(self) -> None:
        """The axis, the widths of boxes, the x of every rail."""
        depth = [1] * len(self.rails)
        order = sorted(range(len(self.rails)), key=lambda i: self.rails[i][2] - self.rails[i][0])
        for i in order:
            a, _, b = self.rails[i]
            inner = [depth[j] for j in order if j != i and a <= self.rails[j][0] and self.rails[j][2] <= b
                     and self.rails[j][2] - self.rails[j][0] < b - a]  # fmt: skip
            depth[i] = 1 + max(inner, default=0)
        deepest = max(depth, default=1)
        pills = [unit for _, between, _ in self.rails for unit in between]
        self.pill_w = max((self._pill_width(unit) for unit in pills), default=0)
        need = self.pill_w + 18 if pills else 22 + 12 * (deepest - 1) + (4 if deepest > 1 else 0)
        right = self.x + self.w - (10 + self.pill_w / 2 if pills else 22 if deepest == 1 else 14)
        self.rail_x = [round(right - 12 * (deepest - d)) for d in depth]
        if self.beside:
            self.box_w = (self.w - need - 22 - 16) / 2
            self.left = round(self.x + 8 + self.box_w / 2)
            self.axis = round(self.x + 16 + self.box_w * 1.5)
        elif pills or deepest > 1:
            self.box_w = min(178, self.w - 12 - need - 12)
            self.axis = round(self.x + 12 + self.box_w / 2)
        else:
            self.axis = round(self.x + self.w / 2 - 18)
            self.box_w = min(178, 2 * (self.axis - self.x - 12))

    def _pill_width(self, unit: Unit) -> float:
        return min(wide(unit.words, "small") + 14, 84)

    def _stream(self, m: Marks) -> None:
        """Everything from bottom to top."""
        self._measure()
        gap, low = 14 + self.stretch / self.edges, self.y + self.h
        forks = {a for a, *_ in (*self.rails, *self.beside)}
        words = "residual stream" if not self.streams else f"{self.streams} streams"
        if self.beside:
            m.text("small end", self.axis - 10, low - 8, words)
        else:
            m.text("small", self.axis + 10 + 3 * self.streams, low - 8, words)
        self.tops: dict[int, tuple[float, float]] = {-1: (low, low)}  # unit -> its top, where it forks
        source: tuple[str, ...] = STREAM
        y = low
        fork = low - 26
        self.tops[-1] = (low, fork)
        for i, unit in enumerate(self.main):
            start = fork if i - 1 in forks else y - 8 if i == 0 else y
            top = round(start - gap - HIGH[unit.kind])
            self._rise(m, source, unit, y, fork if i - 1 in forks else None, top + HIGH[unit.kind])
            self._unit(m, unit, self.axis, top, self._width(i))
            y, source = top, unit.names
            fork = y - 8
            self.tops[i] = (top, fork)
        m.trunk(source, self.axis, y, self.axis, self.y + 46 + 16 * (len(self.says) + len(self.extras)))
        self._tip(m)
        for start, between, end in self.beside:
            self._column(m, start, between, end)
        for (start, between, end), x in zip(self.rails, self.rail_x, strict=True):
            self._rail(m, start, between, end, x)

    def _tip(self, m: Marks) -> None:
        """The stream leaves the card upwards; several streams do so without an arrowhead."""
        top = self.y + 46 + 16 * (len(self.says) + len(self.extras))
        if self.streams:
            for i in range(min(self.streams, 6)):
                at = self.axis + (i - (min(self.streams, 6) - 1) / 2) * 5
                m.trunk(self.main[-1].names, at, self.tops[len(self.main) - 1][0], at, top)
        else:
            m.append(("tip", "up", self.axis, top))

    def _rise(self, m: Marks, source: Sequence[str], unit: Unit, y: float, fork: float | None, top: float) -> None:
        """The edge of the axis into a unit; below a fork it is a trunk."""
        names = m.names(source, unit.names)
        if self.streams and unit.name.endswith("_collapse"):
            n = min(self.streams, 6)
            for i in range(n):
                at = self.axis + (i - (n - 1) / 2) * 5
                m.edge(at, y, at, top, names=names if i == 0 else " ".join(f"{name}>" for name in source[-1:]))
            return
        if fork is not None:
            m.trunk(source[-1:], self.axis, y, self.axis, fork)
        m.edge(self.axis, y if fork is None else fork, self.axis, top, tip="up", names=names)

    def _width(self, i: int) -> float:
        """Boxes beside a column are narrower."""
        return self.box_w

    def _unit(self, m: Marks, unit: Unit, axis: float, top: float, w: float) -> None:
        """One unit, centred on an axis."""
        if unit.kind == "sign":
            m.sign(axis, top + 9, "plus", unit.names)
            return
        m.open(self._title(unit), unit.names)
        if unit.reads:
            m.open("", unit.reads, refer=True)
        if unit.kind == "half":
            self._box(m, unit.part, axis, top, w)
            self.spots[id(unit.part)] = self._spot(unit, axis, top)
        elif unit.kind == "norm":
            half = min(48, w / 2)
            m.rect("norm", axis - half, top, 2 * half, 24, 6)
            m.middle("ink", axis, top + 12, fitted(unit.words, "ink", 2 * half - 6))
        else:
            words = f"{self.streams} {unit.words}" if unit.words.startswith("streams → 1") else unit.words
            words = f"1 → {self.streams} streams" if unit.words.startswith("1 →") else words
            half = min(max(110 if self.streams else 0, wide(words, "small") + 14), max(w, 84)) / 2
            m.rect("pill", axis - half, top, 2 * half, 20, 4)
            m.middle("small", axis, top + 10, fitted(words, "small", 2 * half - 4))
        if unit.reads:
            m.close()
        m.close()

    def _spot(self, unit: Unit, axis: float, top: float) -> tuple[float, float, float]:
        """(top, bottom, x) where the fan of a box begins: at its side, or at the card's edge where two stand level."""
        high = HIGH["half"]
        level = [start + 1 + k for start, between, _ in self.beside for k, one in enumerate(between) if one is unit]
        if level:
            other = self.main[level[0]]
        else:
            place = self.place[unit.name]
            other = next((between[place - start - 1] for start, between, _ in self.beside
                          if 0 <= place - start - 1 < len(between)), unit)  # fmt: skip
        if other is unit or other.part is None:
            return top, top + high, axis + self.box_w / 2 if not level else self.x + self.w
        above = self.order[unit.name] > self.order[other.name]
        return (top, top + high / 2, self.x + self.w) if above else (top + high / 2, top + high, self.x + self.w)

    def _title(self, unit: Unit) -> str:
        if unit.kind == "norm":
            node = unit.nodes[0]
            weight = node.tensors.get("weight")
            width = weight.shape[-1] if weight else self.spec.hidden_size
            more = ", no weight" if weight is None else ", with bias" if "bias" in node.tensors else ""
            return f"{node.facts['normal'].kind} {width:,}{more}"
        return "" if unit.kind == "half" else unit.words

    # ---------------------------------------------------------------- beside the axis

    def _column(self, m: Marks, start: int, between: list[Unit], end: int) -> None:
        """Units at the left, each level with one of the axis; what comes out goes up and into the sum."""
        _, fork = self.tops[start]
        source = self.main[start].names if start >= 0 else STREAM
        every = [name for unit in between for name in unit.names]
        y = fork
        for k, unit in enumerate(between):
            level = self.main[start + 1 + k] if start + 1 + k < len(self.main) else unit
            middle = self.tops[start + 1 + k][0] + HIGH[level.kind] / 2
            at = round(middle - HIGH[unit.kind] / 2)
            names = m.names(source, every if k == 0 else unit.names)
            bottom = at + HIGH[unit.kind]
            if k == 0:
                m.edge(self.axis, y, self.left, y, self.left, bottom, tip="up", names=names)
            else:
                m.edge(self.left, y, self.left, bottom, tip="up", names=names)
            self._unit(m, unit, self.left, at, self.box_w)
            y, source = at, unit.names
        goal = self.tops[end][0] + HIGH[self.main[end].kind] / 2
        reach = 9 if self.main[end].kind == "sign" else self.box_w / 2
        m.edge(self.left, y, self.left, goal, self.axis - reach, goal, tip="right",
               names=m.names(source, self.main[end].names))  # fmt: skip

    def _rail(self, m: Marks, start: int, between: list[Unit], end: int, x: float) -> None:
        """What skips a part of the axis, with the small steps it takes on the way."""
        _, fork = self.tops[start]
        unit, source = self.main[end], self.main[start].names if start >= 0 else STREAM
        goal = self.tops[end][0] + HIGH[unit.kind] / 2
        if self.streams and unit.name.endswith("_expand"):
            self._bundle(m, start, end, source, x)
            return
        reach = 9 if unit.kind == "sign" else self._half(unit)
        if not between:
            m.edge(self.axis, fork, x, fork, x, goal, self.axis + reach, goal, tip="left",
                   names=m.names(source, unit.names))  # fmt: skip
            return
        y, points = fork, (self.axis, fork, x, fork)
        for k, one in enumerate(between):
            top = round((fork + goal) / 2 - 10 * len(between)) + 34 * (len(between) - 1 - k)
            m.edge(*(points if k == 0 else (x, y)), x, top + 20, tip="up", names=m.names(source, one.names))
            self._unit(m, one, x, top, self.pill_w)
            y, source = top, one.names
        m.edge(x, y, x, goal, self.axis + reach, goal, tip="left", names=m.names(source, unit.names))

    def _half(self, unit: Unit) -> float:
        """How far a pill or norm on the axis reaches to the right."""
        if unit.kind == "norm":
            return min(48, self.box_w / 2)
        return min(wide(unit.words, "small") + 14, max(self.box_w, 84)) / 2

    def _bundle(self, m: Marks, start: int, end: int, source: Sequence[str], x: float) -> None:
        """Several streams around a half: from the box that reads them to the one that writes them."""
        collapse = next(i for i in range(end, -1, -1) if self.main[i].name.endswith("_collapse"))
        if start == collapse:  # the weights that it makes go the same way
            return
        low, high = self.tops[collapse][0] + 20, self.tops[end][0]
        both = [*source, *self.main[collapse].names]
        names = m.names(both, self.main[end].names)
        side = self.x + self.w - 22
        for i in range(min(self.streams, 6)):
            a, b = low - 4 - i * 3, high + 4 + i * 3
            m.edge(self.axis + 55, a, side - i * 4, a, side - i * 4, b, self.axis + 55, b,
                   names=names if i == 0 else " ".join(f"{name}>" for name in source[-1:]))  # fmt: skip

    def _box(self, m: Marks, part: object, axis: float, top: float, w: float) -> None:
        picture = picture_of(part)
        role = picture.role(part)
        name, small = picture.name(part), picture.small(part)
        if wide(name, "onrole") > w - 8:
            short = picture.short(part)
            ways = (short, short.split(" ")[0], name.split(" ")[-1])
            name = next((way for way in ways if wide(way, "onrole") <= w - 8), ways[1])
        if wide(small, "onrolem") > w - 6:
            small = "shared KV" if "of layer" in small else small.removeprefix("width ").split(" + ")[0].split(", ")[0]
            small = small if wide(small, "onrolem") <= w - 2 else small.replace(" of ", "/")
        m.rect("strong " + role if role != "plain" else "alarm", axis - w / 2, top, w, HIGH["half"], 6)
        on = ("onrole", "onrolem") if role != "plain" else ("name", "dim")
        m.middle(on[0], axis, top + 16, fitted(name, on[0], w - 8))
        m.middle(on[1], axis, top + 33, fitted(small, on[1], w - 2))

    def lines(self) -> list[str]:
        """The outline of the card, steps from bottom to top, then what runs beside them."""
        out = [f"{len(self.kind.indices)} × {self.kind.which}: {self.kind.says}"]
        out.append("  " + " → ".join(self._words(unit) for unit in self.main))
        for start, between, end in (*self.beside, *self.rails):
            source = self._place(start)
            way = "".join(f" → {self._words(unit)}" for unit in between)
            out.append(f"    {source}{way} → {self._place(end)}")
        return out + [
            f"  with {extra.label}: " + ", ".join(f"{n} {'×'.join(map(str, s))}" for n, s in extra.tensors)
            for extra in self.kind.layer.extras
        ]

    def _words(self, unit: Unit) -> str:
        if unit.part is not None:
            picture = picture_of(unit.part)
            return f"{picture.name(unit.part)} ({picture.small(unit.part)})"
        return "+" if unit.kind == "sign" else unit.words

    def _place(self, i: int) -> str:
        """A unit by its name: the stream, or what the graph calls it."""
        return "residual stream" if i < 0 else self.main[i].name
