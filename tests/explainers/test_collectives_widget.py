"""The collectives widget's runs, executed in Chromium, against the reference's log."""

from __future__ import annotations

import base64

import pytest

from cutaway import explainers
from tests import bundled

reference = explainers.reference("collectives")


@pytest.fixture
def widget(page):
    """A page that has the module at window.w and the reference's data at window.data."""
    source = base64.b64encode(bundled.explainer("collectives").encode()).decode()
    page.goto("about:blank")
    page.evaluate(f"import('data:text/javascript;base64,{source}').then((w) => {{ window.w = w; }})")
    page.evaluate("(data) => { window.data = data; }", explainers.data("collectives"))
    return page


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
