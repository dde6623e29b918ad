"""What compute() says -> the page's first picture as HTML: mask, stack, numbers, claims. Twin of drawing.js."""

from __future__ import annotations

from html import escape
from math import ceil, floor, log2, log10

from cutaway.explainers import fmt

CELL = 10  # pixels of one query-key pair
TALL = 7  # pixels of one layer
WIDE = 560  # of the stack's picture
WORDS = {"causal": "full", "window": "window", "chunked": "window"}


def n(x: float) -> str:
    """A coordinate, short."""
    return f"{x:.1f}".removesuffix(".0")


def cells(rows: list[list[list[int]]]) -> str:
    """Ranges of keys per query as one path."""
    lines = []
    for query, ranges in enumerate(rows):
        for a, b in ranges:
            wide = (b - a + 1) * CELL
            lines.append(f"M{a * CELL} {query * CELL}h{wide}v{CELL}h-{wide}z")
    return "".join(lines)


def seen_ranges(mask: dict, first: int) -> list[list[list[int]]]:
    """Which keys each query sees: the first tokens kept, and those from its start on."""
    found = []
    for query, start in enumerate(mask["starts"]):
        early = [[0, min(first, start, query + 1) - 1]] if min(first, start) > 0 else []
        found.append([*early, [start, query]])
    return found


def triangle(tokens: int) -> str:
    """Every causal pair."""
    return "M0 0" + "".join(f"h{CELL}v{CELL}" for _ in range(tokens)) + "H0z"


def mask_svg(mask: dict, state: dict) -> str:
    """Queries down, keys to the right."""
    size = len(mask["starts"]) * CELL
    y, role = state["query"] * CELL, WORDS[state["kind"]]
    lines = "".join(f"M0 {i}H{size}M{i} 0V{size}" for i in range(0, size + 1, CELL))
    view = f'viewBox="-48 -18 {size + 128} {size + 22}"'
    return (
        f'<svg class="cw-masks-mask" {view} role="img" aria-label="{escape(mask["row"])}">'
        f'<text class="cw-masks-axis" x="0" y="-5">keys: the past on the left, itself on the diagonal →</text>'
        '<text class="cw-masks-axis" x="0" y="42" transform="rotate(90)">'
        "queries: one row for each token that looks →</text>"
        f'<path class="cw-masks-past" d="{triangle(len(mask["starts"]))}"/>'
        f'<path class="cw-masks-known" d="{cells(mask["known_from"])}"/>'
        f'<path class="cw-masks-seen {role}" d="{cells(seen_ranges(mask, state["first"]))}"/>'
        f'<path class="cw-masks-grid" d="{lines}"/>'
        f'<rect class="cw-masks-row" x="0" y="{y}" width="{size}" height="{CELL}"/></svg>'
    )


def back(token: int, first: int, longest: int, wide: float) -> float:
    """How far a bar reaches: tokens known, on a log scale, now at the right."""
    return wide * log2(token - first + 1) / log2(max(2, longest))


def stack_svg(stack: dict, state: dict, hide: bool = False) -> str:
    """One line per layer, the last on top: its mark, and how far back it sees, and (not to hide) knows."""
    layers, token = len(stack["marks"]), state["context"] - 1
    lines = []
    for i, (mark, first) in enumerate(zip(stack["marks"], stack["first"], strict=True)):
        y = (layers - 1 - i) * TALL
        ends = (stack["sees"][i] if hide else first, stack["sees"][i])
        known, seen = (back(token, one, state["context"], WIDE - 40) for one in ends)
        place = f'y="{y}" height="{TALL - 1}"'
        lines.append(f'<rect class="cw-masks-mark {mark}" x="{WIDE - 14}" {place} width="14"/>')
        for css, long in (("reach", known), ("sight", seen)):
            lines.append(f'<rect class="cw-masks-{css} {mark}" x="{n(WIDE - 20 - long)}" {place} width="{n(long)}"/>')
    words = escape(stack["mix"] + "." + ("" if hide else " " + stack["verdict"]))
    return (
        f'<svg class="cw-masks-stack" viewBox="0 0 {WIDE} {layers * TALL}" role="img" aria-label="{words}">'
        f"{''.join(lines)}</svg>"
    )


def curve_svg(stack: dict, hide: bool = False) -> str:
    """Bytes against context, both on log scales: every token in every layer, and (not to hide) as it is."""
    low, up = (floor(log10(stack["curve"][0])), ceil(log10(stack["curve_full"][-1])))
    left, wide, high = 62, WIDE - 76, 250

    def line(values: list[float]) -> str:
        points = (
            f"{n(left + wide * i / 12)} {n(10 + (high - 34) * (up - log10(v)) / (up - low))}"
            for i, v in enumerate(values)
        )
        return "M" + "L".join(points)

    real = line(stack["curve"])
    area = f'<path class="cw-masks-area" d="{real}V{high - 24}H{left}z"/><path class="cw-masks-curve" d="{real}"/>'
    tens = "".join(
        f'<text class="cw-masks-axis" data-index="" text-anchor="end" x="{left - 8}" y="{n(y + 4)}">'
        f'{fmt.in_bytes(10**e, digits=0)}</text><path class="cw-masks-tick" d="M{left} {n(y)}h{wide}"/>'
        for e in range(low, up + 1)
        for y in (10 + (high - 34) * (up - e) / (up - low),)
    )
    ends = "".join(
        f'<text class="cw-masks-axis" data-index="" text-anchor="middle" x="{n(left + wide * i / 12)}"'
        f' y="{high - 8}">{words}</text>'
        for i, words in ((0, "256"), (5, "8k"), (9, "128k"), (12, "1M"))
    )
    return (
        f'<svg class="cw-masks-curves" viewBox="0 0 {WIDE} {high}" role="img" aria-label="Cache bytes against context">'
        f'{"" if hide else area}{tens}{ends}<path class="cw-masks-curve all" d="{line(stack["curve_full"])}"/></svg>'
    )


def claim_line(now: dict) -> str:
    return (
        f"<li>{escape(now['who'])}: {escape(now['way'])}. {now['whole_words']} B = "
        f"{fmt.in_bytes(now['whole'])}, against {now['kept_words']} B = {fmt.in_bytes(now['kept'])}: "
        f"<b>1/{fmt.fixed(now['ratio'], 2)}</b>, towards 1/{fmt.fixed(now['limit'], 2)}.</li>"
    )


def html(now: dict, state: dict, data: dict) -> str:
    """The whole first picture."""
    mask, stack = now["mask"], now["stack"]
    more = "".join(f"<p>{escape(words)}</p>" for words in mask["more"] if words)
    claims = "".join(claim_line(one) for one in now["claims"])
    return (
        f'<div class="cw-split"><div>{mask_svg(mask, state)}</div><div class="cw-masks-read">'
        f'<p class="cw-masks-main">{escape(mask["row"])}</p>{more}</div></div>'
        f'<div class="cw-section cw-split"><div>{stack_svg(stack, state)}</div><div class="cw-masks-read">'
        f'<p class="cw-masks-main">{escape(stack["title"])}</p><p>{escape(stack["mix"])}</p>'
        f"<p>{escape(stack['knows'])}</p><p>{escape(stack['verdict'])}</p>"
        f"<p>{stack['tokens_hold']} <b>{fmt.in_bytes(stack['bytes'])}</b>; if every layer kept every token, "
        f"{fmt.in_bytes(stack['bytes_full'])}. {stack['compared']}</p></div></div>"
        f'<ul class="cw-section cw-masks-claims">{claims}</ul>'
    )
