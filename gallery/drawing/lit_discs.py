"""The lit arrangement while it is filled: frames, cuts, and the numbers beside their lit nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cutaway.gallery.drawing.callouts import ROOM, Box, Callout, Free, spots_at_box
from cutaway.gallery.drawing.lit_cuts import Cut
from cutaway.gallery.drawing.lit_nodes import NODES
from cutaway.gallery.drawing.lit_spots import Spot
from cutaway.gallery.drawing.marks import Marks


@dataclass(slots=True)
class Lit:
    """The arrangement: frames and words of its own, cuts of the drawing's parts, and the numbers."""

    width: int
    height: float = 0
    frames: Marks = field(default_factory=Marks)  # under the cuts
    halos: Marks = field(default_factory=Marks)  # over them
    cuts: list[Cut] = field(default_factory=list)
    numbers: list[list[int]] = field(default_factory=list)  # on each cut
    callouts: list[Callout] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The outline: what is shown, how much of it, and the numbers on it."""
        return [
            f"{cut.part.title}, {cut.share()}" + (f": {', '.join(map(str, numbers))}" if numbers else "")
            for cut, numbers in zip(self.cuts, self.numbers, strict=True)
        ]


def put_numbers(lit: Lit, spots: list[Spot]) -> None:
    """Put discs beside the lit boxes, and halos around them, on every cut."""
    said: set[int] = set()
    found: list[tuple[Spot, float, float]] = []
    for cut in lit.cuts:
        free = Free(cut.part.marks, 0, 0)
        a, b, c, d = cut.source
        free.page = (a + ROOM, b + ROOM, c - ROOM, d - ROOM)
        lit.numbers.append([])
        for spot in (spot for spot in spots if spot.part is cut.part):
            boxes = list(marked(cut, spot))
            lit.numbers[-1] += [spot.one.number] * bool(boxes)
            for box in boxes:
                found.append((spot, *cut.at(*disc(free, box))))
                put_halo(lit, cut, box)
    for spot, x, y in sorted(found, key=lambda one: one[0].one.number):
        one = spot.one
        lit.callouts.append(
            Callout(one.number, round(x, 1), round(y, 1), one.says, one.target, one.number in said, one.kind)
        )
        said.add(one.number)


def marked(cut: Cut, spot: Spot) -> Iterator[Box]:
    """The boxes of a number that get a disc here."""
    many = cut.discs if spot.one.key in NODES and cut.part.panel else 1
    return iter([box for box in spot.boxes if cut.holds(box)][:many])


def disc(free: Free, box: Box) -> tuple[float, float]:
    """The place of a disc: beside its box or on its corner; on its edge if nothing else is free."""
    spot = free.take(spots_at_box(box), box)
    if spot is None:
        spot = next((one for one in along(box, free.page) if not near(one, free.taken)), (box[0], box[1]))
        free.taken.append(spot)
    return spot


def along(box: Box, page: Box) -> Iterator[tuple[float, float]]:
    """The upper and the lower edge of a box, as far as they are shown."""
    a, b, c, d = page
    left, right = min(max(box[0], a), c), min(max(box[2], a), c)
    for y in (min(max(box[1], b), d), min(max(box[3], b), d)):
        yield from ((left, y), (right, y))
        yield from ((left + step, y) for step in range(2 * ROOM, int(right - left), 2 * ROOM))


def near(spot: tuple[float, float], taken: Iterable[tuple[float, float]]) -> bool:
    """Whether a disc at this place would touch another."""
    return any((spot[0] - x) ** 2 + (spot[1] - y) ** 2 < (2 * ROOM) ** 2 for x, y in taken)


def put_halo(lit: Lit, cut: Cut, box: Box) -> None:
    """A line of ink around a lit box, as far as it is shown; none around one as wide as its part."""
    if box[2] - box[0] >= cut.part.box[2] - cut.part.box[0]:
        return
    a, b, c, d = cut.source
    left, top = cut.at(max(box[0], a), max(box[1], b))
    right, bottom = cut.at(min(box[2], c), min(box[3], d))
    halo = (
        "rect",
        "halo",
        round(left - 3, 1),
        round(top - 3, 1),
        round(right - left + 6, 1),
        round(bottom - top + 6, 1),
        7,
    )
    if halo not in lit.halos:
        lit.halos.append(halo)
