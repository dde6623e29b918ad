"""The arrangements of a drawing: tower, cards and panels side by side, or the panels below tower and cards."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.drawing.card import Card
from cutaway.gallery.drawing.card_marks import draw_card
from cutaway.gallery.drawing.fans import fan, tower_fans
from cutaway.gallery.drawing.figure import Figure
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import wrap
from cutaway.gallery.drawing.panel import Panel
from cutaway.gallery.drawing.totals import Bar
from cutaway.gallery.drawing.tower import Tower

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


TALL_CARDS = 1300  # and a stacked column of cards keeps two in full


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
