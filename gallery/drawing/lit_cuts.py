"""A part of a drawing -> the region to show: as much as fits, around what is numbered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cutaway.gallery.drawing.callouts import ROOM, Box
from cutaway.gallery.drawing.lit_spots import Part, Spot, join_boxes
from cutaway.gallery.drawing.marks import text_box

GAP, HEAD, EDGE = 14, 30, 8  # between parts; above the picture of a tile; inside its frame
SCALES = (1.0, 0.9, 0.8, 0.7)  # of a tile: the largest in which all that is lit fits
LEAST = 130  # height of the main panel, however many tiles there are
CLEAR = 4  # between what must be shown and an edge
DISCS = 2  # of one number on one panel

Tile = list[Spot]  # of one part


class Space(NamedTuple):
    """What one layout has room for."""

    width: int
    height: int
    tile: int  # height of a tile
    across: int  # tiles in a row

    def with_rows(self, rows: int) -> Space:
        """With lower tiles, if their rows would leave too little for the main panel."""
        return self._replace(tile=min(self.tile, (self.height - LEAST) // max(rows, 1) - GAP))

    @property
    def least(self) -> tuple[float, float]:
        """The smallest tile."""
        return (self.width - GAP * (self.across - 1)) / self.across, self.tile


SPACES = {"wide": Space(876, 724, 158, 3), "narrow": Space(346, 436, 112, 2)}


class Cut(NamedTuple):
    """A region of a part, and where it is placed."""

    part: Part
    source: Box
    x: float
    y: float
    scale: float = 1.0
    dim: bool = False  # all but what is lit
    discs: int = DISCS  # of one number

    @property
    def size(self) -> tuple[float, float]:
        a, b, c, d = self.source
        return (c - a) * self.scale, (d - b) * self.scale

    def share(self) -> str:
        """How much of the part is shown."""
        return "whole" if self.source == self.part.box else "a stretch" if self.discs == DISCS else "cut out"

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the part is placed."""
        return self.x + (x - self.source[0]) * self.scale, self.y + (y - self.source[1]) * self.scale

    def holds(self, box: Box) -> bool:
        """Whether the middle of a box is shown, with room for a disc."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        a, b, c, d = self.source
        return a + ROOM <= x <= c - ROOM and b + ROOM <= y <= d - ROOM


def scale_of(tile: Tile, size: tuple[float, float]) -> float:
    """The largest scale at which a tile of a size shows the first boxes of all its numbers; 0 where none does."""
    left, top, right, bottom = join_boxes(spot.boxes[0] for spot in tile)
    w, h = size[0] - 2 * EDGE, size[1] - HEAD - EDGE
    return next((s for s in SCALES if right - left + 40 <= w / s and bottom - top + 32 <= h / s), 0)


def stretch(part: Part, box: Box, high: float) -> Box:
    """A stretch of a part of this height, from a little above a box."""
    left, top, right, bottom = part.bounds(box)
    at = min(max(box[1] - 24, top), bottom - high - 4)  # without the part's own frame
    return left, at, right, at + high


def window(bounds: Box, wanted: Box, w: float, h: float) -> Box:
    """A window of this size around a wanted box, within bounds, without their frame."""
    out = []
    for low, high, a, b, size in (
        (bounds[0], bounds[2], wanted[0], wanted[2], w),
        (bounds[1], bounds[3], wanted[1], wanted[3], h),
    ):
        size = min(size, high - low - 4)
        start = min(max((a + b - size) / 2, low + 2), high - 2 - size)
        out.append((start, start + size))
    (left, right), (top, bottom) = out
    return left, top, right, bottom


def from_start(source: Box, wanted: Box, part: Part) -> Box:
    """A region moved left to where what is wanted starts, if it would cut words there; the middle of that stays in."""
    left, top, right, bottom = source
    words = (text_box(mark) for mark in part.marks if mark[0] == "text")
    cuts = any(wanted[0] <= a < left < b and c < wanted[3] and d > wanted[1] for a, c, b, d in words)
    shift = left - max(wanted[0] - CLEAR, (wanted[0] + wanted[2]) / 2 + ROOM + 1 - (right - left))
    return (left - shift, top, right - shift, bottom) if cuts and shift > 0 else source


def kept(boxes: Iterable[Box], source: Box) -> Box:
    """What a region has to go on showing of boxes: all of each, or its start and its middle where it is cut off."""
    return join_boxes(
        (
            box[0],
            box[1],
            box[2] if box[2] <= source[2] else (box[0] + box[2]) / 2 + ROOM,
            box[3] if box[3] <= source[3] else (box[1] + box[3]) / 2 + ROOM,
        )
        for box in boxes
    )


def tidy(source: Box, wanted: Box, part: Part) -> Box:
    """A region whose edges cut no words: each edge moves inwards past them, but not into the wanted box."""
    left, top, right, bottom = source
    words = [text_box(mark) for mark in part.marks if mark[0] == "text"]
    rows = [(a, b) for x, a, y, b in words if x < right and y > left]
    top, bottom = clear(top, bottom, wanted[1], wanted[3], rows)
    columns = [(x, y) for x, a, y, b in words if a < bottom and b > top]
    left, right = clear(left, right, wanted[0], wanted[2], columns)
    return left, top, right, bottom


def clear(
    low: float, high: float, first: float, last: float, spans: Iterable[tuple[float, float]]
) -> tuple[float, float]:
    """(low, high) moved inwards until neither is inside a span; `first` and `last` stay between them."""
    spans = sorted(spans)
    for a, b in spans:
        if a < low < b <= first - CLEAR:
            low = b + 1
    for a, b in reversed(spans):
        if b > high > a >= last + CLEAR:
            high = a - 1
    return low, high
