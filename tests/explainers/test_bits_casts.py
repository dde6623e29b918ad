"""What libraries' casts make of any number, and other ways of rounding, against the libraries and a search."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.bits import casts
from cutaway.gallery.formats.scalar import FORMATS
from tests.explainers import bits_oracle as oracle
from tests.explainers import cast_values
from tests.explainers.cast_libraries import cast_of
from tests.tally import Tally

exact = oracle.exact
ROWS = explainers.data("bits")["policies"]
GOLDEN = json.loads((Path(__file__).parent / "golden_casts.json").read_text("utf-8"))
DOUBLES = 600


def number(x: float):
    negative = bool(np.signbit(x))
    if np.isfinite(x):
        return exact.Number("finite", negative, abs(Fraction(float(x))))
    return exact.Number("nan" if np.isnan(x) else "inf", negative)


def spelt(name: str, x: float | str) -> str:
    """A library's answer in the words of the page: the sign of a NaN is lost."""
    if isinstance(x, str):
        return x
    return casts.short(FORMATS[name], number(x)) if not np.isnan(x) else "NaN"


def becomes(row: list[str], x: float) -> str:
    return casts.becomes(FORMATS[row[0]], row, number(x))


def compared(*libraries: str) -> Tally:
    """Every row of some libraries over doubles where one rounding and two part."""
    tally = Tally()
    for row in (row for row in ROWS if row[1].startswith(libraries)):
        x = cast_values.adversarial(row[0], DOUBLES, np.random.default_rng(2026))
        for one, theirs in zip(x, cast_of(row[1])(row[0], x), strict=True):
            tally.same(becomes(row, one), spelt(row[0], theirs), row[1], row[0], float(one).hex())
    return tally


@pytest.mark.whole
def test_casts_are_what_ml_dtypes_and_numpy_do(verified):
    """Every row of ml_dtypes and numpy gives what astype from float64 gives, beside ties and at every end."""
    verified("bits: casts of any number", compared("ml_dtypes", "numpy"), against="ml_dtypes astype")


@pytest.mark.whole
def test_casts_are_what_gfloat_does():
    """Every gfloat row gives, for any double, what round_float gives, or raises."""
    tally = compared("gfloat")
    assert tally.checked > 500 and tally.shown == []


def test_casts_are_what_torch_does():
    """Every row measured in torch is measured again, where torch is installed."""
    pytest.importorskip("torch")
    tally = compared("torch 2.1")
    assert tally.checked > 500 and tally.shown == []


def test_casts_are_what_every_library_did(verified):
    """Every measured row gives what its library made of doubles beside ties, subnormal and past the ends."""
    tally = Tally()
    for row in (row for row in ROWS if row[5].startswith("measured")):
        kept = GOLDEN[row[0]]
        theirs = kept["casts"][row[1]].split()
        for x, answer in zip(kept["x"], theirs, strict=True):
            said = answer if answer == "ValueError" else spelt(row[0], float(answer))
            mine = becomes(row, float.fromhex(x))
            if mine or not (x == "nan" or "inf" in x):  # what a source leaves open
                tally.same(mine, said, row[1], row[0], x)
    assert tally.checked > 4000
    verified("bits: casts as in other libraries", tally, against="recorded results of the libraries named in the table")


def test_what_was_not_run_says_where_its_path_stands():
    """PTX needs a GPU, and torch before 2.12 is gone: their paths come from the ISA and the source, and they say so."""
    unmeasured = {row[1]: row[5] for row in ROWS if not row[5].startswith("measured")}
    assert sorted(unmeasured) == ["PTX cvt.rn.satfinite", "PTX cvt.rn.satfinite.tf32", "torch before 2.12"]
    assert all(re.search(r"PTX ISA|from its source", source) for source in unmeasured.values())


def made_of(name: str, typed: str) -> dict[str, tuple[str, str]]:
    """Library -> what the page says of a typed number, and its path."""
    state = {"format": name, "code": 0, "typed": typed}
    made = explainers.reference("bits").compute(state, explainers.data("bits"))
    return {row["library"]: (row["becomes"], row["path"]) for row in made["policies"]}


def test_a_hair_above_a_tie_is_lost_on_the_way_through_fp32():
    """1.0625000000010625 in E4M3 is 1 where a cast goes through FP32, 1.125 where it rounds once from FP64."""
    twice, once = ("1", "FP64 → FP32 → FP8 E4M3"), ("1.125", "FP64 → FP8 E4M3")
    assert made_of("float8_e4m3fn", "1.0625000000010625") == {
        "ml_dtypes 0.6.0": twice,
        "torch 2.12 and later": twice,
        "torch before 2.12": twice,
        "ONNX Cast, saturate=1": twice,
        "ONNX Cast, saturate=0": twice,
        "CUDA __nv_fp8_e4m3(x)": once,
        "PTX cvt.rn.satfinite": twice,
        "gfloat 0.5.2, sat=False": once,
        "gfloat 0.5.2, sat=True": once,
    }


def test_a_hair_below_fp64_is_lost_everywhere():
    """1.0625 and 10⁻⁴⁰ is a tie for every cast: Python and C read it as 1.0625, which goes to even."""
    assert {said for said, _ in made_of("float8_e4m3fn", f"1.0625{'0' * 35}1").values()} == {"1"}


def test_fp16_just_under_its_end_overflows_in_torch_alone():
    """65519.9999 is nearest to 65,504; torch rounds it to FP32's 65,520 first, which is a tie and goes to infinity."""
    made = made_of("float16", "65519.9999")
    assert made == {"numpy": ("65504", "FP64 → FP16"), "torch 2.13": ("inf", "FP64 → FP32 → FP16")}


@pytest.mark.parametrize(
    ("typed", "said"), [("0x1.6p-127", "1.175e-38"), ("0x1p-127", "5.877e-39"), ("0x1.8p-127", "1.175e-38")]
)
def test_subnormal_scales_go_up_in_both_libraries(typed, said):
    """0x1.6p-127 is nearest to 2⁻¹²⁷; both casts to E8M0 give 2⁻¹²⁶."""
    assert {one for one, _ in made_of("float8_e8m0fnu", typed).values()} == {said}


def test_what_fp32_cannot_hold_is_lost_before_e8m0():
    """1e-60 is 0 in FP32: NaN in ml_dtypes, the smallest scale in torch, which drops the sign of -1e-60 too."""
    assert {lib: said for lib, (said, _) in made_of("float8_e8m0fnu", "-1e-60").items()} == {
        "ml_dtypes 0.6.0": "NaN",
        "torch 2.13": "5.877e-39",
    }
    assert made_of("float8_e8m0fnu", "1e-60")["ml_dtypes 0.6.0"][0] == "NaN"


def test_ml_dtypes_constructor_rounds_once():
    """What the source of its rows says: astype goes through float32, the constructor does not; bfloat16's does."""
    hair = 1.0625000000010625
    for row in (row for row in ROWS if "the constructor rounds once" in row[5] and row[0] != "float8_e8m0fnu"):
        kind, f = getattr(ml_dtypes, row[0]), FORMATS[row[0]]
        tie = 1 + 2.0 ** -(f.mantissa_bits + 1)
        assert (1, 1 + 2.0**-f.mantissa_bits) == tuple(
            float(x) for x in (np.float64(tie * (hair / 1.0625)).astype(kind), kind(tie * (hair / 1.0625)))
        ), row[0]
    tie = (1 + 2.0**-8) * (hair / 1.0625)
    for made in (np.float64(tie).astype(ml_dtypes.bfloat16), ml_dtypes.bfloat16(tie)):
        assert float(made) == 1


def test_agreement_is_counted():
    """One sentence says whether the casts agree: the most frequent answer first, silence left out."""
    assert casts.agreement([]) == "No cast listed here documents what this becomes."
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
    said = int(re.search(r"infinity and (\d+) NaN codes", explainers.load("bits").html)[1])
    assert codes("float8_e4m3") - codes("float8_e4m3fn") == said
