"""explainers/rounding: modes against exact fractions, sums against numpy's and ml_dtypes' loops, what beats claim."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import ml_dtypes
import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.bits import casts, exact
from cutaway.explainers.rounding import sums
from cutaway.gallery.formats.scalar import FORMATS
from tests.tally import Tally

reference, data = explainers.reference("rounding"), explainers.data("rounding")
EIGHT = [name for name in reference.HERE if FORMATS[name].bits <= 8]
NUMPY = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def at(**state) -> dict:
    """What the page prints in a state."""
    return reference.compute({**reference.STATE, **state}, data)


def by_definition(low: Fraction, high: Fraction, even: Fraction, x: Fraction) -> list[Fraction]:
    """What each mode keeps of a number between two values, by its definition; `even` is the one whose last bit is 0."""
    larger, smaller = (low, high) if x < 0 else (high, low)
    near = low if x - low < high - x else high
    tie = x - low == high - x
    return [even if tie else near, larger if tie else near, smaller, high, low]


def test_every_mode_between_all_values_of_every_narrow_format(verified):
    """Between all neighbours of all 8-, 6- and 4-bit formats, each mode keeps what its definition says."""
    tally = Tally()
    for name in EIGHT:
        f = FORMATS[name]
        values = np.arange(1 << f.bits, dtype=np.uint8).view(np.dtype(getattr(ml_dtypes, name))).astype(float)
        codes = {float(v): code for code, v in enumerate(values) if np.isfinite(v)}
        line = sorted({Fraction(v) for v in codes})
        for low, high in pairwise(line):
            even = low if codes[float(low)] % 2 == 0 else high
            for share in (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(1, 10**9), 1 - Fraction(1, 10**9)):
                x = low + share * (high - low)
                number = exact.Number("finite", x < 0, abs(x))
                tally.same(casts.kept(f, number), by_definition(low, high, even, x), name, x)
                tally.same(reference.share(low, high, number), share, name, x)
    verified("rounding: every mode beside all values of 8-bit formats and below", tally, against="exact fractions")


@pytest.mark.parametrize("terms", sums.TERMS)
def test_plain_sums_are_numpys(terms, verified):
    """A running sum in FP32, FP16 and BF16 is, after every term, what a loop in that dtype holds."""
    tally = Tally()
    for name, dtype in NUMPY.items():
        numbers = sums.terms(terms, 4096, 7)
        total = dtype(0)
        for mine, one in zip(sums.add(sums.plainly, numbers, FORMATS[name]), numbers, strict=True):
            total = dtype(np.float32(total) + np.float32(one))  # exact before the cast, as the dtypes add
            tally.same(mine, float(total), name)
    verified(f"rounding: running sums of {terms}", tally, against="numpy and ml_dtypes, term by term")


def test_kahan_and_chunks_are_numpys(verified):
    """Kahan's sum and chunks promoted to FP32, written with the dtypes' own arithmetic, end where the page's do."""
    tally = Tally()
    for name in ("float16", "bfloat16"):
        dtype = NUMPY[name]
        numbers = sums.terms("products", 1024, 3)
        total = lost = dtype(0)
        for mine, one in zip(sums.kahan(numbers, FORMATS[name]), numbers, strict=True):
            more = dtype(np.float32(one) - np.float32(lost))
            after = total + more
            lost = (after - total) - more
            total = after
            tally.same(mine, float(total), name, "kahan")
        for chunk in sums.CHUNKS:
            whole = np.float32(0)
            for part in numbers.reshape(-1, chunk):
                partial = dtype(0)
                for one in part:
                    partial = dtype(np.float32(partial) + np.float32(one))
                whole += np.float32(partial)
            tally.same(sums.in_chunks(numbers, FORMATS[name], chunk)[-1], float(whole), name, chunk)
    verified("rounding: Kahan’s sum and chunks", tally, against="numpy and ml_dtypes arithmetic")


def test_a_sum_of_ones_stops_where_the_next_value_is_two_away():
    """BF16 stops at 256, FP16 at 2,048, FP32 not at all within 4,096; chunks up to 256 and Kahan lose nothing."""
    totals = {one["name"]: (one["total"], one["moved"]) for one in at()["sums"]["plain"]}
    assert totals == {"float32": (4096, 4096), "float16": (2048, 2048), "bfloat16": (256, 256)}
    assert at(how="kahan")["sums"]["chosen"]["total"] == 4096
    assert [at(how="chunks", chunk=c)["sums"]["chosen"]["total"] for c in (16, 256, 512)] == [4096, 4096, 2048]


@pytest.mark.whole
def test_stochastic_rounding_is_right_on_average():
    """Draws and sums have means whose intervals hold the exact number for 90 or more of 99 seeds."""
    drawn = [at(typed="26.3", seed=seed, n=256)["drawn"] for seed in range(1, 100)]
    assert sum(abs(one["mean"] - 26.3) <= one["half"] for one in drawn) >= 90
    assert all(one["nearest"] == pytest.approx(-0.3) for one in drawn)
    summed = [at(how="stochastic", n=1024, seed=seed)["sums"] for seed in range(1, 31)]
    assert sum(abs(one["chosen"]["mean"] - one["exact"]) <= one["chosen"]["half"] for one in summed) >= 26


def test_a_stochastic_result_is_a_neighbour_and_never_another_value():
    """Each stochastic sum is one of the format's values; a draw is one of the two neighbours."""
    totals = at(how="stochastic", terms="products")["sums"]["chosen"]["totals"]
    assert [float(ml_dtypes.bfloat16(one)) for one in totals] == totals
    one = at()["drawn"]
    assert one["up"] + one["down"] == 1024
    assert one["mean"] == pytest.approx((26 * one["down"] + 28 * one["up"]) / 1024)


@pytest.mark.parametrize("cut", [1, 4, 8])
def test_mean_errors_are_those_of_every_mantissa(cut):
    """Rounding all mantissas of two steps by floor, ceil and round gives the mean errors that the page prints."""
    many = 1 << cut
    places = [Fraction(place, many) for place in range(2 * many)]
    modes = [round, lambda x: floor(x + Fraction(1, 2)), floor, ceil, floor]
    expected = [float(sum((mode(x) - x for x in places), Fraction(0)) / len(places)) for mode in modes]
    assert at(cut=cut)["errors"]["means"] == [*expected, 0]
    assert at(cut=1)["errors"]["each"] == [0, -0.5, 0, 0.5]  # a tie above an even value stays, above an odd one goes up


def test_twice_is_not_once():
    """1.0625000000010625 is above E4M3's tie; FP32 puts it on the tie, so casts through FP32 keep 1, others 1.125."""
    now = at(typed="1.0625000000010625")
    assert [one["side"] for one in now["steps"]] == ["above", "above", "on"]
    given = {row["path"]: row["becomes"] for row in now["policies"]}
    assert given == {"FP64 → FP32 → FP8 E4M3": "1", "FP64 → FP8 E4M3": "1.125"}
    x = np.float64("1.0625000000010625")
    assert float(x.astype(ml_dtypes.float8_e4m3fn)) == 1
    assert float(ml_dtypes.float8_e4m3fn(x)) == 1.125


def test_the_goals_ends_are_as_far_as_they_say():
    """4,096 positive products in BF16: plain loses most, FP16 a tenth, chunks of 128 and Kahan less than 0.5 %."""
    now = at(terms="products")["sums"]
    assert now["chosen"]["total"] == 1024
    assert {one["name"]: round(one["error"], 2) for one in now["plain"]} == {
        "float32": 0.0, "float16": -0.09, "bfloat16": -0.78
    }  # fmt: skip
    for way in ({"how": "chunks"}, {"how": "kahan"}):
        assert abs(at(terms="products", **way)["sums"]["chosen"]["error"]) < 0.005
    for chunk in (256, 512):
        assert abs(at(terms="products", how="chunks", chunk=chunk)["sums"]["chosen"]["error"]) > 0.005


@pytest.mark.parametrize("typed", ["1e3000", "-1e-3000", "9" * 390 + "e2900", "1/" + "3" * 390])
def test_numbers_of_thousands_of_digits_are_told(typed):
    """Python writes whole numbers of at most 4,300 digits: what may be typed stays below."""
    state = {**reference.STATE, "typed": typed}
    assert reference.check(state) == "" and reference.compute(state, data)["number"]
