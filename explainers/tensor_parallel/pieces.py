"""A model cut over ranks -> the items of both halves of its layer: matrices and how they are cut, signs, rings."""

from __future__ import annotations

from typing import Any, NamedTuple

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


DOT, ARROW = Item(sign="·"), Item(sign="→")


class Stream(NamedTuple):
    """The residual stream at one size of drawing: what goes into a half, and what comes out of it as partial sums."""

    sharded: bool  # sequence parallelism: each rank has tokens of its own
    hidden: float
    tokens: float
    partial: float  # how tall a partial sum is
    apart: float  # from the first rank's sheet to the last one's

    def item(self, name: str, scale: float, meets: bool = False) -> Item:
        kind, side = ("rows", "by token") if self.sharded else ("copy", "a copy each")
        return Item((Block(kind, self.hidden * scale, self.tokens),), name, (S_H, side), meets=meets)

    def begin(self, name: str, scale: float, again: bool = False) -> list[Item]:
        gather = self.sharded and not again
        return [self.item(name, scale), *([Item(ring="all-gather", meets=True)] if gather else [])]

    def end(self, name: str, scale: float, meets: bool = True) -> list[Item]:
        sheets = Block("partial", self.hidden * scale * 0.8, self.partial, apart=self.apart)
        partial = [ARROW._replace(meets=True), Item((sheets,), f"{{tp}} partial {name}", (S_H, "each"), meets=True)]
        if not meets:
            return partial
        return [
            *partial,
            Item(ring="reduce-scatter" if self.sharded else "all-reduce", meets=True),
            self.item(name, scale, meets=True),
        ]


def projections(model: dict[str, Any], now: dict[str, Any], scale: float) -> list[Item]:
    """q, k and v by column; or down to the latents, whole on every rank, and out of them by column."""
    t, copies, sizes, h = int(now["tp"]), now["kv_copies"], now["sizes"], model["hidden"] * scale
    q, kv_wide = max(sizes["q"] * scale, 3 * t), max(sizes["kv"] * scale, 12, 3.5 * t / copies)
    if not model["latent"]:
        kv = Block("copies" if copies > 1 else "columns", kv_wide, h, copies)
        note = ("{sizes.hidden:int} × {sizes.q:int}", "k, v {sizes.hidden:int} × {sizes.kv:int}")
        return [Item((Block("columns", q, h), kv, kv), "q  k  v", note)]
    down = [Block("copy", max(wide * scale, 4), h) for wide in (model["latent"][0], sizes["down"]) if wide]
    up = [Block("columns", wide, max(tall * scale, 5)) for wide, tall in (
        (q, sizes["from"]), (max(sizes["kv"] * scale, 3 * t), sizes["latent"]))]  # fmt: skip
    two = model["latent"][0] > 0
    whole = ("kv_a {sizes.hidden:int} × {sizes.down:int}", "whole on each")
    own = ("{sizes.from:int} × {sizes.q:int}", "kv_b {sizes.latent:int} × {sizes.kv:int}")
    first = Item(tuple(down), "q_a  kv_a" if two else "kv_a", whole)
    return [first, DOT, Item(tuple(up), "q_b  kv_b" if two else "q  kv_b", own)]


def attention(model: dict[str, Any], now: dict[str, Any], size: float, stream: Stream) -> list[list[Item]]:
    """q, k and v by column, the heads, o by row; a norm over all heads gathers them first."""
    t, h, sizes = int(now["tp"]), model["hidden"], now["sizes"]
    scale = size * min(110 / h, 110 / sizes["q"])
    out = max(sizes["o"] * scale, 3 * t)
    heads = Item((Block("columns", out, 50 * size),), "heads", ("{sizes.heads} of {sizes.head_dim}", "stay sharded"))
    o = Item((Block("rows", h * scale, out),), "o", ("{sizes.o:int} × {sizes.hidden:int}", "by row"))
    first = Item(ring="all-gather", meets=True) if model["full"] else ARROW
    return [
        [*stream.begin("x", scale), DOT, *projections(model, now, scale)],
        [first, heads, DOT, o],
        stream.end("y", scale, not model["parallel"]),
    ]


def mlp(model: dict[str, Any], now: dict[str, Any], size: float, stream: Stream) -> list[list[Item]]:
    """gate and up by column, the product, down by row."""
    t, gated, h, f = int(now["tp"]), bool(model["gated"]), model["hidden"], model["mlp"]
    scale = size * min(110 / h, 150 / f)
    wide = max(f * scale, 3 * t)
    up = Block("columns", wide, h * scale)
    note = ("{sizes.hidden:int} × {sizes.mlp:int}", "one expert, by column" if model["expert"] else "by column")
    ups = Item((up, up) if gated else (up,), "gate, up" if gated else "up", note, over=gated and up.w > up.h)
    inner = ("{sequence:int} × {sizes.mlp:int}", "stays sharded")
    product = Item((Block("columns", wide, 50 * size),), now["moments"][7][0], inner)
    down = Item((Block("rows", h * scale, wide),), "down", ("{sizes.mlp:int} × {sizes.hidden:int}", "by row"))
    return [
        [*stream.begin("x" if model["parallel"] else "y", scale, bool(model["parallel"])), DOT, ups],
        [ARROW, product, DOT, down],
        stream.end("z", scale),
    ]


def halves(model: dict[str, Any], now: dict[str, Any], size: float) -> list[list[list[Item]]]:
    """Both halves as groups of items that stay on one line; no piece of a rank is thinner than 3 pixels."""
    t, sharded = int(now["tp"]), bool(now["sequence_parallel"])
    tokens = max(50 * size, 3 * t) if sharded else 50 * size
    apart = max(26 * size, 2.5 * (t - 1)) if t > 1 else 0
    stream = Stream(sharded, model["hidden"], tokens, 40 * size, apart)
    return [attention(model, now, size, stream), mlp(model, now, size, stream)]
