"""A row of scalar.py -> its codes and the numbers they mean, both ways, without an error: fractions, slow and obvious.

A number is (kind, negative, magnitude): kind "finite", "inf" or "nan", magnitude a Fraction. `even` is the one place in
Python where a tie goes to the even neighbour; kit.even is its twin in the browser.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from cutaway.gallery.formats.scalar import Format


class Number(NamedTuple):
    kind: str  # "finite" | "inf" | "nan"
    negative: bool
    magnitude: Fraction = Fraction(0)

    @property
    def value(self) -> Fraction:
        return -self.magnitude if self.negative else self.magnitude


def even(n: int, d: int = 1) -> int:
    """The whole number nearest to n/d, d > 0; of two equally near the even one."""
    down, left = divmod(n, d)
    return down + (2 * left > d or (2 * left == d and down % 2 == 1))


def floor_log2(x: Fraction) -> int:
    """The exponent e with 2^e <= x < 2^(e+1)."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if x >= pow2(e) else e - 1


def pow2(e: int) -> Fraction:
    """2^e, exactly."""
    return Fraction(2**e) if e >= 0 else Fraction(1, 2**-e)


# ---------------------------------------------------------------- special codes


def mantissa_size(f: Format) -> int:
    return 1 << f.mantissa_bits


def sign_mask(f: Format) -> int:
    return 1 << (f.bits - 1) if f.sign_bits else 0


def bare_exponent(f: Format) -> bool:
    """Whether codes are powers of two and nothing else: no zero, no subnormals (E8M0)."""
    return f.specials == "fnu" and not f.mantissa_bits


def max_magnitude(f: Format) -> int:
    """The code, without its sign, of the largest finite number."""
    all_ones = (1 << (f.exponent_bits + f.mantissa_bits)) - 1
    return {
        "ieee": all_ones - mantissa_size(f),
        "fn": all_ones - 1,
        "fnu": all_ones - 1,
        "int": (1 << f.mantissa_bits) - 1,
    }.get(f.specials, all_ones)


def largest(f: Format) -> Fraction:
    """The largest finite number."""
    return decode(f, max_magnitude(f)).magnitude


def nan_code(f: Format, negative: bool = False) -> int:
    """The code a NaN becomes; formats without one follow ml_dtypes (FP6, FP4: the zero of the other sign; ints: 0)."""
    sign = sign_mask(f) if negative else 0
    top = max_magnitude(f) + 1
    quiet = mantissa_size(f) >> 1
    return {
        "ieee": sign | top | quiet,
        "fn": sign | top,
        "fnu": top,
        "fnuz": sign_mask(f),
        "finite": 0 if negative else sign_mask(f),
        "codebook": 7,
    }.get(f.specials, 0)


# ---------------------------------------------------------------- code -> number


def decode(f: Format, code: int) -> Number:
    """What a code means."""
    if f.specials == "codebook":
        value = Fraction(f.values[code])
        return Number("finite", value < 0, abs(value))
    if f.specials == "int":
        whole = code - (1 << f.bits if code & sign_mask(f) else 0)
        return Number("finite", whole < 0, Fraction(abs(whole)))
    negative = bool(code & sign_mask(f))
    magnitude = code & ~sign_mask(f)
    if f.specials == "fnuz" and code == sign_mask(f):
        return Number("nan", False)
    if magnitude > max_magnitude(f):
        infinite = f.specials == "ieee" and magnitude == max_magnitude(f) + 1
        return Number("inf" if infinite else "nan", negative)
    exponent, mantissa = divmod(magnitude, mantissa_size(f))
    lowest = 0 if bare_exponent(f) else 1  # the first exponent whose numbers have a leading one
    significand = mantissa + (mantissa_size(f) if exponent >= lowest else 0)
    return Number("finite", negative, significand * pow2(max(exponent, lowest) - f.bias - f.mantissa_bits))


# ---------------------------------------------------------------- number -> code


def encode(f: Format, x: Number) -> int:
    """The code nearest to a number: ties to even (E8M0: up; NF4: to the lower entry), overflow by the row's rule.

    Without a sign bit what lies below zero is NaN (as E8M0 has it), or zero where the row saturates.
    """
    if x.kind == "nan":
        return nan_code(f, x.negative)
    if f.specials == "codebook":
        return _nearest_entry(f, x)
    if f.specials == "int":
        return _nearest_int(f, x)
    if bare_exponent(f):
        return _nearest_scale(f, x)
    magnitude = max_magnitude(f) + 1 if x.kind == "inf" else nearest_magnitude(f, x.magnitude)
    if x.negative and not f.sign_bits and magnitude:
        return 0 if f.overflow == "saturate" else nan_code(f)
    if magnitude > max_magnitude(f):
        return _overflow(f, x)
    unsigned_zero = f.specials == "fnuz" and magnitude == 0
    return magnitude | (sign_mask(f) if x.negative and not unsigned_zero else 0)


def nearest_magnitude(f: Format, x: Fraction) -> int:
    """Steps are counted as if the exponent had no end; carrying into the next exponent is what adding 1 does."""
    if x == 0:
        return 0
    exponent = max(floor_log2(x), 1 - f.bias)
    steps = even(*(x / pow2(exponent - f.mantissa_bits)).as_integer_ratio())
    return (exponent + f.bias - 1) * mantissa_size(f) + steps


def _overflow(f: Format, x: Number) -> int:
    sign = sign_mask(f) if x.negative else 0
    if f.overflow == "saturate":
        return sign | max_magnitude(f)
    return sign | (max_magnitude(f) + 1) if f.overflow == "inf" else nan_code(f, x.negative)


def _nearest_entry(f: Format, x: Number) -> int:
    if x.kind == "inf":
        return 0 if x.negative else 15
    return min(range(16), key=lambda code: (abs(Fraction(f.values[code]) - x.value), code))


def _nearest_int(f: Format, x: Number) -> int:
    low, high = (-(1 << f.mantissa_bits) if f.sign_bits else 0), (1 << f.mantissa_bits) - 1
    value = (low if x.negative else high) if x.kind == "inf" else min(high, max(low, even(*x.value.as_integer_ratio())))
    return value % (1 << f.bits)


def _nearest_scale(f: Format, x: Number) -> int:
    if x.kind == "inf" or x.negative or x.magnitude == 0:
        return nan_code(f)
    exponent = floor_log2(x.magnitude)
    exponent += x.magnitude / pow2(exponent) >= Fraction(3, 2)
    return min(nan_code(f), max(0, exponent + f.bias))


# ---------------------------------------------------------------- the line of values


def rank(f: Format, code: int) -> int | None:
    """A code's place among the finite values, 0 at zero (E8M0, NF4: at code 0); None for NaN and infinity."""
    if decode(f, code).kind != "finite":
        return None
    if f.specials == "codebook":
        return code
    if f.specials == "int":
        return code - (1 << f.bits if code & sign_mask(f) else 0)
    magnitude = code & ~sign_mask(f)
    return -magnitude if code & sign_mask(f) else magnitude


def ranks(f: Format) -> tuple[int, int]:
    """The lowest and the highest rank."""
    high = 15 if f.specials == "codebook" else max_magnitude(f)
    low = 0 if not f.sign_bits else -high - (f.specials == "int")
    return low, high


def at_rank(f: Format, place: int) -> int:
    """The code at a rank (+0 at 0)."""
    if f.specials == "int":
        return place % (1 << f.bits)
    return -place | sign_mask(f) if place < 0 else place
