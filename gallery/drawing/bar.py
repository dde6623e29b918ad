"""Parameters by part -> the bar under the drawing, its legend and the share that one token touches."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cutaway.gallery.counting.parameters import Parameters
from cutaway.gallery.drawing.census import Tally, parts_in
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.pictures import PICTURES
from cutaway.gallery.drawing.words import count, figures

FIXED = {
    "experts": ("moe", "routed experts"),
    "shared": ("moe", "shared experts"),
    "router": ("moe", "router"),
    "dense": ("dense", "dense"),
    "indexer": ("sparse", "indexer"),
    "embedding": ("embed", "embedding + head"),
    "head": ("embed", "embedding + head"),
    "norm": ("plain", "norms"),
    "residual": ("plain", "residual"),
    "conv": ("linear", "short conv"),
    "other": ("plain", "other"),
}

STYLES = {"shared": "half", "router": "box", "indexer": "half", "norm": "pill", "residual": "half", "other": "pill"}
LEAST = 0.0005  # share of all parameters below which a part counts as "other"


@dataclass(slots=True)
class Segment:
    """One part of the bar."""

    role: str
    name: str
    value: int
    style: str = "solid"


def segments(tallies: list[Tally], counted: Parameters) -> list[Segment]:
    """Parts from the largest to the smallest; embedding and head as one."""
    found: dict[tuple[str, str], Segment] = {}
    for part, value in counted.by_part.items():
        role, name = FIXED.get(part) or _mixers(tallies, part)
        if (role, name) in found:
            found[role, name].value += value
        else:
            found[role, name] = Segment(role, name, value, STYLES.get(part, "solid"))
    if ("embed", "embedding + head") in found and not counted.by_part.get("head"):
        found["embed", "embedding + head"].name = "embedding"
    return few(sorted(found.values(), key=lambda s: -s.value), counted.total)


def few(parts: list[Segment], total: int) -> list[Segment]:
    """Parts too small to see as one, at the end."""
    small = [part for part in parts if part.value < LEAST * total]
    if len(small) < 2:
        return parts
    rest = Segment("plain", "other", sum(part.value for part in small), STYLES["other"])
    return [part for part in parts if part.value >= LEAST * total] + [rest]


def _mixers(tallies: list[Tally], part: str) -> tuple[str, str]:
    """Role and word of the mixers whose weights count under `part`."""
    votes: Counter[tuple[str, str]] = Counter()
    for mixer, n in parts_in(tallies, ("mixer",)):
        picture = PICTURES[type(mixer)]
        role = picture.role(mixer)
        if part == (role if role in ("linear", "ssm") else "attention"):
            votes[role, "attention" if part == "attention" else picture.short(mixer)] += n
    return votes.most_common(1)[0][0] if votes else ("plain", part)


class Bar:
    """The bar with legend, `w` wide."""

    def __init__(self, parts: list[Segment], counted: Parameters, w: int) -> None:
        self.parts, self.counted, self.w = parts, counted, w
        self.legend: list[tuple[int, int, Segment]] = []
        x, row = 0, 0
        for part in parts:
            need = 15 + wide(self._words(part), "label") + 18
            if x and x + need > w:
                x, row = 0, row + 1
            self.legend.append((x, row, part))
            x += need
        need = 15 + wide(self.active_words(), "label")
        self.last = (x, row) if x + need <= w else (0, row + 1)
        self.h = 20 + 22 + 9 + 10 + (self.last[1] + 1) * 20

    @staticmethod
    def _words(part: Segment) -> str:
        return f"{part.name} {count(part.value)}"

    def active_words(self) -> str:
        share = 100 * self.counted.active / max(self.counted.total, 1)
        if self.counted.active == self.counted.total:
            return f"all {count(self.counted.total)} touched by each token"
        most = "at most " if self.counted.at_most else ""
        return f"{most}{count(self.counted.active)} touched by each token ({figures(share, 2)} %)"

    def put(self, m: Marks, x: float, y: float) -> None:
        total = max(self.counted.total, 1)
        m.text("label", x, y + 12, f"where the {count(total)} parameters are")
        at = x
        spare = self.w - 1.6 * len(self.parts)
        for part in self.parts:
            width = round(spare * part.value / total + 0.6, 1)
            m.open(f"{self._words(part)} ({100 * part.value / total:.3g} %)")
            m.rect(f"{part.style} {part.role}", round(at, 1), y + 20, width, 22, 1)
            m.close()
            at += width + 1
        m.open(self.active_words())
        m.rect("active", x, y + 45, max(2, round(self.w * self.counted.active / total, 1)), 5, 1)
        m.close()
        for left, row, part in self.legend:
            top = y + 60 + row * 20
            m.rect(f"{part.style} {part.role}", x + left, top, 10, 10, 2)
            m.text("label", x + left + 15, top + 9, self._words(part))
        left, row = self.last
        m.rect("active", x + left, y + 62.5 + row * 20, 10, 5, 1)
        m.text("label", x + left + 15, y + 69 + row * 20, self.active_words())

    def lines(self) -> list[str]:
        return ["parameters: " + ", ".join(self._words(part) for part in self.parts), self.active_words()]
