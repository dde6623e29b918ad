"""A format -> what stands on its line of values and in its grid of codes: labels and texts."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from cutaway.explainers.bits import exact, rounding, saying, text
from cutaway.gallery.formats.scalar import FORMATS, Format

AROUND = 128  # codes of a wide format that are shown at once


def codes(f: Format, code: int) -> dict[str, Any]:
    """Every code up to 8 bits, or those around one."""
    first = code // AROUND * AROUND if f.bits > 8 else 0
    return {"first": first, "texts": list(texts(f.name, first))}


@cache
def texts(name: str, first: int) -> tuple[str, ...]:
    f = FORMATS[name]
    return tuple(cell(f, code) for code in range(first, first + min(AROUND if f.bits > 8 else 256, 1 << f.bits)))


def cell(f: Format, code: int) -> str:
    """What a code means, in three digits; as many as tell two apart where it is wide."""
    if exact.bare_exponent(f) and code <= exact.max_magnitude(f):
        return text.power(code - f.bias)
    count = saying.digits(f) if f.bits > 8 else 3
    return saying.say_short(exact.decode(f, code), count, count + 3)


@cache
def ticks(name: str) -> list[dict[str, Any]]:
    """The labels there may be under the line, the most wanted first: as many are drawn as there is room for."""
    f = FORMATS[name]
    low, high = (rounding.value_at(f, place) for place in exact.ranks(f))
    if not f.exponent_bits:
        found = [low, high, Fraction(0), low / 2, (high + 1) / 2 if f.specials == "int" else Fraction(1, 2)]
    elif exact.bare_exponent(f):
        found = [low, high, Fraction(1), exact.pow2(64), exact.pow2(-64)]
    else:
        some = [high, Fraction(1), exact.pow2(1 - f.bias), Fraction(16), Fraction(1, 16)]
        found = [v for v in [Fraction(0), *(-v for v in some), *some] if low <= v <= high]
    return [{"at": float(v), "text": tick(v)} for v in dict.fromkeys(found)]


def tick(v: Fraction) -> str:
    e = exact.floor_log2(abs(v)) if v else 0
    if v and abs(v) == exact.pow2(e) and not -4 <= e <= 12:
        return ("-" if v < 0 else "") + text.power(e)
    return text.short(v)


@cache
def last(name: str) -> dict[str, Any]:
    """The last four values, and the one that would come next."""
    f = FORMATS[name]
    high = exact.ranks(f)[1]
    values = [rounding.value_at(f, place) for place in range(high - 3, high + 1)]
    rows = [{"at": float(v), "text": rounding.in_digits(f, v)} for v in (*values, 2 * values[3] - values[2])]
    return {"values": rows[:4], "next": rows[4]}
