"""The tensor-parallel widget's runs, executed in Chromium, against the reference: the same numbers to the last bit."""

from __future__ import annotations

import base64
from functools import partial

import pytest

from cutaway import explainers
from tests import bundled

reference = explainers.reference("tensor-parallel")
DATA = partial(explainers.data, "tensor-parallel")


@pytest.fixture
def widget(page):
    """A page that has the module at window.w and the reference's data at window.data."""
    source = base64.b64encode(bundled.explainer("tensor-parallel").encode()).decode()
    page.goto("about:blank")
    page.evaluate(f"import('data:text/javascript;base64,{source}').then((w) => {{ window.w = w; }})")
    page.evaluate("(data) => { window.data = data; }", DATA())
    return page


def zero_states():
    """Every stage, convention and number of data-parallel ranks."""
    for stage in range(4):
        for d in (*range(1, 17), 32, 63, 64):
            for convention in DATA()["conventions"]:
                yield {**reference.STATE, "view": "zero", "stage": stage, "dp": d, "convention": convention}


def test_every_stage_is_computed_as_in_the_reference(blank, called, plain, verified):
    """ZeRO's bytes and step at every stage, convention and number of ranks, to the last bit."""
    page, states = blank(bundled.explainer("tensor-parallel")), list(zero_states())
    theirs = called(page, "compute", states, DATA())
    wrong = [state for state, got in zip(states, theirs, strict=True) if plain(reference.compute(state, DATA())) != got]
    assert wrong[:3] == []
    verified(
        "tensor-parallel: widget against the reference", len(states), len(wrong), "reference.py, run on the same states"
    )


def test_check_says_the_same(blank, called):
    """Every model on every number of ranks, and nonsense in every key: the same sentence from both."""
    states = [{"model": row[0], "tp": t, "sequence": 8190, "sequence_parallel": t % 2 == 0}
              for row in DATA()["models"] for t in range(1, 17)]  # fmt: skip
    states += [{"view": "x"}, {"model": "x"}, {"tp": 0}, {"tp": 2.5}, {"tp": "NaN"}, {"sequence": 0}, {"sequence": 1e9}]
    states += [{"sequence_parallel": "yes"}, {"step": 10}, {"rank": -2}, {"stage": 4}, {"dp": 65}, {"convention": "17"}]
    states = [{**reference.STATE, **change} for change in states]
    theirs = called(blank(bundled.explainer("tensor-parallel")), "check", states, DATA())
    assert [reference.check(state, DATA()) for state in states] == theirs
