"""What /lineage/ shows -> rows and columns: no label meets another, no line passes through a model.

Places hold for the whole span of dates. A narrower span only draws points of time apart, so that rows stay right:
app/lineage/lineage-drawing.js zooms by the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from cutaway.app.lineage.entries import LANES, OLDEST, Shown
from cutaway.gallery.drawing.measure import wide

LEFT, RIGHT, WIDTH = 196, 1160, 1400  # where the first and the last day stand; the whole drawing
BEGIN = OLDEST.toordinal()
GLYPH = 7  # half a glyph's width
CLEAR = GLYPH + 2  # room on both sides of a line that passes
GAP = 10  # between a label and what follows it
ROW, HEAD, BETWEEN = 31, 34, 14  # a row; above the first row of a lane; between lanes
OFFSETS = (0, -3, 3, -6, 6, 11, 14, 17, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 66, 72, 80, 90, 100, 112)
ROWS = 1000  # of a lane, at most
TRIES = 5  # layouts, where a line of the one before meets something
SHIFTS = (0, 4, -4, 8, -8, 12, -12, 16, -16, 20, 24)


@dataclass(slots=True)
class Spot:
    """Where a structure stands."""

    one: Shown
    x: float
    lane: int
    row: int
    shift: float = 0.0  # off its date, to leave room
    offset: float = 0.0  # of the upright line that comes down from its relative, off the relative's middle
    parent: Spot | None = None
    room: float = 0.0  # from the middle of its glyph to the end of its label

    # what follows from these, asked a million times:
    end: float = field(init=False)  # where its label ends
    upright: float = field(init=False)  # where its line comes down or up
    start: float = field(init=False)  # where what belongs to it in its own row begins: its line, or its glyph
    at: int = field(init=False)  # its lane and row
    low: int = field(init=False)  # the first and the last row of its line
    high: int = field(init=False)
    turns: bool = field(init=False)  # whether its line has an upright

    def __post_init__(self) -> None:
        parent = self.parent
        self.at = self.low = self.high = self.lane * ROWS + self.row
        self.end = self.x + self.room
        self.upright = (parent.x if parent else self.x) + self.offset
        self.start = min(self.upright if parent else self.x, self.x) - GLYPH
        if parent:
            self.low, self.high = min(parent.at, self.at), max(parent.at, self.at)
        self.turns = self.low < self.high


@dataclass(slots=True)
class Plan:
    """All spots, and how many rows each lane has."""

    first: int
    last: int
    spots: list[Spot] = field(default_factory=list)
    rows: list[int] = field(default_factory=lambda: [0] * len(LANES))

    def tops(self) -> list[float]:
        """The upper edge of each lane."""
        out, y = [], 0.0
        for rows in self.rows:
            out.append(y)
            y += HEAD + ROW * rows + BETWEEN if rows else 0
        return [*out, y]

    def y(self, spot: Spot) -> float:
        """The middle of a spot's glyph."""
        return self.tops()[spot.lane] + HEAD + ROW * spot.row


def label_at(one: Shown) -> int:
    """Where its label begins, from the middle of the glyph."""
    return GLYPH + (8 if one.clones else 4)


def label_width(one: Shown) -> float:
    """Of the wider of both lines."""
    return max(wide(one.title, "name" if one.first else "ink"), wide(one.tag, "small") if one.tag else 0)


PLANS: dict[tuple, Plan] = {}  # the last one, by all that it follows from


def laid_out(found: list[Shown]) -> Plan:
    """Where all stand; a catalogue that differs in none of what that follows from is not laid out again."""
    parents = (one.parent.slug if one.parent else "" for one in found)
    asked = tuple(
        (one.slug, one.day, one.lane, label_at(one), label_width(one), up)
        for one, up in zip(found, parents, strict=True)
    )
    if asked not in PLANS:
        PLANS.clear()
        PLANS[asked] = best_of_tries(found)
    for spot, one in zip(PLANS[asked].spots, found, strict=True):
        spot.one = one
    return PLANS[asked]


def best_of_tries(found: list[Shown]) -> Plan:
    """Each structure beside its relative's row, where it has room; in the plan by date.

    They are placed by date. One whose line then meets something wherever it goes is placed before the others in another
    try, with its ancestors, so that these leave its line free; of all tries the one with the fewest such lines counts.
    """
    known, early, best = {one.slug: one for one in found}, set[str](), (len(found) + 1, Plan(BEGIN, BEGIN))
    for _ in range(TRIES):
        plan, barred = tried(found, early)
        best = min(best, (len(barred), plan), key=lambda one: one[0])
        if not barred:
            break
        for one in barred:
            early |= set(ancestors(one, known))
    return best[1]


def ancestors(one: Shown, known: dict[str, Shown]) -> Iterator[str]:
    """A structure and all that it descends from."""
    at: Shown | None = one
    while at:
        yield at.slug
        at = known.get(at.parent.slug) if at.parent else None


def tried(found: list[Shown], early: set[str]) -> tuple[Plan, list[Shown]]:
    """A plan, `early` placed first; and the structures whose lines meet something in it."""
    plan, barred = Plan(BEGIN, max(one.day for one in found)), []
    at: dict[str, Spot] = {}
    for one in sorted(found, key=lambda one: one.slug not in early):
        spot = placed(plan, one, at.get(one.parent.slug) if one.parent else None)
        if any(in_the_way(spot, other) for other in plan.spots):
            barred.append(one)
        at[one.slug] = spot
        plan.spots.append(spot)
    plan.spots = [at[one.slug] for one in found]
    return plan, barred


def placed(plan: Plan, one: Shown, parent: Spot | None) -> Spot:
    """The nearest row that is free from its relative to the end of its label; a new row where there is none.

    Where a line meets something wherever it goes, it takes a new row and crosses what it must."""
    x = LEFT + (max(one.day, plan.first) - plan.first) / (plan.last - plan.first) * (RIGHT - LEFT)
    wanted = parent.row if parent and parent.lane == one.lane else 0 if not parent or parent.lane < one.lane else 99
    rows = sorted(range(plan.rows[one.lane] + 1), key=lambda row: (row == plan.rows[one.lane], abs(row - wanted), row))
    rows += range(plan.rows[one.lane] + 1, plan.rows[one.lane] + 9)
    room = label_at(one) + label_width(one)
    order = list(plan.spots)
    places = (
        Spot(one, x + shift, one.lane, row, shift, offset, parent, room)
        for row in rows
        for shift in SHIFTS
        if first_free([Spot(one, x + shift, one.lane, row, shift, 0, parent, room)], order, hits_glyph)
        for offset in (OFFSETS if parent and (parent.lane, parent.row) != (one.lane, row) else (0,))
    )
    spot = first_free(places, order, in_the_way) or Spot(one, x, one.lane, plan.rows[one.lane], 0, 0, parent, room)
    plan.rows[one.lane] = max(plan.rows[one.lane], spot.row + 1)
    return spot


Meeting = Callable[[Spot, Spot], bool]


def first_free(places: Iterable[Spot], order: list[Spot], meeting: Meeting) -> Spot | None:
    """The first that meets none of those that stand; what was last in the way is asked first: mostly it still is."""
    for spot in places:
        for at, other in enumerate(order):
            if meeting(spot, other):
                if at:
                    order.insert(0, order.pop(at))
                break
        else:
            return spot
    return None


def hits_glyph(spot: Spot, other: Spot) -> bool:
    """Whether one that stands meets a spot's glyph or label, wherever the spot's own line comes down."""
    if spot.at == other.at:
        if other is spot.parent:
            return spot.x - GLYPH < other.end + GAP
        begins = other.start if other.parent is not spot else other.x
        if spot.x - GLYPH - GAP < other.end and begins < spot.end + GAP:
            return True
    return other.turns and passes(other, spot)


def in_the_way(spot: Spot, other: Spot) -> bool:
    """Whether a spot, its label or its line meets one that stands already."""
    return meets(spot, other) or meets_line(spot, other)


def meets(spot: Spot, other: Spot) -> bool:
    """Whether boxes touch, a level line passes a box, or an upright one a glyph: of either the other's."""
    if spot.at == other.at:
        if other is spot.parent:
            return spot.x - GLYPH < other.end + GAP
        begins = other.start if other.parent is not spot else other.x
        if spot.start - GAP < other.end and begins < spot.end + GAP:
            return True
    return (spot.turns and passes(spot, other)) or (other.turns and passes(other, spot))


def passes(line: Spot, other: Spot) -> bool:
    """Whether the other's glyph stands on one's line: on its upright, or on its way there in its relative's row."""
    parent = line.parent
    if parent is None or other is parent or not line.turns:
        return False
    if other.at == parent.at and parent.x < other.x < line.upright:
        return True
    return line.low <= other.at <= line.high and abs(line.upright - other.x) < CLEAR and other is not line


def meets_line(spot: Spot, other: Spot) -> bool:
    """Whether two upright lines of different relatives lie on each other."""
    if not spot.parent or not other.parent or spot.parent is other.parent or abs(spot.upright - other.upright) >= 3:
        return False
    return spot.low < other.high and other.low < spot.high
