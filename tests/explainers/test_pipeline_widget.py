"""The pipeline widget's arithmetic, executed in Chromium, against the reference."""

from __future__ import annotations

import base64
import itertools

import pytest

import explainers

reference = explainers.reference("pipeline")


@pytest.fixture
def widget(page):
    """A page that has the module at window.w and the reference's data at window.data."""
    source = base64.b64encode(explainers.module("pipeline").encode()).decode()
    page.goto("about:blank")
    page.evaluate(f"import('data:text/javascript;base64,{source}').then((w) => {{ window.w = w; }})")
    page.evaluate("(data) => { window.data = data; }", explainers.data("pipeline"))
    return page


def leaves(value) -> int:
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def grid():
    """Every schedule, many sizes and times, legal or not."""
    times = [(1, 1, 1, 0), (1, 1.25, 0.5, 0), (0.75, 2, 1.25, 0.5), (2, 0.25, 0, 0.25)]
    for name, row in reference.schedules.SCHEDULES.items():
        for p, m, v in itertools.product((2, 3, 4, 6, 8), (1, 3, 4, 6, 8, 12, 16), row.chunks):
            f, i, w, hop = times[(p + m + v) % 4]
            state = {**reference.STATE, "schedule": name, "pp": p, "microbatches": m, "chunks": v, "hop": hop}
            state |= {"forward": f, "input_grad": i, "weight_grad": w}
            yield state | {"cursor": 0.75 * m + p, "rank": m % p, "op": (5 * p) % (2 * m + 1)}


def test_compute_equals_reference(widget, verified):
    """Op order, starts, ends, bubbles, peaks, waits and sentences: everything printed, to the last bit."""
    checked = wrong = 0
    for case in [*reference.cases(), *grid()]:
        refused = reference.check(case)
        assert refused == widget.evaluate("(state) => w.check(state, data)", case)
        if refused:
            continue
        expected = reference.compute(case)
        actual = widget.evaluate("(state) => w.compute(state, data)", case)
        assert expected.keys() == actual.keys()
        differ = [key for key in expected if expected[key] != actual[key]]
        assert differ == [], (case, differ)
        checked += leaves(expected)
        wrong += len(differ)
    verified("pipeline: widget against reference", checked, wrong, "reference.py, executed in Chromium")


def test_check_says_the_same(widget):
    """A state that is refused gets the same sentence from both."""
    bad = [{"schedule": "x"}, {"pp": 17}, {"pp": 2.5}, {"pp": "4"}, {"microbatches": 0}, {"chunks": 9}, {"forward": 0}]
    bad += [{"weight_grad": -1}, {"hop": 3}, {"cursor": "x"}, {"rank": None}, {"op": True}, {"input_grad": "NaN"}]
    bad += [{"schedule": "interleaved", "microbatches": m, "pp": 4} for m in (2, 5, 9)]
    bad += [{"schedule": "dualpipe-v", "microbatches": 7}, {"schedule": "looped-bfs", "chunks": 1}, {}]
    for change in bad:
        state = {**reference.STATE, **change}
        sentence = reference.check(state)
        assert sentence == widget.evaluate("(state) => w.check(state, data)", state)
        assert bool(sentence) == bool(change)
