"""What bits.compute says -> the first picture as HTML: what the page shows before, or without, any script.

The lines of values and the grid of codes are too heavy for it; the line is drawn here for the beats.
"""

from __future__ import annotations

import math
from html import escape
from itertools import pairwise
from typing import Any

from cutaway.explainers import MORE
from cutaway.explainers.bits import exact, text
from cutaway.explainers.fmt import integer, pow2
from cutaway.gallery.formats.scalar import FORMATS, Format

WIDTH = 950  # of the line of values, in CSS pixels; the browser scales it


def draw(state: dict[str, Any], o: dict[str, Any]) -> str:
    """The whole picture, in the widget's order and with its classes."""
    f = FORMATS[state["format"]]
    parts = (
        f'<p><strong>{f.label}</strong></p><p class="cw-note">{escape(o["format"]["line"])}. {escape(f.words)}</p>',
        f'<div class="panes"><div class="left">{bit_row(o)}</div>{value_block(o)}{nearest(state, o)}</div>',
        MORE,
        heading("The same number in every format", "closest first"),
        table(o),
    )
    return "".join(parts)


def heading(title: str, note: str) -> str:
    return f'<h2 class="cw-heading"><span>{title}</span> <small>{escape(note)}</small></h2>'


def bit_row(o: dict[str, Any]) -> str:
    """The bits, grouped by field."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for bit in o["fields"]:
        groups.setdefault(bit["field"], []).append(bit)
    made = []
    for name, members in groups.items():
        value = int("".join(str(b["on"]) for b in members), 2)
        slots = "".join(
            f'<span class="slot"><span class="bit{" on" if b["on"] else ""}">{b["on"]}</span></span>' for b in members
        )
        title = "sign" if name == "sign" else f"{name} {value}"
        made.append(f'<div class="field {name}"><b>{title}</b><div class="slots">{slots}</div></div>')
    code = f'<p class="stepper cw-mono cw-muted">{o["hex"]} · code {integer(o["code"])} · {o["kind"]}</p>'
    return f'<div class="fields">{"".join(made)}</div>{code}'


def value_block(o: dict[str, Any]) -> str:
    """The value, its formula and its neighbours."""
    return (
        f'<div class="middle"><p><strong class="big">{o["short"]}</strong> '
        f'<span class="cw-mono">{o["scientific"]}</span></p><p class="cw-mono formula">{o["formula"]}</p>'
        f'<p class="cw-note">next up {o["up"]} · next down {o["down"]} · spacing {o["spacing"]}</p></div>'
    )


def nearest(state: dict[str, Any], o: dict[str, Any]) -> str:
    """What was asked for, what is stored, and why."""
    t = o["typed"]
    rows = [("you asked for", t["exact"]), ("stored, in full", t["stored"]), ("as hexfloat", o["hexfloat"])]
    rows += [("error", t["error"]), ("in steps (ulp)", t["error_ulp"])]
    listed = "".join(f'<dt>{name}</dt><dd class="cw-mono">{escape(value or "–")}</dd>' for name, value in rows)
    return (
        f'<div class="nearest"><p class="becomes">{escape(state["typed"])} → {o["short"]}, error {t["relative"]}</p>'
        f'<p class="why">{escape(t["why"])}</p><dl>{listed}</dl></div>'
    )


def line(f: Format, o: dict[str, Any]) -> str:
    """The line of all values: even below the smallest normal number, logarithmic above; ticks for powers of two."""
    if not (f.exponent_bits and f.sign_bits):
        return ""
    high = exact.max_magnitude(f)
    values = [float(exact.decode(f, exact.at_rank(f, place)).value) for place in ticks(f, high)]
    normal = 2.0 ** (1 - f.bias)
    octaves = math.log2(float(exact.decode(f, high).magnitude) / normal)
    small = min(4.5, max(1.0, 0.3 * octaves))

    def at(v: float) -> int:
        u = small * abs(v) / normal if abs(v) < normal else small + math.log2(abs(v) / normal)
        return round(8 + (0.5 + math.copysign(u / (small + octaves), v) / 2) * (WIDTH - 16))

    def path(kind: str, top: int, some: list[float]) -> str:
        return f'<path class="{kind}" d="{strokes([at(sign * v) for sign in (-1, 1) for v in some], top)}"/>'

    labels = [(0.0, "0"), *((s * v, ("-" if s < 0 else "") + w) for s in (-1, 1) for v, w in label_values(f, high))]
    words = "".join(f'<text x="{at(v):g}" y="68" text-anchor="{anchor(at(v))}">{w}</text>' for v, w in labels)
    return (
        f'<svg class="line" viewBox="0 0 {WIDTH} 76" role="img" aria-label="The line of all values">'
        f'<path class="base" d="M0 50.5H{WIDTH}"/>{path("subnormal", 40, [v for v in values if v < normal])}'
        f'{path("normal", 34, [v for v in values if v >= normal])}<g class="ticks">{words}</g>{marked(o, at)}</svg>'
    )


def strokes(places: list[int], top: int) -> str:
    """Upright strokes down to 50, each placed from the one before: that repeats, and so travels light."""
    xs, high = sorted(set(places)), 50 - top
    return f"M{xs[0]} {top}v{high}" + "".join(f"m{b - a}-{high}v{high}" for a, b in pairwise(xs)) if xs else ""


def ticks(f: Format, high: int) -> range:
    """Ranks that get a tick: all of them, or one for each power of two."""
    return range(1, high + 1) if f.bits <= 8 else range(exact.mantissa_size(f), high + 1, exact.mantissa_size(f))


def label_values(f: Format, high: int) -> list[tuple[float, str]]:
    end = exact.decode(f, high).magnitude
    return [(float(end), text.short(end)), (1.0, "1"), (2.0 ** (1 - f.bias), pow2(1 - f.bias))]


def anchor(x: float) -> str:
    return "start" if x < 24 else "end" if x > WIDTH - 24 else "middle"


def marked(o: dict[str, Any], at) -> str:
    if o["kind"] in ("NaN", "infinity"):
        return ""
    x = at(float(next(b["at"] for b in o["bins"] if b["value"] == o["short"])))
    return (
        f'<g class="mark"><line x1="{x:g}" x2="{x:g}" y1="22" y2="52"/>'
        f'<text x="{x:g}" y="15" text-anchor="{anchor(x)}">{o["short"]}</text></g>'
    )


def table(o: dict[str, Any]) -> str:
    """The number in every format."""
    keys = (("label", "format"), ("bits", "bits"), ("code", "code"), ("stored", "stored"), ("error", "error"))
    head = "".join(f'<th scope="col">{name}</th>' for _, name in (*keys, ("relative", "relative")))
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(row[key]))}</td>" for key, _ in (*keys, ("relative", ""))) + "</tr>"
        for row in o["everywhere"]
    )
    made = f'<table class="cw-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f'<div class="cw-scroll">{made}</div>'
