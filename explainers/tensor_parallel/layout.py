"""A computed layer and a width -> where its matrices, signs and rings stand. Twin of view.js, pixel for pixel."""

from __future__ import annotations

from typing import Any, NamedTuple

from cutaway.explainers.beats_facts import HOLE, printed
from cutaway.explainers.tensor_parallel import pieces


class Placed(NamedTuple):
    item: Any  # pieces.Item
    x: float
    y: float  # its middle
    w: float
    h: float
    wide: float


def value(now: dict, path: str) -> Any:
    """sizes.hidden -> 8192."""
    for key in path.split("."):
        now = now[int(key)] if isinstance(now, list) else now[key]
    return now


def said(template: str, now: dict) -> str:
    """A template as plain words."""
    return HOLE.sub(lambda hole: printed(value(now, hole[1]), hole[2] or "text"), template)


def measured(item: Any, now: dict) -> Placed:
    """An item with its size, not yet anywhere."""
    if item.sign or item.ring:
        return Placed(item, 0, 0, *((14, 20) if item.sign else (112, 120)), 0)
    sizes = [block.size for block in item.blocks]
    words = max(len(said(item.name, now)) * 7.6, *(len(said(line, now)) * 6.3 for line in item.note)) + 6
    wide = sizes[0][0] if item.over else sum(w + 5 for w, _ in sizes) - 5
    tall = 2 * sizes[0][1] + 5 if item.over else max(h for _, h in sizes)
    return Placed(item, 0, 0, max(wide, words), tall, wide)


def room(line: list[Placed]) -> float:
    return sum(p.w + 4 for p in line) - 4


def flow(groups: list[list[Any]], now: dict, width: float, top: float) -> tuple[list[Placed], float, int]:
    """Left to right; where the width ends, the next group goes into a new line: placed, bottom, lines."""
    lines: list[list[Placed]] = [[]]
    for group in groups:
        sized = [measured(item, now) for item in group]
        if lines[-1] and room(lines[-1] + sized) > width:
            lines.append([])
        for p in sized:
            if lines[-1] and room([*lines[-1], p]) > width:
                lines.append([])
            lines[-1].append(p)
    placed, y = [], top
    for line in lines:
        tall, x = max(p.h for p in line), 0.0
        spare = max(0, min((width - room(line)) / max(len(line) - 1, 1), 16))
        for p in line:
            placed.append(p._replace(x=x, y=y + tall / 2))
            x += p.w + 4 + spare
        y += tall + 50
    return placed, y, len(lines)


def layout(model: dict, now: dict, width: float, alone: bool, half: int) -> tuple[list[Placed], float, list]:
    """(placed, height, [(title, y)]): both halves, or one alone where they need more than a line each."""
    for size in (1, 0.92, 0.84, 0.76, 0.68, 0.6, 0.8) if width >= 700 else (0.7,):
        both = pieces.halves(model, now, size)
        one, bottom, lines = flow(both[0], now, width, 34)
        two, end, more = flow(both[1], now, width, bottom + 40)
        if lines == more == 1:
            break
    titles = ("attention", "MLP, one expert" if model["expert"] else "MLP")
    if lines == more == 1 or not alone:
        return one + two, end, [(titles[0], 14), (titles[1], bottom + 20)]
    up = bottom + 40 - 34
    lower = [p._replace(y=p.y - up) for p in two]
    return (lower if half else one), max(bottom, end - up), [(titles[half], 14)]
