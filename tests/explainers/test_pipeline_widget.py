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


def grid():
    """Every schedule, many sizes and times, legal or not."""
    times = [(1, 1, 1, 0), (1, 1.25, 0.5, 0), (0.75, 2, 1.25, 0.5), (2, 0.25, 0, 0.25)]
    for name, row in reference.schedules.SCHEDULES.items():
        for p, m, v in itertools.product((2, 3, 4, 6, 8), (1, 3, 4, 6, 8, 12, 16), row.chunks):
            f, i, w, hop = times[(p + m + v) % 4]
            state = {**reference.STATE, "schedule": name, "pp": p, "microbatches": m, "chunks": v, "hop": hop}
            state |= {"forward": f, "input_grad": i, "weight_grad": w}
            yield state | {"cursor": 0.75 * m + p, "rank": m % p, "op": (5 * p) % (2 * m + 1)}


def test_every_schedule_is_computed_as_in_the_reference(blank, called, plain, verified):
    """Op order, starts, ends, bubbles, peaks, waits and sentences of every schedule on a grid, to the last bit."""
    page, states, data = blank(explainers.module("pipeline")), list(grid()), explainers.data("pipeline")
    assert [reference.check(state) for state in states] == called(page, "check", states, data)
    legal = [state for state in states if not reference.check(state)]
    theirs = called(page, "compute", legal, data)
    wrong = [state for state, got in zip(legal, theirs, strict=True) if plain(reference.compute(state)) != got]
    assert wrong[:3] == []
    verified("pipeline: widget against reference", len(legal), len(wrong), "reference.py, executed in Chromium")


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
