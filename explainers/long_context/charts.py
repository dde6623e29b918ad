"""compute's result -> two lines against the length on log scales, bars of models, arithmetic of two. Twin of charts.js.

Along x everything is a percentage, so one drawing fits every width, and a bet's axis below has the same scale.
"""

from __future__ import annotations

from math import log

from cutaway.explainers import fmt
from cutaway.explainers.long_context import ruled

fill, px, legend = ruled.fill, ruled.px, ruled.legend
HIGH, TOP, LAST = 204, 12, 2**20  # pixels: the chart, the room above it; tokens at its right end
GOAL, STEP = 10_000_000_000, 31  # bytes; pixels from one model to the next


def pct(share: float) -> str:
    return px(100 * share) + "%"


class Scale:
    """A log scale."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def at(self, value: float) -> float:
        """0 to 1; past an end it stays there."""
        return min(1.0, max(0.0, log(max(value, self.low) / self.low) / log(self.high / self.low)))


def y_of(scale: Scale, value: float) -> float:
    return TOP + (HIGH - TOP) * (1 - scale.at(value))


# kind -> (title, tokens at the left, scale, ticks, how these are printed, words of the flat line, of the rising one)
KINDS = {
    "work": ("GFLOP for one new token of {of.title}, by the tokens before it", 1000, Scale(0.1, 1e4),
             (1, 10, 100, 1000, 10_000), fmt.integer, "weights: {of.weights_gflop:int}",
             "the past, at a million: {of.million_gflop:int}"),
    "bytes": ("bytes kept, by tokens", 1, Scale(1e3, 1e12), (1e3, 1e6, 1e9, 1e12), lambda v: fmt.in_bytes(v, "", 0),
              "states: {mix.fixed:bytes} at any length", "caches, at a million: {mix.million:bytes}"),
}  # fmt: skip


def heights(now: dict, kind: str) -> tuple[float, float, float]:
    """(the flat line, what one token adds, where they meet)."""
    of, mix = now["of"], now["mix"]
    if kind == "work":
        return of["weights_gflop"] + of["states_gflop"], of["each_mflop"] / 1e3, of["crossing"]
    return mix["fixed"], mix["slope"], mix["tokens"]


def chart(now: dict, kind: str) -> str:
    """A flat line and a rising one, which is hidden while the bet is open."""
    title, first, up, ticks, how, words, _ = KINDS[kind]
    along = Scale(first, LAST)
    flat, slope, _ = heights(now, kind)
    grid = "".join(
        f'<line x1="0" x2="100%" y1="{px(y_of(up, t))}" y2="{px(y_of(up, t))}"/>'
        f'<text class="tick" x="0" dx="-10" y="{px(y_of(up, t) + 4)}" data-index="">{how(t)}</text>'
        for t in ticks
    )
    level = px(y_of(up, flat))
    made = f'<line class="flat" x1="0" x2="100%" y1="{level}" y2="{level}"/>'
    made += f'<text x="2%" y="{px(y_of(up, flat) - 9)}">{fill(words, now, "tspan")}</text>'
    made += rising(now, kind, along) if slope else ""
    label = f"{fmt.integer(first)} to {fmt.integer(LAST)} tokens on a log scale: one line is flat, the other rises."
    return (
        f'<p class="cw-long-context-title">{fill(title, now)}</p><svg class="cw-long-context-chart {kind}" role="img" '
        f'aria-label="{label}" width="100%" height="{HIGH + 4}"><g class="grid">{grid}</g>{made}</svg>'
    )


def rising(now: dict, kind: str, along: Scale) -> str:
    """The line of the past, its words, and where it meets the other."""
    _, first, up, *_, words = KINDS[kind]
    flat, slope, meet = heights(now, kind)
    left, end = max(first, up.low / slope), y_of(up, slope * LAST)
    made = (
        f'<line class="rise" x1="{pct(along.at(left))}" x2="100%" y1="{px(y_of(up, slope * left))}" y2="{px(end)}"/>'
        f'<text class="end" x="100%" y="{px(max(12, end - 9))}">{fill(words, now, "tspan")}</text>'
    )
    made += cursor(now, along, up, slope) if kind == "work" else ""
    if first <= meet <= LAST:
        made += f'<circle cx="{pct(along.at(meet))}" cy="{px(y_of(up, flat))}" r="7"/>'
    return f'<g class="bet-answered">{made}</g>'


def cursor(now: dict, along: Scale, up: Scale, slope: float) -> str:
    """Where the length that was chosen stands."""
    at, y = pct(along.at(now["tokens"])), px(y_of(up, slope * now["tokens"]))
    return f'<line class="cursor" x1="{at}" x2="{at}" y1="{y}" y2="{HIGH}"/>'


def bars(now: dict) -> str:
    """Models beside each other, on a log scale; the last is the chosen one."""
    rows, least = now["bars"], now["least"]
    on = Scale(least, max(10 * least, *(row["bytes"] for row in rows)))
    made = ""
    for i, row in enumerate(rows):
        css = ' class="own"' if i == len(rows) - 1 else ""
        y = STEP * i
        made += (
            f'<g{css}><text x="0" y="{y + 13}">{fill(f"{{bars.{i}.title}}", now, "tspan")}</text>'
            f'<text class="end" x="100%" y="{y + 13}">{fill(f"{{bars.{i}.bytes:bytes}}", now, "tspan")}</text>'
            f'<rect x="0" y="{y + 18}" width="{pct(on.at(row["bytes"]))}" height="8"/></g>'
        )
    high = STEP * len(rows)
    if on.low <= GOAL <= on.high:
        at = pct(on.at(GOAL))
        made += f'<line class="goal" x1="{at}" x2="{at}" y1="15" y2="{high}"/>'
    said = "{least:bytes}"
    return (
        '<p class="cw-long-context-title">kept, in BF16, and below them what is chosen</p>'
        f'<svg class="cw-long-context-models" role="img" aria-label="Bytes kept by {len(rows)} models on a log scale." '
        f'width="100%" height="{high}">{made}</svg><ul class="cw-legend"><li><i class="goal" aria-hidden="true"></i>'
        f"the goal, 10 GB</li><li>a log scale from {fill(said, now)}</li></ul>"
    )


def work(now: dict) -> str:
    """Arithmetic of V3.2 and of V4-Pro for one token: what is the same for each, and the past."""
    pair, made = now["pair"], ""
    most = max(pair["old"]["gflop"], pair["new"]["gflop"])
    for i, key in enumerate(("old", "new")):
        one, y = pair[key], 38 * i
        css = " bet-answered" if key == "new" else ""
        fixed, past = one["fixed_gflop"] / most, one["past_gflop"] / most
        made += (
            f'<g class="{key}{css}"><text x="0" y="{y + 13}">{fill(f"{{pair.{key}.title}}", now, "tspan")}</text>'
            f'<text class="end" x="100%" y="{y + 13}">{fill(f"{{pair.{key}.gflop:int}}", now, "tspan")}</text>'
            f'<rect class="weights" x="0" y="{y + 18}" width="{pct(fixed)}" height="14"/>'
            f'<rect class="past" x="{pct(fixed)}" y="{y + 18}" width="{pct(past)}" height="14"/></g>'
        )
    named = [("weights", "weights"), ("past", "indexer and reading")]
    return (
        '<p class="cw-long-context-title">GFLOP for one new token</p><svg class="cw-long-context-work" role="img" '
        'aria-label="Arithmetic for one new token: the part of the weights, and the part of the past." width="100%" '
        f'height="72">{made}</svg>{legend(named)}'
    )
