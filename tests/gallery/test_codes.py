"""Codes and the numbers they mean, both ways, against ml_dtypes and numpy: every code, every tie and its neighbours."""

from fractions import Fraction
from itertools import pairwise

import ml_dtypes
import numpy as np
import pytest
from gfloat import decode_float, encode_float, round_float

from cutaway.gallery.formats.codes import (
    Number,
    at_rank,
    decode,
    encode,
    even,
    floor_log2,
    largest,
    max_magnitude,
    nan_code,
    pow2,
    rank,
    ranks,
)
from cutaway.gallery.formats.scalar import FORMATS, Format
from tests.gfloats import UNSIGNED, UNSIGNED_IDS, info

KINDS = {name: np.dtype(getattr(ml_dtypes, name)) for name in FORMATS if hasattr(ml_dtypes, name)}
KINDS |= {"float16": np.dtype(np.float16), "int8": np.dtype(np.int8)}
FLOATS = [name for name in KINDS if FORMATS[name].specials not in ("int", "fnu")]
SMALL = [name for name in FLOATS if FORMATS[name].bits <= 8]


def meant(name: str, codes: np.ndarray) -> np.ndarray:
    """What codes mean to ml_dtypes or numpy."""
    kind = KINDS[name]
    with np.errstate(invalid="ignore"):
        return codes.astype(f"uint{8 * kind.itemsize}").view(kind).astype(np.float64)


def number(x: float) -> Number:
    """A float as the exact number that it is."""
    if not np.isfinite(x):
        return Number("nan" if np.isnan(x) else "inf", bool(np.signbit(x)))
    return Number("finite", bool(np.signbit(x)), abs(Fraction(x)))


def codes_of(name: str) -> np.ndarray:
    """Every code of a narrow format, one in 37 of a wide one with all around its ends."""
    many = 1 << FORMATS[name].bits
    if many <= 256:
        return np.arange(many)
    ends = [0, 1, many // 2, many // 2 + 1, many - 1]
    around = [c + d for c in (0x7C00, 0x7F80, 0xFC00, 0xFF80, 0x0400, 0x0080) for d in (-1, 0, 1)]
    return np.array(sorted({*range(0, many, 37), *ends, *around}))


def hard(name: str) -> np.ndarray:
    """Numbers that are hard to round: the format's own, ties between neighbours, a hair to either side, too large."""
    own = meant(name, codes_of(name))
    own = np.unique(own[np.isfinite(own)])
    step = meant(name, np.arange(1 << min(FORMATS[name].bits, 8)))  # the smallest, with their ties
    low = np.unique(step[np.isfinite(step)])
    ties = np.concatenate([(one[1:] + one[:-1]) / 2 for one in (own if len(own) <= 256 else low, low)])
    hairs = np.concatenate([np.nextafter(ties, -np.inf), np.nextafter(ties, np.inf)])
    top = own[-1]
    ends = [top, top * 1.01, top * 1.0625, top * 1.125, top * 1.5, top * 2, top * 1e3, np.inf, np.nan, 0.0]
    both = np.concatenate([own[:: max(len(own) // 256, 1)], ties, hairs, ends])
    return np.concatenate([both, -both])


@pytest.mark.parametrize("name", FLOATS)
def test_every_code_means_what_ml_dtypes_says(name):
    """Numbers, infinities and NaNs, with their signs."""
    codes = codes_of(name)
    for code, wanted in zip(codes.tolist(), meant(name, codes).tolist(), strict=True):
        found = decode(FORMATS[name], code)
        assert found.kind == ("nan" if np.isnan(wanted) else "inf" if np.isinf(wanted) else "finite"), code
        if found.kind == "finite":
            assert (float(found.value), found.negative) == (wanted, bool(np.signbit(wanted))), code


@pytest.mark.parametrize("name", FLOATS)
def test_every_number_becomes_the_code_that_ml_dtypes_says(name):
    """Ties to even, a hair to either side, what is too large, infinity, NaN, both zeros."""
    kind, numbers = KINDS[name], hard(name).astype(np.float64)
    with np.errstate(all="ignore"):
        exact = numbers[np.isnan(numbers) | (numbers.astype(np.float32) == numbers)]  # ml_dtypes goes through float32
        wanted = exact.astype(np.float32).astype(kind).view(f"uint{8 * kind.itemsize}").tolist()
    wrong = [(x, code, found) for x, code in zip(exact.tolist(), wanted, strict=True)
             if (found := encode(FORMATS[name], number(x))) != code]  # fmt: skip
    assert wrong == [] and len(exact) > 20


@pytest.mark.parametrize("name", SMALL)
def test_a_hair_beside_a_tie_is_nearer_to_one_side(name):
    """What float32 cannot tell from a tie, fractions can."""
    f, hair = FORMATS[name], Fraction(1, 10**30)
    for place in range(max(ranks(f)[0], -20), min(ranks(f)[1], 20)):
        low, high = (decode(f, at_rank(f, at)).value for at in (place, place + 1))
        tie = (low + high) / 2
        for x, wanted in ((tie - hair, low), (tie + hair, high)):
            assert decode(f, encode(f, Number("finite", x < 0, abs(x)))).value == wanted


ENDS = {"float16": 65504, "bfloat16": Fraction(2) ** 127 * Fraction(255, 128), "float8_e4m3fn": 448,
        "float8_e4m3": 240, "float8_e4m3fnuz": 240, "float8_e4m3b11fnuz": 30, "float8_e5m2": 57344,
        "float8_e5m2fnuz": 57344, "float8_e3m4": Fraction(31, 2), "float6_e2m3fn": Fraction(15, 2),
        "float6_e3m2fn": 28, "float4_e2m1fn": 6, "float8_e8m0fnu": pow2(127), "int8": 127, "int4": 7,
        "tf32": pow2(127) * Fraction(2047, 1024), "float32": Fraction(float(np.finfo(np.float32).max))}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_where_a_format_ends(name):
    """Its largest number."""
    assert largest(FORMATS[name]) == ENDS[name]


@pytest.mark.parametrize("name", [name for name, f in FORMATS.items() if f.bits <= 8])
def test_codes_stand_in_a_row(name):
    """One rank after another is one number after another; a rank's code has that rank, and decodes to itself."""
    f = FORMATS[name]
    low, high = ranks(f)
    values = [decode(f, at_rank(f, place)).value for place in range(low, high + 1)]
    assert values == sorted(set(values))
    assert [rank(f, at_rank(f, place)) for place in range(low, high + 1)] == list(range(low, high + 1))
    finite = [code for code in range(1 << f.bits) if decode(f, code).kind == "finite"]
    assert [code for code in finite if encode(f, decode(f, code)) != code] == []
    assert {rank(f, code) for code in range(1 << f.bits) if code not in finite} <= {None}
    zeros = [code for code in finite if decode(f, code).value == 0]
    assert [rank(f, code) for code in zeros] == [7] if name == "nf4" else {rank(f, code) for code in zeros} <= {0}


@pytest.mark.parametrize("f", UNSIGNED, ids=UNSIGNED_IDS)
def test_an_unsigned_format_with_a_mantissa_is_one_row(f):
    """Every code means what gfloat says, zero and subnormals below, NaN at the top; and ranks begin at zero."""
    other = info(f)
    for code in range(1 << f.bits):
        found, wanted = decode(f, code), decode_float(other, code).fval
        assert found.kind == ("nan" if np.isnan(wanted) else "inf" if np.isinf(wanted) else "finite"), code
        assert not found.negative and (found.kind != "finite" or float(found.value) == wanted), code
    places = list(range(ranks(f)[1] + 1))
    assert ranks(f)[0] == 0 and [rank(f, at_rank(f, place)) for place in places] == places
    assert decode(f, 0).value == 0 and largest(f) == other.max


@pytest.mark.parametrize("f", UNSIGNED, ids=UNSIGNED_IDS)
def test_a_number_becomes_the_code_of_an_unsigned_format_that_gfloat_says(f):
    """Ties to even, a hair to either side, too large by the row's rule; below zero NaN, or zero where there is none."""
    other = info(f)
    own = [float(decode(f, code).value) for code in range(max_magnitude(f) + 1)]
    ties = [(low + high) / 2 for low, high in pairwise(own)]
    hairs = [np.nextafter(tie, to) for tie in ties for to in (-np.inf, np.inf)]
    numbers = [*own, *ties, *hairs, own[-1] * 2, *([np.inf] if f.overflow != "saturate" else [])]
    saturates = f.overflow == "saturate"
    wanted = [encode_float(other, round_float(other, float(x), sat=saturates)) for x in numbers]
    assert [encode(f, number(float(x))) for x in numbers] == wanted
    below = 0 if saturates else nan_code(f)
    assert [encode(f, number(x)) for x in (-0.0, -own[1] / 4, -own[1], -1.0, -np.inf)] == [0, 0, *[below] * 3]


def test_unsigned_whole_numbers_begin_at_zero():
    """As numpy clips to uint8."""
    f = Format("uint8", "UINT8", 0, 0, 8, 0, "int", "saturate", "", "a test")
    numbers = [n / 4 for n in range(-99, 1100)] + [np.inf, -np.inf]
    found = [encode(f, number(x)) for x in numbers]
    assert found == [int(np.clip(np.rint(x), 0, 255)) for x in numbers]
    assert [int(decode(f, code).value) for code in range(256)] == list(range(256))
    assert ranks(f) == (0, 255) and [rank(f, at_rank(f, place)) for place in range(256)] == list(range(256))


def test_a_bare_exponent_of_any_size_is_a_scale():
    """Not of eight bits alone: the last code is NaN, all others powers of two."""
    f = Format("ue5m0", "UE5M0", 0, 5, 0, 15, "fnu", "nan", "", "a test")
    assert [decode(f, code).value for code in range(31)] == [pow2(code - 15) for code in range(31)]
    assert decode(f, 31).kind == "nan" and ranks(f) == (0, 30)
    assert [encode(f, number(x)) for x in (0.0, -1.0, 2.0**-40, 1.5, 2.0**15, 2.0**16, np.nan)] == [
        31, 31, 0, 16, 30, 31, 31,
    ]  # fmt: skip


def test_a_row_says_whether_it_has_a_sign_once():
    """fnu rows have no sign bit; what needs one to say NaN has one."""
    assert {f.sign_bits for f in FORMATS.values() if f.specials == "fnu"} == {0}
    assert {f.sign_bits for f in FORMATS.values() if f.specials == "fnuz"} == {1}


@pytest.mark.parametrize("name", ["int8", "int4"])
def test_whole_numbers_round_to_even_and_saturate(name):
    """As numpy rounds and clips, two's complement; a NaN is zero."""
    f, many = FORMATS[name], 1 << FORMATS[name].bits
    numbers = [n / 4 for n in range(-3 * many, 3 * many + 1)] + [np.inf, -np.inf]
    wanted = [int(np.clip(np.rint(x), -many // 2, many // 2 - 1)) for x in numbers]
    found = [encode(f, number(x)) for x in numbers]
    assert found == [one % many for one in wanted]
    assert [int(decode(f, code).value) for code in found] == wanted
    assert [decode(f, code).negative for code in found] == [one < 0 for one in wanted]
    assert encode(f, Number("nan", True)) == 0


def test_scales_are_powers_of_two_and_their_ties_go_up():
    """E8M0 as ml_dtypes has it: nearest by size, from three halves on the next one; no sign, no zero."""
    f, kind = FORMATS["float8_e8m0fnu"], KINDS["float8_e8m0fnu"]
    for code in range(255):
        assert decode(f, code) == Number("finite", False, Fraction(2) ** (code - 127))
    assert decode(f, 255).kind == "nan"
    numbers = [2.0**e * share for e in range(-125, 127) for share in (1, 1.25, 1.4999, 1.5, 1.75)]
    assert [encode(f, number(x)) for x in numbers] == np.array(numbers).astype(kind).view(np.uint8).tolist()
    assert [encode(f, number(x)) for x in (0.0, -1.0, np.inf, -np.inf, np.nan)] == [255] * 5
    assert [encode(f, number(x)) for x in (2.0**-140, 2.0**127, 2.0**127 * 1.5, 2.0**200)] == [0, 254, 255, 255]


def test_nf4_takes_the_nearest_entry_and_of_two_the_lower():
    """Sixteen entries; halfway between two it is the lower, and beyond the ends the last."""
    f = FORMATS["nf4"]
    values = [Fraction(value) for value in f.values]
    for place, (low, high) in enumerate(pairwise(values)):
        tie, hair = (low + high) / 2, Fraction(1, 10**30)
        found = [encode(f, Number("finite", x < 0, abs(x))) for x in (low, tie - hair, tie, tie + hair, high)]
        assert found == [place, place, place, place + 1, place + 1]
    assert [encode(f, number(x)) for x in (-9.0, 9.0, -np.inf, np.inf, np.nan)] == [0, 15, 0, 15, 7]
    assert [float(decode(f, code).value) for code in range(16)] == list(f.values)


@pytest.mark.parametrize(("n", "d", "wanted"), [(5, 2, 2), (7, 2, 4), (-5, 2, -2), (-7, 2, -4), (9, 4, 2), (11, 4, 3),
                                                (-9, 4, -2), (3, 1, 3), (1, 3, 0), (2, 3, 1), (0, 5, 0)])  # fmt: skip
def test_a_tie_goes_to_the_even_neighbour(n, d, wanted):
    """As Python's round does for fractions."""
    assert even(n, d) == wanted == round(Fraction(n, d))


def test_exponents_are_exact():
    """2^e <= x < 2^(e+1), for fractions next to powers of two on both sides."""
    for e in range(-40, 41):
        assert pow2(e) == Fraction(2) ** e
        assert floor_log2(pow2(e)) == e == floor_log2(pow2(e) * Fraction(10**9 + 1, 10**9))
        assert floor_log2(pow2(e) * Fraction(10**9 - 1, 10**9)) == e - 1
