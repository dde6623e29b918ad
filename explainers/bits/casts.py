"""A number and a format -> what each library's cast returns, and what other rounding modes would keep."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from cutaway.explainers.bits import exact, rounding, saying, text
from cutaway.gallery.formats.scalar import FORMATS, Format

Number = exact.Number

PAST = "past the end"
FP64 = Format(
    "float64", "FP64", 1, 11, 52, 1023, "ieee", "inf", "What Python and C read a decimal as.", "IEEE 754-2019"
)
# How a number can be rounded, and who does it.
MODES = (
    ("to nearest, ties to even", "this page; IEEE 754's default, PTX cvt.rn"),
    ("to nearest, ties away from zero", "PTX cvt.rna to TF32; round() of C"),
    ("toward zero", "PTX cvt.rz; float to integer in C"),
    ("up", "PTX cvt.rp; E8M0 scales chosen to avoid clipping"),
    ("down", "E8M0 scales by the MX specification"),
    ("stochastic: a nearer value is more likely", "PTX cvt.rs; training in FP8 and FP4"),
)


def casts(f: Format, rows: list[list[str]], x: Number) -> dict[str, Any]:
    """The rows of the policy table with what each makes of this number, and whether they agree."""
    made: list[dict[str, Any]] = [
        {"library": r[1], "path": path(f, r), "becomes": becomes(f, r, x), "over": r[2], "inf": r[3], "nan": r[4]}
        for r in rows
    ]
    heard = Counter(row["becomes"] for row in made if row["becomes"]).most_common()
    for row, given in zip(made, rows, strict=True):
        differs = bool(row["becomes"]) and row["becomes"] != heard[0][0]
        row |= {"source": given[5], "differs": differs}
    return {"policies": made, "agree": agreement(heard)}


def agreement(heard: list[tuple[str, int]]) -> str:
    """One sentence from [(answer, how many give it), ...], the most frequent first."""
    if not heard:
        return "No cast listed here documents what this becomes."
    value, count = heard[0]
    if len(heard) == 1:
        return f"All {count} casts listed here give {value}." if count > 1 else f"The one cast listed gives {value}."
    told = (f"{n} {'gives' if n == 1 else 'give'} {value}" for value, n in heard)
    return f"The casts disagree: {', '.join(told)}."


def path(f: Format, row: list[str]) -> str:
    """Every format that a number is rounded to on its way, this one last: FP64 → FP32 → FP8 E4M3."""
    return " → ".join(one.label for one in (FP64, *([FORMATS[row[6]]] if row[6] else []), f))


def arriving(x: Number, via: str) -> Number:
    """The number as a cast gets it: the nearest FP64, as Python and C read text, then the nearest number of `via`."""
    for f in (FP64, *([FORMATS[via]] if via else [])):
        x = exact.decode(f, exact.encode(f, x))
    return x


def becomes(f: Format, row: list[str], x: Number) -> str:
    """What one cast makes of a number; "" where its source does not say."""
    _, _, over, inf, nan, _, via, rest = row
    x = arriving(x, via)
    if x.kind == "nan":
        return nan_as(f, nan, x.negative)
    if x.kind == "inf":
        return end(f, inf, x.negative)
    if rest == "wraps":
        return wrapped(f, int(x.value), end(f, inf, x.negative))
    if rest == "midpoints in FP32":
        return short(f, exact.decode(f, entry(f, x)))
    if "drops the sign" in rest:
        x = Number("finite", False, max(x.magnitude, exact.pow2(-f.bias)))
    if "subnormals up" in rest and exact.pow2(-f.bias) < x.value < exact.pow2(1 - f.bias):
        x = Number("finite", False, exact.pow2(1 - f.bias))
    return end(f, over, x.negative) if past(f, x) else short(f, exact.decode(f, exact.encode(f, x)))


def nan_as(f: Format, word: str, negative: bool) -> str:
    """What a NaN becomes: ml_dtypes stores the zero of the other sign in a format without one."""
    return "0" if word == "-0" and negative else end(f, word, False)


def wrapped(f: Format, whole: int, beyond: str) -> str:
    """A whole number's last bits, in two's complement; another answer past C's 32-bit int."""
    if not -(1 << 31) <= whole < 1 << 31:
        return beyond
    code = whole % (1 << f.bits)
    return str(code - (1 << f.bits) if code & exact.sign_mask(f) else code)


def entry(f: Format, x: Number) -> int:
    """The entry of a codebook whose midpoints are FP32 numbers: a number on one goes down."""
    middles = [(Fraction(low) + Fraction(high)) / 2 for low, high in zip(f.values, f.values[1:], strict=False)]
    return sum(x.value > arriving(Number("finite", m < 0, abs(m)), "float32").value for m in middles)


def short(f: Format, x: Number) -> str:
    return saying.say_short(x, saying.digits(f), saying.digits(f) + 3)


def end(f: Format, word: str, negative: bool) -> str:
    """max, inf, NaN, 0 of a policy, on the side of the number."""
    if word == "max":
        return short(f, exact.decode(f, exact.at_rank(f, exact.ranks(f)[0 if negative else 1])))
    return "-inf" if word == "inf" and negative else word


def past(f: Format, x: Number) -> bool:
    """Whether a finite number rounds to something beyond the last one."""
    low, high = exact.ranks(f)
    if f.specials == "codebook":
        return not rounding.value_at(f, low) <= x.value <= rounding.value_at(f, high)
    if f.specials == "int":
        return not low <= exact.even(*x.value.as_integer_ratio()) <= high
    if not f.sign_bits:
        return x.value > 0 and exact.encode(f, x) > high
    return exact.nearest_magnitude(f, x.magnitude) > high


# ---------------------------------------------------------------- ways of rounding


def _no_place(f: Format, x: Number) -> bool:
    """Whether a number lies on the side of zero that a format without a sign does not have, or on a zero it lacks."""
    if x.value == 0:
        return exact.bare_exponent(f)
    return x.value < 0 and not f.sign_bits and f.exponent_bits > 0


def modes(f: Format, x: Number) -> list[dict[str, str]]:
    """What each rounding mode keeps of a number; nothing for NaN and infinity."""
    if x.kind != "finite" or _no_place(f, x):
        return []
    made = [(said(f, x, one), off(x, one)) for one in kept(f, x)] + [(chances(f, x, *around(f, x)), "")]
    return [
        {"mode": mode, "keeps": keeps, "error": error, "where": where}
        for (mode, where), (keeps, error) in zip(MODES, made, strict=True)
    ]


def kept(f: Format, x: Number) -> list[Fraction | None]:
    """What each mode that leaves nothing to chance keeps of a finite number; None past an end."""
    low, high = around(f, x)
    return [*(nearest(f, x, low, high, away) for away in (False, True)), high if x.negative else low, high, low]


def around(f: Format, x: Number) -> tuple[Fraction | None, Fraction | None]:
    """The neighbours of a number, itself twice where it is one of the values; None beyond an end."""
    first, last = exact.ranks(f)
    if x.value > rounding.value_at(f, last):
        return rounding.value_at(f, last), None
    if x.value < rounding.value_at(f, first):
        return None, rounding.value_at(f, first)
    place = exact.rank(f, exact.encode(f, x))
    assert place is not None  # only a NaN has none
    value = rounding.value_at(f, place)
    if value == x.value:
        return value, value
    return (value, rounding.value_at(f, place + 1)) if value < x.value else (rounding.value_at(f, place - 1), value)


def nearest(f: Format, x: Number, low: Fraction | None, high: Fraction | None, away: bool) -> Fraction | None:
    """The nearer neighbour; a tie goes away from zero, or as the format's own rule says."""
    stored = exact.decode(f, exact.encode(f, x))
    if not away or low == high:
        return None if past(f, x) else stored.value
    if low is None or high is None:
        edge = high if low is None else low
        return edge if edge is not None and abs(x.value - edge) * 2 < rounding.gap(f, x) else None
    if x.value * 2 == low + high:
        return low if x.negative else high
    return low if x.value * 2 < low + high else high


def said(f: Format, x: Number, kept: Fraction | None) -> str:
    if kept is None:
        return PAST
    zero = kept == 0 and x.negative and f.specials in ("ieee", "fn", "finite")
    return "-0" if zero else rounding.in_digits(f, kept)


def off(x: Number, kept: Fraction | None) -> str:
    if kept is None:
        return ""
    return rounding.sign_text(kept - x.value) if kept != x.value else "exact"


def chances(f: Format, x: Number, low: Fraction | None, high: Fraction | None) -> str:
    """26 in 35 %, 28 in 65 %."""
    if low is None or high is None or low == high:
        return said(f, x, low if low == high else None)
    up = 100 * (x.value - low) / (high - low)
    return f"{said(f, x, low)} in {text.short(100 - up, 3)} %, {said(f, x, high)} in {text.short(up, 3)} %"
