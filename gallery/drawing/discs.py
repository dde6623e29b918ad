"""A placed drawing and numbered things -> where their numbers stand: at the tower, on a card, at a panel's title.

A disc lies on no word, no line, no box of the picture and no other disc; each thing stands at most once on the tower,
once on a card and at two panels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from cutaway.gallery.drawing.marks import Marks, text_box
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.places import Place, places
from cutaway.gallery.drawing.tower import EAVES, HALF, WIDTH

if TYPE_CHECKING:
    from cutaway.gallery.drawing.block import Card
    from cutaway.gallery.drawing.layout import Columns
    from cutaway.gallery.drawing.panel import Panel
    from cutaway.gallery.drawing.tower import Tower

RADIUS, ROOM = 9, 11  # of a disc; of what it keeps free
STEP = 2 * ROOM + 2  # from one disc to the next beside it
CELLS = {"mixer": HALF / 2, "layer": WIDTH / 2, "mlp": WIDTH - HALF / 2}  # middles
PANELS = 2  # at which a number stands
SOLID = ("box", "strong", "pill", "norm", "keep", "alarm")  # rectangles that no disc covers

Spot = tuple[float, float]
Box = tuple[float, float, float, float]
Places = tuple[Place, ...]


class Numbered(NamedTuple):
    """One thing that gets a number."""

    number: int
    key: str  # of gallery.comparing's mechanisms
    says: str  # what the number means, for who cannot see the list: "New 1, Gated DeltaNet, first in the catalogue."
    target: str = ""  # where a page explains it: "#new-1"


class Disc(NamedTuple):
    """A number and where it stands."""

    number: int
    x: float
    y: float
    says: str
    target: str
    again: bool = False  # the same number stands elsewhere already


class Free:
    """Where a disc may stand."""

    def __init__(self, marks: Marks, width: float, height: float) -> None:
        self.page = (ROOM - 3.0, ROOM - 3.0, width - ROOM + 3.0, height - ROOM + 3.0)
        self.taken: list[Spot] = []
        self.boxes: list[Box] = [text_box(mark) for mark in marks if mark[0] == "text"]
        self.solid: list[Box] = []
        for mark in marks:
            if mark[0] == "rect" and mark[1].split()[0] in SOLID:
                self.solid.append((mark[2], mark[3], mark[2] + mark[4], mark[3] + mark[5]))
            elif mark[0] == "sum":
                self.boxes.append((mark[2] - 9, mark[3] - 9, mark[2] + 9, mark[3] + 9))
            elif mark[0] == "edge":
                self.boxes += [
                    (min(a, c) - 1, min(b, d) - 1, max(a, c) + 1, max(b, d) + 1)
                    for a, b, c, d in (mark[1][i : i + 4] for i in range(0, len(mark[1]) - 2, 2))
                ]

    def at(self, spot: Spot, on: Box | None = None) -> bool:
        """Whether a disc may stand there; `on` is a box that it may touch."""
        x, y = spot
        left, top, right, bottom = self.page
        if not (left <= x <= right and top <= y <= bottom):
            return False
        if any((x - a) ** 2 + (y - b) ** 2 < (2 * ROOM) ** 2 for a, b in self.taken):
            return False
        return not any(near(spot, box) for box in self.boxes) and not any(
            near(spot, box) for box in self.solid if box != on
        )

    def first(self, spots: Iterable[Spot], on: Box | None = None) -> Spot | None:
        """The first spot that is free; it is taken then."""
        found = next((spot for spot in spots if self.at(spot, on)), None)
        if found:
            self.taken.append(found)
        return found


def near(spot: Spot, box: Box) -> bool:
    """Whether a disc there touches a box."""
    x, y = spot
    dx = max(box[0] - x, 0, x - box[2])
    dy = max(box[1] - y, 0, y - box[3])
    return dx * dx + dy * dy < ROOM * ROOM


def discs(built: Columns, marks: Marks, width: float, height: float, numbered: Iterable[Numbered]) -> list[Disc]:
    """Every number at its places, the first ones first served."""
    free = Free(marks, width, height)
    out: list[Disc] = []
    for one in numbered:
        found = places(built.fig.spec, one.key, built.fig)
        spots = [*on_tower(built.tower, free, found), *on_cards(built, free, found), *at_panels(built, free, found)]
        for place, (x, y) in enumerate(spots):
            out.append(Disc(one.number, round(x, 1), round(y, 1), one.says, one.target, place > 0))
    return out


def on_tower(tower: Tower, free: Free, found: Places) -> list[Spot]:
    """The highest cell with room for it."""
    names = (name for kind, name in found if kind == "tower")
    spots = (free.first(at_tower(tower, name), tower.boxes.get(name)) for name in names)
    return list(islice(filter(None, spots), 1))


def on_cards(built: Columns, free: Free, found: Places) -> list[Spot]:
    """The first box that is drawn, else the first card."""
    cards = [boxed(built, name) for kind, name in found if kind == "card"]
    for _, box in cards:
        if box and (spot := free.first(at_box(box), box)):
            return [spot]
    for card, _ in sorted(cards, key=lambda pair: pair[1] is not None):
        if spot := free.first(at_edges(card.x, card.y, card.w, card.h)):
            return [spot]
    return []


def boxed(built: Columns, name: str) -> tuple[Card, Box | None]:
    """A card, and the box of a node on it where one is drawn."""
    where, _, node = name.partition(" ")
    card = next(card for card in built.cards if f"layer{card.kind.layer.index}" == where)
    names = (unit.name for unit in card.units if node in unit.names)
    return card, next((card.boxes[unit] for unit in names if unit in card.boxes), None)


def at_panels(built: Columns, free: Free, found: Places) -> list[Spot]:
    """At the titles of two panels."""
    names = {name for kind, name in found if kind == "panel"}
    spots = (free.first(at_panel(panel)) for panel in built.panels if panel.inside.where in names)
    return list(islice(filter(None, spots), PANELS))


# ---------------------------------------------------------------- spots, the best first


def at_tower(tower: Tower, name: str) -> Iterator[Spot]:
    """A layer's cell, or what stands above and below the layers."""
    index, _, half = name.partition(" ")
    if half:
        top, bottom = tower.layer_y(int(index))
        yield tower.left + CELLS[half], (top + bottom) / 2
        return
    right = tower.left + WIDTH + EAVES
    if name == "stack":
        yield from ((right - 22, tower.slab_top + 14 + STEP * i) for i in range(6))
        return
    middle = tower.levels[name]
    yield from ((right, middle), (right + 8, middle), (tower.left - 8, middle), (right, middle - 14))


def at_box(box: Box) -> Iterator[Spot]:
    """Beside a box, else at its corners."""
    left, top, right, bottom = box
    middle = (top + bottom) / 2
    yield from ((left - ROOM - 1, middle), (right + ROOM + 1, middle))
    yield from ((x, y) for y in (top, bottom) for x in (left, right))
    yield from ((left - ROOM - 1, bottom + 4), (right + ROOM + 1, bottom + 4))


def at_panel(panel: Panel) -> Iterator[Spot]:
    """Behind the title, else on the frame."""
    last = len(panel.title) - 1
    end = panel.x + 18 + wide(panel.title[last], "head") + ROOM + 1
    while end < panel.x + panel.w - ROOM - 4:
        yield end, panel.y + 23.5 + 20 * last
        end += STEP / 2
    yield from at_edges(panel.x, panel.y, panel.w, panel.h)


def at_edges(x: float, y: float, w: float, h: float) -> Iterator[Spot]:
    """On a frame: its upper edge from the right, then the other edges."""
    along = [STEP + STEP * i for i in range(int((w - 2 * STEP) / STEP) + 1)]
    yield from ((x + w - step, y) for step in along)
    for step in range(24, int(h) - 12, 12):
        yield from ((x + w, y + step), (x, y + step))
    yield from ((x + w - step, y + h) for step in along)
