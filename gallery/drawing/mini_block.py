"""Kinds of layers -> small blocks for a card: mixer and MLP in their colours, joined to the residual stream."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.pictures import role_of, short_of
from cutaway.gallery.spec import Layer, ModelSpec

WIDE, HIGH = 92, 150
MOST = 3  # blocks; what further kinds there are is counted in words
LETTERS = 9  # of a name that fits on a box
GAP = 5


class Half(NamedTuple):
    """A mixer or an MLP on a card."""

    role: str
    name: str


class Kind(NamedTuple):
    """Layers that look alike on a card: their halves from below, and how many there are."""

    halves: tuple[Half, ...]
    layers: int


def kinds_of(spec: ModelSpec) -> list[Kind]:
    """The kinds of layers, the most frequent first."""
    seen: dict[tuple[int, int], tuple[Half, ...]] = {}
    counted: Counter[tuple[Half, ...]] = Counter()
    for layer in spec.layers:
        key = (id(layer.mixer), id(layer.mlp))
        if key not in seen:
            seen[key] = halves_of(layer)
        counted[seen[key]] += 1
    return [Kind(halves, layers) for halves, layers in counted.most_common()]


def halves_of(layer: Layer) -> tuple[Half, ...]:
    """What stands in a layer, the mixer below the MLP."""
    found = (half for half in (layer.mixer, layer.mlp) if half is not None)
    return tuple(Half(role_of(half), name_of(short_of(half))) for half in found)


def name_of(short: str) -> str:
    """A name of a word or two, cut to what fits: "MLA + indexer" -> "MLA", "window 1,024, NoPE" -> "window"."""
    name = short.split(" + ")[0].split(", ")[0]
    return name if len(name) <= LETTERS else name.split(" ")[0][:LETTERS]


def draw_blocks(m: Marks, kinds: list[Kind]) -> None:
    """The most frequent kinds from the top, each in an equal share of the height."""
    shown, more = kinds[:MOST], len(kinds) - MOST
    bottom = HIGH - (13 if more > 0 else 0)
    high = (bottom - GAP * (len(shown) - 1)) / len(shown)
    for place, kind in enumerate(shown):
        draw_block(m, kind, round(place * (high + GAP), 1), round(high, 1))
    if more > 0:
        m.text("small", 0, HIGH - 2, f"+ {more} more kind{'s' if more > 1 else ''}")


def draw_block(m: Marks, kind: Kind, y: float, high: float) -> None:
    """One kind: boxes beside the residual stream, each adding to it."""
    stream, count = WIDE - 10, 14
    m.rect("card", 0.75, y + 0.75, WIDE - 1.5, high - 1.5, 5)
    m.text("small", 6, y + 12, f"{kind.layers} ×")
    m.edge(stream, y + high - 1, stream, y + 2)
    free = high - count - 4
    pitch = free / max(1, len(kind.halves))
    tall = min(22, pitch - 2)
    for place, half in enumerate(kind.halves):
        middle = round(y + high - 4 - pitch * (place + 0.5), 1)
        m.edge(stream - 13, middle, stream, middle)
        m.rect(f"strong {half.role}", 5, round(middle - tall / 2, 1), stream - 18, round(tall, 1), 3)
        m.middle("onrole", 5 + (stream - 18) / 2, middle, half.name)
