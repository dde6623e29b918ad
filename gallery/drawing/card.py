"""One kind of layer -> its card: the graph of the layer from bottom to top, its halves hung into the stream.

The longest way through the layer stands on one axis. What skips a part of it runs up on rails at the right, what runs
beside it stands in a column at the left; nothing crosses. card_units.py says what its boxes are, card_marks.py draws
them.
"""

from __future__ import annotations

from cutaway.gallery.drawing.card_units import Unit, chains, spine, units_of
from cutaway.gallery.drawing.layer_kinds import Kind
from cutaway.gallery.drawing.measure import ellipsize, wide, wrap
from cutaway.gallery.drawing.pictures import picture_of
from cutaway.gallery.spec import ModelSpec

HIGH = {"half": 46, "norm": 24, "sign": 18, "pill": 20}


# ---------------------------------------------------------------- the card


class Card:
    """The card of one kind of layer; `stretch` adds to its height, spread over the edges."""

    def __init__(self, kind: Kind, spec: ModelSpec, w: int, stretch: int = 0) -> None:
        self.kind, self.spec, self.w, self.stretch, self.full = kind, spec, w, stretch, kind.full
        self.graph, found = units_of(kind, spec)
        self.units, self.main = found, spine(found)
        self.place = {unit.name: i for i, unit in enumerate(self.main)} | {"stream": -1}
        self.order = {unit.name: i for i, unit in enumerate(found)}
        self._sort(chains(found, self.main))
        several = any(unit.name.endswith("_collapse") for unit in self.main)
        self.streams = getattr(spec.residual, "streams", 0) if several else 0
        self.tops: dict[int, tuple[float, float]] = {}  # unit on the axis -> its top, and where it forks
        self.x = self.y = 0.0  # once drawn
        self.spots: dict[int, tuple[float, float, float]] = {}  # id of a mixer or MLP -> where its fan begins
        self.boxes: dict[str, tuple[float, float, float, float]] = {}  # unit -> left, top, right, bottom, once drawn
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
        lines = wrap(self.kind.says, "label", room)
        return lines if len(lines) < 3 else [lines[0], ellipsize(" ".join(lines[1:]), "label", room)]

    def _full_height(self) -> float:
        self.edges = len(self.main) + 1
        body = sum(HIGH[unit.kind] for unit in self.main)
        head = 52 + 16 * len(self.says) + 16 * len(self.extras)
        return head + 26 + body + self.edges * 14 + 8 * self._sums() + self.stretch

    def _sums(self) -> int:
        """Where the stream goes on behind a sum, its words and forks need some room more."""
        return len({a for a, *_ in (*self.rails, *self.beside)})

    # ---------------------------------------------------------------- where things stand

    def measure(self) -> None:
        """The axis, the widths of boxes, the x of every rail, once the card has its place."""
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
