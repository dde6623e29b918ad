"""Typed text -> an exact number; with it what the bits page asks of codes (gallery.formats.codes)."""

from __future__ import annotations

import re
from fractions import Fraction

from cutaway.gallery.formats.codes import (
    Number,
    at_rank,
    bare_exponent,
    decode,
    encode,
    even,
    floor_log2,
    mantissa_size,
    max_magnitude,
    nan_code,
    nearest_magnitude,
    pow2,
    rank,
    ranks,
    sign_mask,
)
from cutaway.gallery.formats.scalar import Format

# What the other files of this folder read from here.
__all__ = (
    "Number", "at_rank", "bare_exponent", "decode", "encode", "even", "floor_log2", "mantissa_size", "max_magnitude",
    "nan_code", "nearest_magnitude", "number_of", "parse", "pow2", "rank", "ranks", "sign_mask",
)  # fmt: skip

MAX_DIGITS = 400
MAX_EXPONENT = 3000  # Python writes whole numbers of at most 4,300 digits
HOW = (
    "Type a decimal (0.1), a fraction (1/3), a hexfloat (0x1.8p3), bits as hex or binary (0x5D, 0b1011101), inf or nan."
)


def parse(text: str, f: Format) -> tuple[Number | None, int | None, str]:
    """Typed text -> (number, code if it was bits, sentence if it was neither)."""
    t = text.strip().replace("−", "-").replace("_", "").lower()
    special = re.fullmatch(r"([+-]?)(inf|infinity|∞|nan)", t)
    if special:
        return Number("nan" if special[2] == "nan" else "inf", special[1] == "-"), None, ""
    if len(t) > MAX_DIGITS:
        return None, None, f"That is longer than {MAX_DIGITS} characters."
    bits = re.fullmatch(r"0x([0-9a-f]+)|0b([01]+)", t)
    if bits:
        code = int(bits[1], 16) if bits[1] else int(bits[2], 2)
        if code >> f.bits:
            return None, None, f"{f.label} has {f.bits} bits: from 0x0 to 0x{(1 << f.bits) - 1:X}."
        return decode(f, code), code, ""
    try:
        value = _rational(t)
    except ValueError as sentence:
        return None, None, str(sentence)
    return Number("finite", t.startswith("-"), abs(value)), None, ""


def number_of(text: str, f: Format) -> Number:
    """Typed text -> the number; a ValueError with a sentence where it is none."""
    number, _, wrong = parse(text, f)
    if number is None:
        raise ValueError(wrong)
    return number


def _rational(t: str) -> Fraction:
    """A decimal, a hexfloat, 2^n or a fraction of two decimals; ValueError with a sentence."""
    decimal = r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?"
    plain = re.fullmatch(rf"([+-]?)({decimal})(?:e([+-]?\d+))?", t, re.ASCII)
    if plain and re.search(r"\d", plain[2]):
        return _scaled(plain[1], plain[2], 10, int(plain[3] or 0))
    hexfloat = re.fullmatch(r"([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?\d+)", t, re.ASCII)
    if hexfloat and (hexfloat[2] or hexfloat[3]):
        digits, fraction = hexfloat[2] or "", hexfloat[3] or ""
        exponent = int(hexfloat[4]) - 4 * len(fraction)
        return int(hexfloat[1] + digits + fraction, 16) * _power(2, exponent)
    power = re.fullmatch(r"([+-]?)2\^([+-]?\d+)", t, re.ASCII)
    if power:
        return int(power[1] + "1") * _power(2, int(power[2]))
    ratio = re.fullmatch(rf"([+-]?)({decimal})\s*/\s*({decimal})", t, re.ASCII)
    if ratio and re.search(r"\d", ratio[2]) and re.search(r"\d", ratio[3]):
        below = _scaled("", ratio[3], 10, 0)
        if below == 0:
            raise ValueError("The denominator of a fraction cannot be 0.")
        return _scaled(ratio[1], ratio[2], 10, 0) / below
    raise ValueError(HOW)


def _scaled(sign: str, digits: str, base: int, exponent: int) -> Fraction:
    whole, _, part = digits.replace(",", "").partition(".")
    value = int((whole + part) or "0") * _power(base, exponent - len(part))
    return -value if sign == "-" else value


def _power(base: int, exponent: int) -> Fraction:
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError(f"An exponent past ±{MAX_EXPONENT:,} is beyond every format.")
    return Fraction(base**exponent) if exponent >= 0 else Fraction(1, base**-exponent)
