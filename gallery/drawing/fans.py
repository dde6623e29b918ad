"""The fans of a drawing: from a run of slabs in the tower to a card, from a box of a card to its panel."""

from __future__ import annotations

from cutaway.gallery.drawing.card import Card
from cutaway.gallery.drawing.tower import WIDTH, Tower
from cutaway.gallery.drawing.words import runs


def fan(x0: float, a: float, b: float, x1: float, top: float, bottom: float, x2: float, c: float, d: float) -> str:
    """From the box side (x0, a to b) over the card's edge x1 (kept within it) to the panel (x2, c to d)."""
    share = (x1 - x0) / (x2 - x0)
    up = min(max(a + (c - a) * share, top), bottom)
    low = max(min(b + (d - b) * share, bottom), top)
    return f"M{x0:g} {a:g}L{x1:g} {up:.1f}L{x2:g} {c:g}V{d:g}L{x1:g} {low:.1f}L{x0:g} {b:g}z"


def spans_for(cards: list[Card]) -> list[tuple[int, int] | None]:
    """For each card, top to bottom, a run of its layers below the run of the card above; None where there is none."""
    out: list[tuple[int, int] | None] = []
    ceiling = 10**9
    for i, card in enumerate(cards):
        below = [other.kind.indices[0] for other in cards[i + 1 :]]
        found = [run for run in reversed(runs(card.kind.indices)) if run[1] < ceiling]
        keep = [run for run in found if all(run[0] > first for first in below)] or found
        out.append(keep[0] if keep else None)
        if keep:
            ceiling = keep[0][0]
    return out


def tower_fans(tower: Tower, cards: list[Card], x: float) -> list[tuple[str, str]]:
    """(role, path) per card that has a run of slabs to come from."""
    left = x + tower.LEFT + WIDTH + 2
    out = []
    for card, span in zip(cards, spans_for(cards), strict=True):
        if span is None:
            continue
        top, bottom = tower.layer_y(span[1])[0], tower.layer_y(span[0])[1]
        right, inset = card.x, min(10, card.h / 4)
        d = f"M{left:g} {top:.1f}L{right:g} {card.y + inset:g}V{card.y + card.h - inset:g}L{left:g} {bottom:.1f}z"
        out.append((card.kind.role, d))
    return out
