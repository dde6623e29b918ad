"""A model -> its cache against context as one figure: it in yellow, a few others thin, both axes logarithmic."""

from __future__ import annotations

from math import ceil, floor, log2, log10
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.model.tables import BESIDE
from cutaway.app.model.view import ModelView
from cutaway.explainers import fmt
from cutaway.gallery.drawing.svg import escape

POWERS = range(10, 21)  # of two: 1k to 1M tokens
TICKS = {10: "1k", 12: "4k", 14: "16k", 16: "64k", 18: "256k", 20: "1M"}
OTHERS = 4
NAMED = (13, 17, 20)  # powers whose bytes are written on the line
LINE = 16  # least distance of two names


class Frame(NamedTuple):
    """One picture's room: as wide as its class of figure.css may be."""

    kind: str
    start: int  # width of the figure from which it is shown
    width: int
    height: int
    right: int  # left for the names of the lines


FRAMES = (Frame("narrow", 288, 460, 400, 118), Frame("middle", 560, 860, 440, 190), Frame("wide", 1100, 1160, 520, 230))
SIZES = tuple((one.start, one.width if one.kind != "wide" else 1600, one.width, one.height) for one in FRAMES)
LEFT, TOP, BOTTOM = 64, 66, 48


class Line(NamedTuple):
    title: str
    own: bool
    bytes: list[int]  # at each of POWERS


def figure(view: ModelView, site) -> Markup:
    """The figure in its three widths; figure.css shows the one that fits."""
    rows = lines(view, site)
    says = f"{view.title}: what decoding keeps for one sequence, in 16 bits. " + "; ".join(
        f"{TICKS.get(power, f'{2 ** (power - 10)}k')} tokens {fmt.in_bytes(rows[0].bytes[power - POWERS[0]])}"
        for power in NAMED
    )
    return Markup(f'<figure class="cw-figure">{"".join(picture(one, view, rows, says) for one in FRAMES)}</figure>')


def lines(view: ModelView, site) -> list[Line]:
    """This model first, then the few that keep something else."""
    slugs = [slug for slug in BESIDE if slug != view.slug and slug in site.slugs and slug != view.row.variant_of]
    views = [view, *(other for slug in slugs[:OTHERS] if (other := site.view(slug)).spec)]
    return [Line(one.title, one is view, [one.memory(2**power).total_bytes for power in POWERS]) for one in views]


def picture(frame: Frame, view: ModelView, rows: list[Line], says: str) -> str:
    """One SVG."""
    kept = [value for row in rows for value in row.bytes if value]
    low, high = floor(log10(min(kept))), ceil(log10(max(kept)))
    wide, tall = frame.width - LEFT - frame.right, frame.height - TOP - BOTTOM

    def x(power: float) -> float:
        return LEFT + wide * (power - POWERS[0]) / (POWERS[-1] - POWERS[0])

    def y(value: float) -> float:
        return TOP + tall * (high - log10(max(value, 10**low))) / (high - low)

    parts = [f'<text class="f-head" x="0" y="20">{escape(view.title)}</text>']
    parts.append('<text class="f-label" x="0" y="40">Kept while decoding one sequence, in 16 bits</text>')
    parts += grid(x, y, low, high, frame)
    parts += [path(row, x, y) for row in reversed(rows)]
    parts += limit(view, x, frame)
    parts += names(rows, x, y, frame)
    parts += figures(rows[0], x, y)
    return (
        f'<svg class="cf cf-{frame.kind}" viewBox="0 0 {frame.width} {frame.height}" role="img" '
        f'aria-label="{escape(says)}">{"".join(parts)}</svg>'
    )


def grid(x, y, low: int, high: int, frame: Frame) -> list[str]:
    """Hairlines with their words: tokens below, bytes on the left."""
    foot = frame.height - BOTTOM
    out = []
    for size in (10**power for power in range(low, high + 1)):
        out.append(f'<path class="f-rule" d="M{LEFT} {y(size):.1f}H{x(POWERS[-1]):.1f}"/>')
        words = fmt.in_bytes(size, digits=0)
        out.append(f'<text class="f-dim f-end" x="{LEFT - 8}" y="{y(size) + 4:.1f}">{words}</text>')
    for power, words in TICKS.items():
        out.append(f'<text class="f-dim f-mid" x="{x(power):.1f}" y="{foot + 20}">{words}</text>')
    out.append(f'<text class="f-label f-mid" x="{(x(10) + x(20)) / 2:.1f}" y="{foot + 40}">context, tokens</text>')
    return out


def path(row: Line, x, y) -> str:
    """A line, straight between the points that were computed."""
    points = "L".join(f"{x(power):.1f} {y(value):.1f}" for power, value in zip(POWERS, row.bytes, strict=True) if value)
    if not points:
        return ""
    if row.own:
        return f'<path class="c-edge" d="M{points}"/><path class="c-own" d="M{points}"/>'
    return f'<path class="c-other" d="M{points}"/>'


def limit(view: ModelView, x, frame: Frame) -> list[str]:
    """Where the context ends that the model was made for."""
    most = view.spec.max_position_embeddings
    if not most or not 2 ** POWERS[0] < most < 2 ** POWERS[-1]:
        return []
    at = x(log2(most))
    return [f'<path class="c-limit" d="M{at:.1f} {TOP - 10}V{frame.height - BOTTOM}"/>'
            f'<text class="f-small f-mid" x="{at:.1f}" y="{TOP - 14}">its context</text>']  # fmt: skip


def names(rows: list[Line], x, y, frame: Frame) -> list[str]:
    """Each line's name at its right end, kept apart."""
    ends = sorted((y(row.bytes[-1]), index) for index, row in enumerate(rows) if row.bytes[-1])
    places: list[float] = []
    for at, _ in ends:
        places.append(max(at, places[-1] + LINE) if places else at)
    over = max(0.0, places[-1] - (frame.height - BOTTOM)) if places else 0.0
    return [
        f'<text class="{"f-keptsays" if rows[index].own else "f-label"}" x="{x(POWERS[-1]) + 10:.1f}" '
        f'y="{at - over + 4:.1f}">{escape(shortened(rows[index].title, frame.right - 12))}</text>'
        for at, (_, index) in zip(places, ends, strict=True)
    ]


def shortened(title: str, room: int) -> str:
    """A name cut to so many pixels; static/js/weigh-curve.js does the same."""
    if letters_wide(title) <= 10 * room:
        return title
    while title and letters_wide(title + "…") > 10 * room:
        title = title[:-1]
    return title.rstrip(" -") + "…"


# (tenths of pixels, the letters that are no wider in the figure's bold 12); what stands nowhere here is as wide as W.
WIDTHS = (
    (34, " Iijl"), (48, "!'(),./:;[]frt|"), (57, "-_{}"), (74, "EFJL?acehknosuvxyz"), (112, "Mmw"), (116, "…"),
    (82, "#$&+0123456789<=>BPRSTZbdgpq~"), (94, "ACDGHKNOQUVXY"),
)  # fmt: skip
WIDEST = 123


def letters_wide(words: str) -> int:
    """Tenths of pixels that a name's letters take at most."""
    return sum(next((wide for wide, letters in WIDTHS if one in letters), WIDEST) for one in words)


def figures(row: Line, x, y) -> list[str]:
    """The bytes at 8k, 128k and a million tokens, on this model's line."""
    out = []
    for power in NAMED:
        value = row.bytes[power - POWERS[0]]
        if value:
            end = " f-end" if power == POWERS[-1] else " f-mid"
            out.append(f'<circle class="f-keep" cx="{x(power):.1f}" cy="{y(value):.1f}" r="4.5"/>')
            out.append(
                f'<text class="c-halo f-keptsays{end}" x="{x(power):.1f}" y="{y(value) - 11:.1f}">'
                f"{fmt.in_bytes(value)}</text>"
            )
    return out
