"""Exact numbers -> the strings the page prints: the same digits in Python and in kit/fraction-text.js."""

from __future__ import annotations

from fractions import Fraction

from cutaway.explainers.fmt import sup
from cutaway.gallery.formats.codes import even

PLAIN = 40  # characters an exact decimal may have before it is written with an exponent
CUT = 24  # digits of a number whose decimal never ends


def decimal(x: Fraction) -> str:
    """Every digit of x, or the first CUT and an ellipsis where they never end."""
    sign = "-" if x < 0 else ""
    n, d = abs(x.numerator), x.denominator
    twos = (d & -d).bit_length() - 1
    rest, fives = d >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return sign + _cut(n, d)
    places = max(twos, fives)
    digits = str(n * 10**places // d)
    return sign + _place(digits, places)


def _place(digits: str, places: int) -> str:
    """Digits with the point `places` from the right; long ones as d.ddde-n."""
    padded = digits.rjust(places + 1, "0")
    plain = padded[: len(padded) - places] + ("." + padded[len(padded) - places :] if places else "")
    if len(plain) <= PLAIN:
        return plain
    return _scientific(digits.rstrip("0") or "0", len(digits) - 1 - places)


def _scientific(digits: str, exponent: int) -> str:
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{exponent}"


def _cut(n: int, d: int) -> str:
    digits, exponent = leading(n, d, CUT, exact=False)
    if -6 <= exponent < CUT:
        whole = digits[: exponent + 1] if exponent >= 0 else "0"
        part = digits[exponent + 1 :] if exponent >= 0 else "0" * (-exponent - 1) + digits
        return f"{whole}.{part}…" if part else f"{whole}…"
    return f"{digits[0]}.{digits[1:]}…e{exponent}"


def leading(n: int, d: int, count: int, exact: bool = True) -> tuple[str, int]:
    """The first `count` digits of n/d > 0 (rounded half to even if exact, else cut) and the exponent of the first."""
    exponent = len(str(n)) - len(str(d))
    if n * 10 ** max(0, -exponent) < d * 10 ** max(0, exponent):
        exponent -= 1
    shift = count - 1 - exponent
    top, below = n * 10 ** max(0, shift), d * 10 ** max(0, -shift)
    digits = str(even(top, below) if exact else top // below)
    return digits[:count], exponent + len(digits) - count


def short(x: Fraction, count: int = 4, width: int = 7) -> str:
    """In full where that takes `width` characters, else `count` digits."""
    if x == 0:
        return "0"
    sign = "-" if x < 0 else ""
    full = decimal(abs(x))
    if len(full) <= width and "e" not in full and "…" not in full:
        return sign + full
    digits, exponent = leading(abs(x.numerator), x.denominator, count)
    digits = digits.rstrip("0")
    if exponent < -5 or exponent >= 7:
        return sign + _scientific(digits, exponent)
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    return sign + whole + ("." + digits[exponent + 1 :] if digits[exponent + 1 :] else "")


def hexfloat(x: Fraction) -> str:
    """0x1.8p+3 of a dyadic number."""
    if x == 0:
        return "0x0p+0"
    n, e = abs(x.numerator), 1 - x.denominator.bit_length()
    while n % 2 == 0:
        n, e = n // 2, e + 1
    top = n.bit_length() - 1
    pad = -top % 4
    part = f"{(n - (1 << top)) << pad:x}".rjust((top + pad) // 4, "0") if top else ""
    return f"{'-' if x < 0 else ''}0x1{'.' + part if part else ''}p{e + top:+d}"


def power(e: int) -> str:
    return "2" + sup(e)
