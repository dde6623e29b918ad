"""compute's result -> scores as dots, the soft ceiling, drafts as a tape, loops, borrowing, mixing. Twin of charts.js."""

from __future__ import annotations

from math import log10, tanh
from pathlib import Path

from explainers import load_file
from explainers.beats_facts import bound

drawn = load_file(Path(__file__).with_name("drawn.py"))
fill, keys, FINE = drawn.fill, drawn.keys, drawn.FINE

NAME = '<p class="cw-around-the-block-name{more}">{words}</p>'


def name(words: str, now: dict, hide: bool = False) -> str:
    return NAME.format(more=" hush" if hide else "", words=fill(words, now))


# ---------------------------------------------------------------- scores

SCALE = ("0.01", "0.1", "1", "10", "100", "1,000", "10,000")
LEAST, MOST, DOTS = -2, 4, 46  # powers of ten along x; pixels of a row


def along(score: float) -> str:
    return f"{FINE(100 * (min(max(log10(max(score, 1e-9)), LEAST), MOST) - LEAST) / (MOST - LEAST))}%"


def dots(now: dict, which: str, hide: bool) -> str:
    """One dot for each score, by its size."""
    made = "".join(
        f'<circle cx="{along(one)}" cy="{DOTS / 2 + (i * 7 % 9 - 4) * 3:g}" r="4"/>' for i, one in enumerate(now["scores"][which]["all"])
    )
    edge = f'<line class="bound" x1="{along(now["scores"]["bound"])}" x2="{along(now["scores"]["bound"])}" y1="0" y2="{DOTS}"/>'
    edge = edge if which == "normed" else ""
    css = f"cw-around-the-block-dots {which}{' hush' if hide else ''}"
    said = "Scores by size, on a log scale" + (", none beyond the dashed line." if edge else ".")
    return f'<svg class="{css}" width="100%" height="{DOTS}" role="img" aria-label="{said}">{edge}{made}</svg>'


def scores(now: dict, hide: bool = False) -> str:
    """The same 64 scores without a norm and with one."""
    first = "as drawn, times {grown:num 3}: largest {scores.plain.top:fixed 1}, a query’s favourite key gets {scores.plain.peak:percent 0}"
    last = "normalised first: largest {scores.normed.top:fixed 1}, a query’s favourite gets {scores.normed.peak:percent 0}"
    ticks = "".join(f'<text x="{along(float(said.replace(",", "")))}" y="12" data-index="">{said}</text>' for said in SCALE)
    scale = f'<svg class="cw-around-the-block-scale" width="100%" height="16" aria-hidden="true">{ticks}</svg>'
    return f"{name(first, now)}{dots(now, 'plain', False)}{name(last, now, hide)}{dots(now, 'normed', hide)}{scale}"


# ---------------------------------------------------------------- a soft ceiling

FOOT, ROOF, SIDE, ACROSS, HEIGHT = 196, 16, 34, 340, 120  # pixels of the chart, and the largest score it shows upwards


def at(score: float, out: float) -> tuple[float, float]:
    return SIDE + (ACROSS - SIDE) * score / 200, FOOT - (FOOT - ROOF) * min(out, HEIGHT) / HEIGHT


def point(css: str, score: float, out: float) -> str:
    x, y = at(score, out)
    return f'<circle class="{css}" cx="{FINE(x)}" cy="{FINE(y)}" r="6"/>'


def ceiling(now: dict, hide: bool = False) -> str:
    """What leaves, by what came in."""
    cap, one = now["cap"], now["ceiling"]
    curve = "M" + "L".join(" ".join(map(FINE, at(s, drawn_cap(s, cap)))) for s in range(0, 201, 4))
    free = "M{} {}L{} {}".format(*map(FINE, (*at(0, 0), *at(HEIGHT, HEIGHT))))
    top = at(0, cap)[1]
    lid = f'<path class="cap" d="M{SIDE} {FINE(top)}H{ACROSS}"/><text class="cap" x="{SIDE + 4}" y="{FINE(top - 5)}">{fill("cap {cap:num 3}", now, "tspan")}</text>' if 0 < cap <= HEIGHT else ""
    ticks = "".join(f'<text class="x" x="{FINE(at(s, 0)[0])}" y="{FOOT + 16}" data-index="">{s}</text>' for s in (0, 50, 100, 150, 200))
    ticks += "".join(f'<text class="y" x="{SIDE - 6}" y="{FINE(at(0, s)[1] + 4)}" data-index="">{s}</text>' for s in (50, 100))
    after = "" if hide else f'<path class="curve" d="{curve}"/>{point("less", one["less"], one["less_out"])}{point("more", one["score"], one["out"])}'
    words = "{ceiling.score:num 4} becomes {ceiling.out:fixed 1}; {ceiling.less:num 4} becomes {ceiling.less_out:fixed 1}: {ceiling.apart:num 4} apart before, {ceiling.left:fixed 1} after"
    return (
        '<svg class="cw-around-the-block-ceiling" viewBox="0 0 352 220" role="img" aria-label="A score after the cap, by the score before it.">'
        f'<path class="base" d="M{SIDE} {ROOF}V{FOOT}H{ACROSS}"/><path class="free" d="{free}"/>{lid}{ticks}{after}</svg>{name(words, now, hide)}'
    )


def drawn_cap(score: float, cap: float) -> float:
    return cap * tanh(score / cap) if cap else score


# ---------------------------------------------------------------- drafts

STEP, CELL = 28, 18


def cell(state: dict, good: int, i: int) -> str:
    """What became of a step's i-th token: the model's own, a draft that stands, the first that does not, or later ones."""
    if i == 0:
        return "sure"
    return "good" if i <= good else "bad" if i == good + 1 else "idle"


def drafts(now: dict, hide: bool = False) -> str:
    """Twelve steps, each a column: the token that is sure, and drafts on top of it."""
    high = 8 * CELL + 4
    made = "".join(
        f'<rect class="{cell(now, good, i)}" x="{s * STEP + 2}" y="{high - (i + 1) * CELL}" width="{STEP - 5}" height="{CELL - 3}"/>'
        for s, good in enumerate(now["drafted"]["tape"])
        for i in range(now["drafts"] + 1)
    )
    words = "{drafted.steps:int} steps give {drafted.tokens:int} tokens of {drafted.checked:int} looked at"
    legend = keys((("sure", "the model’s own next token"), ("good", "draft that stands"), ("bad", "first that does not"), ("idle", "thrown away with it")))
    return (
        f'{name(words, now)}<svg class="cw-around-the-block-tape" viewBox="0 0 {12 * STEP} {high}" role="img" aria-label="Twelve steps and their drafts.">{made}</svg>{legend}'
    )


# ---------------------------------------------------------------- loops and borrowing

RUNS = 112  # pixels for all runs together


def cells(css: str, layers: int, y: float, high: float) -> str:
    return "".join(f'<rect class="{css}" x="{FINE(i + 0.08)}" y="{FINE(y)}" width="0.84" height="{FINE(high)}"/>' for i in range(layers))


def loops(now: dict, hide: bool = False) -> str:
    """Weights once, keys and values once for every run."""
    layers, runs = now["of"]["layers"], now["loops"]
    each = RUNS / runs
    kept = "".join(cells("kept", layers, i * each + 1, each - 3) for i in range(runs))
    box = f'width="100%" viewBox="0 0 {layers} {{}}" preserveAspectRatio="none"'
    return (
        f'{name("weights: {of.layers:int} layers, stored once, {of.total:count} in all", now)}'
        f'<svg class="cw-around-the-block-runs" {box.format(18)} height="18" role="img" aria-label="Layers, stored once.">{cells("weights", layers, 1, 16)}</svg>'
        f'{name("keys and values: {loops:int} times {of.layers:int} layers, {looped.runs:int} caches", now)}'
        f'<svg class="cw-around-the-block-runs" {box.format(RUNS)} height="{RUNS}" role="img" aria-label="A cache for every layer and every run.">{kept}</svg>'
    )


def borrow(now: dict, hide: bool = False) -> str:
    """Which layers keep keys and values, which read another's; and the tables that each looks tokens up in."""
    of = now["of"]
    layers, found = of["layers"], of["sources"] or [-1] * of["layers"]
    kinds = ["kept" if hide or one < 0 else "lent" for one in found]
    arcs = "" if hide else "".join(
        f'<path class="arc" d="M{i + 0.5:g} 60Q{(i + one + 1) / 2:g} {FINE(56 - 4 * min(i - one, 14))} {one + 0.5:g} 60"/>' for i, one in enumerate(found) if one >= 0
    )
    row = "".join(f'<rect class="{kind}" x="{FINE(i + 0.08)}" y="62" width="0.84" height="24"/>' for i, kind in enumerate(kinds))
    part = f'<rect class="rest" width="100%" height="22"/><rect class="table" width="{FINE(100 * of["table_share"])}%" height="22"/>'
    return (
        f'{name("{of.layers:int} layers of {of.title:text}", now)}<svg class="cw-around-the-block-lent" width="100%" height="90" viewBox="0 0 {layers} 90" preserveAspectRatio="none" '
        f'role="img" aria-label="Layers that keep keys and values, and layers that read another’s.">{arcs}{row}</svg>'
        f'{name("{of.keeping:int} keep keys and values, {of.lent:int} read an earlier layer’s", now, hide)}'
        f'{name("per-layer embeddings: {of.table:count} of {of.total:count} parameters", now)}'
        f'<svg class="cw-around-the-block-table" width="100%" height="22" role="img" aria-label="The tables’ share of all parameters.">{part}</svg>'
    )


# ---------------------------------------------------------------- streams


def mixing(now: dict, hide: bool = False) -> str:
    """The gain after each half, freely mixed and as chosen; and all mixes together."""
    mix, wide = now["mixing"], now["mixing"]["places"]
    own = "" if hide else f'<path class="sizes" d="{drawn.path(mix["gains"])}"/>'
    cells = "".join(
        "<tr>" + "".join(f"<td>{bound(one, f'mixing.all.{i}.{j}', 'signed 2', 'span')}</td>" for j, one in enumerate(row)) + "</tr>"
        for i, row in enumerate(mix["all"])
    )
    said = "Gain after every half, on a log scale."
    return (
        f'{name("gain, half by half: mixed freely {mixing.free_gain:fixed 1} after {mixing.places:int} halves", now)}'
        f'<svg class="cw-around-the-block-sizes" width="100%" height="{drawn.CHART}" role="img" aria-label="{said}">'
        f'<svg width="100%" height="{drawn.CHART}" viewBox="0 0 {wide} 100" preserveAspectRatio="none">{drawn.grid((1, 4, 16, 64), wide)}'
        f'<path class="free" d="{drawn.path(mix["free"])}"/>{own}</svg>{drawn.axis((1, 4, 16, 64))}</svg>'
        f'<div class="cw-around-the-block-mix{" hush" if hide else ""}">{name("all mixes together, from stream to stream", now)}'
        f'<table aria-label="All mixes together"><tbody>{cells}</tbody></table></div>'
    )


WHO = (
    ("drafts", "draft tokens"), ("qk", "QK-norm"), ("gate", "gate on attention"), ("cap", "soft cap"), ("sandwich", "norms behind halves"),
    ("behind", "none in front"), ("post", "norms in the stream"), ("normed", "a normed stream"), ("scale", "weighed sums"), ("parallel", "halves side by side"),
    ("borrow", "borrowed keys and values"), ("own", "per-layer embeddings"), ("streams", "several streams"), ("loops", "loops"),
)  # fmt: skip


def who(now: dict) -> str:
    """Each mechanism, how many catalogued models have it, the newest."""
    each = "".join(
        f'<tr><th scope="row">{words}</th><td class="cw-right">{bound(now["who"][key]["count"], f"who.{key}.count", "int", "span")}</td>'
        f"<td>{bound(now['who'][key]['some'], f'who.{key}.some', 'text', 'span')}</td></tr>"
        for key, words in WHO
    )
    return f'<table class="cw-table"><tbody>{each}</tbody></table>'

