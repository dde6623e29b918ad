"""A computed layer and a width -> where its matrices, signs and rings stand. Twin of view.js, pixel for pixel."""

from __future__ import annotations

from typing import Any, NamedTuple

from explainers.beats_facts import HOLE, printed

S_H = "{sequence:int} × {sizes.hidden:int}"


class Block(NamedTuple):
    """One matrix: how it is cut, its size, and for copies or sheets how many and how far apart."""

    kind: str
    w: float
    h: float
    copies: int = 1
    apart: float = 0

    @property
    def size(self) -> tuple[float, float]:
        more = self.apart + 4 * (self.copies - 1)
        return self.w + more, self.h + more


class Item(NamedTuple):
    """Matrices with a name and two lines of words; or a sign; or a ring."""

    blocks: tuple[Block, ...] = ()
    name: str = ""
    note: tuple[str, ...] = ()
    sign: str = ""
    ring: str = ""
    over: bool = False  # one matrix above the other
    meets: bool = False  # what a bet on the meetings may not show


class Placed(NamedTuple):
    item: Item
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


def halves(model: dict[str, Any], now: dict[str, Any], size: float) -> list[list[list[Item]]]:
    """Both halves as groups of items that stay on one line; no piece of a rank is thinner than 3 pixels."""
    t, sp, copies = int(now["tp"]), now["sequence_parallel"], now["kv_copies"]
    h, wide, f = model["hidden"], model["heads"] * model["head_dim"], model["mlp"]
    a, m = size * min(110 / h, 110 / wide), size * min(110 / h, 150 / f)
    least = 3 * t
    stream, side = ("rows", "by token") if sp else ("copy", "a copy each")
    tokens = max(50 * size, least) if sp else 50 * size
    apart = max(26 * size, 2.5 * (t - 1)) if t > 1 else 0

    def begin(name: str, scale: float) -> list[Item]:
        first = Item((Block(stream, h * scale, tokens),), name, (S_H, side))
        return [first, *([Item(ring="all-gather", meets=True)] if sp else [])]

    def end(name: str, scale: float) -> list[Item]:
        partial = Block("partial", h * scale * 0.8, 40 * size, apart=apart)
        return [
            Item(sign="→", meets=True),
            Item((partial,), f"{{tp}} partial {name}", (S_H, "each"), meets=True),
            Item(ring="reduce-scatter" if sp else "all-reduce", meets=True),
            Item((Block(stream, h * scale, tokens),), name, (S_H, side), meets=True),
        ]

    q, mlp = max(wide * a, least), max(f * m, least)
    kv_wide = max(model["kv_heads"] * model["head_dim"] * a, 12, 3.5 * t / copies)
    kv = Block("copies" if copies > 1 else "columns", kv_wide, h * a, copies)
    up = Block("columns", mlp, h * m)
    gated = model["gated"]
    qkv = ("{sizes.hidden:int} × {sizes.q:int}", "k, v {sizes.hidden:int} × {sizes.kv:int}")
    ups = ("{sizes.hidden:int} × {sizes.mlp:int}", "one expert, by column" if model["expert"] else "by column")
    dot, arrow = Item(sign="·"), Item(sign="→")
    return [
        [
            [*begin("x", a), dot, Item((Block("columns", q, h * a), kv, kv), "q  k  v", qkv)],
            [
                arrow,
                Item((Block("columns", q, 50 * size),), "heads", ("{sizes.heads} of {sizes.head_dim}", "stay sharded")),
                dot,
                Item((Block("rows", h * a, q),), "o", ("{sizes.q:int} × {sizes.hidden:int}", "by row")),
            ],
            end("y", a),
        ],
        [
            [
                *begin("y", m),
                dot,
                Item(
                    (up, up) if gated else (up,), "gate, up" if gated else "up", ups, over=bool(gated and up.w > up.h)
                ),
            ],
            [
                arrow,
                Item(
                    (Block("columns", mlp, 50 * size),),
                    "silu(gate) · up" if gated else "act(up)",
                    ("{sequence:int} × {sizes.mlp:int}", "stays sharded"),
                ),
                dot,
                Item((Block("rows", h * m, mlp),), "down", ("{sizes.mlp:int} × {sizes.hidden:int}", "by row")),
            ],
            end("z", m),
        ],
    ]


def measured(item: Item, now: dict) -> Placed:
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


def flow(groups: list[list[Item]], now: dict, width: float, top: float) -> tuple[list[Placed], float, int]:
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
        both = halves(model, now, size)
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
