"""The planner's page as HTML, before any script: sentences, stacks, tables, sheets; what a search engine reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app import planned
from app.pages import plan as page_of_plan
from app.site import Site
from gallery.planning.fits import plan
from gallery.planning.search import digits, search
from gallery.planning.seconds import bound
from tests.site.html_check import Document
from tests.stills import differ


@pytest.fixture(scope="module")
def html() -> str:
    """The page as it is sent."""
    return page_of_plan.plan_page(Site())


def test_the_page_is_sound_and_has_no_inline_code(html):
    """Tags close, ids are unique, nothing inline that the policy would refuse, and the navigation leads here."""
    found = Document(html)
    assert found.errors == []
    assert found.inline == []
    assert len(found.ids) == len(set(found.ids))
    assert ("Plan", "/plan/") in Site().nav


def test_the_first_plan_is_there_without_a_script(html):
    """Verdict, what binds, the memory of each part, owners and communicators of the first visit are text."""
    model = page_of_plan.model(Site(), planned.FIRST)["sheet"]
    found = plan(model, planned.first_layout())
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"<script.*?</script>", "", html, flags=re.S)))
    assert planned.headline(model, found, bound(model, found)) in text
    for words in ("56.8", "17.3", "mlp.experts.*.* (3)", "all-reduce", "tp: 1 of 4 heads", "left out", "bounded"):
        assert words in text, words
    assert html.count('class="st-cache"') == 8
    assert html.count('class="st-copy-plain"') == 0


def test_what_stands_before_the_script_is_as_kept(html, request):
    """Shapes, places and words of the first plan's drawing, lane, bars and tables; its numbers have other tests."""
    start, end = html.index("data-plan"), html.index('id="plan-data"')
    kept = Path(__file__).parent / "stills" / "plan.txt"
    assert differ({"plan": html[start:end]}, kept, request.config.getoption("--update-shots")) == []


def test_a_first_visit_sees_the_fastest_layout_that_fits():
    """No layout of the same GPUs is faster, to three digits."""
    model = page_of_plan.model(Site(), planned.FIRST)["sheet"]
    found = search(model, planned.first_layout())
    assert found.own.plan.fits
    assert digits(found.own.seconds) == digits(found.rows[0].seconds)


def test_the_page_carries_its_first_sheet_and_every_device(html):
    """The script needs nothing but the page: constants, defaults, the first model; </script> cannot end it early."""
    data = json.loads(re.search(r'<script type="application/json" id="plan-data">(.*?)</script>', html, re.S)[1])
    assert data["first"]["slug"] == planned.FIRST
    assert len(data["first"]["sheet"]["layers"]) == 94
    assert {one["name"] for one in data["devices"]} >= {"h100_sxm", "gb200"}
    assert data["chosen"].keys() >= data["visit"].keys()


def test_there_is_a_small_sheet_for_every_model():
    """Each drawn model's sheet is listed once, the newest first, and takes less than 10 KB."""
    site = Site()
    paths = [page.path for page in page_of_plan.pages(site)]
    drawn = [row.slug for row in site.rows if row.snapshot]
    assert [path for path in paths if path.startswith("/plan/models/")] == [
        f"/plan/models/{slug}.json" for slug in drawn
    ]
    one = next(
        page for page in page_of_plan.pages(site) if page.path == "/plan/models/moonshotai/Kimi-K2-Instruct.json"
    )
    assert len(one.content()) < 10_000
    assert json.loads(one.content())["parameters"] > 1e12


def test_the_files_of_the_script_are_all_in_it():
    """Every file of static/js/plan is sent in one of the page's three scripts, and none of them on its own."""
    files = {path.stem for path in (page_of_plan.STATIC / "js" / "plan").glob("*.js")}
    later = (*page_of_plan.LANES, *page_of_plan.LATER)
    assert files == {*page_of_plan.TWIN, *page_of_plan.FACE, *page_of_plan.SEARCH, *later, "worker"}
    script = page_of_plan.plan_script()
    assert "import" not in re.findall(r"^\w+", script, re.M)
    from app.pages import assets

    assert not [page.path for page in assets.pages(Site()) if "/js/plan/" in page.path]


def test_a_model_page_leads_to_its_plan():
    """Each drawn model has a link to the planner with itself in it."""
    from app.pages import models

    site = Site()
    assert "plan/?m=openai/gpt-oss-20b" in models.model_page(site, site.view("openai/gpt-oss-20b"))
