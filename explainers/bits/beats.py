"""What the beats of the bits page ask, say and draw: answers, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from html import escape
from typing import Any

from cutaway.explainers.bits import exact, picture, reference, rounding, text
from cutaway.gallery.formats.scalar import FORMATS, Format

THIRD, ROOM, ERROR, APART = Fraction(1, 3), 16, Fraction(1, 1000), 10


def at(state: dict, data: dict) -> dict[str, Any]:
    return reference.compute(state, data)


def value(f: Format, code: int) -> Fraction:
    """What a code means; 0 where that is no number."""
    found = exact.decode(f, code)
    return found.value if found.kind == "finite" else Fraction(0)


def option(name: str, typed: str, options: tuple[int, ...]) -> int:
    """Which of the options a number becomes; the one after them is NaN."""
    f = FORMATS[name]
    found = exact.decode(f, exact.encode(f, exact.number_of(typed, f)))
    return options.index(found.value) if found.kind == "finite" else len(options)


def worth(state: dict, data: dict) -> float:
    """By what the highest bit of the exponent multiplies the number; 0 where there is no such bit."""
    f, code = FORMATS[state["format"]], at(state, data)["code"]
    bit = 1 << (f.mantissa_bits + f.exponent_bits - 1)
    off = value(f, code & ~bit)
    return float(value(f, code | bit) / off) if f.exponent_bits and off else 0.0


def interval(state: dict, data: dict, end: str) -> float:
    """Where the interval of what becomes the number in hand begins or ends; at the number where it has no end."""
    now = at(state, data)
    place = exact.rank(FORMATS[state["format"]], now["code"])
    here = next((one for one in now["bins"] if one["rank"] == place), None)
    return 0.0 if not here else here["at"] if here[end] is None else here[end]


answers = {
    "comes_back": lambda state, data: option("bfloat16", "257", (256, 257, 258)),
    "past_tie": lambda state, data: option("float8_e4m3fn", "464", (448, 480)),
    "stored": lambda state, data: float(value(FORMATS[state["format"]], at(state, data)["code"])),
    "worth": worth,
    "share": lambda state, data: at(state, data)["format"]["below_one"] / at(state, data)["format"]["count"],
    "bin_from": lambda state, data: interval(state, data, "low"),
    "bin_to": lambda state, data: interval(state, data, "high"),
}


# ---------------------------------------------------------------- goals


def asked(state: dict, data: dict) -> exact.Number:
    """The number that is asked for: typed, or the code's own."""
    f = FORMATS[state["format"]]
    return exact.number_of(state["typed"], f) if state["typed"].strip() else exact.decode(f, state["code"])


def third_in_16(state: dict, data: dict) -> dict:
    """1/3 within a thousandth in at most 16 bits."""
    f, x = FORMATS[state["format"]], asked(state, data)
    if x.kind != "finite" or x.value != THIRD:
        return {"reached": False, "says": "Ask for 1/3, then choose a format."}
    if f.bits > ROOM:
        return {"reached": False, "says": f"{f.label} has {f.bits} bits."}
    now = at(state, data)
    if abs(value(f, now["code"]) - THIRD) >= ERROR * THIRD:
        return {"reached": False, "says": f"{f.label} misses by {now['typed']['relative']}."}
    says = f"Reached with {f.label}: {now['typed']['relative']}. BF16 has as many bits, and spends them on range."
    return {"reached": True, "says": says}


def ten_apart(state: dict, data: dict) -> dict:
    """Two 8-bit floats that hold the same number more than a tenth of it apart."""
    x = asked(state, data)
    if x.kind != "finite" or not x.magnitude:
        return {"reached": False, "says": "Ask for a number that is not zero."}
    rows = [(f, exact.decode(f, exact.encode(f, x))) for f in FORMATS.values() if f.bits == 8 and f.mantissa_bits < 7]
    held = [(stored.value, f) for f, stored in rows if f.sign_bits and stored.kind == "finite"]
    if not held:
        return {"reached": False, "says": "No 8-bit float holds it."}
    low, high = min(held, key=lambda row: row[0]), max(held, key=lambda row: row[0])
    far = 100 * (high[0] - low[0]) / x.magnitude
    held_by = [f"{f.label} holds {text.short(stored)}" for stored, f in (low, high)]
    told = f"{held_by[0]}, {held_by[1]}: {text.short(far, 3)} % apart."
    if far <= APART:
        return {"reached": False, "says": told if far else f"All {len(held)} that hold it hold {text.short(low[0])}."}
    hint = "Small numbers do it too." if x.magnitude > 1 else "Large numbers do it too."
    return {"reached": True, "says": f"Reached: {told} {hint}"}


goals = {"third_in_16": third_in_16, "ten_apart": ten_apart}
reach = {
    "third_in_16": [{"format": "float16", "typed": "1/3"}],
    "ten_apart": [{"typed": "300"}, {"typed": "0.0005"}],
}


# ---------------------------------------------------------------- figures


def cut(state: dict, data: dict, bet: str) -> str:
    """The number in binary, cut where the format cuts it; answered, the bits that are stored."""
    now = at(state, data)
    keeps = now["typed"]["keeps"]
    boxes = "".join(f'<i class="{kind}">{bit}</i>' for kind, bit in keeps["boxes"])
    legend = "".join(f'<li><i class="{kind}"></i>{kind}</li>' for kind in ("kept", "guard", "sticky"))
    first = (
        f'<p class="number cw-mono">{now["typed"]["label"]} = {keeps["line"]}</p>'
        f'<p class="boxes large">{keeps["lead"]}. {boxes}</p><ul class="cw-legend">{legend}</ul>'
    )
    return first if bet == "open" else first + f'<div class="comes">{big(now)}{picture.bit_row(now)}</div>'


def big(now: dict) -> str:
    return f'<p><strong class="big">{now["short"]}</strong> <span class="cw-mono">{now["scientific"]}</span></p>'


def row(state: dict, data: dict) -> str:
    """The number and its bits."""
    now = at(state, data)
    return f"{big(now)}{picture.bit_row(now)}"


def values(state: dict, data: dict) -> str:
    """Every value, on an even scale and by powers of two."""
    f, now = FORMATS[state["format"]], at(state, data)
    first, last = exact.ranks(f)
    x = scale(float(rounding.value_at(f, first)), float(rounding.value_at(f, last)))
    path = picture.strokes([x(float(rounding.value_at(f, place))) for place in range(first, last + 1)], 34)
    even = svg(56, f'<path class="normal" d="{path}"/>')
    return f"{above('on an even scale')}{even}{above('with powers of two equally far apart')}{picture.line(f, now)}"


def above(words: str) -> str:
    return f'<p class="cw-note">{words}</p>'


def svg(high: int, inside: str) -> str:
    return f'<svg class="line" viewBox="0 0 {picture.WIDTH} {high}" aria-hidden="true">{inside}</svg>'


def scale(low: float, high: float) -> Callable[[float], int]:
    """A value -> pixels."""
    return lambda v: round(8 + (v - low) / (high - low) * (picture.WIDTH - 16))


def tick(x: int, words: str, css: str, below: str = "") -> str:
    """A value on its line, and what lies behind it."""
    line = f'<line x1="{x}" x2="{x}" y1="30" y2="50"/><text x="{x}" y="68">{words}</text>'
    return f'<g class="{css}">{below}{line}</g>'


def bins(state: dict, data: dict, bet: str) -> str:
    """The values near one; answered, with what becomes each."""
    now = at(state, data)
    rows, made = now["bins"], []
    x = scale(rows[0]["low"], rows[-1]["high"])
    for one in rows:
        left, wide = x(one["low"]), x(one["high"]) - x(one["low"])
        css = "here" if one["value"] == now["short"] and bet != "open" else "even" if one["ends"][0] else "odd"
        below = "" if bet == "open" else f'<rect x="{left}" y="24" width="{wide}" height="26"/>'
        made.append(tick(x(one["at"]), one["value"], css, below))
    return svg(78, f'<g class="bins">{"".join(made)}</g>')


def ending(state: dict, data: dict, bet: str) -> str:
    """The last values and where the next would stand; answered, what every cast makes of the number."""
    now = at(state, data)
    rows, after = now["last"]["values"], now["last"]["next"]
    half = (after["at"] - rows[-1]["at"]) / 2
    x = scale(rows[0]["at"] - half, after["at"] + half)
    made = [tick(x(one["at"]), one["text"], css) for one, css in [*((one, "even") for one in rows), (after, "none")]]
    line = svg(78, f'<g class="bins">{"".join(made)}</g>')
    cells = "".join(
        f"<tr{' class=differs' if one['differs'] else ''}><th>{escape(one['library'])}</th>"
        f'<td class="cw-mono">{one["becomes"]}</td></tr>'
        for one in now["policies"]
    )
    return line if bet == "open" else f'{line}<table class="cw-table"><tbody>{cells}</tbody></table>'


figures = {"cut": cut, "row": row, "values": values, "bins": bins, "ending": ending}
