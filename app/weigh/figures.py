"""Growth sheets -> the strip of layers and the curve over contexts as SVG; static/js/weigh-curve.js redraws the curve.

The strip's columns are one high: a script scales each kind of layer by an attribute, and nothing is laid out anew.
"""

from __future__ import annotations

from math import ceil, floor, log2, log10
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.model.view import SpecView
from cutaway.app.weigh.curve import POWERS, TICKS, Frame, shortened
from cutaway.app.weigh.words import DTYPES, State, ceiling
from cutaway.explainers import fmt
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.cache_growth import Sheet
from cutaway.gallery.drawing.pictures import role_of, short_of
from cutaway.gallery.drawing.svg import escape

FRAMES = (Frame("narrow", 288, 380, 280, 104), Frame("middle", 560, 860, 340, 170))
LEFT, TOP, BOTTOM = 64, 12, 44
LINE = 15  # least distance of two names
WIDE = 0.86  # of a column


class Column(NamedTuple):
    """The layers that keep the same things in the same kind of mixer."""

    role: str
    words: str
    kind: int  # place in the sheet's kinds
    layers: list[int]


def columns(view: SpecView, told: Sheet) -> list[Column]:
    """Kinds of layers, in the order in which they are first met; those that keep nothing last."""
    kinds = [kept for _, kept in told["kinds"]]
    found: dict[tuple[str, str, int], list[int]] = {}
    for layer, kept in zip(view.spec.layers, cache_growth.growth_rows(view.spec), strict=True):
        words = short_of(layer.mixer) or "no mixer"
        found.setdefault((role_of(layer.mixer), words, kinds.index(kept)), []).append(layer.index)
    rows = [Column(*key, layers) for key, layers in found.items()]
    return sorted(rows, key=lambda row: not kinds[row.kind])


def high(told: Sheet, kind: int, state: State) -> tuple[int, int]:
    """(what grows, what does not) in one column, of all sequences."""
    grows, still = cache_growth.layer_bytes(told, kind, state.ctx, DTYPES[state.kv])
    return state.batch * grows, state.batch * still


def top(told: Sheet, state: State) -> int:
    """Bytes at the strip's upper edge."""
    return ceiling(max([sum(high(told, kind, state)) for kind in range(len(told["kinds"]))] + [1]))


def strip(view: SpecView, told: Sheet, state: State) -> Markup:
    """One column a layer: what does not grow below, outlined; what grows above it, filled."""
    many, most, groups = len(view.spec.layers), top(told, state), []
    for row in columns(view, told):
        grows, still = high(told, row.kind, state)
        unit = "".join(f"M{layer} 0h{WIDE}v-1h-{WIDE}z" for layer in row.layers)
        if not told["kinds"][row.kind][1]:
            groups.append(f'<path class="f-empty" d="{unit.replace("v-1", "v-.02")}" transform="scale(1 100)"/>')
            continue
        whole = {cache_growth.is_growing(kept) for kept in told["kinds"][row.kind][1]}
        for word, lift, size in (("w-still", 0, still), ("w-grows", still, grows)):
            if (word == "w-grows") not in whole:
                continue
            at = f"translate(0 {number(-100 * lift / most)}) scale(1 {number(100 * size / most)})"
            groups.append(
                f'<path class="{word} f-{row.role or "plain"}" data-kind="{row.kind}" d="{unit}" transform="{at}"/>'
            )
    return Markup(
        f'<svg class="cf w-strip" viewBox="0 -100 {many} 100" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(groups)}</svg>"
    )


def number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") or "0"


# ---------------------------------------------------------------- the curve


class Line(NamedTuple):
    """One model's bytes at each of POWERS."""

    title: str
    bytes: list[int]


def line(title: str, told: Sheet, state: State) -> Line:
    return Line(title, [cache_growth.cache_bytes(told, 2**power, DTYPES[state.kv], state.batch) for power in POWERS])


def curve(rows: list[Line], told: Sheet, state: State) -> Markup:
    """The figure in its widths; figure.css shows the one that fits."""
    label = "What decoding keeps, from 1k to 1M tokens; the table says where lines cross."
    drawn = [
        f'<svg class="cf cf-{one.kind}" viewBox="0 0 {one.width} {one.height}" role="img" aria-label="{label}">'
        f"{limit(told, one)}<g data-lines>{inner(one, rows)}</g>{now(one, rows, told, state)}</svg>"
        for one in FRAMES
    ]
    return Markup(f'<figure class="cw-figure w-curve">{"".join(drawn)}</figure>')


def place_x(frame: Frame, power: float) -> float:
    return LEFT + (frame.width - LEFT - frame.right) * (power - POWERS[0]) / (POWERS[-1] - POWERS[0])


def decades(rows: list[Line]) -> tuple[int, int]:
    """The powers of ten around all lines."""
    kept = [value for row in rows for value in row.bytes if value]
    low, top_ = floor(log10(min(kept, default=1))), ceil(log10(max(kept, default=10)))
    return low, max(top_, low + 1)


def place_y(frame: Frame, value: float, low: int, most: int) -> float:
    return TOP + (frame.height - TOP - BOTTOM) * (most - log10(max(value, 10.0**low))) / (most - low)


def inner(frame: Frame, rows: list[Line]) -> str:
    """Grid, lines and their names: the first line is the page's own."""
    low, most = decades(rows)
    right, foot = place_x(frame, POWERS[-1]), frame.height - BOTTOM
    out = []
    for power in range(low, most + 1):
        y = place_y(frame, 10.0**power, low, most)
        out.append(f'<path class="f-rule" d="M{LEFT} {y:.1f}H{right:.1f}"/>')
        out.append(
            f'<text class="f-dim f-end" x="{LEFT - 8}" y="{y + 4:.1f}">{fmt.in_bytes(10**power, digits=0)}</text>'
        )
    for power, words in TICKS.items():
        out.append(f'<text class="f-dim f-mid" x="{place_x(frame, power):.1f}" y="{foot + 18}">{words}</text>')
    middle = (place_x(frame, 10) + right) / 2
    out.append(f'<text class="f-label f-mid" x="{middle:.1f}" y="{foot + 38}">context, tokens</text>')
    for place in range(len(rows) - 1, -1, -1):
        out.append(path(frame, rows[place], place, low, most))
    return "".join(out) + names(frame, rows, low, most)


def path(frame: Frame, row: Line, place: int, low: int, most: int) -> str:
    """A line, straight between the points that were computed."""
    pairs = zip(POWERS, row.bytes, strict=True)
    points = "L".join(f"{place_x(frame, x):.1f} {place_y(frame, y, low, most):.1f}" for x, y in pairs if y)
    if not points:
        return ""
    if place == 0:
        return f'<path class="c-edge" d="M{points}"/><path class="c-own" d="M{points}"/>'
    return f'<path class="c-other w-line{place}" d="M{points}"/>'


def names(frame: Frame, rows: list[Line], low: int, most: int) -> str:
    """Each line's name at its right end, kept apart."""
    ends = sorted((place_y(frame, row.bytes[-1], low, most), place) for place, row in enumerate(rows) if row.bytes[-1])
    places: list[float] = []
    for at, _ in ends:
        places.append(max(at, places[-1] + LINE) if places else at)
    over = max(0.0, places[-1] - (frame.height - BOTTOM)) if places else 0.0
    x = place_x(frame, POWERS[-1]) + 10
    return "".join(
        f'<text class="{"f-label" if place else "f-keptsays"}" x="{x:.1f}" y="{at - over + 4:.1f}">'
        f"{escape(shortened(rows[place].title, frame.right - 12))}</text>"
        for at, (_, place) in zip(places, ends, strict=True)
    )


def limit(told: Sheet, frame: Frame) -> str:
    """Where the context ends that the model was made for; beyond it the ground is another."""
    longest = told["longest"]
    if not longest or longest >= 2 ** POWERS[-1]:
        return ""
    x = place_x(frame, max(log2(longest), POWERS[0]))
    wide = place_x(frame, POWERS[-1]) - x
    return f'<rect class="w-beyond" x="{x:.1f}" y="{TOP}" width="{wide:.1f}" height="{frame.height - TOP - BOTTOM}"/>'


def now(frame: Frame, rows: list[Line], told: Sheet, state: State) -> str:
    """The chosen context: an upright line, and a dot on the model's own."""
    value, (low, most) = cache_growth.cache_bytes(told, *state.choice), decades(rows)
    x = place_x(frame, min(max(log2(max(state.ctx, 1)), POWERS[0]), POWERS[-1]))
    y = place_y(frame, value, low, most)
    dot = f'<circle class="f-keep" cx="0" cy="{y:.1f}" r="5"/>' if value else ""
    return (
        f'<g data-now transform="translate({x:.1f} 0)"><path class="c-limit" d="M0 {TOP}V{frame.height - BOTTOM}"/>'
        f"{dot}</g>"
    )
