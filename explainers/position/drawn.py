"""compute's result -> dials of four pairs, and the wavelength of every pair, as HTML and SVG. Twin of view.js.

Along x everything is a percentage, so one drawing fits every width.
"""

from __future__ import annotations

from html import escape
from math import cos, log10, pi, sin

from cutaway.explainers.beats_facts import bound

HEIGHT, DECADE, FOOT = 250, 24, 22  # pixels: the chart, a power of ten, and the room below
TICKS = (1, 3, 5, 7, 9)
SUP = {1: "10", 3: "10³", 5: "10⁵", 7: "10⁷", 9: "10⁹"}


def hand(degrees: float, length: int, css: str) -> str:
    """A hand of a dial; it turns against the clock, as angles do."""
    x, y = length * cos(degrees * pi / 180), -length * sin(degrees * pi / 180)
    return f'<line class="{css}" x1="0" y1="0" x2="{x:.2f}" y2="{y:.2f}"/>'


def dial(now: dict, i: int) -> str:
    one = now["dials"][i]
    svg = (
        '<svg viewBox="-50 -50 100 100" aria-hidden="true"><circle r="46"/>'
        f"{hand(one['key'], 44, 'key')}{hand(one['query'], 44, 'query')}</svg>"
    )
    name = f"<b>pair {bound(one['pair'], f'dials.{i}.pair', 'int', 'span')}</b>"
    angle = bound(one["between"], f"dials.{i}.between", "fixed 1", "span")
    return f"<li>{svg}<span>{name}</span><span>{angle}° apart</span></li>"


def keys(**labels: str) -> str:
    """A legend."""
    items = (f'<li><i class="{css}" aria-hidden="true"></i>{label}</li>' for css, label in labels.items())
    return f'<ul class="cw-legend">{"".join(items)}</ul>'


def dials(now: dict) -> str:
    """Four pairs; none where nothing turns."""
    if not now["dials"]:
        return '<p class="cw-position-none">Nothing turns here: every dial stands still.</p>'
    each = "".join(dial(now, i) for i in range(len(now["dials"])))
    return f'<ul class="cw-position-dials">{each}</ul>{keys(query="query", key="key")}'


def y(wave: float) -> float:
    return HEIGHT - FOOT - DECADE * log10(max(wave, 1))


def x(pair: int, pairs: int) -> str:
    return f"{10 + 88 * pair / max(pairs - 1, 1):.3f}%"


def kind(now: dict, i: int) -> str:
    """Left alone, slowed by the whole factor, or in between."""
    times = now["waves"][i] / now["plain"][i]
    if times < 1 + 1e-9:
        return "kept"
    return "slowed" if times > now["rope"]["factor"] * (1 - 1e-9) else "between"


def waves(now: dict, pair: int = -1, hide: bool = False) -> str:
    """Tokens for one turn, pair by pair, on a log scale; `hide` keeps the slow half back."""
    pairs = now["rope"]["pairs"]
    grid = "".join(
        f'<line x1="10%" x2="100%" y1="{y(10**e):g}" y2="{y(10**e):g}"/>'
        f'<text x="0" y="{y(10**e) + 4:g}" data-index="">{SUP[e]}</text>'
        for e in TICKS
    )
    level = y(now["rope"]["trained"])
    line = (
        f'<g class="cw-position-trained"><line x1="10%" x2="100%" y1="{level:.2f}" y2="{level:.2f}"/>'
        f'<text x="11%" y="{level - 6:.2f}">{"trained on" if now["rope"]["original"] else "its config’s"} '
        f"{bound(now['rope']['trained'], 'rope.trained', 'int')} tokens</text></g>"
    )
    shown = range(pairs // 2 if hide else pairs)
    before = "".join(
        f'<circle class="plain" cx="{x(i, pairs)}" cy="{y(now["plain"][i]):.2f}" r="3"/>'
        for i in shown
        if kind(now, i) != "kept"
    )
    dots = "".join(
        f'<circle class="{kind(now, i)}{" on" if i == pair else ""}" cx="{x(i, pairs)}" '
        f'cy="{y(now["waves"][i]):.2f}" r="{6 if i == pair else 3.5}"/>'
        for i in shown
    )
    slowed = now["rope"]["kept"] < pairs
    legend = keys(kept="as it was", slowed="slowed", plain="before that") if slowed else ""
    label = f"Tokens for one turn of each pair of {escape(now['rope']['title'])}, on a log scale."
    return (
        f'<svg class="cw-position-waves" role="img" aria-label="{label}" width="100%" height="{HEIGHT}">'
        f'<g class="cw-position-grid">{grid}</g>{line}<g>{before}</g><g>{dots}</g>'
        f'<text x="10%" y="{HEIGHT - 4}">fast pairs</text>'
        f'<text x="100%" y="{HEIGHT - 4}" text-anchor="end">slow pairs</text></svg>{legend}'
    )


def picture(now: dict, state: dict) -> str:
    """Dials, wavelengths, and two sentences."""
    both = {**state, **now}
    put = lambda path, how: bound(both[path], path, how, "span")  # noqa: E731
    said = (
        f"<p>Query {put('query', 'int')} and key {put('key', 'int')}, {put('offset', 'int')} tokens apart: "
        f"score {put('score', 'fixed 3')}.</p>"
    )
    return f"{said}{dials(now)}<!--more-->{waves(now, now['here']['pair'])}"
