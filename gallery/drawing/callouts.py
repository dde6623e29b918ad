"""A placed drawing and numbered mechanisms -> where their numbers stand: at the tower, on a card, at a panel's title.

A place is a drawn thing that shows a mechanism, by the names it carries in the drawing:
("tower", "46 mixer"): that layer's left cell, "46 mlp" its right one, "46 layer" both; also "mtp", "head", "embed",
"stack".
("card", "layer3 mixer.attend"): the box of that node on the card of layer 3; "layer3" alone is the whole card.
("panel", "layer3.mixer"): an opened mixer or MLP.

A disc lies on no word, no line, no box of the picture and no other disc; each thing stands at most once on the tower,
once on a card and at two panels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from cutaway.gallery.comparing.finding import Hit
from cutaway.gallery.comparing.mechanisms import find_mechanism
from cutaway.gallery.drawing.card import Card
from cutaway.gallery.drawing.card_units import Unit, units_of
from cutaway.gallery.drawing.figure import Figure, figure
from cutaway.gallery.drawing.layer_kinds import Kind, picture_key
from cutaway.gallery.drawing.marks import Marks, text_box
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.panel import Panel
from cutaway.gallery.drawing.tower import EAVES, HALF, WIDTH, Tower
from cutaway.gallery.spec import ModelSpec

RADIUS, ROOM = 9, 11  # of a disc; of what it keeps free
APART = 2 * ROOM + 2  # from one disc to the next beside it
CELLS = {"mixer": HALF / 2, "layer": WIDTH / 2, "mlp": WIDTH - HALF / 2}  # middles
PANELS = 2  # at which a number stands
SOLID = ("box", "strong", "pill", "norm", "keep", "alarm")  # rectangles that no disc covers

Spot = tuple[float, float]
Box = tuple[float, float, float, float]
Place = tuple[str, str]
Places = tuple[Place, ...]


class Placed(NamedTuple):
    """A figure and its parts, drawn: each knows where it stands."""

    fig: Figure
    tower: Tower
    cards: list[Card]
    panels: list[Panel]


class Numbered(NamedTuple):
    """One thing that gets a number."""

    number: int
    key: str  # of gallery.comparing's mechanisms
    says: str  # what the number means, "New 1, Gated DeltaNet, first in the catalogue."
    target: str = ""  # where a page explains it: "#new-1"
    kind: str = "first"  # of its disc: "first" here, filled; new for the "house", hollow; "rare", dashed


class Callout(NamedTuple):
    """A number and where it stands."""

    number: int
    x: float
    y: float
    says: str
    target: str
    again: bool = False  # the same number stands elsewhere already
    kind: str = "first"  # filled; "house" is hollow, "rare" dashed


class Free:
    """Where a disc may stand."""

    def __init__(self, marks: Sequence[tuple], width: float, height: float) -> None:
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

    def allows(self, spot: Spot, on: Box | None = None) -> bool:
        """Whether a disc may stand there; `on` is a box that it may touch."""
        x, y = spot
        left, top, right, bottom = self.page
        if not (left <= x <= right and top <= y <= bottom):
            return False
        if any((x - a) ** 2 + (y - b) ** 2 < (2 * ROOM) ** 2 for a, b in self.taken):
            return False
        return not any(touches(spot, box) for box in self.boxes) and not any(
            touches(spot, box) for box in self.solid if box != on
        )

    def take(self, spots: Iterable[Spot], on: Box | None = None) -> Spot | None:
        """The first spot that is free; it is taken then."""
        found = next((spot for spot in spots if self.allows(spot, on)), None)
        if found:
            self.taken.append(found)
        return found


def touches(spot: Spot, box: Box) -> bool:
    """Whether a disc there touches a box."""
    x, y = spot
    left, top, right, bottom = box
    dx = left - x if x < left else x - right if x > right else 0  # max() takes twice the time, a million times a build
    dy = top - y if y < top else y - bottom if y > bottom else 0
    return dx * dx + dy * dy < ROOM * ROOM


def place_callouts(
    placed: Placed, marks: Marks, width: float, height: float, numbered: Iterable[Numbered]
) -> list[Callout]:
    """Every number at its places, the first ones first served."""
    out: list[Callout] = []
    asked = tuple(numbered)
    if not asked:
        return out
    free = Free(marks, width, height)
    for one in asked:
        found = places(placed.fig.spec, one.key, placed.fig)
        spots = [
            *tower_spots(placed.tower, free, found),
            *card_spots(placed, free, found),
            *panel_spots(placed, free, found),
        ]
        for place, (x, y) in enumerate(spots):
            out.append(Callout(one.number, round(x, 1), round(y, 1), one.says, one.target, place > 0, one.kind))
    return out


def tower_spots(tower: Tower, free: Free, found: Places) -> list[Spot]:
    """The highest cell with room for it."""
    names = (name for kind, name in found if kind == "tower")
    spots = (free.take(spots_at_tower(tower, name), tower.boxes.get(name)) for name in names)
    return list(islice(filter(None, spots), 1))


def card_spots(placed: Placed, free: Free, found: Places) -> list[Spot]:
    """The first box that is drawn, else the first card."""
    cards = [box_on_card(placed, name) for kind, name in found if kind == "card"]
    for _, box in cards:
        if box and (spot := free.take(spots_at_box(box), box)):
            return [spot]
    for card, _ in sorted(cards, key=lambda pair: pair[1] is not None):
        if spot := free.take(spots_on_frame(card.x, card.y, card.w, card.h)):
            return [spot]
    return []


def box_on_card(placed: Placed, name: str) -> tuple[Card, Box | None]:
    """A card, and the box of a node on it where one is drawn."""
    where, _, node = name.partition(" ")
    card = next(card for card in placed.cards if f"layer{card.kind.layer.index}" == where)
    names = (unit.name for unit in card.units if node in unit.names)
    return card, next((card.boxes[unit] for unit in names if unit in card.boxes), None)


def panel_spots(placed: Placed, free: Free, found: Places) -> list[Spot]:
    """At the titles of two panels."""
    names = {name for kind, name in found if kind == "panel"}
    spots = (free.take(spots_at_panel(panel)) for panel in placed.panels if panel.content.where in names)
    return list(islice(filter(None, spots), PANELS))


# ---------------------------------------------------------------- spots, the best first


def spots_at_tower(tower: Tower, name: str) -> Iterator[Spot]:
    """A layer's cell, or what stands above and below the layers."""
    index, _, half = name.partition(" ")
    if half:
        top, bottom = tower.layer_y(int(index))
        yield tower.left + CELLS[half], (top + bottom) / 2
        return
    right = tower.left + WIDTH + EAVES
    if name == "stack":
        yield from ((right - 22, tower.slab_top + 14 + APART * i) for i in range(6))
        return
    middle = tower.levels[name]
    yield from ((right, middle), (right + 8, middle), (tower.left - 8, middle), (right, middle - 14))


def spots_at_box(box: Box) -> Iterator[Spot]:
    """Beside a box, else at its corners."""
    left, top, right, bottom = box
    middle = (top + bottom) / 2
    yield from ((left - ROOM - 1, middle), (right + ROOM + 1, middle))
    yield from ((x, y) for y in (top, bottom) for x in (left, right))
    yield from ((left - ROOM - 1, bottom + 4), (right + ROOM + 1, bottom + 4))


def spots_at_panel(panel: Panel) -> Iterator[Spot]:
    """Behind the title, else on the frame."""
    last = len(panel.title) - 1
    end = panel.x + 18 + wide(panel.title[last], "head") + ROOM + 1
    while end < panel.x + panel.w - ROOM - 4:
        yield end, panel.y + 23.5 + 20 * last
        end += APART / 2
    yield from spots_on_frame(panel.x, panel.y, panel.w, panel.h)


def spots_on_frame(x: float, y: float, w: float, h: float) -> Iterator[Spot]:
    """On a frame: its upper edge from the right, then the other edges."""
    along = [APART + APART * i for i in range(int((w - 2 * APART) / APART) + 1)]
    yield from ((x + w - step, y) for step in along)
    for step in range(24, int(h) - 12, 12):
        yield from ((x + w, y + step), (x, y + step))
    yield from ((x + w - step, y + h) for step in along)


# ---------------------------------------------------------------- the drawn things that show a mechanism


IN_STREAM = {  # what is no mixer, MLP or norm -> the nodes of a layer that do it; without a row it is the card as such
    "hyper-connections": r".*_hc_.*", "gated-streams": r".*hyper_connection.*", "ngrams": r"ple\..*",
    "altup": r"predict.*|active",
    "residual-scale": r".*_scaled", "scaled-stream": r".*_scaled|.*_shifted", "convolved-halves": r".*_conv.*",
}  # fmt: skip
OUTSIDE = {"learned-position": "embed"}  # found in a mixer, done elsewhere
WHOLE = ("mtp", "head", "embed", "stack")


def places(spec: ModelSpec, key: str, drawn: Figure | None = None) -> tuple[Place, ...]:
    """Everything drawn that shows a mechanism: cells of the tower from the top, then cards (those that show
    nothing else first), then panels."""
    fig = drawn or figure(spec)
    if key in OUTSIDE:
        return (("tower", OUTSIDE[key]),)
    hits = find_mechanism(fig.spec, key)
    out = [("tower", hit.half) for hit in hits if hit.half in WHOLE]
    out += tower_cells(hits)
    layers = {index for hit in hits for index in hit.layers}
    for kind in sorted(fig.kinds, key=lambda kind: not layers.issuperset(kind.indices)):
        out += card_boxes(fig.spec, kind, key, hits)
    wanted = {picture_key(hit.part) for hit in hits if hit.half in ("mixer", "mlp") and hit.part is not None}
    out += [("panel", content.where) for part, content in fig.panels if picture_key(part) in wanted]
    return tuple(dict.fromkeys(out))


def tower_cells(hits: list[Hit]) -> list[Place]:
    """The cells of the layers that have it, the highest first."""
    rows = {(index, hit.half if hit.half in ("mixer", "mlp") else "layer") for hit in hits for index in hit.layers}
    return [("tower", f"{index} {half}") for index, half in sorted(rows, reverse=True)]


def card_boxes(spec: ModelSpec, kind: Kind, key: str, hits: list[Hit]) -> list[Place]:
    """The boxes of one card, from the top; the card as such where no box is it."""
    mine = set(kind.indices)
    name = f"layer{kind.layer.index}"
    here = [hit for hit in hits if hit.half not in WHOLE and mine.intersection(hit.layers)]
    units = reversed(units_of(kind, spec)[1])
    boxes = [("card", f"{name} {unit.names[-1]}") for unit in units if any(shows(unit, hit, key) for hit in here)]
    return boxes or [("card", name)] if here else []


def shows(unit: Unit, hit: Hit, key: str) -> bool:
    """Whether a unit of a card is what was found."""
    if hit.half in ("mixer", "mlp"):
        if hit.part is None:  # a half made of several
            return unit.name.partition(".")[0] == hit.half and unit.part is not None
        return unit.part is not None and picture_key(unit.part) == picture_key(hit.part)
    if hit.node:
        return any(name == hit.node or name.startswith(hit.node + ".") for name in unit.names)
    return key in IN_STREAM and any(re.fullmatch(IN_STREAM[key], name) for name in unit.names)
