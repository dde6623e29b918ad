"""A computed run -> pictures as HTML: the ring with the next step's messages, and everybody's slots.

The layout is that of view.js, pixel for pixel, so that the script takes a drawing over without moving it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, cos, floor, pi, sin
from typing import Any

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import bound

LAB, BEAT = 624, 450  # pixels: how high a drawing may be
WIDE, NARROW = 820, 358  # pixels: a beat's figure on a large screen, and on a phone
ADDS = ("all-reduce", "reduce-scatter")


class Place:
    """Where ranks and slots stand: layout of view.js."""

    def __init__(self, n: int, width: float, high: float):
        self.n, self.width = n, width
        self.wide = width >= 640
        ring = min(300, width * 0.32) if self.wide else min(250, width, 0.4 * high)
        self.left = ring + 72 if self.wide else 30
        self.top = 44 if self.wide else ring + 44
        self.column = min((width - self.left) / n, 144)
        room = min(high, 374) - 74 if self.wide else high - ring - 74
        self.row = max(14, min(46, floor(room / n)))
        self.height = max(ring if self.wide else 0, self.top + n * self.row + 30)
        self.cx = ring / 2 if self.wide else width / 2
        self.cy = max(ring / 2, (self.top + n * self.row) / 2) if self.wide else ring / 2
        self.radius, self.node = ring / 2 - 24, 12 if n > 10 else 16

    def cell(self, rank: int, slot: int) -> tuple[float, float, float, float]:
        """x, y, width, height of a slot."""
        pad = max(1.5, min(4, self.column / 10))
        x, y = self.left + rank * self.column + pad, self.top + slot * self.row + 1.5
        return x, y, self.column - 2 * pad, self.row - 3

    def at(self, turn: float) -> tuple[float, float]:
        """A point of the circle; 0 = the top, 1 = once round."""
        angle = turn * 2 * pi - pi / 2
        return self.cx + self.radius * cos(angle), self.cy + self.radius * sin(angle)


def words(x: float, y: float, said: Any, css: str) -> str:
    """An index round a point."""
    at = f'x="{x:.1f}" y="{y:.1f}" dy="0.36em" text-anchor="middle"'
    return f'<text class="cw-collectives-{css}" {at} data-index="">{said}</text>'


def box(x: float, y: float, w: float, h: float) -> str:
    """A rectangle as a piece of a path."""
    return f"M{x:.1f} {y:.1f}h{w:.1f}v{h:.1f}h{-w:.1f}z"


def across(n: int, width: float) -> int:
    """How many tiles a slot has side by side, one for each rank; in several rows rather than as slivers."""
    many = n
    while many > 4 and 6 * many > width:
        many = ceil(many / 2)
    return many


def tiles(g: Place, op: str, rank: int, slot: int, value: int) -> list[tuple[int, tuple[float, ...]]]:
    """What a slot holds, (colour, box): a tile for each rank summed in it, or all of one colour."""
    x, y, w, h = g.cell(rank, slot)
    many = across(g.n, w) if op in ADDS else 1
    tw, th = (w / many, h / ceil(g.n / many)) if op in ADDS else (w, h)
    whose = [r for r in range(g.n) if value >> r & 1]
    places = [(r % many, r // many) if op in ADDS else (0, 0) for r in whose]
    return [(r, (x + i * tw, y + j * th, tw, th)) for r, (i, j) in zip(whose, places, strict=True)]


def held(g: Place, op: str, frame: list[list[int]], slots: list[tuple[int, int]], goals: bool) -> str:
    """What these slots hold, a path for each colour; with `goals`, in an all-to-all, where each chunk must go."""
    paths: dict[int, str] = {}
    marks = ""
    for rank, slot in slots:
        value = frame[rank][2 * slot]
        for r, tile in tiles(g, op, rank, slot, value):
            paths[r] = paths.get(r, "") + box(*tile)
        x, y, w, h = g.cell(rank, slot)
        if goals and op == "all-to-all" and value and h >= 11 and w >= 18:
            goal = (frame[rank][2 * slot + 1] - 1) % 16
            marks += words(x + w / 2, y + h / 2, f"→{goal}", "dark" if value > 255 else "light")
    return "".join(f'<path class="cw-rank cw-rank{r}" d="{d}"/>' for r, d in paths.items()) + marks


def arrow(g: Place, src: int, dst: int) -> str:
    """The way from one rank to another: along the circle to a neighbour, else straight."""
    gap = (g.node + 7) / g.radius / (2 * pi)
    a, b = src / g.n + gap, (dst if dst > src else dst + g.n) / g.n - gap
    (x1, y1), (x2, y2) = g.at(a), g.at(b)
    neighbour = (dst - src) % g.n == 1
    way = f"A{g.radius:.1f} {g.radius:.1f} 0 0 1 {x2:.1f} {y2:.1f}" if neighbour else f"L{x2:.1f} {y2:.1f}"
    turn = f'<path transform="translate({x2:.1f} {y2:.1f}) rotate({b * 360:.1f})" d="M-8 -4.5L1 0L-8 4.5z"/>'
    return (
        f'<g class="cw-collectives-ways"><path d="M{x1:.1f} {y1:.1f}{way}"/></g>'
        f'<g class="cw-collectives-heads">{turn}</g>'
    )


def ranks(g: Place, sent: list[int]) -> str:
    """The numbered ranks, on the ring and above their slots, and below how many chunks each has sent."""
    out = ""
    for rank in range(g.n):
        (x, y), middle = g.at(rank / g.n), g.left + (rank + 0.5) * g.column
        for cx, cy, r in ((x, y, g.node), (middle, g.top - 22, min(11, g.column / 2 - 1))):
            out += f'<circle class="cw-rank cw-rank{rank}" cx="{cx:.1f}" cy="{cy:.1f}" r="{r:.1f}"/>'
            out += words(cx, cy, rank, "dark" if rank > 7 else "light")
        at = f'x="{middle:.1f}" y="{g.top + g.n * g.row + 18:.1f}" text-anchor="middle"'
        out += f'<text class="cw-collectives-count" {at}>{bound(sent[rank], f"at.sent.{rank}", "int")}</text>'
        at = f'x="{g.left - 4:.1f}" y="{g.top + (rank + 0.5) * g.row:.1f}" dy="0.36em" text-anchor="end"'
        out += f'<text data-index="" {at}>{f"chunk {rank}" if g.wide and g.n < 9 else rank}</text>'
    return f'<g class="cw-collectives-rows">{out}</g>'


def middle(g: Place, op: str, done: str) -> str:
    """Inside the ring: what is run, and how far it is."""
    at = f'x="{g.cx:.1f}" text-anchor="middle"'
    said = f'<text class="cw-collectives-small" {at} y="{g.cy + 16:.1f}">{done} done</text>' if done else ""
    return f'<text class="cw-collectives-op" {at} y="{g.cy - 2:.1f}">{op}</text>{said}'


def drawing(state: dict, out: dict, width: float, high: float, label: str, hush: bool = False) -> str:
    """The run after state's steps; `hush` leaves out how many steps there are, and weighs less."""
    n, op = int(state["ranks"]), state["op"]
    g, step = Place(n, width, high), min(max(floor(state["step"]), 0), len(out["frames"]) - 1)
    moves = [row for row in out["log"] if row[0] == step + 1]
    leaving = {(row[1], row[3]) for row in moves}
    slots = [(rank, slot) for rank in range(n) for slot in range(n)]
    empty = "".join(box(*g.cell(*one)) for one in slots)
    stay, fly = (
        held(g, op, out["frames"][step], [one for one in slots if (one in leaving) is flies], g.wide and not hush)
        for flies in (False, True)
    )
    arrows = "".join(arrow(g, *pair) for pair in sorted({(row[1], row[2]) for row in moves}))
    done = "" if hush else bound(out["at"]["words"], "at.words")
    return (
        f'<svg class="cw-collectives-svg" role="img" aria-label="{label}" viewBox="0 0 {width} {g.height:.1f}" '
        f'width="{width}" height="{g.height:.1f}"><path class="cw-collectives-empty" d="{empty}"/>'
        f'<g class="cw-collectives-goals">{stay}</g><g class="cw-collectives-flying">{fly}</g>'
        f"{arrows}{ranks(g, out['at']['sent'])}{middle(g, op, done)}</svg>"
    )


def both(draw: Callable[[float], str]) -> str:
    """A drawing as wide as a beat's figure on a large screen, and one as wide as a phone's; beats.css shows one."""
    return f'<div class="cw-collectives-wide">{draw(WIDE)}</div><div class="cw-collectives-narrow">{draw(NARROW)}</div>'


def picture(state: dict[str, Any], out: dict[str, Any]) -> str:
    """The lab before its script: the run, and what it counted in a sentence."""
    name = f"{state['algorithm'].capitalize()} {state['op']}, {state['ranks']} ranks"
    told = (
        f"{name}: for an array of {fmt.in_kib(2 ** state['message'])} the busiest rank sends {out['words']['busiest']} "
        f"in {out['counted']['steps']} steps"
    )
    return (
        f'<h2 class="cw-heading">{name}</h2>{drawing(state, out, 950, LAB, f"{told}.")}'
        f'<p class="cw-collectives-now">After {out["at"]["words"]} steps. Arrows are the messages of the next.</p>'
        '<p class="cw-note">Columns are ranks, rows are chunks. The colours in a slot say whose numbers are in it.</p>'
        f"<p>{told}: about {out['words']['time']} at {state['alpha']:g} µs a start and {state['bandwidth']:g} GB/s. "
        "Every number the run left equals the answer on the whole arrays.</p>"
    )
