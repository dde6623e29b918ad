"""compute's result -> the mask by rank, everybody's work, and the ring's timetable, as HTML and SVG. Twin of view.js.

The mask has a viewBox and no words; elsewhere x is a percentage, so one drawing fits every width.
"""

from __future__ import annotations

from cutaway.explainers.beats_facts import bound
from cutaway.explainers.context_parallel import deal

chip, pct = deal.chip, deal.pct


# ---------------------------------------------------------------- the mask


def phase(now: dict, rank: int, key: int, step: int) -> str:
    """When a rank computes with a key: before the step that is drawn, in it, later; "" where no ring is drawn."""
    if step < 0:
        return ""
    ranks = len(now["table"])
    when = (rank - now["owner"][key]) % ranks
    return "done" if when < step else "now" if when == step else "later"


def runs(now: dict, step: int) -> dict[tuple[int, str], str]:
    """(rank, phase) -> the path of its cells, row by row."""
    found: dict[tuple[int, str], str] = {}
    for query, rank in enumerate(now["owner"]):
        start = 0
        for key in range(query + 1):
            own = phase(now, rank, key, step)
            if key == query or phase(now, rank, key + 1, step) != own:
                found[rank, own] = found.get((rank, own), "") + f"M{start} {query}h{key + 1 - start}v1H{start}z"
                start = key + 1
    return dict(sorted(found.items()))


def mask(now: dict, step: int = -1) -> str:
    """Queries down, keys across; each cell in the colour of the rank that computes it."""
    strips = ""
    for i, rank in enumerate(now["owner"]):
        strips += f'<rect class="cw-rank cw-rank{rank}" x="{i}" y="-2.4" width="1" height="1.6"/>'
        strips += f'<rect class="cw-rank cw-rank{rank}" x="-2.4" y="{i}" width="1.6" height="1"/>'
    cells = "".join(
        f'<path class="cw-rank cw-rank{rank}{own and " " + own}" d="{d}"/>'
        for (rank, own), d in runs(now, step).items()
    )
    label = f"A square of queries and keys; each query’s row has the colour of one of {len(now['table'])} ranks."
    return (
        f'<svg class="cw-context-parallel-mask" role="img" aria-label="{label}" viewBox="-2.4 -2.4 34.4 34.4">'
        f"<g>{strips}</g><g>{cells}</g></svg>"
    )


# ---------------------------------------------------------------- work


def bars(now: dict, hide: bool = False) -> str:
    """A bar for every rank, the mean a dashed line; `hide` leaves the bars out."""
    ranks = len(now["work"]["each"])
    high = deal.row(ranks)
    rows = ""
    for rank, share in enumerate(now["work"]["each"]):
        y = 4 + rank * high
        rows += chip(rank, 0, y, high) + f'<rect class="track" x="11%" y="{y}" width="72%" height="{high - 4}"/>'
        if not hide:
            rows += (
                f'<rect class="cw-rank cw-rank{rank}" x="11%" y="{y}" width="{pct(share * 36)}" height="{high - 4}"/>'
            )
            said = bound(share, f"work.each.{rank}", "fixed 3")
            rows += f'<text x="100%" y="{y + high / 2 + 2:g}" text-anchor="end">{said}</text>'
    low = 4 + ranks * high
    mean = (
        f'<line x1="47%" x2="47%" y1="0" y2="{low}"/><text x="47%" y="{low + 14}" text-anchor="middle">the mean</text>'
    )
    label = "A bar of work for each rank." if not hide else "A place for the work of each rank, empty as yet."
    return (
        f'<svg class="cw-context-parallel-bars" role="img" aria-label="{label}" width="100%" height="{low + 20}">'
        f"<g>{rows}</g>{mean}</svg>"
    )


# ---------------------------------------------------------------- the ring


def ring(now: dict, step: int) -> str:
    """Ranks down, steps across: whose keys and values a rank has in each step, and how much of the block it needs."""
    ranks = len(now["table"])
    high, wide = deal.row(ranks), 92 / ranks
    cells = ""
    for rank, row in enumerate(now["table"]):
        y = 20 + rank * high
        cells += chip(rank, 0, y, high) + f'<rect class="track" x="8%" y="{y}" width="92%" height="{high - 4}"/>'
        for j, share in enumerate(row):
            cells += cell(
                8 + j * wide,
                y,
                wide,
                high,
                (rank - j) % ranks,
                share,
                "done" if j < step else "now" if j == step else "later",
            )
    heads = "".join(
        f'<text x="{pct(8 + (j + 0.5) * wide)}" y="12" text-anchor="middle" data-index="">{j}</text>'
        for j in range(ranks)
    )
    frame = ""
    if step < ranks:
        frame = (
            f'<rect class="here" x="{pct(8 + step * wide)}" y="18" width="{pct(wide)}" height="{ranks * high}" rx="3"/>'
        )
    label = f"Ranks down, steps across: whose keys and values each of {ranks} ranks has in each step."
    return (
        f'<svg class="cw-context-parallel-ring" role="img" aria-label="{label}" width="100%" '
        f'height="{24 + ranks * high}"><g class="heads">{heads}</g><g>{cells}</g>{frame}</svg>'
    )


def cell(x: float, y: float, wide: float, high: int, block: int, share: float, css: str) -> str:
    """One rank in one step: filled from below as far as the block is needed."""
    tall = high - 4
    part = round(share * tall, 2)
    name = ""
    if high > 20:
        middle = f'x="{pct(x + wide / 2)}" y="{y + tall / 2 + 4:g}" text-anchor="middle"'
        name = f'<text class="{css}" {middle} data-index="">{block}</text>'
    if not part:
        return name
    at = f'x="{pct(x + wide * 0.06)}" width="{pct(wide * 0.88)}" y="{y + tall - part:g}" height="{part:g}"'
    return f'<rect class="cw-rank cw-rank{block} {css}" {at}/>{name}'


def beside(left: str, right: str) -> str:
    """Two drawings side by side, or one above the other where it is narrow."""
    return f'<div class="cw-context-parallel-both"><div>{left}</div><div>{right}</div></div>'


def picture(now: dict, state: dict) -> str:
    """The lab before its script."""
    both = {**state, **now}
    put = lambda value, path, how: bound(value, path, how, "span")  # noqa: E731
    sent = put(now["ways"]["ring"]["sent"], "ways.ring.sent", "bytes MB 1")
    said = (
        f"<p>{put(both['cp'], 'cp', 'int')} ranks share {put(both['sequence'], 'sequence', 'int')} tokens of "
        f"{now['row']['title']}. Each sends {sent} in a layer; the slowest works "
        f"{put(now['work']['most'], 'work.most', 'fixed 3')} times the mean.</p>"
    )
    step = min(state["step"], state["cp"])
    return f"{said}{beside(mask(now, step), ring(now, step))}<!--more-->{bars(now)}"
