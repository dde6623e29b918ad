"""The tensor-parallel widget's runs, executed in Chromium, against the reference: the same numbers to the last bit."""

from __future__ import annotations

import base64

import pytest

import explainers

reference = explainers.reference("tensor-parallel")
DATA = explainers.data("tensor-parallel")


@pytest.fixture
def widget(page):
    """A page that has the module at window.w and the reference's data at window.data."""
    source = base64.b64encode(explainers.module("tensor-parallel").encode()).decode()
    page.goto("about:blank")
    page.evaluate(f"import('data:text/javascript;base64,{source}').then((w) => {{ window.w = w; }})")
    page.evaluate("(data) => { window.data = data; }", DATA)
    return page


def leaves(value) -> int:
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def zero_states():
    """Every stage, convention and number of data-parallel ranks."""
    for stage in range(4):
        for d in (*range(1, 17), 32, 63, 64):
            for convention in DATA["conventions"]:
                yield {**reference.STATE, "view": "zero", "stage": stage, "dp": d, "convention": convention}


def test_compute_equals_reference(widget, verified):
    """Differences of the executed layer, its log, shards, bytes and ZeRO's step: everything printed, bit for bit."""
    checked = wrong = 0
    for case in [*reference.cases(), *zero_states()]:
        assert reference.check(case, DATA) == widget.evaluate("(state) => w.check(state, data)", case) == ""
        expected = reference.compute(case, DATA)
        actual = widget.evaluate("(state) => w.compute(state, data)", case)
        assert expected.keys() == actual.keys()
        differ = [key for key in expected if expected[key] != actual[key]]
        assert differ == [], (case, {key: (expected[key], actual[key]) for key in differ})
        checked += leaves(expected)
        wrong += len(differ)
    verified("tensor parallel: widget against reference", checked, wrong, "reference.py, executed in Chromium")


def test_check_says_the_same(widget):
    """Every model on every number of ranks, and nonsense in every key: the same sentence from both."""
    states = [{"model": row[0], "tp": t, "sequence": 8190, "sequence_parallel": t % 2 == 0}
              for row in DATA["models"] for t in range(1, 17)]  # fmt: skip
    states += [{"view": "x"}, {"model": "x"}, {"tp": 0}, {"tp": 2.5}, {"tp": "NaN"}, {"sequence": 0}, {"sequence": 1e9}]
    states += [{"sequence_parallel": "yes"}, {"step": 10}, {"rank": -2}, {"stage": 4}, {"dp": 65}, {"convention": "17"}]
    for change in states:
        state = {**reference.STATE, **change}
        assert reference.check(state, DATA) == widget.evaluate("(state) => w.check(state, data)", state)
