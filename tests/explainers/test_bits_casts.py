"""What libraries' casts make of any number, and other ways of rounding, against the libraries and a search."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import gfloat
import ml_dtypes
import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.bits import casts
from cutaway.gallery.formats.scalar import FORMATS
from tests.explainers import bits_oracle as oracle
from tests.explainers.test_bits import GFLOAT
from tests.tally import Tally

exact = oracle.exact
ROWS = explainers.data("bits")["policies"]
ALWAYS = (0.0, -0.0, 1e30, -1e30, float("inf"), float("-inf"), float("nan"))


def number(x: float):
    negative = bool(np.signbit(x))
    if np.isfinite(x):
        return exact.Number("finite", negative, abs(Fraction(float(x))))
    return exact.Number("nan" if np.isnan(x) else "inf", negative)


def inputs(name: str) -> list[float]:
    """Float32 numbers about a format's ends, its ties and its small values; NaN is positive."""
    rng = random.Random(name)
    points = [float(x) for x in oracle.midpoints(name)] if FORMATS[name].bits <= 8 and name in oracle.FLOATS else []
    wide = [float(np.float32(rng.gauss(0, 1) * 10 ** rng.uniform(-6, 5))) for _ in range(60)]
    return [*rng.sample(points, min(60, len(points))), *wide, *(float(np.float32(x)) for x in ALWAYS)]


def spelt(name: str, x: float) -> str:
    """A library's answer in the words of the page."""
    return casts.short(FORMATS[name], number(x)) if not np.isnan(x) else "NaN"


def compared(library: str, cast) -> Tally:
    """Every row of a library over its numbers."""
    tally = Tally()
    for row in (row for row in ROWS if row[1].startswith(library)):
        for x in inputs(row[0]):
            mine, theirs = casts.becomes(FORMATS[row[0]], row, number(x)), cast(row, x)
            zero = theirs == "0"
            tally.same(mine.lstrip("-") if zero else mine, theirs.lstrip("-") if zero else theirs, row[0], x)
    return tally


def test_casts_are_what_ml_dtypes_does(verified):
    """Every ml_dtypes row gives, for any number, what astype gives."""

    def cast(row, x):
        with np.errstate(all="ignore"):
            made = np.array([x], np.float32).astype(getattr(ml_dtypes, row[0], row[0]))
        return spelt(row[0], float(made[0]))

    small = [x for x in inputs("int4") if abs(x) < 2**31]  # beyond, a cast to integers is undefined
    global ROWS
    wraps = next(row for row in ROWS if row[6] == "wraps")
    ROWS, kept = [row for row in ROWS if row[6] != "wraps"], ROWS
    tally = compared("ml_dtypes", cast)
    ROWS = kept
    for x in small:
        tally.same(casts.becomes(FORMATS["int4"], wraps, number(x)), cast(wraps, x), x)
    verified("bits: casts of any number", tally, against="ml_dtypes astype")


def test_casts_are_what_gfloat_does():
    """Every gfloat row gives, for any number, what round_float gives."""

    def cast(row, x):
        try:
            return spelt(row[0], gfloat.round_float(GFLOAT[row[0]], x, sat="True" in row[1]))
        except ValueError:
            return "ValueError"

    tally = compared("gfloat", cast)
    assert tally.checked > 500 and tally.shown == []


def test_casts_are_what_torch_does():
    """Every row measured in torch is measured again, where torch is installed."""
    torch = pytest.importorskip("torch")

    def cast(row, x):
        return spelt(row[0], float(torch.tensor(x, dtype=torch.float32).to(getattr(torch, row[0])).float()))

    tally = compared("torch 2.1", cast)
    assert tally.checked > 500 and tally.shown == []


def test_agreement_is_counted():
    """One sentence says whether the casts agree: the most frequent answer first, silence left out."""
    assert casts.agreement([]) == "No cast listed here says what this becomes."
    assert casts.agreement([("28", 1)]) == "The one cast listed gives 28."
    assert casts.agreement([("28", 9)]) == "All 9 casts listed here give 28."
    assert casts.agreement([("448", 7), ("NaN", 1)]) == "The casts disagree: 7 give 448, 1 gives NaN."
    made = explainers.reference("bits").compute(
        {"format": "float8_e4m3fn", "code": 0, "typed": "465"}, explainers.data("bits")
    )
    given = [row["becomes"] for row in made["policies"]]
    assert made["agree"] == f"The casts disagree: {given.count('448')} give 448, {given.count('NaN')} give NaN."
    assert [row["becomes"] for row in made["policies"] if row["differs"]] == ["NaN"] * given.count("NaN")


def by_search(values: list[Fraction], x: Fraction) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """(nearest values, those not above, those not below), by looking at all of them."""
    least = min(abs(v - x) for v in values)
    return [v for v in values if abs(v - x) == least], [v for v in values if v <= x], [v for v in values if v >= x]


@pytest.mark.parametrize("name", [name for name, row in FORMATS.items() if row.bits <= 8])
def test_ways_of_rounding_are_found_by_search(name):
    """Inside the ends, each way keeps the value that a search over all values finds, and chance has the right mean."""
    row, rng = FORMATS[name], random.Random(name)
    low, high = exact.ranks(row)
    values = sorted(exact.decode(row, exact.at_rank(row, place)).value for place in range(low, high + 1))
    for _ in range(60):
        i = rng.randrange(len(values) - 1)
        x = values[i] + (values[i + 1] - values[i]) * Fraction(rng.choice([0, 1, 2, 3, 5, 9]), 10)
        if not x:
            continue
        near, below, above = by_search(values, x)
        made = casts.modes(row, exact.Number("finite", x < 0, abs(x)))
        shown = lambda v: casts.said(row, exact.Number("finite", x < 0, abs(x)), v)  # noqa: E731, B023
        kept = [one["keeps"] for one in made]
        assert kept[0] in {shown(v) for v in near}
        assert kept[1] == shown(max(near, key=abs) if len(near) > 1 else near[0])
        assert kept[2:5] == [shown(above[0] if x < 0 else below[-1]), shown(above[0]), shown(below[-1])]
        if below[-1] != above[0]:
            share = 100 * (x - below[-1]) / (above[0] - below[-1])
            assert kept[5] == f"{shown(below[-1])} in {float(100 - share):g} %, {shown(above[0])} in {float(share):g} %"


def test_past_the_end_every_way_says_so():
    """465 is past E4M3's half step: only rounding down keeps 448. FP4 has room for 6.9, none for 7."""
    kept = lambda name, x: [one["keeps"] for one in casts.modes(FORMATS[name], number(x))]  # noqa: E731
    past = casts.PAST
    assert kept("float8_e4m3fn", 465.0) == [past, past, "448", past, "448", past]
    assert kept("float8_e4m3fn", 464.0) == ["448", past, "448", past, "448", past]
    assert kept("float8_e4m3fn", -465.0) == [past, past, "-448", "-448", past, past]
    assert kept("float4_e2m1fn", 6.9)[:2] == ["6", "6"]
    assert kept("float4_e2m1fn", 7.0)[:2] == [past, past]
    assert kept("float8_e8m0fnu", -1.0) == kept("float8_e4m3fn", float("nan")) == []


def test_a_link_with_a_code_means_the_code():
    """What is typed at the start stands aside for a code that a link sets."""
    made = explainers.reference("bits")
    assert made.settle({**made.STATE, "code": 40}, ["code"], {})["typed"] == ""
    assert made.settle({**made.STATE, "code": 40}, ["code", "typed"], {})["typed"] == made.STATE["typed"]


def test_the_words_count_the_nans_that_e4m3_gave_up():
    """E4M3 FN has so many NaN codes fewer than E4M3 by IEEE's rules as the page says."""
    codes = lambda name: sum(exact.decode(FORMATS[name], c).kind == "nan" for c in range(256))  # noqa: E731
    said = int(re.search(r"infinity and (\d+) NaNs", explainers.load("bits").html)[1])
    assert codes("float8_e4m3") - codes("float8_e4m3fn") == said
