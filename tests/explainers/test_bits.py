"""The bits reference against ml_dtypes, numpy, gfloat and plain fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from importlib.metadata import version

import gfloat
import gfloat.formats as gf
import ml_dtypes
import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.bits import text
from cutaway.gallery.formats.scalar import FORMATS
from tests.explainers import bits_oracle as oracle

exact = oracle.exact
MACHINE = f"ml_dtypes {ml_dtypes.__version__}, numpy {np.__version__}"
SMALL = [name for name, row in FORMATS.items() if row.bits <= 16]
GFLOAT = {
    "bfloat16": gf.format_info_bfloat16,
    "float16": gf.format_info_binary16,
    "float8_e4m3fn": gf.format_info_ocp_e4m3,
    "float8_e5m2": gf.format_info_ocp_e5m2,
    "float6_e2m3fn": gf.format_info_ocp_e2m3,
    "float6_e3m2fn": gf.format_info_ocp_e3m2,
    "float4_e2m1fn": gf.format_info_ocp_e2m1,
    "float8_e8m0fnu": gf.format_info_ocp_e8m0,
}


def as_float(number) -> float:
    """A number as float64, the sign of zero and NaN kept where float64 can."""
    if number.kind != "finite":
        return float(("-" if number.negative else "") + number.kind)
    return -float(number.magnitude) if number.negative else float(number.magnitude)


def as_number(x: float):
    """A float as a number."""
    negative = bool(np.signbit(x))
    if np.isfinite(x):
        return exact.Number("finite", negative, abs(Fraction(float(x))))
    return exact.Number("nan" if np.isnan(x) else "inf", negative)


def differing(mine: np.ndarray, theirs: np.ndarray) -> int:
    """How many float64 differ; the signs of zeros count, those of NaNs do not (numpy drops them)."""
    both_nan = np.isnan(mine) & np.isnan(theirs)
    return int((~both_nan & ((mine != theirs) | (np.signbit(mine) != np.signbit(theirs)))).sum())


@pytest.mark.whole
def test_every_code_of_every_small_format_means_what_ml_dtypes_says(verified):
    """Decoding every code of the formats up to 16 bits gives ml_dtypes' number, -0, infinities and NaNs included."""
    checked = wrong = 0
    for name in SMALL:
        codes = np.arange(1 << FORMATS[name].bits)
        mine = np.array([as_float(exact.decode(FORMATS[name], int(code))) for code in codes])
        checked += len(codes)
        wrong += differing(mine, oracle.decoded(name, codes))
    verified("formats: decode every code up to 16 bits", checked, wrong, MACHINE)


@pytest.mark.parametrize("name", ["tf32", "float32"])
def test_wide_formats_decode_as_float32_bits(name, verified):
    """TF32 and FP32 codes, all exponents and the edges of each, mean what the same float32 bits mean."""
    row = FORMATS[name]
    rng = np.random.default_rng(20251120)
    edges = [e << row.mantissa_bits | m for e in range(256) for m in (0, 1, (1 << row.mantissa_bits) - 1)]
    codes = np.concatenate([np.array(edges), rng.integers(0, 1 << row.bits, 20_000)])
    mine = np.array([as_float(exact.decode(row, int(code))) for code in codes])
    verified(f"formats: decode {row.label}", len(codes), differing(mine, oracle.decoded(name, codes)), "float32 bits")


@pytest.mark.whole
def test_every_code_survives_decode_and_encode():
    """Encoding what a code means gives the code back, for every finite code that is not a second zero."""
    for name in SMALL:
        row = FORMATS[name]
        for code in range(1 << row.bits):
            number = exact.decode(row, code)
            if number.kind == "finite":
                assert code == exact.encode(row, number), (name, hex(code))


@pytest.mark.whole
def test_rounding_equals_ml_dtypes_at_every_midpoint_and_its_neighbours(verified):
    """Every midpoint of every float format up to 16 bits, and the float32 on each side, rounds as ml_dtypes rounds."""
    checked = wrong = 0
    for name in [name for name in oracle.FLOATS if name != "float32"]:
        points = oracle.midpoints(name)
        mine = np.array([exact.encode(FORMATS[name], as_number(x)) for x in points])
        checked += len(points)
        wrong += int((mine != oracle.encoded(name, points)).sum())
    verified("formats: round every midpoint and its float32 neighbours", checked, wrong, MACHINE)


def test_ml_dtypes_rounds_the_smallest_scales_up():
    """Between 2^-127 and 1.5 × 2^-127 the nearest E8M0 value is 2^-127; ml_dtypes 0.6.0 gives 2^-126 (its slip)."""
    x = np.float32(1.25 * 2.0**-127)
    assert int(x.astype(oracle.DTYPES["float8_e8m0fnu"]).view(np.uint8)) == 1
    assert exact.encode(FORMATS["float8_e8m0fnu"], as_number(x)) == 0


def test_specials_and_overflow_equal_ml_dtypes():
    """Infinities, NaNs of both signs, zeros and huge numbers become the code that ml_dtypes gives them."""
    points = np.array([np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 3e38, -3e38, 1e-45, -1e-45, -1.0], np.float32)
    for name in [name for name in oracle.FLOATS if name != "float32"]:
        mine = [exact.encode(FORMATS[name], as_number(x)) for x in points]
        assert oracle.encoded(name, points).tolist() == mine, name


@pytest.mark.whole
def test_gfloat_agrees_where_it_has_the_format(verified):
    """gfloat decodes every code, and rounds every midpoint of the formats up to 8 bits, to the same numbers."""
    checked = wrong = 0
    for name, info in GFLOAT.items():
        row = FORMATS[name]
        codes = np.arange(1 << row.bits)
        theirs = np.array([gfloat.decode_float(info, int(code)).fval for code in codes])
        wrong += differing(np.array([as_float(exact.decode(row, int(code))) for code in codes]), theirs)
        checked += len(codes)
        if row.bits <= 8 and row.specials != "fnu":
            inside = [x for x in oracle.midpoints(name) if abs(x) <= max(theirs[np.isfinite(theirs)])]
            mine = [as_float(exact.decode(row, exact.encode(row, as_number(x)))) for x in inside]
            wrong += differing(np.array(mine), gfloat.round_ndarray(info, np.array(inside, np.float64)))
            checked += len(inside)
    verified("formats: decoding and rounding", checked, wrong, f"gfloat {version('gfloat')}")


def test_a_typed_decimal_is_rounded_once():
    """1.0625 × (1 + 1e-12) lies past the tie: E4M3 stores 1.125, where a float64 cast through float32 stores 1.0."""
    row = FORMATS["float8_e4m3fn"]
    number, _, _ = exact.parse("1.0625000000010625", row)
    assert Fraction(9, 8) == exact.decode(row, exact.encode(row, number)).value
    twice = np.float64(1.0625 * (1 + 1e-12)).astype(np.float32).astype(oracle.DTYPES["float8_e4m3fn"])
    assert float(twice) == 1.0


def test_typed_decimals_round_to_the_nearest_fraction(verified):
    """Decimals a hair beside a midpoint round to the nearer neighbour, found by comparing fractions."""
    rng = random.Random(7)
    checked = wrong = 0
    for name in [*SMALL, "tf32", "float32"]:
        row = FORMATS[name]
        low, high = exact.ranks(row)
        for _ in range(200):
            place = rng.randrange(low, high)
            below, above = (exact.decode(row, exact.at_rank(row, p)).value for p in (place, place + 1))
            hair = (above - below) * Fraction(rng.choice([-1, 1]), 10 ** rng.randrange(13, 40))
            typed = decimal_text((below + above) / 2 + hair)
            number, _, sentence = exact.parse(typed, row)
            nearest = below if abs(number.value - below) < abs(number.value - above) else above
            checked += 1
            wrong += exact.decode(row, exact.encode(row, number)).value != nearest or sentence != ""
    verified("formats: rounding of decimals close to a tie", checked, wrong, "exact comparison of fractions")


def decimal_text(x: Fraction) -> str:
    """All digits of a fraction whose denominator has only twos and fives, or 90 of them."""
    places = 90 + 60
    scaled = abs(x.numerator) * 10**places // x.denominator
    return f"{'-' if x < 0 else ''}{scaled // 10**places}.{scaled % 10**places:0{places}d}"


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1,000.5", Fraction(2001, 2)),
        ("-.5e-3", Fraction(-1, 2000)),
        ("1/3", Fraction(1, 3)),
        ("-2.5 / 4", Fraction(-5, 8)),
        ("0x1.8p3", Fraction(12)),
        ("0x.8p0", Fraction(1, 2)),
        ("2^-9", Fraction(1, 512)),
        ("−7", Fraction(-7)),
        ("0x5D", Fraction(26)),
        ("0b01011101", Fraction(26)),
    ],
)
def test_a_number_can_be_typed_in_many_ways(typed, value):
    """Decimal, fraction, hexfloat, power of two, hex and binary bits all read exactly."""
    number, _, sentence = exact.parse(typed, FORMATS["float8_e4m3fn"])
    assert (value, "") == (number.value, sentence)


@pytest.mark.parametrize(
    "typed", ["", "abc", "1..2", "1/0", "0x1FF", "1e99999", "1e5000", "١", "--1", "0x", "1,00", "9" * 401, "<b>"]
)
def test_nonsense_gets_a_sentence(typed):
    """What is no number gets one sentence and no number."""
    number, code, sentence = exact.parse(typed, FORMATS["float8_e4m3fn"])
    assert (number, code) == (None, None)
    assert sentence.endswith(".")


def test_exact_decimals_are_exact():
    """The printed decimal of every E4M3, E5M2 and E8M0 value reads back as the same fraction."""
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"):
        row = FORMATS[name]
        for code in range(256):
            number = exact.decode(row, code)
            if number.kind == "finite":
                assert number.value == Fraction(text.decimal(number.value))


def test_hexfloats_read_back():
    """The printed hexfloat of float32 values is the one Python reads as the same number."""
    rng = np.random.default_rng(3)
    for x in rng.integers(0, 2**31 - 2**24, 500).astype(np.uint32).view(np.float32):
        assert float(x) == float.fromhex(text.hexfloat(Fraction(float(x))))


@pytest.mark.parametrize(
    ("x", "printed"),
    [
        (Fraction(1, 512), "0.001953"),
        (Fraction(1, 64), "0.01562"),
        (Fraction(57344), "57344"),
        (Fraction(-448), "-448"),
        (Fraction(2) ** 127, "1.701e38"),
        (Fraction(1, 3), "0.3333"),
        (Fraction(99999, 100000), "0.99999"),
        (Fraction(999996, 1000000000), "0.001"),
    ],
)
def test_short_numbers_keep_four_digits(x, printed):
    """Short numbers are exact where they fit and rounded to four digits where not."""
    assert printed == text.short(x)


@pytest.mark.parametrize(
    ("name", "largest", "normal", "smallest", "count"),
    [
        ("bfloat16", (2 - 2**-7) * 2.0**127, 2.0**-126, 2.0**-133, 65279),
        ("float16", 65504, 2.0**-14, 2.0**-24, 63487),
        ("float8_e4m3fn", 448, 2.0**-6, 2.0**-9, 253),
        ("float8_e4m3", 240, 2.0**-6, 2.0**-9, 239),
        ("float8_e4m3fnuz", 240, 2.0**-7, 2.0**-10, 255),
        ("float8_e4m3b11fnuz", 30, 2.0**-10, 2.0**-13, 255),
        ("float8_e5m2", 57344, 2.0**-14, 2.0**-16, 247),
        ("float8_e5m2fnuz", 57344, 2.0**-15, 2.0**-17, 255),
        ("float8_e3m4", 15.5, 2.0**-2, 2.0**-6, 223),
        ("float6_e2m3fn", 7.5, 1, 0.125, 63),
        ("float6_e3m2fn", 28, 0.25, 0.0625, 63),
        ("float4_e2m1fn", 6, 1, 0.5, 15),
    ],
)
def test_the_ends_of_every_format_are_the_published_ones(name, largest, normal, smallest, count):
    """Largest, smallest normal and smallest number, and how many there are, as the specifications print them."""
    row = FORMATS[name]
    ml = ml_dtypes.finfo(oracle.DTYPES[name])
    made = explainers.reference("bits").compute({"format": name, "code": 0, "typed": ""}, explainers.data("bits"))
    values = [exact.decode(row, code).value for code in (exact.max_magnitude(row), exact.mantissa_size(row), 1)]
    assert [largest, normal, smallest] == [float(value) for value in values]
    assert [largest, normal, smallest] == [float(ml.max), float(ml.smallest_normal), float(ml.smallest_subnormal)]
    assert count == made["format"]["count"]


@pytest.mark.whole
def test_numbers_below_one_are_counted_right():
    """The page's "smaller than 1 in magnitude" is a count over the decoded codes."""
    for name, row in FORMATS.items():
        if row.bits <= 16:
            found = {exact.decode(row, c).value for c in range(1 << row.bits) if exact.decode(row, c).kind == "finite"}
            made = explainers.reference("bits").compute(
                {"format": name, "code": 0, "typed": ""}, explainers.data("bits")
            )
            assert sum(abs(value) < 1 for value in found) == made["format"]["below_one"], name
            assert len(found) == made["format"]["count"], name


def becomes(name: str, x: float, cast) -> str:
    """What a cast makes of x, in the words of the policy table."""
    value = cast(x)
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "inf"
    row = FORMATS[name]
    if value == float(exact.decode(row, exact.max_magnitude(row)).value):
        return "max"
    return "-0" if value == 0 and np.signbit(value) else f"{value:g}"


def test_the_overflow_table_is_what_ml_dtypes_does():
    """Every ml_dtypes row of the policy table is measured again: past the end, infinity, NaN."""
    rows = [row for row in explainers.data("bits")["policies"] if row[1].startswith("ml_dtypes") and row[0] != "int4"]
    assert len(rows) == 12
    for name, _, *expected, _, _, _ in rows:
        dtype = oracle.DTYPES[name]
        with np.errstate(all="ignore"):
            cast = lambda x, dtype=dtype: float(np.float32(x).astype(dtype))  # noqa: E731
            assert expected == [becomes(name, x, cast) for x in (np.finfo(np.float32).max, np.inf, np.nan)], name


def test_int4_wraps_in_ml_dtypes():
    """8 becomes -8, 100 becomes 4, NaN and infinity become 0: the int4 row of the policy table."""
    with np.errstate(all="ignore"):
        cast = np.array([8, 100, np.nan, np.inf], np.float32).astype(ml_dtypes.int4)
    assert cast.astype(int).tolist() == [-8, 4, 0, 0]


def test_the_overflow_table_is_what_gfloat_does():
    """Every gfloat row of the policy table is measured again, saturating and not."""
    rows = [row for row in explainers.data("bits")["policies"] if row[1].startswith("gfloat")]
    assert len(rows) == 7
    for name, library, *expected, _, _, _ in rows:
        for said, x in zip(expected, (1e6, np.inf, np.nan), strict=True):
            if said == "ValueError":
                with pytest.raises(ValueError):
                    gfloat.round_float(GFLOAT[name], x, sat="True" in library)
            else:
                cast = lambda v, name=name, library=library: gfloat.round_float(GFLOAT[name], v, sat="True" in library)  # noqa: E731
                assert said == becomes(name, x, cast), (name, library, x)
