"""app/first.py: what is rendered of a model is what its numbers ask for; anything older is a sentence."""

from __future__ import annotations

import pytest

from cutaway.app import first
from cutaway.app.site import Site
from cutaway.app.weigh import curve
from cutaway.explainers.bundles import BundleError
from tests import bundled

SLUG = "Qwen/Qwen3-8B"


@pytest.fixture(scope="module")
def asked() -> first.Asked:
    site = Site()
    return curve.asked(site.view(SLUG), site)


def test_a_piece_of_other_numbers_is_a_sentence(asked):
    """What is there for what is asked is shown; a model that is new, or has other numbers, says what to run."""
    assert first.piece("curve", SLUG, asked)["figure"].startswith("<figure")
    for key, wanted in ((SLUG, {**asked, "rows": asked["rows"][:2]}), ("new/one", asked)):
        with pytest.raises(BundleError, match=f"What {key} shows before scripts .curve. is older .*build/bundles.py"):
            first.piece("curve", key, wanted)


def test_a_build_of_other_data_renders_what_is_missing(asked, monkeypatch):
    """A watching build has Node: the figure of other numbers is drawn then, with the lines that were asked for."""
    monkeypatch.setattr(first, "render", bundled.maker().render_pieces)
    made = first.piece("curve", SLUG, {**asked, "rows": asked["rows"][:2]})["figure"]
    assert made.count('class="c-own"') == 3 and made.count('class="c-other') == 3
