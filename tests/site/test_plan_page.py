"""The planner's page as HTML, before any script: sentences, stacks, tables, sheets; what a search engine reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cutaway.app.plan_page import first_visit
from cutaway.app.plan_page import page as page_of_plan
from cutaway.app.site import TEMPLATES, Site
from cutaway.explainers import bundles
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.search import digits, search
from cutaway.gallery.planning.seconds import bind_step
from tests.site.html_check import Document
from tests.stills import differ

SOURCES = TEMPLATES / "plan_page" / "planner"


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
    model = page_of_plan.model(Site(), first_visit.FIRST)["sheet"]
    found = plan(model, first_visit.first_layout())
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"<script.*?</script>", "", html, flags=re.S)))
    assert first_visit.headline(model, found, bind_step(model, found)) in text
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
    model = page_of_plan.model(Site(), first_visit.FIRST)["sheet"]
    found = search(model, first_visit.first_layout())
    assert found.own.plan.fits
    assert digits(found.own.seconds) == digits(found.rows[0].seconds)


def test_the_page_carries_its_first_sheet_and_every_device(html):
    """The script needs nothing but the page: constants, defaults, the first model; </script> cannot end it early."""
    data = json.loads(re.search(r'<script type="application/json" id="plan-data">(.*?)</script>', html, re.S)[1])
    assert data["first"]["slug"] == first_visit.FIRST
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


def test_the_files_of_the_scripts_are_all_in_them():
    """Every file of app/plan_page/planner is in one of the page's scripts, and none of them is sent on its own."""
    files = {f"app/plan_page/planner/{path.name}" for path in SOURCES.glob("*.js")}
    assert files == {name for name in bundles.manifest() if name.startswith("app/plan_page/planner/")}
    from cutaway.app.site import assets

    assert not [page.path for page in assets.pages(Site()) if "/js/plan/" in page.path]


def imports(name: str) -> set[str]:
    """The files of app/plan_page/planner that one of them imports, at once or later."""
    return set(re.findall(r'(?:from |import\()"\./([\w-]+)\.js"', (SOURCES / f"{name}.js").read_text("utf-8")))


def test_no_file_of_the_scripts_imports_itself_in_a_circle():
    """Taken away one after the other where they import nothing that is left, all files go, later.js's too."""
    left = {path.stem: imports(path.stem) for path in SOURCES.glob("*.js")}
    assert "later" in left["lazy"]
    while free := {name for name, needs in left.items() if not needs & left.keys()}:
        left = {name: needs for name, needs in left.items() if name not in free}
    assert left == {}


def test_a_script_is_fetched_beside_the_one_that_imports_it(html):
    """What page.js imports is asked for by the page itself: nobody waits for two trips. What comes later is not."""
    script = bundles.text(page_of_plan.SCRIPT)
    at_once = set(re.findall(r'(?:from|import)"\./([^"]+)"', script))
    later = set(re.findall(r'import\("\./([^"]+)"\)', script))
    asked = set(re.findall(r'rel="modulepreload" href="\.\./assets/plan/([^"]+)"', html))
    assert asked == at_once != set()
    assert len(later) == 1
    assert later | asked | {"page.js", "worker.js"} == {name.removeprefix("plan/") for name in bundles.names("plan")}


def test_a_model_page_leads_to_its_plan():
    """Each drawn model has a link to the planner with itself in it."""
    from cutaway.app.model_page import page as models

    site = Site()
    assert "plan/?m=openai/gpt-oss-20b" in models.model_page(site, site.view("openai/gpt-oss-20b"))
