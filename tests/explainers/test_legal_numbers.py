"""explainers/legal_numbers.py: what is a number, what is a whole one, as JavaScript has it."""

from __future__ import annotations

import math
import sys

import pytest

from cutaway.explainers.legal_numbers import is_between, is_integer


@pytest.mark.parametrize("value", [True, "1", None, [1], math.nan, math.inf, -math.inf, 10**400])
def test_what_is_no_finite_number_is_refused(value):
    """Whatever the range; a whole number beyond all floats, too."""
    assert not is_between(value, -math.inf, math.inf) and not is_integer(value)


@pytest.mark.parametrize(("value", "whole"), [(0, True), (7, True), (7.0, True), (6.5, False), (-1, None), (8, None)])
def test_both_ends_belong_to_a_range(value, whole):
    """From 0 to 7; a float that is whole is whole."""
    assert is_between(value, 0, 7) == (whole is not None)
    assert is_integer(value, 0, 7) == bool(whole)
    assert is_between(sys.float_info.max, 0, math.inf)
