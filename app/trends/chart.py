"""A plot of /trends/ as data: axes, dots, medians and guide lines; or panels of bars.

trends/svg.py draws it as a picture, trends/live.py as a Bokeh figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Tick(NamedTuple):
    value: float
    text: str
    wide: bool = False  # its text stands only where a frame is wide


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis. Dates are day numbers (date.toordinal); a log axis has only values above 0."""

    label: str
    low: float
    high: float
    ticks: tuple[Tick, ...]
    log: bool = False
    dates: bool = False

    def place(self, value: float) -> float:
        """Where a value stands between the ends: 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


class Dot(NamedTuple):
    """One model; `tip` says its two values in words."""

    x: float
    y: float
    role: str  # a colour of tokens.css
    slug: str
    title: str
    tip: str
    size: float = 8  # diameter in pixels


class Level(NamedTuple):
    """A horizontal line at the median of the dots between two values of x."""

    x0: float
    x1: float
    y: float
    role: str
    words: str = ""


class Guide(NamedTuple):
    """A dashed line between two points, and what it is."""

    x0: float
    y0: float
    x1: float
    y1: float
    words: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """Dots in one frame. `keys` are (role, words) of the colours; `names` is how many dots are named at most."""

    x: Axis
    y: Axis
    dots: tuple[Dot, ...]
    levels: tuple[Level, ...] = ()
    guides: tuple[Guide, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    names: int = 10


class Bar(NamedTuple):
    """A share, 0 to 1, of the architectures released between two days; `tip` says it in words."""

    x0: float
    x1: float
    y: float
    tip: str


class Panel(NamedTuple):
    """One small plot of bars."""

    title: str
    says: str
    role: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Panels:
    """Small plots side by side, all with the same axis of dates; y goes from 0 to `top`."""

    x: Axis
    panels: tuple[Panel, ...]
    top: float = 1.0


def date_axis(days: Iterable[date]) -> Axis:
    """From the first day's year to a little after the last day, with a tick at each new year."""
    known = sorted(days)
    low, high = date(known[0].year, 1, 1), known[-1]
    ticks = tuple(Tick(date(year, 1, 1).toordinal(), str(year)) for year in range(low.year, high.year + 1))
    span = high.toordinal() - low.toordinal()
    return Axis("", low.toordinal() - span / 60, high.toordinal() + span / 30, ticks, dates=True)


def log_axis(label: str, values: Iterable[float], ticks: Iterable[Tick]) -> Axis:
    """From a little under the smallest value to a little over the largest, with those ticks that fall between."""
    known = [value for value in values if value > 0]
    low, high = min(known) / 1.35, max(known) * 1.35
    return Axis(label, low, high, tuple(tick for tick in ticks if low <= tick.value <= high), log=True)


# ---------------------------------------------------------------- which dots are named, and where their names stand


class Name(NamedTuple):
    """The name of a dot: how far from the dot it stands in pixels, and where the text is anchored."""

    dot: Dot
    dx: float
    dy: float
    anchor: str  # "start" | "end" | "middle"


LETTER, LINE = 6.3, 16  # width and height of a letter of a name, pixels
NEAREST = 3  # so many other dots say how isolated one is


@lru_cache(64)  # a page, its file and both themes of what can be zoomed ask for the same
def place_names(chart: Scatter, width: float, height: float) -> tuple[Name, ...]:
    """Names for the most isolated dots, as many as fit in a frame of this size without touching anything."""
    at = {dot: (chart.x.place(dot.x) * width, (1 - chart.y.place(dot.y)) * height) for dot in chart.dots}
    boxes = [(x - 4, y - 4, x + 4, y + 4) for x, y in at.values()]
    taken = np.array([*boxes, *(level_box(chart, level, width, height) for level in chart.levels)])
    found: list[Name] = []
    room = dict(zip(at, rooms(list(at.values())), strict=True)) if at else {}
    for dot in sorted(chart.dots, key=lambda dot: -room[dot]):
        for name, box in around(dot, *at[dot]):
            inside = box[0] >= 0 and box[2] <= width and box[1] >= 0 and box[3] <= height
            if inside and not touches_any(box, taken):
                found.append(name)
                taken = np.vstack((taken, box))
                break
        if len(found) == chart.names:
            break
    return tuple(found)


def rooms(points: list[tuple[float, float]]) -> list[float]:
    """How far the third nearest other point is from each, in pixels; of fewer others the farthest."""
    x, y = np.array(points).T
    far = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2
    nearest = min(NEAREST, len(points) - 1)  # of each row's distances the smallest is 0, its own
    return np.sqrt(np.partition(far, nearest)[:, nearest]).tolist()


def around(dot: Dot, x: float, y: float) -> list[tuple[Name, tuple[float, float, float, float]]]:
    """The four places of a name (right of its dot, left, above, below), each with the box that it fills."""
    wide, r = len(dot.title) * LETTER, dot.size / 2 + 3
    right, left = Name(dot, r, 4, "start"), Name(dot, -r, 4, "end")
    above, below = Name(dot, 0, -r - 2, "middle"), Name(dot, 0, r + 9, "middle")
    return [
        (right, (x + r, y - LINE / 2, x + r + wide, y + LINE / 2)),
        (left, (x - r - wide, y - LINE / 2, x - r, y + LINE / 2)),
        (above, (x - wide / 2, y - r - LINE, x + wide / 2, y - r)),
        (below, (x - wide / 2, y + r, x + wide / 2, y + r + LINE)),
    ]


def level_box(chart: Scatter, level: Level, width: float, height: float) -> tuple[float, float, float, float]:
    """The box of a median line and its words."""
    x, y = chart.x.place(level.x0) * width, (1 - chart.y.place(level.y)) * height
    end = max(chart.x.place(level.x1) * width, x + len(level.words) * LETTER)
    return (x, y - 2, end, y + (LINE + 2 if level.words else 2))


def touches_any(box: tuple[float, float, float, float], others: np.ndarray) -> bool:
    """Whether a box touches one of many, a row (left, top, right, bottom) each."""
    left, top, right, bottom = box
    reach = (left < others[:, 2]) & (others[:, 0] < right) & (top < others[:, 3]) & (others[:, 1] < bottom)
    return bool(reach.any())
