"""Rounding to even and the facts of a format stand once: gallery.formats in Python, kit.roundEven in the browser."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import pytest

from cutaway import explainers
from cutaway.explainers.blocks import codec, plain_rows, rows
from cutaway.gallery.formats import codes
from cutaway.gallery.formats.scalar import FORMATS
from tests import bundled

FILES = [path for path in sorted(explainers.HERE.rglob("*")) if path.suffix in (".js", ".py")]
# What is left is exactly half, and whether a number is odd: a tie that goes to the even one. So does Python's round.
TIE = re.compile(r"(===? 0\.5|r ===? below|left ===? d|twice === whole)\b.*%|(?<!Math\.)\bround\((x[. ]|.*Fraction)")
# Sizes of formats as numbers: bits of each field, the largest number, the smallest exponent.
FIELDS = r"1, (2, 1|2, 3|3, 2|4, 3|5, 2)"  # sign, exponent, mantissa of FP4, both FP6, both FP8
CONSTANTS = re.compile(rf"57_?344|65_?504|3\.3895\d*e|\({FIELDS}\)|\[{FIELDS}\]|\bemin: -?\d|, 28\.0, ")


def lines(pattern: re.Pattern) -> list[str]:
    """Where a pattern stands in what is sent or run, comments left out."""
    found = []
    for path in FILES:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if pattern.search(re.sub(r"(//|#) .*$", "", line)):
                found.append(f"{path.relative_to(explainers.HERE)}:{number}")
    return found


def test_ties_go_to_the_even_number_in_one_place():
    """Of all explainers' files only the kit decides a tie; Python's decision stands in gallery.formats."""
    assert [where.partition(":")[0] for where in lines(TIE)] == ["kit/arrays.js"]


def test_no_explainer_repeats_what_a_format_is():
    """Largest numbers, exponents and bit fields come from the rows of gallery.formats."""
    assert lines(CONSTANTS) == []


def test_even_is_what_decimal_says():
    """Whole numbers, halves and what lies between, on both sides of zero, as decimal's ROUND_HALF_EVEN has them."""
    wide = Context(prec=60, rounding=ROUND_HALF_EVEN)
    for d in (1, 2, 4, 5, 8, 10):
        for n in range(-100, 101):
            assert codes.even(n, d) == int((Decimal(n) / d).to_integral_value(context=wide)), (n, d)
    big = 10**30
    assert [codes.even(2 * big + k, 2) for k in (-1, 0, 1, 2, 3)] == [big, big, big, big + 1, big + 2]
    assert all(codes.even(n, d) == round(Fraction(n, d)) for n in range(-60, 61) for d in range(1, 13))


EVEN = """(top) => {
  const found = [];
  for (let d = 1; d <= 12; d += 1) for (let n = -top; n <= top; n += 1) {
    const down = Math.floor(n / d);
    const parts = [down, n - down * d, d];
    found.push([n, d, loaded.kit.roundEven(...parts), Number(loaded.kit.roundEven(...parts.map(BigInt)))]);
  }
  return found;
}"""


def test_the_kit_rounds_as_python_does(blank, verified):
    """kit.roundEven, of numbers and of BigInts, is codes.even for every n/d up to 150/12."""
    page = blank(bundled.kit())
    found = page.evaluate(EVEN, 150)
    wrong = [row for row in found if row[2] != codes.even(*row[:2]) or row[3] != codes.even(*row[:2])]
    assert wrong == []
    verified("blocks: round-to-even in JavaScript", 2 * len(found), len(wrong), "gallery.formats.codes")


@pytest.mark.parametrize("scheme", [name for name, element in codec.MX.items() if not element.unit])
def test_elements_are_the_rows_of_formats(scheme):
    """What blocks round to has the bits, the largest number and the exponents of its format's row."""
    row = next(one for one in plain_rows.played_schemes() if one["name"] == scheme)
    f, held, given = FORMATS[rows.PLAYED[scheme].element], codec.MX[scheme], row["format"]
    numbers = [codes.decode(f, code) for code in range(1 << f.bits)]
    most = max(x.magnitude for x in numbers if x.kind == "finite")
    assert held.dtype.__name__ == f.name
    assert (held.bits, held.largest, held.mantissa_bits) == (f.bits, float(most), f.mantissa_bits)
    assert 2**held.emax <= most < 2 ** (held.emax + 1)
    assert (given["bits"], given["largest"], given["emax"]) == (held.bits, held.largest, held.emax)
    assert 2.0 ** given["emin"] == float(codes.decode(f, codes.mantissa_size(f)).magnitude)


def test_mxint8_counts_in_sixty_fourths():
    """Its element is INT8 times 2^-6 (OCP MX v1.0), so the largest is 127/64; the browser is told the same."""
    given = next(one for one in plain_rows.played_schemes() if one["name"] == "mxint8")["format"]
    held = codec.MX["mxint8"]
    assert (held.unit, held.largest, held.emax) == (given["unit"], given["largest"], given["emax"]) == (64, 127 / 64, 0)
