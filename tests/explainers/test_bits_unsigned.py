"""Formats without a sign that no row has yet: the bits page prints the same of them in both languages."""

from __future__ import annotations

import math

import pytest

from cutaway import explainers
from cutaway.gallery.formats.codes import decode, max_magnitude
from cutaway.gallery.formats.scalar import FORMATS, Format
from tests.explainers.test_pattern import differences
from tests.gfloats import UNSIGNED, UNSIGNED_IDS

ROWS = [
    *UNSIGNED,
    Format("uint8", "UINT8", 0, 0, 8, 0, "int", "saturate", "", "a test"),
    Format("ue5m0", "UE5M0", 0, 5, 0, 15, "fnu", "nan", "", "a bare exponent of five bits"),
]
TYPED = ("0", "-0", "-1e-9", "-1", "0.1", "1/3", "27.3", "448.1", "1e9", "inf", "-inf", "nan")


@pytest.mark.parametrize("row", ROWS, ids=[*UNSIGNED_IDS, "uint8", "ue5m0"])
def test_a_new_row_without_a_sign_is_told_alike(row, monkeypatch, blank, called, plain):
    """Every code, and numbers below zero, near it, between values and past the end: all that compute prints."""
    monkeypatch.setitem(FORMATS, row.name, row)
    made = explainers.reference("bits")
    data = plain(made.data())
    top = decode(row, max_magnitude(row)).magnitude
    typed = (*TYPED, *(str(float(top * share)) for share in (1, 33 / 32, 2)))
    states = [{"format": row.name, "code": code, "typed": ""} for code in range(1 << row.bits)]
    states += [{"format": row.name, "code": 0, "typed": one} for one in typed]
    theirs = called(blank(explainers.module("bits")), "compute", states, data)
    for state, got in zip(states, theirs, strict=True):
        mine = plain(made.compute(state, data))
        assert list(differences(mine, got))[:3] == [], state
        assert mine["format"]["line"].count("sign") == 0 and not math.isnan(mine["format"]["count"])
