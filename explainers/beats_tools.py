"""A bet and its answer -> the instrument under the figure as SVG: bar, line, curve, or the axis of a pick.

Everything along x is a percentage, so one drawing fits every width without a viewBox and
without a style attribute.
What holds the answer has the class bet-answered and is hidden while the bet is open; kit-bets.js moves the handle and
the answer, and draws nothing anew.
"""

from __future__ import annotations

import json
from html import escape

from cutaway.explainers.beats import Bet
from cutaway.explainers.beats_axis import Axis, axis, curve_values, pct
from cutaway.explainers.beats_facts import Look, printed, short

BAR, ROW = 46, 98  # pixels: a bar, and from one bar's label to the next
CURVE, TOP = 210, 24  # pixels: the height of a curve's chart, and the room above it


def words(bet: Bet, value: float) -> str:
    """A guess or a tick: 60 GB, 6 zeros."""
    return short(printed(value, bet.format)) + (f" {bet.unit}" if bet.unit else "")


def line(x1: str, y1: float, x2: str, y2: float, css: str = "") -> str:
    return f'<line{css and f" class={chr(34)}{css}{chr(34)}"} x1="{x1}" y1="{y1:g}" x2="{x2}" y2="{y2:g}"/>'


def text(x: str, y: float, said: str, css: str = "") -> str:
    return f'<text{css and f" class={chr(34)}{css}{chr(34)}"} x="{x}" y="{y:g}">{said}</text>'


def tick_words(bet: Bet, ticks: tuple[float, ...]) -> list[str]:
    """Labels of the ticks; a unit that all share stands at the last one only."""
    found = [short(printed(t, bet.format)) for t in ticks]
    units = {one.rpartition(" ")[2] for one in found}
    bare = [one.rpartition(" ")[0] for one in found]
    return [*bare[:-1], found[-1]] if len(units) == 1 and all(bare) else found


def ticks(bet: Bet, on: Axis, y: float, every: int = 1) -> str:
    """Labels below an axis; every second one is marked, to be left out where it is narrow."""
    said = zip(on.ticks, tick_words(bet, on.ticks), strict=True)
    last = len(on.ticks) - 1
    return "".join(
        text(pct(on.at(t)), y, escape(one), "bet-tick" + (" odd" if i % 2 and i != last else "") + edge(i, last))
        for i, (t, one) in enumerate(said)
    )


def edge(i: int, last: int) -> str:
    return " first" if i == 0 else " last" if i == last else ""


HANDLE = (
    '<svg class="bet-handle" x="0" y="{y:g}" overflow="visible" aria-hidden="true">'
    '<rect class="bet-grip" x="-{w}" y="-{h}" width="{ww}" height="{hh}" rx="{w}"/>'
    '<path class="bet-arrows" d="{d}"/></svg>'
)
SIDEWAYS, UPWARDS = "M-3 -4l-4 4l4 4M3 -4l4 4l-4 4", "M-4 -3l4 -4l4 4M-4 3l4 4l4 -4"


def handle(y: float, w: int, h: int, d: str = SIDEWAYS) -> str:
    return HANDLE.format(y=y, w=w, h=h, ww=2 * w, hh=2 * h, d=d)


def bracket(y: float) -> str:
    """From guess to answer; kit-beats.js places it."""
    lines = line("0", y, "0", y) + line("0", y - 5, "0", y) + line("0", y - 5, "0", y)
    return f'<g class="bet-bracket" data-y="{y:g}">{lines}{text("0", y + 16, "", "bet-far")}</g>'


def bar(bet: Bet, look: Look, shown: Look) -> tuple[int, str]:
    """Bars to compare with, then the one whose end is dragged."""
    if isinstance(bet.answer, tuple):
        return ends(bet, look, shown)
    on = axis(bet)
    end = pct(on.at(shown(bet.answer)))
    inside_bar = ' end on" dx="-14' if on.at(shown(bet.answer)) > 0.3 else '" dx="10'
    y, name = ROW * len(bet.beside) + 24, look.fill(bet.label, tag="tspan")
    low = y + BAR
    grid = "".join(line(pct(on.at(t)), 20, pct(on.at(t)), low + 18, "bet-grid") for t in on.ticks[1:-1])
    rows = "".join(beside(bet, on, row, look, ROW * i) for i, row in enumerate(bet.beside))
    return low + 66, (
        f'{rows}<text class="bet-name" x="0" y="{y - 10}">{name}</text>'
        f'<rect class="bet-track" x="0" y="{y}" width="100%" height="{BAR}"/>'
        f'<g class="bet-answered"><rect class="bet-answer" x="0" y="{y}" width="{end}" height="{BAR}" rx="3"/></g>'
        f"{grid}"
        f'<rect class="bet-guess" x="0" y="{y}" width="0" height="{BAR}" rx="3"/>{text("0", y + 28, "", "bet-yours")}'
        f'<g class="bet-answered">{value(bet, shown, end, y + 29, inside_bar)}{bracket(low + 16)}</g>'
        f"{handle(y + BAR / 2, 9, 18)}{ticks(bet, on, low + 52)}"
    )


def ends(bet: Bet, look: Look, shown: Look) -> tuple[int, str]:
    """A bar both of whose ends are dragged; each end's value stands outside it."""
    on, y = axis(bet), 24
    low = y + BAR
    at = [pct(on.at(one)) for one in shown(bet.answer)]
    wide = pct(on.at(shown(bet.answer)[1]) - on.at(shown(bet.answer)[0]))
    grid = "".join(line(pct(on.at(t)), 20, pct(on.at(t)), low + 6, "bet-grid") for t in on.ticks[1:-1])
    sides = ((' end" dx="-8', at[0], bet.answer[0]), (' start" dx="8', at[1], bet.answer[1]))
    values = "".join(value(bet._replace(answer=path), shown, x, y + 29, css) for css, x, path in sides)
    handles = [handle(y + BAR / 2, 9, 18).replace("<svg ", f'<svg data-end="{end}" ', 1) for end in (0, 1)]
    return low + 52, (
        f'<text class="bet-name" x="0" y="{y - 10}">{look.fill(bet.label, tag="tspan")}</text>'
        f'<rect class="bet-track" x="0" y="{y}" width="100%" height="{BAR}"/>'
        '<g class="bet-answered">'
        f'<rect class="bet-answer" x="{at[0]}" y="{y}" width="{wide}" height="{BAR}" rx="3"/></g>'
        f'{grid}<rect class="bet-guess" x="0" y="{y}" width="0" height="{BAR}" rx="3"/>'
        f'<g class="bet-answered">{values}</g>{text("50%", low + 44, "", "bet-yours middle")}'
        f"{''.join(handles)}{ticks(bet, on, low + 22)}"
    )


def beside(bet: Bet, on: Axis, row: dict, look: Look, y: float) -> str:
    """One bar to compare with."""
    amount = look(row["value"])
    css = 'bet-number end" dx="-10' if on.at(amount) > 0.75 else 'bet-number" dx="10'
    bound = f' data-out="{row["value"]}" data-format="{bet.format}"' if isinstance(row["value"], str) else ""
    return (
        text("0", y + 14, escape(row["label"]), "bet-name beside")
        + f'<rect class="bet-beside" x="0" y="{y + 24}" width="{pct(on.at(amount))}" height="{BAR}" rx="3"/>'
        + f'<text class="{css}" x="{pct(on.at(amount))}" y="{y + 52}"{bound}>'
        + f"{escape(printed(amount, bet.format))}</text>"
    )


def value(bet: Bet, shown: Look, x: str, y: float, css: str = "") -> str:
    """The answer, printed where it lies."""
    said = escape(printed(shown(bet.answer), bet.format)) + (f" {escape(bet.unit)}" if bet.unit else "")
    last = f' data-with="{escape(json.dumps({bet.along: bet.at[-1]}))}"' if bet.kind == "curve" else ""
    return (
        f'<text class="bet-value{css}" x="{x}" y="{y:g}" data-out="{bet.answer}" data-format="{bet.format}"'
        f' data-unit="{escape(bet.unit)}"{last}>{said}</text>'
    )


def scale(bet: Bet, on: Axis, y: float) -> str:
    """A line with its ticks and landmarks."""
    small = "".join(line(pct(on.at(t)), y - 5, pct(on.at(t)), y + 5) for t in on.ticks)
    marks = "".join(
        f'<circle class="bet-mark" cx="{pct(on.at(m["at"]))}" cy="{y:g}" r="4"/>'
        + text(pct(on.at(m["at"])), y + 44, escape(m["label"]), "bet-tick" + (" first" if on.at(m["at"]) < 0.1 else ""))
        for m in bet.marks
    )
    return f'<g class="bet-axis">{line("0", y, "100%", y)}{small}</g>{marks}{ticks(bet, on, y + 24)}'


def point(bet: Bet, look: Look, shown: Look) -> tuple[int, str]:
    """A point on an axis."""
    on, y = axis(bet), 44
    x = pct(on.at(shown(bet.answer)))
    return 96 if bet.marks else 76, (
        f'{scale(bet, on, y)}<g class="bet-answered"><line class="bet-span" x1="{x}" x2="{x}" y1="{y}" y2="{y}"/>'
        f'<circle class="bet-answer" cx="{x}" cy="{y}" r="10"/>{value(bet, shown, x, y - 24, " middle")}</g>'
        f"{text('0', y - 22, '', 'bet-yours middle')}{handle(y, 15, 15)}"
    )


def series(bet: Bet, shown: Look) -> list[float]:
    """A curve's heights: the answer at each value along x."""
    look = type(shown)  # tests have one that knows more answers
    return [look(shown.name, {**shown.state, bet.along: x})(bet.answer) for x in bet.at]


def curve(bet: Bet, look: Look, shown: Look) -> tuple[int, str]:
    """Known points, and a last one to drag up or down."""
    on, heights = axis(bet), series(bet, shown)
    if on.log and not bet.ticks:  # each known point, and half of the last
        marks = [*heights[:-1], heights[-2] / 2, heights[-2] * 2]
        on = on._replace(ticks=tuple(sorted({h for h in marks if on.low <= h <= on.high})))
    xs = [pct((i + 0.5) / len(heights)) for i in range(len(heights))]
    ys = [round(TOP + CURVE * (1 - on.at(h)), 1) for h in heights]
    grid = "".join(
        line("0", (y := round(TOP + CURVE * (1 - on.at(t)), 1)), "100%", y, "bet-grid")
        + text("-12", y + 4, escape(one), "bet-tick end")
        for t, one in zip(on.ticks, (short(printed(t, bet.format)) for t in on.ticks), strict=True)
    )
    joins = [line(*pair, "bet-join") for pair in zip(xs, ys, xs[1:], ys[1:], strict=False)]
    dots = [f'<circle class="bet-point" cx="{x}" cy="{y:g}" r="6"/>' for x, y in zip(xs, ys, strict=True)]
    labels = "".join(text(x, TOP + CURVE + 32, x_words(bet, v), "bet-tick") for x, v in zip(xs, bet.at, strict=True))
    low = TOP + CURVE / 2
    return TOP + CURVE + 44, (
        f"{grid}{''.join(joins[:-1])}{''.join(dots[:-1])}{labels}"
        f'<line class="bet-reach" x1="{xs[-2]}" y1="{ys[-2]:g}" x2="{xs[-2]}" y2="{ys[-2]:g}"/>'
        f'<g class="bet-answered">{joins[-1]}<circle class="bet-answer" cx="{xs[-1]}" cy="{ys[-1]:g}" r="8"/>'
        f"{value(bet, shown, xs[-1], ys[-1] - 14, ' middle')}</g>{text(xs[-1], low, '', 'bet-yours middle')}"
        f"{handle(low, 11, 11, UPWARDS).replace('x=' + chr(34) + '0' + chr(34), f'x={chr(34)}{xs[-1]}{chr(34)}', 1)}"
    )


def x_words(bet: Bet, value: float) -> str:
    """{} GPU(s) -> 1 GPU, 2 GPUs."""
    return escape(bet.x.replace("{}", str(value)).replace("(s)", "" if value == 1 else "s"))


def pick(bet: Bet, look: Look, shown: Look) -> tuple[int, str]:
    """The axis below the options, where one option ends and the next begins; "" where there is no axis."""
    if not bet.range:
        return 0, ""
    on, y = axis(bet), 12
    x = pct(on.at(shown(bet.answer)))
    marks = "".join(
        f'<rect class="bet-cut" x="{pct(on.at(look(c["at"])))}" y="0" width="5" height="24" rx="1"/>'
        + text(
            pct(on.at(look(c["at"]))),
            y + 30,
            look.fill(c["label"], tag="tspan"),
            "bet-tick cut" + (" end" if i else ""),
        )
        for i, c in enumerate(bet.cuts)
    )
    ends = "".join(
        text(p, y + 30, escape(words(bet, v)), f"bet-tick odd{css}")
        for p, v, css in (("0", on.low, " first"), ("100%", on.high, " last"))
    )
    return 76, (
        f'<g class="bet-axis">{line("0", y, "100%", y)}</g>{marks}{ends}'
        f'<g class="bet-answered"><circle class="bet-answer" cx="{x}" cy="{y}" r="9"/>'
        f"{value(bet, shown, x, y + 54, ' middle')}</g>"
    )


DRAWN = {"bar": bar, "line": point, "curve": curve, "pick": pick}


def tool(bet: Bet, look: Look, shown: Look) -> str:
    """The whole instrument; its label tells nothing of the answer. `look` is the beat's state, `shown` the answer's."""
    high, inside_ = DRAWN[bet.kind](bet, look, shown)
    name = f'<p class="bet-name">{look.fill(bet.label)}</p>' if bet.label and bet.kind in ("curve", "line") else ""
    note = f'<p class="bet-note">{look.fill(bet.note)}</p>' if bet.note else ""
    svg = f'<svg class="bet-scale" width="100%" height="{high:g}" aria-hidden="true">{inside_}</svg>' if high else ""
    return f'<div class="bet-tool bet-{bet.kind}">{name}<div class="bet-area">{svg}</div>{note}</div>'


def wire(bet: Bet, look: Look, shown: Look) -> dict:
    """What kit-beats.js needs to know of the bet."""
    on = axis(bet)
    kept = ("kind", "answer", "format", "unit", "says", "along", "at")
    row = {key: value for key in kept if (value := getattr(bet, key))}
    values = on.values if bet.kind != "curve" else curve_values(on, series(bet, shown)[:-1])
    row |= {"beside": [one["value"] for one in bet.beside]} if bet.beside else {}
    row |= {"state": dict(bet.state), "low": on.low, "high": on.high, "log": on.log}
    if bet.kind == "pick":
        row |= {"options": bet.options, "cuts": [look(c["at"]) for c in bet.cuts]}
    else:
        row |= {"values": values}
    share = bet.format.startswith("percent")
    row["ratio"] = {"ratio": True, "difference": False}.get(bet.by, on.log or (bet.kind == "bar" and not share))
    return row
