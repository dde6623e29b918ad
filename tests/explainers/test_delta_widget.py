"""The delta-rule widget's arithmetic, executed in Chromium, against the reference."""

import base64
import json
import math

import pytest

from cutaway import explainers
from tests import bundled

reference = explainers.reference("delta-rule")
NEAR = 1e-12


@pytest.fixture
def widget(page):
    """A page that has the module at window.w and the reference's data at window.data."""
    source = base64.b64encode(bundled.explainer("delta-rule").encode()).decode()
    page.goto("about:blank")
    page.evaluate(f"import('data:text/javascript;base64,{source}').then((w) => {{ window.w = w; }})")
    page.evaluate("(data) => { window.data = data; }", explainers.data("delta-rule"))
    return page


def far(expected, actual, path="") -> list[str]:
    """Where two results differ: by more than 1e-12 of their size, or in anything that is no number."""
    if isinstance(expected, dict):
        assert expected.keys() == actual.keys(), path
        return [bad for key in expected for bad in far(expected[key], actual[key], f"{path}/{key}")]
    if isinstance(expected, list):
        assert len(expected) == len(actual), path
        pairs = enumerate(zip(expected, actual, strict=True))
        return [bad for i, (e, a) in pairs for bad in far(e, a, f"{path}/{i}")]
    if path.endswith("/apart"):  # rounding noise itself: both must be noise
        return [] if max(expected, actual) < NEAR else [path]
    if isinstance(expected, float) and isinstance(actual, float | int):
        return [] if math.isclose(expected, actual, rel_tol=NEAR, abs_tol=NEAR) else [path]
    return [] if expected == actual else [path]


def leaves(value) -> int:
    """How many numbers a result holds."""
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def test_compute_equals_reference(widget, verified):
    """Every number of all five rules, in both forms, over the shared cases."""
    checked, bad = 0, []
    for case in reference.cases():
        expected = json.loads(json.dumps(reference.compute(case, reference.data())))
        actual = widget.evaluate("(state) => w.compute(state, data)", case)
        bad += far(expected, actual)
        checked += leaves(expected)
    assert bad == []
    verified("delta-rule: widget against the reference, with a tolerance of 1e-12", checked, len(bad), "numpy")


def test_check_says_the_same(widget):
    """A state that is refused gets the same sentence from both."""
    wrong = [*reference.bad_cases(), {}]
    for change in wrong:
        state = {**reference.STATE, **change}
        assert reference.check(state) == widget.evaluate("(state) => w.check(state, data)", state)
        assert bool(change) == bool(reference.check(state))
