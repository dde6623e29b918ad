"""A placed drawing and a numbered mechanism -> where it is drawn: a part of the drawing, and boxes on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from cutaway.gallery.drawing.callouts import Box, Numbered, Placed, Places, box_on_card, places
from cutaway.gallery.drawing.card_marks import part_of_card
from cutaway.gallery.drawing.lit_nodes import BAND, alternatives, lit_nodes
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.panel import PAD, Panel
from cutaway.gallery.drawing.tower import EAVES, WIDTH, Tower


class Part(NamedTuple):
    """Something of the drawing that can be shown again: a panel, a card, the tower."""

    name: str
    title: str
    style: str  # of its frame
    box: Box
    marks: Sequence[tuple]
    head: float = 0  # height of its title and words
    panel: Panel | None = None

    @property
    def h(self) -> float:
        return self.box[3] - self.box[1]

    def bounds(self, box: Box) -> Box:
        """Where a cut that shows a box lies: under the words of the part, which its frame says again."""
        left, top, right, bottom = self.box
        return left, top + self.head if box[1] >= top + self.head else box[1] - 6, right, bottom


class Spot(NamedTuple):
    """Where a number may be put: the boxes of its mechanism's nodes; the first ones get its disc."""

    one: Numbered
    part: Part
    boxes: tuple[Box, ...]


# ---------------------------------------------------------------- parts of a drawing, and what stands where on them


def parts_of(placed: Placed, marks: Marks) -> dict[str, Part]:
    """Every part that the marks name: panels, cards, the tower."""
    panels = {panel.content.where: panel for panel in placed.panels}
    cards = {part_of_card(card): card for card in placed.cards}
    found: dict[str, Part] = {}
    for start, mark in enumerate(marks):
        if mark[0] != "part" or mark[1] in found:
            continue
        _, name, box = mark
        own = marks[start : end_of(marks, start)]
        if panel := panels.get(name):
            content = panel.content
            found[name] = Part(name, content.title, f"panel {content.role}", box, own, panel.head + 4, panel)
        elif card := cards.get(name):
            found[name] = Part(name, "The layer", "card", box, own, 40 + 16 * (len(card.says) + len(card.extras)))
        else:
            found[name] = Part(name, "The stack", "card", box, own)
    return found


OPENING = ("part", "open", "beside", "scope")


def end_of(marks: Marks, start: int) -> int:
    """Where the part that begins at `start` ends."""
    depth = 0
    for at in range(start, len(marks)):
        depth += (marks[at][0] in OPENING) - (marks[at][0] in ("close", "leave"))
        if depth == 0:
            return at + 1
    return len(marks)


def node_boxes(marks: Iterable[tuple]) -> dict[str, Box]:
    """The smallest box that is drawn for each node; of what has none, the tag that names it."""
    found: dict[str, Box] = {}
    tags: dict[str, Box] = {}
    open_: list[tuple[dict[str, Box], list[str]]] = []

    def keep(into: dict[str, Box], names: list[str], box: Box) -> None:
        for name in names:
            if name not in into or area(box) < area(into[name]):
                into[name] = box

    for mark in marks:
        if mark[0] in OPENING:
            own = mark[2].split() if mark[0] == "open" else []
            open_.append((tags if mark[-1] is True else found, own))
        elif mark[0] in ("close", "leave"):
            open_.pop()
        elif mark[0] == "rect":
            into, names = next((one for one in reversed(open_) if one[1]), (found, []))
            keep(into, names, (mark[2], mark[3], mark[2] + mark[4], mark[3] + mark[5]))
        elif mark[0] == "sum":
            keep(found, mark[4].split(), (mark[2] - 9, mark[3] - 9, mark[2] + 9, mark[3] + 9))
    return tags | found


def area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def join_boxes(boxes: Iterable[Box]) -> Box:
    """The box around boxes."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def spots_of(placed: Placed, parts: dict[str, Part], one: Numbered) -> list[Spot]:
    """Where a number may be put: on the panels that draw it, else on the first whole panel, a card, or the tower; on a
    panel that is folded into a line only where there is no other place."""
    found = places(placed.fig.spec, one.key, placed.fig)
    panels = [on_panel(parts[name], one) for kind, name in found if kind == "panel" and name in parts]
    opened = [spot for spot in panels if spot.part.panel and not spot.part.panel.like]
    drawn = [spot for spot in panels if spot.boxes] or [spot._replace(boxes=(spot.part.box,)) for spot in opened[:1]]
    return drawn or list(on_card(placed, parts, one, found)) or on_tower(placed.tower, parts["tower"], one, found)


def on_panel(part: Part, one: Numbered) -> Spot:
    """The boxes of its nodes; for a window, the small attention mask."""
    panel = part.panel
    assert panel is not None
    band = panel.content.band
    if one.key in BAND and band:
        right = panel.x + panel.w - PAD if not panel.tight else panel.x + PAD + band.w
        top = panel.y + (14 if not panel.tight else panel.head - band.h)
        return Spot(one, part, ((right - band.w, top, right, top + band.h),))
    boxes = node_boxes(part.marks)
    names = lit_nodes(panel.content.graph, one.key) if panel.content.graph else frozenset()
    drawn = {name: boxes[name] for name in sorted(names) if name in boxes}
    first = [box for want in alternatives(one.key) for name, box in drawn.items() if re.fullmatch(want, name)]
    rest = sorted(drawn.values(), key=area, reverse=True)
    return Spot(one, part, tuple(dict.fromkeys([*first, *rest])))


def on_card(placed: Placed, parts: dict[str, Part], one: Numbered, found: Places) -> Iterator[Spot]:
    """The box of a node on the first card that draws it, else a card as such."""
    cards = [box_on_card(placed, name) for kind, name in found if kind == "card"]
    cards.sort(key=lambda pair: pair[1] is None)
    for card, box in cards[:1]:
        part = parts[part_of_card(card)]
        left, top, right, bottom = part.box
        yield Spot(one, part, (box or (left, top + part.head, right, bottom),))


def on_tower(tower: Tower, part: Part, one: Numbered, found: Places) -> list[Spot]:
    """Head, embedding, what predicts further tokens, or the layers as such."""
    left, right = tower.left - EAVES, tower.left + WIDTH + EAVES
    for kind, name in found:
        if kind == "tower" and name in tower.levels:
            middle = tower.levels[name]
            return [Spot(one, part, (tower.boxes.get(name, (tower.left, middle - 6, tower.left + WIDTH, middle + 8)),))]
    return [Spot(one, part, ((left, tower.slab_top, right, tower.slab_top + 40),))]
