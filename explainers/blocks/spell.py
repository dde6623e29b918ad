"""Numbers, powers and codes, as a block's lines write them. Twin of spell.js."""

from __future__ import annotations

import math

from cutaway.explainers import fmt

num = fmt.num
NAN = "NaN"


def text(x: float | str, digits: int = 5) -> str:
    """A number, or "NaN" as it is."""
    return x if isinstance(x, str) else num(x, digits)


def exponent(x: float) -> int:
    """floor(log2 x) of a positive number."""
    return math.frexp(x)[1] - 1


def power(scale: float | str) -> str:
    return scale if isinstance(scale, str) else fmt.pow2(exponent(scale))


def hexed(code: int, bits: int) -> str:
    return f"0x{code:0{-(-bits // 4)}X}"


def signed(x: float) -> str:
    return f"+{num(x, 3)}" if x > 0 else num(x, 3)
