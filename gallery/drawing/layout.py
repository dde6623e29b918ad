"""Figure -> marks: where everything stands. Three arrangements of the same parts: wide, middle and narrow.

Wide: tower, cards, panels and bar side by side. Middle and narrow: tower and cards on top, panels below, then the bar.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cutaway.gallery.drawing.callouts import Callout, Numbered, Placed, place_callouts
from cutaway.gallery.drawing.card import Card
from cutaway.gallery.drawing.card_marks import draw_card
from cutaway.gallery.drawing.figure import Figure
from cutaway.gallery.drawing.folded import fold, fold_order
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import ellipsize, wide, wrap
from cutaway.gallery.drawing.panel import Panel
from cutaway.gallery.drawing.totals import Bar
from cutaway.gallery.drawing.tower import WIDTH, Tower
from cutaway.gallery.drawing.words import runs

GAP = 16


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The widths of one layout."""

    width: int
    card: int  # width of a card
    gutter: int  # between the columns, where the fans are
    panel: int
    stacked: bool


ARRANGEMENTS = {
    "wide": Arrangement(1320, 248, 50, 876, False),
    "middle": Arrangement(690, 300, 46, 690, True),
    "narrow": Arrangement(346, 218, 21, 346, True),
}
MARGIN = 40


@dataclass(slots=True)
class Page:
    """Placed marks and the size they need."""

    marks: Marks
    width: int
    height: int
    placed: Placed
    callouts: list[Callout] = field(default_factory=list)


class Note:
    """A small marked box in the column of cards: another tower, a thing beside the layers, a warning."""

    def __init__(self, style: str, words: str, w: int) -> None:
        self.style, self.w = style, w
        self.words = wrap(words, "small", w - 24)[:4]
        self.h = 12 + 15 * len(self.words)

    def put(self, m: Marks, x: float, y: float) -> None:
        m.rect(self.style if self.style == "alarm" else "ghost embed", x, y, self.w, self.h, 6)
        for i, line in enumerate(self.words):
            m.text("small", x + 12, y + 18 + 15 * i, line)


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
TALL_CARDS = 1300  # and a stacked column of cards keeps two in full


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


class Arranged:
    """What both arrangements share: the column of cards beside the tower."""

    def __init__(self, fig: Figure, a: Arrangement, tower: Tower, panels: list[Panel], bar: Bar) -> None:
        self.fig, self.a, self.tower, self.panels, self.bar = fig, a, tower, panels, bar
        self.cards = [Card(kind, fig.spec, a.card) for kind in fig.kinds]
        self.notes = [Note(style, words, a.card) for style, words in fig.notes]
        self.card_x = tower.w + a.gutter

    def stretch(self, height: float, most: int) -> None:
        """Make full cards taller, so that the column comes near `height`."""
        full = [card for card in self.cards if card.full]
        used = sum(card.h for card in self.cards) + GAP * (len(self.cards) - 1) + sum(n.h + 10 for n in self.notes)
        extra = int(min(most, max(0, (height - used) / max(len(full), 1))))
        for card in full:
            card.stretch += extra
            card.h += extra

    def fold(self, height: float) -> None:
        """Compact cards, the rarest kinds first, while the column is higher than `height`; two stay full."""
        full = sorted((card for card in self.cards if card.full), key=lambda card: -len(card.kind.indices))
        while len(full) > 1 and self.column() > height:
            last = full.pop()
            if len(full) == 1 and last.wiring != full[0].wiring:  # two that differ both stay
                break
            last.fold()

    def column(self) -> float:
        return sum(card.h for card in self.cards) + GAP * (len(self.cards) - 1) + sum(n.h + 10 for n in self.notes)

    def put_cards(self, m: Marks, x: float, tops: list[float], tower_x: float) -> None:
        """Fans from the tower, then the cards over them."""
        for card, top in zip(self.cards, tops, strict=True):
            card.x, card.y = x, top
        for role, points in tower_fans(self.tower, self.cards, tower_x):
            m.path("fan " + role, points)

    def put_notes(self, m: Marks, x: float, y: float) -> float:
        for note in self.notes:
            y += 10
            note.put(m, x, y)
            y += note.h
        return y


class Wide(Arranged):
    """Tower, cards and panels side by side."""

    def put(self, m: Marks, x: float, y: float) -> float:
        a = self.a
        panels_h = sum(p.h for p in self.panels) + GAP * (len(self.panels) - 1)
        right_h = panels_h + 20 + self.bar.h
        self.fold(panels_h)
        self.stretch(panels_h, 240)
        left_h = self.column()
        height = max(right_h, left_h, self.tower.least)
        panel_tops = self._panel_tops(y, max(0, left_h - right_h))
        tops = self._card_tops(y, y + height, panel_tops)
        self.tower.put(m, x, y, height)
        card_x, panel_x = x + self.card_x, x + a.width - a.panel
        self.put_cards(m, card_x, tops, x)
        for card, top in zip(self.cards, tops, strict=True):
            draw_card(m, card, card_x, top)
        self.put_notes(m, card_x, tops[-1] + self.cards[-1].h)
        self._fans(m, card_x, panel_x, panel_tops)
        for panel, top in zip(self.panels, panel_tops, strict=True):
            panel.put(m, panel_x, top)
        bottom = panel_tops[-1] + self.panels[-1].h + 20
        self.bar.put(m, panel_x, bottom)
        return y + max(height, bottom - y + self.bar.h)

    def _panel_tops(self, y: float, spare: float) -> list[float]:
        """Panels from the top; spare room between them, but not much."""
        gap = GAP + min(14, spare / max(len(self.panels), 1))
        tops: list[float] = []
        for panel in self.panels:
            tops.append(round(y))
            y += panel.h + gap
        return tops

    def _card_tops(self, y: float, end: float, panel_tops: list[float]) -> list[float]:
        """Each card level with the first panel it opens, as far as its neighbours let it."""
        after = self.column()
        tops: list[float] = []
        at, opened = y, 0
        for card in self.cards:
            mine = panel_tops[opened : opened + len(card.kind.opened)]
            opened += len(card.kind.opened)
            wish = mine[0] if mine else at
            last = end - after
            at = round(max(at, min(wish, last)))
            tops.append(at)
            at += card.h + GAP
            after -= card.h + GAP
        return tops

    def _fans(self, m: Marks, card_x: float, panel_x: float, panel_tops: list[float]) -> None:
        spots = {}
        for card in self.cards:
            for part in card.kind.opened:
                edge = (card.y + 10, card.y + card.h - 10, card_x + card.w)
                spots[id(part)] = (card, *card.spots.get(id(part), edge))
        for (part, content), panel, top in zip(self.fig.panels, self.panels, panel_tops, strict=True):
            card, a, b, start = spots[id(part)]
            d = fan(start, a, b, card_x + card.w, card.y + 8, card.y + card.h - 8, panel_x, top + 6, top + panel.h - 6)
            m.path("fan " + content.role, d)


class Stacked(Arranged):
    """Tower and cards on top, panels below, then the bar."""

    def put(self, m: Marks, x: float, y: float) -> float:
        self.fold(TALL_CARDS)
        self.stretch(self.tower.least, 60)
        page_x, x = x, x + max(0, self.a.width - self.card_x - self.a.card) // 2
        height = max(self.column(), self.tower.least)
        tops: list[float] = []
        at = y
        for card in self.cards:
            tops.append(round(at))
            at += card.h + GAP
        self.tower.put(m, x, y, height)
        card_x = x + self.card_x
        self.put_cards(m, card_x, tops, x)
        for card, top in zip(self.cards, tops, strict=True):
            draw_card(m, card, card_x, top)
        self.put_notes(m, card_x, tops[-1] + self.cards[-1].h)
        y = round(y + height + 24)
        for panel in self.panels:
            panel.put(m, page_x, y)
            y += panel.h + GAP
        self.bar.put(m, page_x, y)
        return y + self.bar.h


# ---------------------------------------------------------------- header of the standalone picture


def put_header(m: Marks, fig: Figure, a: Arrangement, margin: int) -> float:
    """Title, subtitle and key figures; returns where the drawing begins."""
    if a.stacked:
        return _stacked_header(m, fig, a, margin)
    keys = list(fig.keys)
    while True:
        slots = [max(wide(value, "key"), wide(what, "label")) + 20 for value, what in keys]
        if sum(slots) <= a.width * 0.7 or len(keys) < 4:
            break
        keys.pop(-2)
    x = margin + a.width - sum(slots) + 20
    room = x - margin - 30
    style = "title" if wide(fig.title, "title") <= room else "title2"
    m.text(style, margin, 54, ellipsize(fig.title, style, room))
    m.text("subtitle", margin, 79, ellipsize(fig.subtitle, "subtitle", room))
    for (value, what), slot in zip(keys, slots, strict=True):
        m.text("key", x, 50, value)
        m.text("label", x, 70, what)
        x += slot
    m.path("rule", f"M{margin} 98.5h{a.width}")
    return 122


def _stacked_header(m: Marks, fig: Figure, a: Arrangement, margin: int) -> float:
    y = 20
    style = "title" if wide(fig.title, "title") <= a.width else "title2"
    for line in wrap(fig.title, style, a.width)[:3]:
        y += 32
        m.text(style, margin, y, line)
    for line in wrap(fig.subtitle, "subtitle", a.width)[:3]:
        y += 19
        m.text("subtitle", margin, y, line)
    columns = 2 if a.width < 480 else 4
    for i, (value, what) in enumerate(fig.keys):
        if i % columns == 0:
            y += 46
        x = margin + i % columns * (a.width // columns)
        m.text("key", x, y, value)
        m.text("label", x, y + 18, what)
    m.path("rule", f"M{margin} {y + 34.5}h{a.width}")
    return y + 56


# ---------------------------------------------------------------- fans: tower to card, card to panel


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
