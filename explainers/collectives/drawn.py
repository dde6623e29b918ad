"""A computed run -> the first picture as HTML: the ring with this step's messages, everybody's slots, the counts."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

from explainers import fmt

WIDTH, RING, TOP = 950, 300, 44


class Place:
    """Where ranks and slots stand."""

    def __init__(self, n: int):
        self.n, self.left = n, RING + 72
        self.column = min((WIDTH - self.left) / n, 144)
        self.row = max(14, min(46, 300 // n))
        self.height = max(RING, TOP + n * self.row + 30)
        self.cx, self.cy, self.radius, self.node = RING / 2, max(RING / 2, (TOP + n * self.row) / 2), RING / 2 - 24, 16

    def cell(self, rank: int, slot: int) -> tuple[float, float, float, float]:
        """x, y, width, height of a slot."""
        return self.left + rank * self.column + 4, TOP + slot * self.row + 1.5, self.column - 8, self.row - 3

    def at(self, turn: float) -> tuple[float, float]:
        """A point of the circle; 0 = the top, 1 = once round."""
        angle = turn * 2 * pi - pi / 2
        return self.cx + self.radius * cos(angle), self.cy + self.radius * sin(angle)


def _cell(g: Place, rank: int, slot: int, value: int, adds: bool) -> str:
    x, y, w, h = g.cell(rank, slot)
    out = f'<rect class="cw-collectives-empty" x="{x:.1f}" y="{y}" width="{w:.1f}" height="{h}" rx="2"/>'
    for r in range(g.n):
        if value >> r & 1:
            part = w / g.n if adds else w
            left = x + r * part if adds else x
            out += f'<rect class="cw-rank cw-rank{r}" x="{left:.1f}" y="{y}" width="{part:.1f}" height="{h}"/>'
    return out


def _arrow(g: Place, src: int, dst: int) -> str:
    gap = (g.node + 7) / g.radius / (2 * pi)
    a, b = src / g.n + gap, (dst if dst > src else dst + g.n) / g.n - gap
    (x1, y1), (x2, y2) = g.at(a), g.at(b)
    neighbour = (dst - src) % g.n == 1
    way = f"A{g.radius} {g.radius} 0 0 1 {x2:.1f} {y2:.1f}" if neighbour else f"L{x2:.1f} {y2:.1f}"
    turn = f'<g transform="translate({x2:.1f} {y2:.1f}) rotate({b * 360:.1f})"><path d="M-8 -4.5L1 0L-8 4.5z"/></g>'
    return (
        f'<g class="cw-collectives-ways"><path d="M{x1:.1f} {y1:.1f}{way}"/></g>'
        f'<g class="cw-collectives-heads">{turn}</g>'
    )


def picture(state: dict[str, Any], out: dict[str, Any]) -> str:
    """The ranks, what each holds at the step, what is sent next, and steps and bytes beside their formulas."""
    n, k = int(state["ranks"]), min(int(state["step"]), len(out["phases"]))
    g, adds = Place(n), state["op"] in ("all-reduce", "reduce-scatter")
    pairs = sorted({(row[1], row[2]) for row in out["log"] if row[0] == k + 1})
    marks = []
    for rank in range(n):
        x, y = g.at(rank / n)
        marks.append(
            f'<circle class="cw-rank cw-rank{rank}" cx="{x:.1f}" cy="{y:.1f}" r="16"/>'
            f'<text class="cw-collectives-light" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{rank}</text>'
        )
        middle = g.left + (rank + 0.5) * g.column
        marks.append(
            f'<circle class="cw-rank cw-rank{rank}" cx="{middle:.1f}" cy="{TOP - 22}" r="11"/>'
            f'<text class="cw-collectives-light" x="{middle:.1f}" y="{TOP - 18}" text-anchor="middle">{rank}</text>'
        )
        marks += [_cell(g, rank, slot, out["frames"][k][rank][2 * slot], adds) for slot in range(n)]
    name = f"{state['algorithm'].capitalize()} {state['op']}, {n} ranks"
    busiest = fmt.in_kib(out["bytes"]["busiest"])
    array = fmt.in_kib(2 ** state["message"])
    words = f"{name}: for an array of {array} the busiest rank sends {busiest} in {out['counted']['steps']} steps"
    return (
        f'<h2 class="cw-heading"><span>{name}</span> <small>after {k} of {len(out["phases"])} steps</small></h2>'
        f'<svg class="cw-collectives-svg" role="img" aria-label="{words}." viewBox="0 0 {WIDTH} {g.height}" '
        f'width="{WIDTH}" height="{g.height}">{"".join(marks)}{"".join(_arrow(g, *pair) for pair in pairs)}'
        f'<text class="cw-collectives-op" x="{g.cx}" y="{g.cy + 4}" text-anchor="middle">{state["op"]}</text></svg>'
        '<p class="cw-note">Columns are ranks, rows are chunks. The colours in a slot say whose numbers are in it; '
        "arrows are the messages of the next step.</p>"
        f"<p>{words}: about {fmt.fixed(out['time_us'], 1)} µs at {state['alpha']:g} µs a start and "
        f"{state['bandwidth']:g} GB/s. Every number the run left equals the answer on the whole arrays.</p>"
    )
