"""Numbers as the pages print them: the Python twin of kit.fmt in kit.js, held to it by a test.

KB = 1,000 bytes, KiB = 1,024. Exact ties round away from zero, as JavaScript's toFixed does.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from math import copysign

_COUNT = ((1e12, "T"), (1e9, "B"), (1e6, "M"))
_BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B"))
_KIB = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))
_WIDE = Context(prec=400)


def fixed(x: float, digits: int) -> str:
    """1234.567, 2 -> "1,234.57"."""
    return f"{Decimal(x).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, _WIDE):,f}"


def integer(n: float) -> str:
    """7168 -> "7,168"."""
    return f"{n:,d}" if isinstance(n, int) else fixed(n, 0)


def count(n: float, digits: int = 2) -> str:
    """671026419200 -> "671.03 B"; below a million in full."""
    return integer(n) if abs(n) < 1e6 else _scaled(n, _COUNT, digits)


def in_bytes(n: float, unit: str = "", digits: int = 1) -> str:
    """327680 -> "327.7 KB"."""
    return _measured(n, _BYTES, unit, digits)


def in_kib(n: float, unit: str = "", digits: int = 1) -> str:
    """18432 -> "18.0 KiB"."""
    return _measured(n, _KIB, unit, digits)


def percent(x: float, digits: int = 1) -> str:
    """0.0256, 2 -> "2.56 %"."""
    return f"{fixed(100 * x, digits)} %"


def times(x: float, digits: int = 0) -> str:
    """8 -> "8 ×"."""
    return f"{fixed(x, digits)} ×"


def sup(n: int) -> str:
    """-6 -> "⁻⁶"."""
    return str(n).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def signed(x: float, digits: int = 0) -> str:
    """-0.25, 1 -> "−0.3"; what rounds to nothing is 0."""
    return fixed(0.0 if abs(x) < 0.5 / 10**digits else x, digits).replace("-", "−")


def num(x: float, digits: int = 5) -> str:
    """-0.00000123456, 3 -> "−1.23e−6": significant digits with true minuses, as JavaScript writes a number."""
    if x == 0:
        return "−0" if copysign(1, x) < 0 else "0"
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(x).normalize()
    text = f"{rounded:f}" if Decimal("1e-6") <= abs(rounded) < Decimal("1e21") else f"{rounded:e}"
    return text.replace("-", "−").replace("e+", "e")


def pow2(exponent: int) -> str:
    """-6 -> "2⁻⁶"."""
    return "2" + sup(exponent)


def _scaled(n: float, steps: tuple[tuple[float, str], ...], digits: int) -> str:
    size, unit = next((step for step in steps if abs(n) >= step[0]), (1, ""))
    return f"{fixed(n / size, digits)} {unit}"


def _measured(n: float, steps: tuple[tuple[float, str], ...], unit: str, digits: int) -> str:
    if unit:
        size = next(size for size, name in steps if name == unit)
        return f"{fixed(n / size, 0 if unit == 'B' else digits)} {unit}"
    return f"{integer(n)} B" if abs(n) < steps[-2][0] else _scaled(n, steps, digits)


def sig(x: float, digits: int) -> str:
    """0.10937, 3 -> "0.109", as kit.fmt.sig; beyond 1e21 and below 1e-6 with an exponent, as JavaScript writes it."""
    rounded = Context(prec=int(digits), rounding=ROUND_HALF_UP).create_decimal(x or 0)
    far = 0 if not rounded or -7 < rounded.adjusted() < 21 else rounded.adjusted()
    text = f"{rounded.scaleb(-far):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}e{far:+d}" if far else text
