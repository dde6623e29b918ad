"""Figure -> marks: where everything stands. Three arrangements of the same parts: wide, middle and narrow.

Wide: tower, cards, panels and bar side by side. Middle and narrow: tower and cards on top, panels below, then the bar.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cutaway.gallery.drawing.arrangements import ARRANGEMENTS, GAP, Arrangement, Stacked, Wide
from cutaway.gallery.drawing.callouts import Callout, Numbered, Placed, place_callouts
from cutaway.gallery.drawing.figure import Figure
from cutaway.gallery.drawing.folded import fold, fold_order
from cutaway.gallery.drawing.header import put_header
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.panel import Panel
from cutaway.gallery.drawing.totals import Bar
from cutaway.gallery.drawing.tower import Tower

MARGIN = 40


@dataclass(slots=True)
class Page:
    """Placed marks and the size they need."""

    marks: Marks
    width: int
    height: int
    placed: Placed
    callouts: list[Callout] = field(default_factory=list)


def place(fig: Figure, layout: str = "wide", header: bool = False, numbered: Iterable[Numbered] = ()) -> Page:
    """All marks of a figure in one of the ARRANGEMENTS, and the callouts of what is numbered."""
    a = ARRANGEMENTS[layout]
    m = Marks()
    margin = (MARGIN if layout == "wide" else 16) if header else 0
    top = put_header(m, fig, a, margin) if header else 0
    panels = make_panels(fig, a)
    bar = Bar(fig.bar, fig.counted, a.panel)
    tower = Tower(fig.spec)
    built = (Stacked if a.stacked else Wide)(fig, a, tower, panels, bar)
    width, height = a.width + 2 * margin, int(built.put(m, margin, top) + max(margin, 4))
    placed = Placed(fig, tower, built.cards, panels)
    return Page(m, width, height, placed, place_callouts(placed, m, width, height, numbered))


TALL, TALL_NARROW = 1680, 2400  # of all panels: wide, a drawing with its bar is two screens of 900 high


def make_panels(fig: Figure, a: Arrangement) -> list[Panel]:
    """The panels. In a tall figure those whose wiring another panel shows are folded into a line."""
    panels = [Panel(content, a.panel) for _, content in fig.panels]
    spare = sum(panel.h + GAP for panel in panels) - (TALL_NARROW if a.panel < 480 else TALL)
    folded: set[int] = set()
    shown: set[int] = set()  # what stands for others stays
    for i, like in fold_order(fig.panels):
        if spare <= 0 or i in folded | shown or like in folded:
            continue
        folded.add(i)
        shown.add(like)
        content, where = fig.panels[i][1], "above" if like < i else "below"
        small = Panel(content, a.panel, like=fold(content, fig.panels[like][1], where))
        spare -= panels[i].h - small.h
        panels[i] = small
    return panels
