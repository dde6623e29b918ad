"""A code -> the words and numbers that say what it is: fields, class, formula, and the facts of its format."""

from __future__ import annotations

import math
from typing import Any

from cutaway.explainers.bits import exact, text
from cutaway.explainers.fmt import integer, sup
from cutaway.gallery.formats.scalar import Format

Number = exact.Number


def minus_zero(x: Number) -> bool:
    return x.kind == "finite" and x.negative and x.magnitude == 0


def say(x: Number) -> str:
    """A number in full: "26", "-0", "-inf", "NaN"."""
    if x.kind == "nan":
        return "NaN"
    if x.kind == "inf":
        return "-inf" if x.negative else "inf"
    return "-0" if minus_zero(x) else text.decimal(x.value)


def digits(f: Format) -> int:
    """How many digits tell any two neighbours of a format apart, at least four."""
    return max(4, math.ceil(1 + (f.mantissa_bits + 1) * math.log10(2))) if f.exponent_bits else 4


def say_short(x: Number, count: int = 4, width: int = 7) -> str:
    """A number in four digits."""
    return text.short(x.value, count, width) if x.kind == "finite" and not minus_zero(x) else say(x)


def hex_code(f: Format, code: int) -> str:
    return f"0x{code:0{-(-f.bits // 4)}X}"


def facts(f: Format) -> dict[str, Any]:
    """The line under the format's name, and how many numbers it has."""
    low, high = exact.ranks(f)
    count = high - low + 1
    if f.specials == "codebook":
        below = sum(abs(v) < 1 for v in f.values)
    elif f.specials == "int":
        below = 1
    else:
        one = f.bias * exact.mantissa_size(f)
        below = 2 * one - 1 if f.sign_bits else one
    ends = [exact.decode(f, exact.at_rank(f, place)) for place in (low, high)]
    said = {"label": f.label, "words": f.words}
    return {**said, "line": fact_line(f), "count": count, "below_one": below, "ends": [say_short(end) for end in ends]}


def fact_line(f: Format) -> str:
    """ "1 sign · 4 exponent · 3 mantissa bits, bias 7, no infinity, 2 NaN codes, -0"."""
    if f.specials == "int":
        return f"{f.bits} bits, two's complement; no infinity, no NaN, no -0"
    if f.specials == "codebook":
        return f"{f.bits} bits that index a table; no infinity, no NaN, no -0"
    nans = {"ieee": exact.mantissa_size(f) - 1, "fn": 1, "fnu": 1}
    codes = 1 if f.specials == "fnuz" else nans.get(f.specials, 0) * (2 if f.sign_bits else 1)
    said = f"{integer(codes)} NaN code{'' if codes == 1 else 's'}" if codes else "no NaN"
    infinity = "±infinity" if f.specials == "ieee" else "no infinity"
    zero = "no zero" if exact.bare_exponent(f) else "±0" if f.sign_bits and f.specials != "fnuz" else "no -0"
    sign = "1 sign · " if f.sign_bits else ""
    return (
        f"{sign}{f.exponent_bits} exponent · {f.mantissa_bits} mantissa bits, bias {f.bias}, {infinity}, {said}, {zero}"
    )


def fields(f: Format, code: int) -> list[dict[str, Any]]:
    """The bits from left to right: what each is, what it counts, whether it is on, and the words for it."""
    made = []
    for i in range(f.bits - 1, -1, -1):
        field, place, of = place_of(f, i)
        on = code >> i & 1
        worth = weight(f, i)
        words = "sign bit" if field == "sign" else f"{field} bit {place - 1} of {of}, value {worth}"
        row = {"field": field, "bit": i, "on": on, "worth": worth, "under": under(f, i)}
        made.append({**row, "says": f"{words}, {'on' if on else 'off'}"})
    return made


def under(f: Format, i: int) -> str:
    """What stands under a bit: its worth; in wide formats every fourth one's place in its field."""
    field, place, _ = place_of(f, i)
    if f.bits > 9:
        return str(place - 1) if place % 4 == 1 else ""
    if field == "exponent":
        return text.power(place - 1)
    return {"1/2": "½", "1/4": "¼", "1/8": "⅛"}.get(weight(f, i), weight(f, i))


def groups(fields: list[dict[str, Any]]) -> dict[str, int]:
    """Each field as one whole number."""
    made: dict[str, int] = {}
    for bit in fields:
        made[bit["field"]] = 2 * made.get(bit["field"], 0) + bit["on"]
    return made


def place_of(f: Format, i: int) -> tuple[str, int, int]:
    """(field, place from its right end starting at 1, bits of the field) of bit i."""
    if f.specials in ("int", "codebook"):
        return ("integer" if f.specials == "int" else "index"), i + 1, f.bits
    if i < f.mantissa_bits:
        return "mantissa", i + 1, f.mantissa_bits
    if i < f.mantissa_bits + f.exponent_bits:
        return "exponent", i - f.mantissa_bits + 1, f.exponent_bits
    return "sign", 1, 1


def weight(f: Format, i: int) -> str:
    """What a bit is worth inside its field."""
    field, place, of = place_of(f, i)
    if field == "sign":
        return "±"
    if field == "mantissa":
        return f"1/{integer(1 << (of - place + 1))}"
    if field == "integer" and place == of:
        return f"-{1 << (of - 1)}"
    return str(1 << (place - 1))


def kind(f: Format, code: int) -> str:
    """The class of a code."""
    x = exact.decode(f, code)
    if x.kind != "finite":
        return {"nan": "NaN", "inf": "infinity"}[x.kind]
    if x.magnitude == 0:
        return "zero"
    if f.specials == "int":
        return "whole number"
    if f.specials == "codebook":
        return "table entry"
    exponent = (code & ~exact.sign_mask(f)) >> f.mantissa_bits
    return "subnormal" if exponent == 0 and not exact.bare_exponent(f) else "normal"


def formula(f: Format, code: int) -> str:
    """How the bits make the value, with superscripts."""
    what = kind(f, code)
    if what in ("NaN", "infinity"):
        return special_words(f, code)
    if f.specials == "codebook":
        return f"table[{code}] = {say(exact.decode(f, code))}"
    if f.specials == "int":
        parts = [weight(f, i) for i in range(f.bits - 1, -1, -1) if code >> i & 1]
        return " + ".join(parts) or "0"
    if exact.bare_exponent(f):
        return f"2{sup(code)}⁻{sup(f.bias)}"
    magnitude = code & ~exact.sign_mask(f)
    exponent, mantissa = divmod(magnitude, exact.mantissa_size(f))
    sign = f"(-1){sup(int(code != magnitude))} × " if f.sign_bits else ""
    lead = f"{sign}2{sup(max(exponent, 1))}⁻{sup(f.bias)}"
    return f"{lead} × ({int(exponent > 0)} + {mantissa}/{exact.mantissa_size(f)})"


def special_words(f: Format, code: int) -> str:
    """Why a code is no number."""
    if f.specials == "ieee":
        zero = "mantissa zero: infinity" if kind(f, code) == "infinity" else "mantissa not zero: NaN"
        return f"exponent all ones, {zero}"
    return {"fn": "exponent and mantissa all ones: NaN", "fnuz": "the code of -0 is the one NaN"}.get(
        f.specials, "all ones: NaN"
    )


def scientific(x: Number) -> str:
    """ "+1.625 × 2⁴"."""
    if x.kind != "finite" or x.magnitude == 0:
        return ("-" if x.negative else "+") + "0" if x.kind == "finite" else ""
    e = exact.floor_log2(x.magnitude)
    return f"{'-' if x.negative else '+'}{text.short(x.magnitude / exact.pow2(e), 6, 10)} × {text.power(e)}"
