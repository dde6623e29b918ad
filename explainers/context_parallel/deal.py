"""compute's result -> heads dealt out instead of tokens, bytes against ranks, a cache while decoding. Twin of deal.js.

Along x everything is a percentage, so one drawing fits every width.
"""

from __future__ import annotations

from itertools import pairwise

from cutaway.explainers.beats_facts import bound

CHART, TOP, FOOT = 266, 14, 46  # pixels: the chart of bytes, and the room above and below it
POINTS = (2, 4, 8, 16, 32, 64)


def pct(x: float) -> str:
    return f"{round(x, 2):g}%"


def row(ranks: int) -> int:
    """How high the row of a rank is."""
    return 28 if ranks <= 8 else 19


def chip(rank: int, x: float, y: float, high: int) -> str:
    """A rank's number on its colour."""
    css = "light" if rank < 8 else "dark"
    return (
        f'<rect class="cw-rank cw-rank{rank}" x="{x:g}" y="{y}" width="22" height="{high - 4}" rx="3"/>'
        f'<text class="{css}" x="{x + 11:g}" y="{y + high / 2 + 2:g}" text-anchor="middle" data-index="">{rank}</text>'
    )


# ---------------------------------------------------------------- Ulysses


def grid(now: dict, columns: int, turned: bool, label: str) -> str:
    """Tokens down, heads across: each rank's tokens with all heads, or (turned) all tokens with its heads."""
    tokens, ranks = len(now["owner"]), len(now["table"])
    cells = dict.fromkeys(range(ranks), "")
    if turned:
        for column in range(columns):
            cells[column * ranks // columns] += f"M{column} 0h1v{tokens}h-1z"
    else:
        for token, rank in enumerate(now["owner"]):
            cells[rank] += f"M0 {token}h{columns}v1h-{columns}z"
    paths = "".join(f'<path class="cw-rank cw-rank{rank}" d="{d}"/>' for rank, d in cells.items())
    lines = "".join(f"M{column} 0v{tokens}" for column in range(1, columns))
    return (
        f'<svg class="cw-context-parallel-grid" role="img" aria-label="{label}" viewBox="0 0 {columns} {tokens}" '
        f'preserveAspectRatio="none">{paths}<path class="lines" d="{lines}"/></svg>'
    )


def swap(now: dict) -> str:
    """Queries, then keys and values, before and after the exchange."""
    ranks, own = len(now["table"]), now["here"]
    possible = now["ways"]["ulysses"]["sent"] > 0
    put = lambda value, path: bound(value, path, "int", "span")  # noqa: E731
    heads, kv = put(own["heads"], "here.heads"), put(own["kv"], "here.kv")
    rows = (
        (f"{heads} query heads", ranks, ranks),
        (f"{kv} of keys and values", min(own["kv"], 32), max(min(own["kv"], 32), ranks)),
    )
    made = "".join(
        f"<p>{words}</p>"
        + grid(now, before, False, "Before: each rank has some tokens, with all heads.")
        + '<i aria-hidden="true"></i>'
        + (grid(now, after, True, "After: each rank has some heads, of all tokens.") if possible else "<div></div>")
        for words, before, after in rows
    )
    copies = put(now["swap"]["copies"], "swap.copies")
    if not possible:
        said = f"{put(ranks, 'cp')} ranks cannot share {heads} query heads and {kv} of keys and values evenly"
        said += f"; {put(now['swap']['fits'], 'swap.fits')} can."
    else:
        mine = f"{put(now['swap']['heads'], 'swap.heads')} query heads and {put(now['swap']['kv'], 'swap.kv')}"
        many = "" if now["swap"]["copies"] == 1 else "s"
        said = f"Each rank: {mine} of keys and values, each on {copies} rank{many}."
    return (
        '<div class="cw-context-parallel-swap"><b>some tokens, all heads</b><b>all tokens, some heads</b>'
        f'{made}</div><p class="cw-context-parallel-said">{said}</p>'
    )


# ---------------------------------------------------------------- bytes against ranks


def nice(value: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** (len(str(int(value))) - 1)
    return next(power * n for n in (1, 2, 5, 10) if power * n >= value)


def chart(now: dict, ranks: int, ends: bool = False) -> str:
    """What each rank sends, from 2 to 64 ranks; `ends` draws the first and the last point alone."""
    top = nice(max(*now["curve"]["ring"], *now["curve"]["ulysses"]))
    y = lambda value: round(TOP + (CHART - TOP - FOOT) * (1 - value / top), 1)  # noqa: E731
    x = lambda i: 16 + i * 15.2  # noqa: E731
    grid = "".join(
        f'<line x1="16%" x2="92%" y1="{y(tick):g}" y2="{y(tick):g}"/>'
        f'<text x="14%" y="{y(tick) + 4:g}" text-anchor="end" data-index="">{megabytes(tick)}</text>'
        for tick in (top * n / 4 for n in range(5))
    )
    axis = "".join(
        f'<text{" class=here" if n == ranks and not ends else ""} x="{pct(x(i))}" y="{CHART - FOOT + 18}" '
        f'text-anchor="middle" data-index="">{n}</text>'
        for i, n in enumerate(POINTS)
    )
    lines = "".join(line(now["curve"][name], name, x, y, ends) for name in ("ring", "ulysses"))
    label = "Bytes that each rank sends in a layer, against the number of ranks, on the ring and with Ulysses."
    return (
        f'<svg class="cw-context-parallel-chart" role="img" aria-label="{label}" width="100%" height="{CHART}">'
        f'<g class="grid">{grid}</g><g>{axis}</g>{lines}'
        f'<text x="54%" y="{CHART - 6}" text-anchor="middle">ranks that share the tokens</text></svg>'
    )


def megabytes(value: float) -> str:
    """500 MB, 1 GB: a tick."""
    return f"{value / 1e9:g} GB" if value >= 1e9 else f"{value / 1e6:g} MB" if value else "0"


def line(values: list[int], name: str, x, y, ends: bool) -> str:
    """One way's points and the lines between them; a number of ranks that cannot share the heads has no point."""
    at = [(x(i), y(value)) for i, value in enumerate(values) if value]
    at = [at[0], at[-1]] if ends and at else at
    joins = "".join(
        f'<line x1="{pct(a)}" y1="{b:g}" x2="{pct(c)}" y2="{d:g}"/>' for (a, b), (c, d) in pairwise(at) if not ends
    )
    dots = "".join(f'<circle cx="{pct(a)}" cy="{b:g}" r="4.5"/>' for a, b in at)
    return f'<g class="{name}">{joins}{dots}</g>'


def legend() -> str:
    """Which line is whose."""
    names = {"ring": "ring, and all-gather", "ulysses": "Ulysses"}
    items = (f'<li><i class="{css}" aria-hidden="true"></i>{label}</li>' for css, label in names.items())
    return f'<ul class="cw-legend">{"".join(items)}</ul>'


# ---------------------------------------------------------------- decoding


def strip(owner: list[int], rank: int, y: int, high: int, wide: int) -> str:
    """A row of positions; those that a rank keeps are in its colour."""
    boxes = [(f"M{p} 0h0.9v1h-0.9z", whose == rank) for p, whose in enumerate(owner)]
    own, others = ("".join(box for box, mine in boxes if mine is kept) for kept in (True, False))
    return (
        f'<svg x="11%" y="{y}" width="{wide}%" height="{high - 4}" viewBox="0 0 {len(owner)} 1" '
        f'preserveAspectRatio="none"><path class="track" d="{others}"/>'
        f'<path class="cw-rank cw-rank{rank}" d="{own}"/></svg>'
    )


def share(weight: list[float], rank: int, y: int, high: int) -> str:
    """How much of the answer comes from a rank: a bar against the longest, and its number."""
    at = f'x="68%" y="{y}" width="{pct(weight[rank] / max(weight) * 18)}" height="{high - 4}"'
    said = bound(weight[rank], f"decode.weight.{rank}", "percent 1")
    return (
        f'<rect class="cw-rank cw-rank{rank}" {at}/>'
        f'<text x="100%" y="{y + high / 2 + 2:g}" text-anchor="end">{said}</text>'
    )


def strips(owner: list[int], ranks: int, title: str, weight: list[float] | None = None) -> str:
    """Which positions each rank keeps, and with `weight` how much of the answer comes from it."""
    high = row(ranks)
    rows = ""
    for rank in range(ranks):
        y = 18 + rank * high
        rows += chip(rank, 0, y, high) + strip(owner, rank, y, high, 54 if weight else 88)
        rows += share(weight, rank, y, high) if weight else ""
    heads = f'<text x="11%" y="11">{title}</text>'
    heads += '<text x="100%" y="11" text-anchor="end">share of the answer</text>' if weight else ""
    label = f"Which of {len(owner)} positions each of {ranks} ranks keeps."
    return (
        f'<svg class="cw-context-parallel-strips" role="img" aria-label="{label}" width="100%" '
        f'height="{20 + ranks * high}"><g class="heads">{heads}</g><g>{rows}</g></svg>'
    )


def cache(now: dict, hide: bool = False) -> str:
    """The cache while decoding: position p on rank p mod c; `hide` leaves out what it weighs."""
    ranks = len(now["table"])
    owner = [p % ranks for p in range(len(now["owner"]))]
    return strips(owner, ranks, "positions of the cache", None if hide else now["decode"]["weight"])
