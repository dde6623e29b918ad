"""A card's units -> the stream from its bottom to its top, what stands beside it, what goes round a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.unit_boxes import HIGH, put, reach
from cutaway.gallery.drawing.units import Unit

if TYPE_CHECKING:
    from cutaway.gallery.drawing.block import Card

STREAM = ("stream",)


def stream(m: Marks, card: Card) -> None:
    """Everything from bottom to top."""
    gap, low = 14 + card.stretch / card.edges, card.y + card.h
    forks = {a for a, *_ in (*card.rails, *card.beside)}
    words = "residual stream" if not card.streams else f"{card.streams} streams"
    if card.beside:
        m.text("small end", card.axis - 10, low - 8, words)
    else:
        m.text("small", card.axis + 10 + 3 * card.streams, low - 8, words)
    source: tuple[str, ...] = STREAM
    y = low
    fork = low - 26
    card.tops[-1] = (low, fork)
    for i, unit in enumerate(card.main):
        start = fork if i - 1 in forks else y - 8 if i == 0 else y
        top = round(start - gap - HIGH[unit.kind])
        rise(m, card, source, unit, y, fork if i - 1 in forks else None, top + HIGH[unit.kind])
        put(m, card, unit, card.axis, top, card.box_w)
        y, source = top, unit.names
        fork = y - 8
        card.tops[i] = (top, fork)
    m.trunk(source, card.axis, y, card.axis, card.y + 46 + 16 * (len(card.says) + len(card.extras)))
    tip(m, card)
    for start, between, end in card.beside:
        column(m, card, start, between, end)
    for (start, between, end), x in zip(card.rails, card.rail_x, strict=True):
        rail(m, card, start, between, end, x)


def tip(m: Marks, card: Card) -> None:
    """The stream leaves the card upwards; several streams do so without an arrowhead."""
    top = card.y + 46 + 16 * (len(card.says) + len(card.extras))
    if card.streams:
        for i in range(min(card.streams, 6)):
            at = card.axis + (i - (min(card.streams, 6) - 1) / 2) * 5
            m.trunk(card.main[-1].names, at, card.tops[len(card.main) - 1][0], at, top)
    else:
        m.append(("tip", "up", card.axis, top))


def rise(m: Marks, card: Card, source: Sequence[str], unit: Unit, y: float, fork: float | None, top: float) -> None:
    """The edge of the axis into a unit; below a fork it is a trunk."""
    names = m.names(source, unit.names)
    if card.streams and unit.name.endswith("_collapse"):
        n = min(card.streams, 6)
        for i in range(n):
            at = card.axis + (i - (n - 1) / 2) * 5
            m.edge(at, y, at, top, names=names if i == 0 else " ".join(f"{name}>" for name in source[-1:]))
        return
    if fork is not None:
        m.trunk(source[-1:], card.axis, y, card.axis, fork)
    m.edge(card.axis, y if fork is None else fork, card.axis, top, tip="up", names=names)


def column(m: Marks, card: Card, start: int, between: list[Unit], end: int) -> None:
    """Units at the left, each level with one of the axis; what comes out goes up and into the sum."""
    _, fork = card.tops[start]
    source = card.main[start].names if start >= 0 else STREAM
    every = [name for unit in between for name in unit.names]
    y = fork
    for k, unit in enumerate(between):
        level = card.main[start + 1 + k] if start + 1 + k < len(card.main) else unit
        middle = card.tops[start + 1 + k][0] + HIGH[level.kind] / 2
        at = round(middle - HIGH[unit.kind] / 2)
        names = m.names(source, every if k == 0 else unit.names)
        bottom = at + HIGH[unit.kind]
        if k == 0:
            m.edge(card.axis, y, card.left, y, card.left, bottom, tip="up", names=names)
        else:
            m.edge(card.left, y, card.left, bottom, tip="up", names=names)
        put(m, card, unit, card.left, at, card.box_w)
        y, source = at, unit.names
    goal = card.tops[end][0] + HIGH[card.main[end].kind] / 2
    short = 9 if card.main[end].kind == "sign" else card.box_w / 2
    m.edge(card.left, y, card.left, goal, card.axis - short, goal, tip="right",
           names=m.names(source, card.main[end].names))  # fmt: skip


def rail(m: Marks, card: Card, start: int, between: list[Unit], end: int, x: float) -> None:
    """What skips a part of the axis, with the small steps it takes on the way."""
    _, fork = card.tops[start]
    unit, source = card.main[end], card.main[start].names if start >= 0 else STREAM
    goal = card.tops[end][0] + HIGH[unit.kind] / 2
    if card.streams and unit.name.endswith("_expand"):
        bundle(m, card, start, end, source, x)
        return
    short = 9 if unit.kind == "sign" else reach(card, unit)
    if not between:
        m.edge(card.axis, fork, x, fork, x, goal, card.axis + short, goal, tip="left",
               names=m.names(source, unit.names))  # fmt: skip
        return
    y, points = fork, (card.axis, fork, x, fork)
    for k, one in enumerate(between):
        top = round((fork + goal) / 2 - 10 * len(between)) + 34 * (len(between) - 1 - k)
        m.edge(*(points if k == 0 else (x, y)), x, top + 20, tip="up", names=m.names(source, one.names))
        put(m, card, one, x, top, card.pill_w)
        y, source = top, one.names
    m.edge(x, y, x, goal, card.axis + short, goal, tip="left", names=m.names(source, unit.names))


def bundle(m: Marks, card: Card, start: int, end: int, source: Sequence[str], x: float) -> None:
    """Several streams around a half: from the box that reads them to the one that writes them."""
    collapse = next(i for i in range(end, -1, -1) if card.main[i].name.endswith("_collapse"))
    if start == collapse:  # the weights that it makes go the same way
        return
    low, high = card.tops[collapse][0] + 20, card.tops[end][0]
    both = [*source, *card.main[collapse].names]
    names = m.names(both, card.main[end].names)
    side = card.x + card.w - 22
    for i in range(min(card.streams, 6)):
        a, b = low - 4 - i * 3, high + 4 + i * 3
        m.edge(card.axis + 55, a, side - i * 4, a, side - i * 4, b, card.axis + 55, b,
               names=names if i == 0 else " ".join(f"{name}>" for name in source[-1:]))  # fmt: skip
