"""One table says how many bits a number takes; a name outside it is told to the reader."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.gallery import catalog, parameters, read
from cutaway.gallery.counting.kv_cache import rules_for, storage
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.formats import codes
from cutaway.gallery.formats.bits import BITS, SPELLINGS, format_name, stored_bits
from cutaway.gallery.formats.scalar import FORMATS
from cutaway.gallery.formats.schemes import SCHEMES

PLAIN = catalog.load("Qwen/Qwen3-8B")


def written(dtype: object):
    """A small model whose config says this dtype."""
    return read({**{key: value for key, value in PLAIN.items() if key not in ("dtype", "torch_dtype")}, "dtype": dtype})


def machine(name: str) -> np.dtype | None:
    """The type of ml_dtypes or numpy; None where neither has one."""
    try:
        return np.dtype(getattr(ml_dtypes, name, name))
    except TypeError:
        return None


@pytest.mark.parametrize("name", sorted(name for name in BITS if machine(name)))
def test_widths_are_those_of_ml_dtypes(name):
    """A type holds as many codes as its bits allow; ml_dtypes stores the narrow ones in a byte each."""
    kind = machine(name)
    try:
        bits = (ml_dtypes.finfo if hasattr(ml_dtypes, name) and "int" not in name else np.finfo)(kind).bits
    except ValueError:
        bits = (ml_dtypes.iinfo if hasattr(ml_dtypes, name) else np.iinfo)(kind).bits
    assert BITS[name] == bits


def test_the_table_agrees_with_the_formats_that_can_be_decoded():
    """Sign, exponent and mantissa make up the stored bits of every format but TF32, which travels in 32."""
    assert {name: row.bits for name, row in FORMATS.items() if BITS[name] != row.bits} == {"tf32": 19}


def test_every_scheme_uses_formats_of_the_table():
    """A scheme's element and its scale have a width."""
    assert {row.element for row in SCHEMES.values()} | {row.scale for row in SCHEMES.values()} <= set(BITS)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted({*BITS, *SPELLINGS})), st.sampled_from(["", "torch."]), st.booleans())
def test_a_known_dtype_costs_its_bits(word, prefix, upper):
    """However it is spelt, a dtype of the table is understood, and weights take as many bits as it says."""
    spec = written(prefix + (word.upper() if upper else word))
    assert (spec.dtype, spec.not_understood) == (SPELLINGS.get(word, word), ())
    assert stored_bytes(spec) * 8 == parameters(spec).total * BITS[spec.dtype]
    assert rules_for(spec).model_bits == max(BITS[spec.dtype], 16)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60) | st.integers() | st.lists(st.text(max_size=5), max_size=2))
def test_an_unknown_dtype_is_said(value):
    """What no table knows is counted as 16 bits, and the page says so in one sentence."""
    spec = written(value)
    known = isinstance(value, str) and (value == "auto" or format_name(value) in BITS)
    assert len(spec.not_understood) == (0 if known else 1)
    if not known:
        assert "is no number format known here" in spec.not_understood[0]
        assert stored_bits(spec.dtype) == 16


def test_a_cache_takes_the_bits_of_the_table():
    """TF32 travels in 32 bits in a cache too."""
    assert {name: storage(name).kv for name in FORMATS} == {name: BITS[name] for name in FORMATS}


@pytest.mark.parametrize("name", [name for name, f in FORMATS.items() if f.bits <= 8])
def test_the_ends_of_a_format_are_its_lowest_and_highest_rank(name):
    """ranks() are the least and the greatest rank that any code has."""
    f = FORMATS[name]
    found = [place for code in range(1 << f.bits) if (place := codes.rank(f, code)) is not None]
    assert (min(found), max(found)) == codes.ranks(f)
