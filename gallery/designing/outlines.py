"""A design and its numbered changes -> the drawing with an ink outline and a numbered disc at every part that changed.

The shapes are those of the drawing; only halos and discs are added, which lead to the field that changed the part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.designing.table import BY_ID, LAYERS, MIX
from cutaway.gallery.drawing.callouts import Box, Callout, Free, Placed, spots_at_box, spots_at_tower
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.figure_words import alt_of
from cutaway.gallery.drawing.layout import Page, place
from cutaway.gallery.drawing.lit_spots import Part, node_boxes, parts_of
from cutaway.gallery.drawing.svg import in_page, wrap_figure
from cutaway.gallery.drawing.tower import EAVES, HALF, WIDTH
from cutaway.gallery.sublayers import parts_of as halves_of

MOST_CELLS = 64  # of the tower that are outlined; beyond, the stack is


class Change(NamedTuple):
    """One edit: its number, its field, what it says to who hears it."""

    number: int
    id: str
    says: str


def draw_changes(spec: s.ModelSpec, changes: list[Change], painted: tuple[int, ...]) -> str:
    """The drawing for a page, in its three layouts; `painted`: layers of another kind than before."""
    fig = figure(spec)
    cells = tuple(f"{index} {'mlp' if spec.layers[index].mixer is None else 'mixer'}" for index in painted)
    says, drawn = alt_of(fig), []
    for layout in ("wide", "middle", "narrow"):
        page = place(fig, layout, False)
        mark(page, changes, cells)
        drawn.append(in_page(page, says, layout))
    return wrap_figure(drawn)


def mark(page: Page, changes: list[Change], painted: tuple[str, ...]) -> None:
    """Put outlines and discs on a placed drawing; `painted`: cells of the tower, "3 mixer"."""
    free, parts = Free(page.marks, page.width, page.height), parts_of(page.placed, page.marks)
    halos: dict[Box, None] = {}
    page.callouts = []
    for one in changes:
        for place_, (boxes, spots) in enumerate(boxes_of(page.placed, parts, one.id, painted)):
            halos.update(dict.fromkeys(boxes))
            spot = free.take(spots, boxes[0] if boxes else None)
            if spot:
                target = f"#field-{one.id}"
                page.callouts.append(Callout(one.number, *spot, one.says, target, place_ > 0))
    for left, top, right, bottom in halos:
        page.marks.rect("halo", left - 3, top - 3, right - left + 6, bottom - top + 6, 6)


Where = Iterator[tuple[list[Box], Iterator[tuple[float, float]]]]


def boxes_of(placed: Placed, parts: dict[str, Part], id: str, painted: tuple[str, ...]) -> Where:
    """(boxes with an outline, places for one disc) for every part of the drawing that a field changes."""
    tower, part = placed.tower, "stack" if id == MIX else BY_ID[id].part
    if id == MIX:
        cells = [cell(tower, name) for name in painted] if len(painted) <= MOST_CELLS else []
        yield cells, spots_at_tower(tower, painted[-1] if painted else "stack")
    elif part == "stack":
        left, right = tower.left - EAVES, tower.left + WIDTH + EAVES
        box = (left, tower.slab_top, right, tower.slab_top + tower.slab_height)
        yield [box] if id == LAYERS else [], spots_at_box((*box[:3], box[1] + 40))
    elif part in ("embed", "head"):
        if part in tower.levels:
            left, right, middle = tower.left, tower.left + WIDTH, tower.levels[part]
            box = tower.boxes.get(part, (left, middle - 12, right, middle + 12))
            yield [box], spots_at_box(box)
    elif part:
        yield from halves(placed, parts, id)


def cell(tower: Any, name: str) -> Box:
    """A half of a layer on the tower: its mixer on the left, its MLP on the right."""
    index, _, half = name.partition(" ")
    top, bottom = tower.layer_y(int(index))
    left = tower.left if half == "mixer" else tower.left + WIDTH - HALF
    return left, top, left + HALF, bottom


def halves(placed: Placed, parts: dict[str, Part], id: str) -> Where:
    """The boxes of cards whose mixer or MLP a field changes, and its nodes on the opened ones."""
    row = BY_ID[id]
    for card in placed.cards:
        found = [unit for unit in card.units if unit.part is not None and unit.name in card.boxes]
        for unit in found:
            if any(is_changed(row.part, one) for one in halves_of(unit.part)):
                yield [card.boxes[unit.name]], spots_at_box(card.boxes[unit.name])
    for half, content in placed.fig.panels:
        part = parts.get(content.where)
        if part and row.nodes and is_changed(row.part, half):
            boxes = node_boxes(part.marks)
            named = [box for name, box in sorted(boxes.items()) if re.fullmatch(row.nodes, name)]
            if named:
                yield named, spots_at_box(named[0])


def is_changed(part: str, half: Any) -> bool:
    """Whether a mixer or an MLP is of the kind whose field it is."""
    if part == "moe":
        return isinstance(half, s.MoE)
    if part == "mlp":
        return isinstance(half, s.Dense)
    if part == "window":
        return bool(getattr(half, "sliding_window", 0) or getattr(half, "attention_chunk_size", 0))
    if part == "linear":
        return isinstance(half, s.GatedDeltaNet)
    if part == "ssm":
        return isinstance(half, s.Mamba1 | s.Mamba2)
    return hasattr(half, "num_attention_heads")
