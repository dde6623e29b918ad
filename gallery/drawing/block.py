"""One kind of layer -> its card: the residual stream from bottom to top, with the mixer and the MLP hung into it."""

from __future__ import annotations

from gallery.drawing.layer_kinds import Kind
from gallery.drawing.marks import Marks
from gallery.drawing.measure import fitted, wide, wrapped
from gallery.drawing.pictures import parts_of, picture_of
from gallery.spec import Combined, Layer, ModelSpec, Norm

BOX, NORM, SIGN = 46, 24, 18


class Halves:
    """A layer as steps from bottom to top: (what, things); a fork, boxes, norms, a sum."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        norms = {norm.position: norm for norm in layer.norms}
        if layer.parallel and layer.mixer is not None and layer.mlp is not None:
            into = [n for n in (norms.get("mixer_in"), norms.get("mlp_in")) if n]
            columns = [[part] for half in (layer.mixer, layer.mlp) for part in parts_of(half)]
            self.halves = [(into[:1], columns, [n for p, n in norms.items() if p.endswith("_out")][:1])]
            return
        self.halves = []
        for word, half in (("mixer", layer.mixer), ("mlp", layer.mlp)):
            if half is not None:
                steps = self._steps(half)
                self.halves.append(
                    ([n for n in (norms.get(word + "_in"),) if n], steps, [n for n in (norms.get(word + "_out"),) if n])
                )

    @staticmethod
    def _steps(half: object) -> list[list[object]]:
        """Side by side: several columns of one; one after the other: one column of several."""
        found = list(parts_of(half))
        if isinstance(half, Combined) and half.how == "parallel":
            return [[part] for part in found]
        return [found]


class Card:
    """The card of one kind of layer; `stretch` adds to its height, spread over the edges."""

    def __init__(self, kind: Kind, spec: ModelSpec, w: int, stretch: int = 0) -> None:
        self.kind, self.spec, self.w, self.stretch, self.full = kind, spec, w, stretch, kind.full
        self.halves = Halves(kind.layer).halves
        self.streams = spec.hyper_connections.streams if spec.hyper_connections else 0
        self.spots: dict[int, tuple[float, float, bool]] = {}  # id of a mixer or MLP -> its box's (top, bottom, alone)
        shown = [extra for extra in kind.layer.extras if extra.kind != "hyper_connection" or not self.streams]
        self.extras = list(dict.fromkeys(extra.label for extra in shown))[:4]
        self.says = self._says()
        self.h = self._full_height() if self.full else self._compact_height()

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

    def _full_height(self) -> int:
        edges = 1
        body = 0
        for into, columns, out in self.halves:
            deep = max(len(column) for column in columns)
            body += deep * BOX + NORM * (len(into) + len(out)) + SIGN + (22 if self.streams else 0)
            edges += deep + len(into) + len(out) + 1
        self.edges = max(edges, 1)
        return 52 + 16 * len(self.says) + 26 + body + edges * 14 + len(self.extras) * 26 + self.stretch

    def put(self, m: Marks, x: float, y: float) -> None:
        self.x, self.y = x, y
        m.rect("card", x, y, self.w, self.h, 10)
        count = f"{len(self.kind.indices)} ×"
        m.text("count " + self.kind.role, x + 16, y + 29, count)
        beside = x + 16 + wide(count, "count") + 4
        m.text("label", beside, y + 28, fitted(self.kind.which, "label", x + self.w - 8 - beside))
        for i, line in enumerate(self.says):
            m.text("label", x + 16, y + 46 + 16 * i, line)
        if self.full:
            self._stream(m)
        else:
            self._spread_spots()

    def _spread_spots(self) -> None:
        """A compact card has no boxes: its right edge is shared out among the panels it opens."""
        opened = self.kind.opened
        for i, part in enumerate(opened):
            step = (self.h - 8) / len(opened)
            self.spots[id(part)] = (self.y + 4 + i * step, self.y + 4 + (i + 1) * step, False)

    def _stream(self, m: Marks) -> None:
        gap = 14 + self.stretch / self.edges
        axis, y = round(self.x + self.w / 2 - 18), self.y + self.h
        words = "residual stream" if not self.streams else f"{self.streams} streams"
        m.text("small", axis + 10 + 3 * self.streams, y - 8, words)
        start = y
        y -= 26
        for half in self.halves:
            y, start = self._half(m, half, axis, y, start, gap)
        for label in self.extras:
            m.edge(axis, start, axis, y - 10 + 4)
            w = min(wide(label, "small") + 16, self.w - 24)
            m.rect("ghost plain", axis - w / 2 if w < 150 else self.x + 12, y - 26, w, 22, 6)
            m.middle("small", axis if w < 150 else self.x + 12 + w / 2, y - 15, fitted(label, "small", w - 8))
            start = y - 26
            y -= 26
        self._trunk(m, axis, start, self.y + 46 + 16 * len(self.says), tip=True)

    def _trunk(self, m: Marks, axis: float, low: float, high: float, tip: bool = False) -> None:
        """The residual stream between two points: one line, or one per stream."""
        if not self.streams:
            m.edge(axis, low, axis, high, tip="up" if tip else "")
            return
        n = min(self.streams, 6)
        for i in range(n):
            at = axis + (i - (n - 1) / 2) * 5
            m.edge(at, low, at, high)

    def _half(self, m: Marks, half: tuple, axis: float, y: float, start: float, gap: float) -> tuple[float, float]:
        """One half from its fork at y; returns (y above the sum, where the stream goes on)."""
        into, columns, out = half
        fork = y
        self._trunk(m, axis, start, fork)
        if self.streams:
            y = self._pill(m, axis, fork, f"{self.streams} streams → 1") - 0
        at = y
        for norm in into:
            at = self._norm(m, norm, axis, at, gap)
        at = self._columns(m, columns, axis, at, gap)
        for norm in out:
            at = self._norm(m, norm, axis, at, gap)
        at = round(at - gap)
        side = self.x + self.w - 22
        if self.streams:
            m.edge(axis, round(at + gap), axis, at, tip="up")
            m.rect("pill", axis - 55, at - 18, 110, 18, 4)
            m.middle("small", axis, at - 9, f"1 → {self.streams} streams")
            for i in range(min(self.streams, 6)):
                m.edge(
                    axis + 55,
                    fork - 4 - i * 3,
                    side - i * 4,
                    fork - 4 - i * 3,
                    side - i * 4,
                    at - 15 + i * 3,
                    axis + 55,
                    at - 15 + i * 3,
                )
            return at - 18, at - 18
        m.edge(axis, round(at + gap), axis, at, tip="up")
        m.sign(axis, at - 9, "plus")
        m.edge(axis, fork, side, fork, side, at - 9, axis + 9, at - 9, tip="left")
        return at - 18 - 8, at - 18

    def _pill(self, m: Marks, axis: float, y: float, words: str) -> float:
        m.rect("pill", axis - 55, y - 18, 110, 18, 4)
        m.middle("small", axis, y - 9, words)
        return y - 18

    def _norm(self, m: Marks, norm: Norm, axis: float, y: float, gap: float) -> float:
        top = round(y - gap - NORM)
        m.edge(axis, y, axis, top + NORM, tip="up")
        m.open(
            f"{norm.kind} {self.spec.hidden_size:,}"
            + ("" if norm.weight else ", no weight")
            + (", with bias" if norm.bias else "")
        )
        m.rect("norm", axis - 48, top, 96, NORM, 6)
        m.middle("ink", axis, top + NORM / 2, norm.kind)
        m.close()
        return top

    def _columns(self, m: Marks, columns: list[list[object]], axis: float, y: float, gap: float) -> float:
        """The boxes of a half; several columns stand side by side and meet again."""
        if len(columns) == 1:
            for part in columns[0]:
                top = round(y - gap - BOX)
                m.edge(axis, y, axis, top + BOX, tip="up")
                self._box(m, part, axis, top, min(178, 2 * (axis - self.x - 12)))
                self.spots[id(part)] = (top, top + BOX, True)
                y = top
            return y
        n = len(columns)
        w = (self.w - 52 - 8 * (n - 1)) / n
        top = round(y - gap - BOX)
        bus, meet = round(y - gap / 2), round(top - 7)
        for i, column in enumerate(columns):
            at = round(self.x + 12 + w / 2 + i * (w + 8))
            m.edge(axis, bus, at, bus, at, top + BOX, tip="up")
            m.edge(at, top, at, meet, axis, meet)
            self._box(m, column[0], at, top, w)
            step = BOX / n
            j = n - 1 - i
            self.spots[id(column[0])] = (top + j * step, top + (j + 1) * step, False)
        m.edge(axis, y, axis, bus)
        return meet

    def _box(self, m: Marks, part: object, axis: float, top: float, w: float) -> None:
        picture = picture_of(part)
        role = picture.role(part)
        name, small = picture.name(part), picture.small(part)
        if wide(name, "onrole") > w - 8:
            short = picture.short(part)
            ways = (short, short.split(" ")[0], name.split(" ")[-1])
            name = next((way for way in ways if wide(way, "onrole") <= w - 8), ways[1])
        if wide(small, "onrolem") > w - 6:
            small = small.removeprefix("width ").split(" + ")[0].split(", ")[0]
            small = small if wide(small, "onrolem") <= w - 2 else small.replace(" of ", "/")
        m.rect("strong " + role if role != "plain" else "alarm", axis - w / 2, top, w, BOX, 6)
        on = ("onrole", "onrolem") if role != "plain" else ("name", "dim")
        m.middle(on[0], axis, top + 16, fitted(name, on[0], w - 8))
        m.middle(on[1], axis, top + 33, fitted(small, on[1], w - 2))

    def lines(self) -> list[str]:
        """The outline of the card, steps from bottom to top."""
        out = [f"{len(self.kind.indices)} × {self.kind.which}: {self.kind.says}"]
        for into, columns, norms_out in self.halves:
            names = [
                " then ".join(f"{picture_of(p).name(p)} ({picture_of(p).small(p)})" for p in column)
                for column in columns
            ]
            steps = [norm.kind for norm in into] + [" beside ".join(names)] + [norm.kind for norm in norms_out]
            end = f"1 → {self.streams} streams" if self.streams else "add to the residual stream"
            out.append("  " + " → ".join([*([f"{self.streams} streams → 1"] if self.streams else []), *steps, end]))
        return out + [
            f"  with {extra.label}: " + ", ".join(f"{n} {'×'.join(map(str, s))}" for n, s in extra.tensors)
            for extra in self.kind.layer.extras
        ]
