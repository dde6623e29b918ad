"""The collectives widget's runs, executed in Chromium, against the reference's log."""

from __future__ import annotations

import base64

import pytest

import explainers

reference = explainers.reference("collectives")


@pytest.fixture
def widget(page):
    """A page that has the module at window.w and the reference's data at window.data."""
    source = base64.b64encode(explainers.module("collectives").encode()).decode()
    page.goto("about:blank")
    page.evaluate(f"import('data:text/javascript;base64,{source}').then((w) => {{ window.w = w; }})")
    page.evaluate("(data) => { window.data = data; }", explainers.data("collectives"))
    return page


def leaves(value) -> int:
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def test_log_and_frames_equal_the_reference(widget, verified):
    """Every message, every array after every step, every count and time, over all collectives, algorithms and ranks."""
    checked = wrong = 0
    for case in reference.cases():
        assert widget.evaluate("(state) => w.check(state, data)", case) == ""
        expected = reference.compute(case)
        actual = widget.evaluate("(state) => w.compute(state, data)", case)
        assert expected.keys() == actual.keys()
        differ = [key for key in expected if expected[key] != actual[key]]
        assert differ == [], (case, differ)
        checked += leaves(expected)
        wrong += len(differ)
    verified("collectives: widget against reference", checked, wrong, "reference.py, executed in Chromium")


def test_check_says_the_same(widget):
    """A state that is refused gets the same sentence from both."""
    bad = [{"op": "gossip"}, {"algorithm": "star"}, {"ranks": 1}, {"ranks": 17}, {"ranks": 3.5}, {"ranks": "NaN"}]
    bad += [{"root": 4}, {"root": -1}, {"root": 0.5}, {"message": 9}, {"message": 20.5}, {"alpha": -1}, {"alpha": None}]
    bad += [{"bandwidth": 0}, {"bandwidth": "fast"}, {"step": "x"}, {}]
    for change in bad:
        state = {**reference.STATE, **change}
        sentence = reference.check(state)
        assert sentence == widget.evaluate("(state) => w.check(state, data)", state)
        assert bool(sentence) == bool(change)
