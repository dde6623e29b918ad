"""Ring and tree, time against message size, as SVG: the ends alone, or both lines and where they meet.

Drawn as chart.js draws it in a beat, above a bet's line: left and right are that line's ends.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, log10
from typing import NamedTuple

LOW, TO, HEIGHT = 10, 30, 280  # from 2 ** 10 bytes to 2 ** 30; pixels
BOTTOM = HEIGHT - 10


class Axes(NamedTuple):
    """Where a message and a time lie: both axes logarithmic, times from 10 ** low to 10 ** high microseconds."""

    width: float
    left: int
    right: int
    low: int
    high: int

    @property
    def inner(self) -> float:
        return self.width - self.left - self.right

    def x(self, message: float) -> float:
        return self.left + (message - LOW) / (TO - LOW) * self.inner

    def y(self, us: float) -> float:
        return BOTTOM - (log10(max(us, 1e-3)) - self.low) / max(self.high - self.low, 1) * (BOTTOM - 15)


def axes(times: dict[str, list[float]], width: float) -> Axes:
    """As high as the times need."""
    logs = [log10(max(us, 1e-3)) for row in times.values() for us in row]
    return Axes(width, *((60, 24) if width > 640 else (48, 20)), floor(min(logs)), ceil(max(logs)))


def text(at: float, level: float, said: str, anchor: str, index: str = ' data-index=""') -> str:
    return f'<text x="{at:.1f}" y="{level:.1f}" text-anchor="{anchor}"{index}>{said}</text>'


def levels(on: Axes, spelt: Callable[[float], str]) -> str:
    """A line and its time at every power of ten."""
    out = ""
    for power in range(on.low, on.high + 1):
        level, said = on.y(10**power), spelt(10**power).replace(".00 ", " ").replace(".0 ", " ")
        out += f'<line x1="{on.left}" x2="{on.x(TO):.1f}" y1="{level:.1f}" y2="{level:.1f}"/>'
        out += text(on.left - 6, level + 4, said, "end")
    return out


def named(on: Axes, row: list[float], ends: bool, upper: bool) -> tuple[float, float]:
    """Where a line's name ends: at its end, or above the upper line and below the lower one."""
    if ends:
        return on.x(TO) - 12, on.y(row[-1]) + 4
    back, apart = (48, -6) if upper else (40, 18)  # the line so many pixels before its end
    before = row[-1 - floor(back * (TO - LOW) / on.inner)]
    return on.x(TO) - (48 if upper else 4), on.y(before) + apart


def line(on: Axes, name: str, row: list[float], ends: bool, upper: bool) -> str:
    """An algorithm's line and name, or its two ends."""
    way = "" if ends else "M" + "L".join(f"{on.x(LOW + i):.1f} {on.y(us):.1f}" for i, us in enumerate(row))
    css = ' class="on"' if name == "ring" else ""
    begins = text(on.x(LOW) + 10, on.y(row[0]) + 4, name, "start", "") if ends else ""
    return f'<g{css}><path d="{way}"/>{text(*named(on, row, ends, upper), name, "end", "")}{begins}</g>'


def chart(
    times: dict[str, list[float]], spelt: Callable[[float], str], width: float, meet: tuple | None, ends: bool
) -> str:
    """`times`: microseconds at each power of two, by algorithm; `meet`: (power of two, microseconds)."""
    on = axes(times, width)
    upper = max(times, key=lambda name: times[name][-1])
    lines = "".join(line(on, name, row, ends, name == upper) for name, row in times.items())
    points = [] if meet is None else [meet]
    points += [point for row in times.values() for point in ((LOW, row[0]), (TO, row[-1]))] if ends else []
    dots = "".join(f'<circle cx="{on.x(m):.1f}" cy="{on.y(us):.1f}" r="5"/>' for m, us in points)
    at = f"{on.x(meet[0]):.1f}" if meet else ""
    here = f'<line class="cw-collectives-here" x1="{at}" x2="{at}" y1="12" y2="{BOTTOM}"/>' if meet else ""
    size = f'viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
    label = "Time of ring and tree against message size, both axes logarithmic."
    return (
        f'<svg class="cw-collectives-chart" role="img" aria-label="{label}" {size}>'
        f'<g class="cw-collectives-axis">{levels(on, spelt)}</g>{here}<g class="cw-collectives-lines">{lines}</g>'
        f'<g class="cw-collectives-marks">{dots}</g></svg>'
    )
