"""A measured card -> its marks: the stream from bottom to top, the boxes on it, what goes round a part of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cutaway.gallery.drawing.card import HIGH, Card
from cutaway.gallery.drawing.card_units import Unit
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.measure import ellipsize, wide
from cutaway.gallery.drawing.pictures import picture_of

STREAM = ("stream",)


def draw_card(m: Marks, card: Card, x: float, y: float) -> None:
    """Draw with the left top corner at x, y."""
    card.x, card.y = x, y
    m.part(part_of_card(card), (x, y, x + card.w, y + card.h))
    m.rect("card", x, y, card.w, card.h, 10)
    count = f"{len(card.kind.indices)} ×"
    m.text("count " + card.kind.role, x + 16, y + 29, count)
    beside = x + 16 + wide(count, "count") + 4
    m.text("label", beside, y + 28, ellipsize(card.kind.which, "label", x + card.w - 8 - beside))
    for i, line in enumerate(card.says):
        m.text("label", x + 16, y + 46 + 16 * i, line)
    if card.full:
        for i, label in enumerate(card.extras):
            at = y + 46 + 16 * (len(card.says) + i)
            m.text("small", x + 16, at, ellipsize(f"with {label}", "small", card.w - 24))
        m.scope(f"layer{card.kind.layer.index}", [*card.graph.edges(), (card.graph.out, "out")])
        card.measure()
        put_stream(m, card)
        m.leave()
    else:
        m.scope(f"layer{card.kind.layer.index}", ())
        m.open(card.kind.says, [node.name for node in card.graph.nodes])  # all of it in one box
        m.close()
        m.leave()
        spread_spots(card)
    m.close()


def part_of_card(card: Card) -> str:
    """What a card is called among the parts of a drawing."""
    return f"card{card.kind.layer.index}"


def spread_spots(card: Card) -> None:
    """A compact card has no boxes: its right edge is shared out among the panels it opens."""
    opened = card.kind.opened
    for i, part in enumerate(opened):
        step = (card.h - 8) / len(opened)
        card.spots[id(part)] = (card.y + 4 + i * step, card.y + 4 + (i + 1) * step, card.x + card.w)


def put_stream(m: Marks, card: Card) -> None:
    """Everything from bottom to top."""
    gap, low = 14 + card.stretch / card.edges, card.y + card.h
    forks = {a for a, *_ in (*card.rails, *card.beside)}
    words = "residual stream" if not card.streams else f"{card.streams} streams"
    if card.beside:
        m.text("small end", card.axis - 10, low - 8, words)
    else:
        m.text("small", card.axis + 10 + 3 * card.streams, low - 8, words)
    source: tuple[str, ...] = STREAM
    y = low
    fork = low - 26
    card.tops[-1] = (low, fork)
    for i, unit in enumerate(card.main):
        start = fork if i - 1 in forks else y - 8 if i == 0 else y
        top = round(start - gap - HIGH[unit.kind])
        put_edge(m, card, source, unit, y, fork if i - 1 in forks else None, top + HIGH[unit.kind])
        put_unit(m, card, unit, card.axis, top, card.box_w)
        y, source = top, unit.names
        fork = y - 8
        card.tops[i] = (top, fork)
    m.trunk(source, card.axis, y, card.axis, card.y + 46 + 16 * (len(card.says) + len(card.extras)))
    put_tip(m, card)
    for start, between, end in card.beside:
        put_column(m, card, start, between, end)
    for (start, between, end), x in zip(card.rails, card.rail_x, strict=True):
        put_rail(m, card, start, between, end, x)


def put_tip(m: Marks, card: Card) -> None:
    """The stream leaves the card upwards; several streams do so without an arrowhead."""
    top = card.y + 46 + 16 * (len(card.says) + len(card.extras))
    if card.streams:
        for i in range(min(card.streams, 6)):
            at = card.axis + (i - (min(card.streams, 6) - 1) / 2) * 5
            m.trunk(card.main[-1].names, at, card.tops[len(card.main) - 1][0], at, top)
    else:
        m.append(("tip", "up", card.axis, top))


def put_edge(m: Marks, card: Card, source: Sequence[str], unit: Unit, y: float, fork: float | None, top: float) -> None:
    """The edge of the axis into a unit; below a fork it is a trunk."""
    names = m.names(source, unit.names)
    if card.streams and unit.name.endswith("_collapse"):
        n = min(card.streams, 6)
        for i in range(n):
            at = card.axis + (i - (n - 1) / 2) * 5
            m.edge(at, y, at, top, names=names if i == 0 else " ".join(f"{name}>" for name in source[-1:]))
        return
    if fork is not None:
        m.trunk(source[-1:], card.axis, y, card.axis, fork)
    m.edge(card.axis, y if fork is None else fork, card.axis, top, tip="up", names=names)


def column_tops(card: Card, start: int, between: list[Unit], end: int) -> list[int]:
    """The tops of units at the left, level with the axis; spread from fork to sum where they are more than it has."""
    levels = card.main[start + 1 : start + 1 + len(between)]
    if len(levels) == len(between):
        middles = [card.tops[start + 1 + k][0] + HIGH[level.kind] / 2 for k, level in enumerate(levels)]
        return [round(middle - HIGH[unit.kind] / 2) for unit, middle in zip(between, middles, strict=True)]
    low, high = card.tops[start][1], card.tops[end][0] + HIGH[card.main[end].kind] / 2
    gap = (low - high - sum(HIGH[unit.kind] for unit in between)) / (len(between) + 1)
    return [round(low - (k + 1) * gap - sum(HIGH[one.kind] for one in between[: k + 1])) for k in range(len(between))]


def put_column(m: Marks, card: Card, start: int, between: list[Unit], end: int) -> None:
    """Units at the left, each level with one of the axis; what comes out goes up and into the sum."""
    _, fork = card.tops[start]
    source = card.main[start].names if start >= 0 else STREAM
    every = [name for unit in between for name in unit.names]
    y = fork
    for k, (unit, at) in enumerate(zip(between, column_tops(card, start, between, end), strict=True)):
        names = m.names(source, every if k == 0 else unit.names)
        bottom = at + HIGH[unit.kind]
        if k == 0:
            m.edge(card.axis, y, card.left, y, card.left, bottom, tip="up", names=names)
        else:
            m.edge(card.left, y, card.left, bottom, tip="up", names=names)
        put_unit(m, card, unit, card.left, at, card.box_w)
        y, source = at, unit.names
    goal = card.tops[end][0] + HIGH[card.main[end].kind] / 2
    short = 9 if card.main[end].kind == "sign" else card.box_w / 2
    m.edge(card.left, y, card.left, goal, card.axis - short, goal, tip="right",
           names=m.names(source, card.main[end].names))  # fmt: skip


def put_rail(m: Marks, card: Card, start: int, between: list[Unit], end: int, x: float) -> None:
    """What skips a part of the axis, with the small steps it takes on the way."""
    _, fork = card.tops[start]
    unit, source = card.main[end], card.main[start].names if start >= 0 else STREAM
    goal = card.tops[end][0] + HIGH[unit.kind] / 2
    if card.streams and unit.name.endswith("_expand"):
        put_bundle(m, card, start, end, source, x)
        return
    short = 9 if unit.kind == "sign" else reach(card, unit)
    if not between:
        m.edge(card.axis, fork, x, fork, x, goal, card.axis + short, goal, tip="left",
               names=m.names(source, unit.names))  # fmt: skip
        return
    y, points = fork, (card.axis, fork, x, fork)
    for k, one in enumerate(between):
        top = round((fork + goal) / 2 - 10 * len(between)) + 34 * (len(between) - 1 - k)
        m.edge(*(points if k == 0 else (x, y)), x, top + 20, tip="up", names=m.names(source, one.names))
        put_unit(m, card, one, x, top, card.pill_w)
        y, source = top, one.names
    m.edge(x, y, x, goal, card.axis + short, goal, tip="left", names=m.names(source, unit.names))


def put_bundle(m: Marks, card: Card, start: int, end: int, source: Sequence[str], x: float) -> None:
    """Several streams around a half: from the box that reads them to the one that writes them."""
    collapse = next(i for i in range(end, -1, -1) if card.main[i].name.endswith("_collapse"))
    if start == collapse:  # the weights that it makes go the same way
        return
    low, high = card.tops[collapse][0] + 20, card.tops[end][0]
    both = [*source, *card.main[collapse].names]
    names = m.names(both, card.main[end].names)
    side = card.x + card.w - 22
    for i in range(min(card.streams, 6)):
        a, b = low - 4 - i * 3, high + 4 + i * 3
        m.edge(card.axis + 55, a, side - i * 4, a, side - i * 4, b, card.axis + 55, b,
               names=names if i == 0 else " ".join(f"{name}>" for name in source[-1:]))  # fmt: skip


# ---------------------------------------------------------------- one unit

BRIEF = {  # words of a pill -> what they are where they do not fit
    "× a stored number": "× a number",
    "plus a stored vector": "+ a vector",
    "plus a stored vector, scaled": "+ a vector, ×",
    "AltUp predicts": "predicts",
    "AltUp corrects": "corrects",
}


def put_unit(m: Marks, card: Card, unit: Unit, axis: float, top: float, w: float) -> None:
    """One unit, centred on an axis."""
    if unit.kind == "sign":
        m.sign(axis, top + 9, "plus", unit.names)
        card.boxes[unit.name] = (axis - 9, top, axis + 9, top + 18)
        return
    m.open(hover_title(card, unit), unit.names)
    if unit.reads:
        m.open("", unit.reads, refer=True)
    if unit.kind == "half":
        half = w / 2
        put_half(m, card, unit.part, axis, top, w)
        card.spots[id(unit.part)] = fan_start(card, unit, axis, top)
    elif unit.kind == "norm":
        half = min(48, w / 2)
        m.rect("norm", axis - half, top, 2 * half, 24, 6)
        m.middle("ink", axis, top + 12, ellipsize(unit.words, "ink", 2 * half - 6))
    else:
        words = f"{card.streams} {unit.words}" if unit.words.startswith("streams → 1") else unit.words
        words = f"1 → {card.streams} streams" if unit.words.startswith("1 →") else words
        words = words if wide(words, "small") <= max(w, 84) - 4 else BRIEF.get(words, words)
        half = min(max(110 if card.streams else 0, wide(words, "small") + 14), max(w, 84)) / 2
        m.rect("pill", axis - half, top, 2 * half, 20, 4)
        m.middle("small", axis, top + 10, ellipsize(words, "small", 2 * half - 4))
    card.boxes[unit.name] = (axis - half, top, axis + half, top + HIGH[unit.kind])
    if unit.reads:
        m.close()
    m.close()


def put_half(m: Marks, card: Card, part: object, axis: float, top: float, w: float) -> None:
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
    m.middle(on[0], axis, top + 16, ellipsize(name, on[0], w - 8))
    m.middle(on[1], axis, top + 33, ellipsize(small, on[1], w - 2))


def brief(small: str) -> str:
    """The small print of a narrow box: 64 : 8 heads for 64 query, 8 KV heads."""
    if "of layer" in small:
        return "shared KV"
    if two := re.fullmatch(r"(\d+) (?:query|value), (\d+) (?:KV|key) heads?", small):
        return f"{two[1]} : {two[2]} heads"
    return small.removeprefix("width ").split(" + ")[0].split(", ")[0]


def hover_title(card: Card, unit: Unit) -> str:
    """What a pointer is told."""
    if unit.kind == "norm":
        node = unit.nodes[0]
        weight = node.tensors.get("weight")
        width = weight.shape[-1] if weight else card.spec.hidden_size
        more = ", no weight" if weight is None else ", with bias" if "bias" in node.tensors else ""
        return f"{node.facts['normal'].kind} {width:,}{more}"
    return "" if unit.kind == "half" else unit.words


def fan_start(card: Card, unit: Unit, axis: float, top: float) -> tuple[float, float, float]:
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
