"""/your-model/ in Firefox, driven over BiDi: the same answers as CPython's, byte by byte."""

from __future__ import annotations

import json

import pytest

from tests.app.test_firefox import fox  # noqa: F401
from tests.site import your_model_page

pytestmark = [pytest.mark.browser, pytest.mark.whole]


def test_the_worker_answers_as_a_server_does(fox, your_model_url, verified):  # noqa: F811
    """Drawings and comparisons of configs that are in no catalogue, and sentences on faults."""
    fox.goto(your_model_url)
    requests = your_model_page.asked()
    given = json.dumps(requests)
    kept = "(found) => { window.answered = found; }, (why) => { window.answered = [String(why)]; }"
    fox.evaluate(f"void ({your_model_page.DRAW})({given}).then({kept})")
    assert fox.until("!!window.answered", 500)
    unequal = your_model_page.wrong(requests, fox.evaluate("answered"))
    assert unequal == [] and fox.troubles() == []
    verified("answers of Python in Firefox", len(requests), len(unequal), "CPython")
