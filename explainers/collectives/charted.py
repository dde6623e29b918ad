"""Ring and tree, time against message size, as SVG: the ends alone, or both lines and where they meet.

Drawn as chart.js draws it in a beat, above a bet's line: left and right are that line's ends.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, log10

LOW, TO, HEIGHT = 10, 30, 280  # from 2 ** 10 bytes to 2 ** 30; pixels
BOTTOM = HEIGHT - 10


def chart(
    times: dict[str, list[float]], spelt: Callable[[float], str], width: int, meet: tuple | None, ends: bool
) -> str:
    """`times`: microseconds at each power of two, by algorithm; `meet`: (power of two, microseconds)."""
    left, right = (60, 24) if width > 640 else (48, 20)
    logs = [log10(max(us, 1e-3)) for row in times.values() for us in row]
    low, high = floor(min(logs)), ceil(max(logs))

    def x(message: float) -> float:
        return left + (message - LOW) / (TO - LOW) * (width - left - right)

    def y(us: float) -> float:
        return BOTTOM - (log10(max(us, 1e-3)) - low) / max(high - low, 1) * (BOTTOM - 15)

    def text(at: float, level: float, said: str, anchor: str, index: str = ' data-index=""') -> str:
        return f'<text x="{at:.1f}" y="{level:.1f}" text-anchor="{anchor}"{index}>{said}</text>'

    axis = ""
    for power in range(low, high + 1):
        level = y(10**power)
        axis += f'<line x1="{left}" x2="{x(TO):.1f}" y1="{level:.1f}" y2="{level:.1f}"/>'
        axis += text(left - 6, level + 4, spelt(10**power).replace(".00 ", " ").replace(".0 ", " "), "end")
    lines, points = "", [] if meet is None else [meet]
    upper = max(times, key=lambda name: times[name][-1])
    for name, row in times.items():
        before = [row[-1 - floor(px * (TO - LOW) / (width - left - right))] for px in (48, 40)]
        upwards, downwards = (48, y(before[0]) - 6), (4, y(before[1]) + 18)
        dx, level = (12, y(row[-1]) + 4) if ends else upwards if name == upper else downwards
        way = "" if ends else "L".join(f"{x(LOW + i):.1f} {y(us):.1f}" for i, us in enumerate(row))
        on = ' class="on"' if name == "ring" else ""
        lines += f'<g{on}><path d="{way and "M" + way}"/>{text(x(TO) - dx, level, name, "end", "")}'
        lines += (text(x(LOW) + 10, y(row[0]) + 4, name, "start", "") if ends else "") + "</g>"
        points += [(LOW, row[0]), (TO, row[-1])] if ends else []
    dots = "".join(f'<circle cx="{x(m):.1f}" cy="{y(us):.1f}" r="5"/>' for m, us in points)
    here = (
        f'<line class="cw-collectives-here" x1="{x(meet[0]):.1f}" x2="{x(meet[0]):.1f}" y1="12" y2="{BOTTOM}"/>'
        if meet
        else ""
    )
    size = f'viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
    label = "Time of ring and tree against message size, both axes logarithmic."
    return (
        f'<svg class="cw-collectives-chart" role="img" aria-label="{label}" {size}>'
        f'<g class="cw-collectives-axis">{axis}</g>{here}<g class="cw-collectives-lines">{lines}</g>'
        f'<g class="cw-collectives-marks">{dots}</g></svg>'
    )
