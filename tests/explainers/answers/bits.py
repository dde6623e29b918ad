"""Answers of bits' beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from cutaway.explainers.bits import exact, reference
from cutaway.gallery.formats.scalar import FORMATS, Format


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
