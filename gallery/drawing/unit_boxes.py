"""A unit of a card -> its box: a half with its two lines, a norm, a sum, a small step; and where its fan begins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import fitted, wide
from cutaway.gallery.drawing.pictures import picture_of
from cutaway.gallery.drawing.units import Unit

if TYPE_CHECKING:
    from cutaway.gallery.drawing.block import Card

BRIEF = {  # words of a pill -> what they are where they do not fit
    "× a stored number": "× a number",
    "plus a stored vector": "+ a vector",
    "plus a stored vector, scaled": "+ a vector, ×",
    "AltUp predicts": "predicts",
    "AltUp corrects": "corrects",
}
HIGH = {"half": 46, "norm": 24, "sign": 18, "pill": 20}


def put(m: Marks, card: Card, unit: Unit, axis: float, top: float, w: float) -> None:
    """One unit, centred on an axis."""
    if unit.kind == "sign":
        m.sign(axis, top + 9, "plus", unit.names)
        card.boxes[unit.name] = (axis - 9, top, axis + 9, top + 18)
        return
    m.open(title(card, unit), unit.names)
    if unit.reads:
        m.open("", unit.reads, refer=True)
    if unit.kind == "half":
        half = w / 2
        box(m, card, unit.part, axis, top, w)
        card.spots[id(unit.part)] = spot(card, unit, axis, top)
    elif unit.kind == "norm":
        half = min(48, w / 2)
        m.rect("norm", axis - half, top, 2 * half, 24, 6)
        m.middle("ink", axis, top + 12, fitted(unit.words, "ink", 2 * half - 6))
    else:
        words = f"{card.streams} {unit.words}" if unit.words.startswith("streams → 1") else unit.words
        words = f"1 → {card.streams} streams" if unit.words.startswith("1 →") else words
        words = words if wide(words, "small") <= max(w, 84) - 4 else BRIEF.get(words, words)
        half = min(max(110 if card.streams else 0, wide(words, "small") + 14), max(w, 84)) / 2
        m.rect("pill", axis - half, top, 2 * half, 20, 4)
        m.middle("small", axis, top + 10, fitted(words, "small", 2 * half - 4))
    card.boxes[unit.name] = (axis - half, top, axis + half, top + HIGH[unit.kind])
    if unit.reads:
        m.close()
    m.close()


def box(m: Marks, card: Card, part: object, axis: float, top: float, w: float) -> None:
    """A mixer or an MLP: its name, and below it what is small; both as short as the box is narrow."""
    picture = picture_of(part)
    role = picture.role(part)
    name, small = picture.name(part), picture.small(part)
    if wide(name, "onrole") > w - 8:
        short = picture.short(part)
        ways = (short, short.split(" ")[0], name.split(" ")[-1])
        name = next((way for way in ways if wide(way, "onrole") <= w - 8), ways[1])
    if wide(small, "onrolem") > w - 6:
        small = brief(small)
        if wide(small, "onrolem") > w - 2:
            small = small.removesuffix(" heads") if " : " in small else small.replace(" of ", "/")
    m.rect("strong " + role if role != "plain" else "alarm", axis - w / 2, top, w, HIGH["half"], 6)
    on = ("onrole", "onrolem") if role != "plain" else ("name", "dim")
    m.middle(on[0], axis, top + 16, fitted(name, on[0], w - 8))
    m.middle(on[1], axis, top + 33, fitted(small, on[1], w - 2))


def brief(small: str) -> str:
    """The small print of a narrow box: 64 : 8 heads for 64 query, 8 KV heads."""
    if "of layer" in small:
        return "shared KV"
    if two := re.fullmatch(r"(\d+) (?:query|value), (\d+) (?:KV|key) heads?", small):
        return f"{two[1]} : {two[2]} heads"
    return small.removeprefix("width ").split(" + ")[0].split(", ")[0]


def title(card: Card, unit: Unit) -> str:
    """What a pointer is told."""
    if unit.kind == "norm":
        node = unit.nodes[0]
        weight = node.tensors.get("weight")
        width = weight.shape[-1] if weight else card.spec.hidden_size
        more = ", no weight" if weight is None else ", with bias" if "bias" in node.tensors else ""
        return f"{node.facts['normal'].kind} {width:,}{more}"
    return "" if unit.kind == "half" else unit.words


def spot(card: Card, unit: Unit, axis: float, top: float) -> tuple[float, float, float]:
    """(top, bottom, x) where the fan of a box begins: at its side, or at the card's edge where two stand level."""
    high = HIGH["half"]
    level = [start + 1 + k for start, between, _ in card.beside for k, one in enumerate(between) if one is unit]
    if level:
        other = card.main[level[0]]
    else:
        place = card.place[unit.name]
        other = next((between[place - start - 1] for start, between, _ in card.beside
                      if 0 <= place - start - 1 < len(between)), unit)  # fmt: skip
    if other is unit or other.part is None:
        return top, top + high, axis + card.box_w / 2 if not level else card.x + card.w
    above = card.order[unit.name] > card.order[other.name]
    return (top, top + high / 2, card.x + card.w) if above else (top + high / 2, top + high, card.x + card.w)


def reach(card: Card, unit: Unit) -> float:
    """How far a pill or norm on the axis reaches to the right."""
    if unit.kind == "norm":
        return min(48, card.box_w / 2)
    return min(wide(unit.words, "small") + 14, max(card.box_w, 84)) / 2
