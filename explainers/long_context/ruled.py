"""compute's result -> the zoom ruler as SVG, and what all drawings here are made with. Twin of the head of view.js.

On the ruler now is at the right. A bar is UNITS wide whatever its width on the screen; what is read stands above, what
is kept below it in yellow.
"""

from __future__ import annotations

from math import floor
from typing import Any

from cutaway.explainers.beats_facts import HOLE, bound
from cutaway.explainers.long_context import ruler as scales

UNITS, CELL, TICK = scales.UNITS, scales.CELL, scales.TICK
ROW, HIGH, KEPT, ZOOM, GAP = 24, 16, 3, 12, 0.6  # units: rows; the bar; the strip below; the wedge; between cells
FINE = 8  # units below which cells are told apart only where there is room


def at_path(now: Any, path: str) -> Any:
    for key in path.split("."):
        now = now[int(key)] if isinstance(now, list) else now[key]
    return now


def fill(words: str, now: dict, tag: str = "span") -> str:
    """Words with values in braces, each bound to its path."""
    return HOLE.sub(lambda hole: bound(at_path(now, hole[1]), hole[1], hole[2] or "text", tag), words)


def nearest(x: float) -> float:
    """To hundredths, as Math.round has it."""
    return floor(100 * x + 0.5) / 100


def px(x: float) -> str:
    return f"{nearest(x):.2f}".rstrip("0").rstrip(".")


def legend(items: list[tuple[str, str]]) -> str:
    found = (f'<li><i class="{css}" aria-hidden="true"></i>{words}</li>' for css, words in items)
    return f'<ul class="cw-legend">{"".join(found)}</ul>'


# ---------------------------------------------------------------- one bar of the ruler


def across(back: float, span: int) -> float:
    """Where a token so far back stands."""
    return UNITS * (1 - back / span)


def stretch(css: str, run: list, span: int, y: float) -> str:
    """A run; in cells where these can be told apart."""
    low, high, cell = run
    left, right, period = across(high, span), across(low, span), UNITS * cell / span
    if period < CELL:
        return f'<path class="{css}" d="M{px(left)} {px(y)}H{px(right)}v{HIGH}H{px(left)}z"/>'
    dashes, middle = f"{px(period - GAP)} {px(GAP)}", px(y + HIGH / 2)
    fine = " fine" if period < FINE else ""
    return f'<path class="{css} cells{fine}" stroke-dasharray="{dashes}" d="M{px(right)} {middle}H{px(left)}"/>'


def ticks(bar: dict, span: int, y: float) -> str:
    """What an indexer picked."""
    period = UNITS * bar["cell"] / span
    wide = max(TICK, period - GAP)
    place = px if period >= CELL else lambda x: str(floor(x + 0.5))
    marks = (
        f"M{place(max(0, across(back + bar['cell'], span)))} {px(y)}h{px(wide)}v{HIGH}h-{px(wide)}z"
        for back in bar["ticks"]
    )
    return f'<path class="read" d="{"".join(marks)}"/>'


def state_cells(y: float) -> str:
    return f'<path class="kept cells" stroke-dasharray="22 3" d="M{UNITS} {px(y + HIGH / 2)}H0"/>'


def one_bar(row: dict, which: int, span: int, y: float) -> str:
    """One bar: its track, what is scored and read, and the strip of what is kept."""
    bar = row["bars"][which]
    made = f'<rect class="track" y="{px(y)}" width="{UNITS}" height="{HIGH}"/>'
    made += "".join(stretch("scored", run, span, y) for run in bar["scored"])
    read = "".join(stretch("read", run, span, y) for run in bar["read"]) + (ticks(bar, span, y) if bar["ticks"] else "")
    made += f'<g class="bet-answered">{read}</g>' if bar["scored"] else read
    for low, high, _ in bar["kept"]:
        left, right = across(high, span), across(low, span)
        made += f'<rect class="kept" x="{px(left)}" y="{px(y + HIGH + 2)}" width="{px(right - left)}" height="{KEPT}"/>'
    if row["key"] == "state" and which == 2:
        made += state_cells(y)
    return f'<g class="{row["role"]}">{made}</g>'


# ---------------------------------------------------------------- the ruler of a beat


def span_words(now: dict, which: int) -> str:
    """all 1,048,576 tokens | the last 8,192, 128 times nearer"""
    if not which:
        return "all {spans.0:int} tokens" if now["spans"][0] > 1 else "{spans.0:int} token"
    near = now["nearer"][which - 1] > 1
    return f"the last {{spans.{which}:int}}" + (f", {{nearer.{which - 1}:num 3}} times nearer" if near else "")


def zoomed(now: dict, which: int, high: int) -> tuple[str, str]:
    """(the frame on a bar's right end, the wedge that opens it below)."""
    if which == 2:
        return "", ""
    left = px(across(now["spans"][which + 1], now["spans"][which]))
    frame = f'<path class="frame" d="M{left} -1H{UNITS}V{high}H{left}z"/>'
    wedge = (
        f'<svg class="zoom" width="100%" height="{ZOOM}" viewBox="0 0 {UNITS} {ZOOM}" preserveAspectRatio="none">'
        f'<path d="M0 {ZOOM}L{left} 0H{UNITS}V{ZOOM}z"/></svg>'
    )
    return frame, wedge


def said(rows: list[dict]) -> str:
    """The ruler in words; how much is read is a bet's answer, and stands there."""
    return f"What the newest token reads of a layer, and what is kept: {', '.join(row['short'] for row in rows)}."


def ruler(now: dict, keys: tuple[str, ...]) -> str:
    """Some kinds of layers on three bars, each opening a part of the one above."""
    rows = [row for key in keys for row in now["ruler"] if row["key"] == key]
    high, made = ROW * len(rows), ""
    names = "".join(f"<span>{row['short']}</span>" for row in rows) if len(rows) > 1 else ""
    for which, span in enumerate(now["spans"]):
        frame, wedge = zoomed(now, which, high - 2)
        marks = "".join(one_bar(row, which, span, ROW * i) for i, row in enumerate(rows))
        made += (
            f'<p class="span"><span>{fill(span_words(now, which), now)}</span><span>now</span></p>'
            f'<p class="names">{names}</p><div class="bars"><svg width="100%" height="{high}" '
            f'viewBox="0 0 {UNITS} {high}" preserveAspectRatio="none">{marks}{frame}</svg>{wedge}</div>'
        )
    lone = "" if names else " lone"
    return f'<div class="cw-long-context-ruler{lone}" role="img" aria-label="{said(rows)}">{made}</div>'
