"""compute's result -> scores as dots, the soft ceiling, drafts as a tape, loops, borrowing, mixing, who does what.

Twin of charts.js.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log10, tanh

from cutaway.explainers.around_the_block import drawn
from cutaway.explainers.beats_facts import bound
from cutaway.explainers.experts.drawn import fill, keys

fine = drawn.fine
ANSWERED = " bet-answered"


def name(words: str, now: dict, answers: bool = False) -> str:
    """A line of words; one that answers a bet is hidden by the page until then."""
    return f'<p class="ab-name{ANSWERED if answers else ""}">{fill(words, now)}</p>'


def svg(css: str, high: float, said: str, inside: str, wide: int = 0) -> str:
    """A picture as wide as the page; `wide`: so many units, stretched."""
    box = f' viewBox="0 0 {wide} {high}" preserveAspectRatio="none"' if wide else ""
    return f'<svg class="ab-{css}" width="100%" height="{high}"{box} role="img" aria-label="{said}">{inside}</svg>'


# ---------------------------------------------------------------- scores

SCALE = ("0.01", "0.1", "1", "10", "100", "1,000", "10,000")
LEAST, MOST, DOTS = -2, 4, 46  # powers of ten along x; pixels of a row
PLAIN = (
    "as drawn, times {grown:num 3}: largest {scores.plain.top:fixed 1}, "
    "a query’s favourite key gets {scores.plain.peak:percent 0}"
)
NORMED = (
    "normalised first: largest {scores.normed.top:fixed 1}, a query’s favourite gets {scores.normed.peak:percent 0}"
)


def along(score: float) -> str:
    """Of 1000."""
    return f"{1000 * (min(max(log10(max(score, 1e-9)), LEAST), MOST) - LEAST) / (MOST - LEAST):.0f}"


def dots(now: dict, which: str) -> str:
    """One dot for each score, by its size: points of a stretched path with round ends."""
    edge, all_ = along(now["scores"]["bound"]), now["scores"][which]["all"]
    line = f'<path class="bound" d="M{edge} 0V{DOTS}"/>' if which == "normed" else ""
    points = "".join(f"M{along(one)} {23 + (i * 7 % 9 - 4) * 3}h0" for i, one in enumerate(all_))
    said = "Scores by size, on a log scale."
    return svg(
        f"dots {which}{ANSWERED if which == 'normed' else ''}",
        DOTS,
        said,
        f'{line}<path class="all" d="{points}"/>',
        1000,
    )


def scores(now: dict) -> str:
    """The same 64 scores without a norm and with one."""
    ticks = "".join(f'<text x="{fine(100 * i / 6)}%" y="12" data-index="">{t}</text>' for i, t in enumerate(SCALE))
    scale = f'<svg class="ab-scale" width="100%" height="16" aria-hidden="true">{ticks}</svg>'
    first = name(PLAIN, now) + dots(now, "plain")
    return f"{first}{name(NORMED, now, True)}{dots(now, 'normed')}{scale}"


# ---------------------------------------------------------------- a soft ceiling

FOOT, ROOF, SIDE, ACROSS, HEIGHT = 196, 16, 34, 340, 200  # pixels of the chart, and the largest score it shows
BENT = (
    "{ceiling.score:num 4} becomes {ceiling.out:fixed 1}; {ceiling.less:num 4} becomes {ceiling.less_out:fixed 1}: "
    "{ceiling.apart:num 4} apart before, {ceiling.left:fixed 1} after"
)


def at(score: float, out: float) -> tuple[str, str]:
    return fine(SIDE + (ACROSS - SIDE) * score / HEIGHT), fine(FOOT - (FOOT - ROOF) * out / HEIGHT)


def point(css: str, score: float, out: float) -> str:
    x, y = at(score, out)
    return f'<circle class="{css}" cx="{x}" cy="{y}" r="6"/>'


def lid(now: dict) -> str:
    """The cap as a line."""
    if not now["cap"]:
        return ""
    y = float(at(0, now["cap"])[1])
    words = fill("cap {cap:num 3}", now, "tspan")
    return (
        f'<path class="cap" d="M{SIDE} {fine(y)}H{ACROSS}"/>'
        f'<text class="cap" x="{SIDE + 4}" y="{fine(y - 5)}">{words}</text>'
    )


def scale_of() -> str:
    across = "".join(
        f'<text class="x" x="{at(s, 0)[0]}" y="{FOOT + 16}" data-index="">{s}</text>' for s in (0, 50, 100, 150, 200)
    )
    upwards = "".join(
        f'<text class="y" x="{SIDE - 6}" y="{fine(float(at(0, s)[1]) + 4)}" data-index="">{s}</text>'
        for s in (50, 100, 150)
    )
    return across + upwards


def ceiling(now: dict) -> str:
    """What leaves, by what came in."""
    cap, one = now["cap"], now["ceiling"]
    bent = (at(s, cap * tanh(s / cap) if cap else s) for s in range(0, HEIGHT + 1, 4))
    curve = "M" + "L".join(map(" ".join, bent))
    points = point("less", one["less"], one["less_out"]) + point("more", one["score"], one["out"])
    after = f'<g class="bet-answered"><path class="curve" d="{curve}"/>{points}</g>'
    free = "L".join(" ".join(at(s, s)) for s in (0, HEIGHT))
    said = "A score after the cap, by the score before it."
    return (
        f'<svg class="ab-ceiling" viewBox="0 0 352 220" role="img" aria-label="{said}">'
        f'<path class="base" d="M{SIDE} {ROOF}V{FOOT}H{ACROSS}"/><path class="free" d="M{free}"/>'
        f"{lid(now)}{scale_of()}{after}</svg>{name(BENT, now, True)}"
    )


# ---------------------------------------------------------------- drafts

STEP, CELL = 28, 18
FATES = (
    ("sure", "the model’s own next token"),
    ("good", "draft that stands"),
    ("bad", "first that does not"),
    ("idle", "thrown away with it"),
)
TAPE = "{drafted.steps:int} steps give {drafted.tokens:int} tokens of {drafted.checked:int} looked at"


def fate(good: int, i: int) -> str:
    """What became of a step's i-th token: the model's own, a draft that stands, the first that does not, or later."""
    if i == 0:
        return "sure"
    return "good" if i <= good else "bad" if i == good + 1 else "idle"


def drafts(now: dict) -> str:
    """Twelve steps, each a column: the token that is sure, and drafts on top of it."""
    high = CELL * (4 if now["drafts"] < 4 else 8) + 4
    made = ""
    for kind, _ in FATES:
        found = (
            f"M{s * STEP + 2} {high - (i + 1) * CELL}h23v15h-23z"
            for s, good in enumerate(now["drafted"]["tape"])
            for i in range(now["drafts"] + 1)
            if fate(good, i) == kind
        )
        made += f'<path class="{kind}" d="{"".join(found)}"/>'
    return (
        f'{name(TAPE, now)}<svg class="ab-tape" viewBox="0 0 {12 * STEP} {high}" role="img" '
        f'aria-label="Twelve steps and their drafts.">{made}</svg>{keys(FATES)}'
    )


# ---------------------------------------------------------------- loops and borrowing

RUNS = 112  # pixels for all runs together
STORED = "weights: {of.layers:int} layers, stored once"
LEFT = "keys and values: {loops:int} times {of.keeping:int} layers, {looped.caches:int} caches"
STATES = "; {looped.states:int} states"
TABLES = "per-layer embeddings: {of.table:count} of {of.total:count} parameters"
LENT = "{of.keeping:int} keep keys and values, {of.lent:int} read an earlier layer’s"
REST = ", {of.states:int} keep a state alone, {of.none:int} nothing of a text"


def cells(css: str, all_: Iterable[tuple[int, float]], high: float) -> str:
    """Cells of one kind, each one unit wide, as one path."""
    made = "".join(f"M{fine(i + 0.08)} {fine(y)}h.84v{fine(high)}h-.84z" for i, y in all_)
    return f'<path class="{css}" d="{made}"/>'


def kept(now: dict, kinds: Iterable[str], y: float, high: float) -> str:
    """What each layer keeps, kind by kind; a state, which never grows, is a third as high as a cache."""
    made = ""
    for kind in kinds:
        lift = high * 2 / 3 if kind == "state" else 0
        made += cells(kind, ((i, y + lift) for i, one in enumerate(now["of"]["kinds"]) if one == kind), high - lift)
    return made


def loops(now: dict) -> str:
    """Weights once, keys and values and states once for every run."""
    layers, runs = now["of"]["layers"], now["loops"]
    each = RUNS / runs
    said = "What layers keep, run by run."
    stored = cells("weights", ((i, 1) for i in range(layers)), 16)
    row = kept(now, ("kept", "state"), 1, each - 3)
    left = "".join(f'<g transform="translate(0 {fine(run * each)})">{row}</g>' for run in range(runs))
    return (
        f"{name(STORED, now)}{svg('runs', 18, 'Layers, stored once.', stored, layers)}"
        f"{name(LEFT + (STATES if now['of']['states'] else ''), now)}{svg('runs', RUNS, said, left, layers)}"
    )


def arc(i: int, source: int) -> str:
    """From a layer to the one whose keys and values it reads."""
    return f"M{i + 0.5:g} 60Q{(i + source + 1) / 2:g} {fine(56 - 4 * min(i - source, 14))} {source + 0.5:g} 60"


def borrow(now: dict) -> str:
    """Which layers keep keys and values, which read another's; and the tables that each looks tokens up in."""
    of = now["of"]
    lines = "".join(arc(i, one) for i, one in enumerate(of["sources"]) if one >= 0)
    row = f'<path class="arc" d="{lines}"/>'
    row += kept(now, ("kept", "lent", "state"), 62, 24)
    every = cells("any", ((i, 62) for i in range(of["layers"])), 24)
    row = f'{every}<g class="bet-answered">{row}</g>'
    part = f'<rect class="table" width="{fine(100 * of["table_share"])}%" height="22"/>'
    table = f'<rect class="rest" width="100%" height="22"/>{part}'
    said = "Layers that keep keys and values, and layers that read another’s."
    return (
        f"{name('{of.layers:int} layers of {of.title:text}', now)}{svg('lent', 90, said, row, of['layers'])}"
        f"{name(LENT + (REST if of['states'] + of['none'] else ''), now, True)}"
        f"{name(TABLES if of['table'] else 'per-layer embeddings: none', now)}"
        f"{svg('table', 22, 'The tables’ share of all parameters.', table)}"
    )


# ---------------------------------------------------------------- streams

FREELY = "gain, half by half: mixed freely {mixing.free_gain:fixed 1} after {mixing.places:int} halves"


def mixing(now: dict, hide: bool = False) -> str:
    """The gain after each half, freely mixed and as chosen; and all mixes together."""
    mix = now["mixing"]
    lines = f'<path class="free" d="{drawn.path(mix["free"])}"/>'
    lines += "" if hide else f'<path class="sizes" d="{drawn.path(mix["gains"])}"/>'
    rows = ""
    for i, row in enumerate([] if hide else mix["all"]):
        cells = (bound(one, f"mixing.all.{i}.{j}", "signed 2", "span") for j, one in enumerate(row))
        rows += f"<tr>{''.join(f'<td>{one}</td>' for one in cells)}</tr>"
    chart = drawn.stretched(mix["places"], lines)
    return (
        f"{name(FREELY, now)}{svg('sizes', drawn.CHART, 'Gain after every half, on a log scale.', chart)}"
        f'<div class="ab-mix{" hush" if hide else ""}">'
        f"{name('all mixes together, from stream to stream', now)}"
        f'<table aria-label="All mixes together"><tbody>{rows}</tbody></table></div>'
    )
