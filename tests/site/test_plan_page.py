"""The planner's page as HTML, before any script: sentences, stacks, tables, sheets; what a search engine reads."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from cutaway.app.plan_page import page as page_of_plan
from cutaway.app.plan_page.first_visit import FIRST
from cutaway.app.site import TEMPLATES, Site
from cutaway.explainers import bundles
from cutaway.gallery.command.plan_words import gigabytes, labels, notes
from cutaway.gallery.planning.fits import plan
from cutaway.gallery.planning.search import digits, search
from tests.site import plan_said
from tests.site.html_check import Document
from tests.site.plan_rows import costs_of, holds_of, owned_as_told, talks_of
from tests.site.plan_words import first_visit
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
    """Verdict, what binds, the memory of each part, times, owners and communicators of the first visit are text."""
    model, layout = first_visit()
    found = plan(model, layout)
    assert plan_said.says(text_of(html, "verdict"), plan_said.headline(model, found))
    assert plan_said.says(text_of(html, "because"), plan_said.because(model, found))
    assert rows_of(html, "holds") == list(holds_of(found))
    assert rows_of(html, "costs") == list(costs_of(model, found))
    assert rows_of(html, "talks") == list(talks_of(model, found))
    owned_as_told(rows_of(html, "owns"), model, found)
    for name, told in (("notes", notes(model, found)), ("labels", labels(found))):
        assert text_of(html, name) == " ".join(f"{word} {words}" for word, words in told)


def test_the_first_drawing_is_there_without_a_script(html):
    """Each GPU's stack is as high as its parts are large, and beside them stand their gigabytes."""
    model, layout = first_visit()
    rank = plan(model, layout).fullest
    drawn, held = part_of(html, "drawing"), [rank.weights_bytes, rank.experts_bytes, rank.cache_bytes]
    high = [re.findall(rf'<rect height="([\d.]+)"[^>]*"st-{name}"', drawn) for name in ("weights", "experts", "cache")]
    assert [len(set(one)) for one in high] == [1, 1, 1] and [len(one) for one in high] == [layout.gpus] * 3
    line = re.findall(r'y="([\d.]+)" x="0" class="st-cap"', drawn)
    base, cap = 236 - 8, float(line[0]) + 5  # px of a stack's foot; the word stands over the line
    scale = (base - cap) / layout.device.memory_bytes
    assert [float(one[0]) for one in high] == pytest.approx([size * scale for size in held], abs=0.01)
    assert re.findall(r'"st-number">([\d.]+)', drawn) == [gigabytes(size) for size in (rank.framework_bytes, *held)]
    assert re.findall(r'"st-total">([\d.]+)', drawn) == [gigabytes(rank.total_bytes)] * layout.gpus


def part_of(html: str, name: str) -> str:
    """What stands in a place of the page."""
    begun = html.index(f'data-at="{name}"')
    inside, depth = html.index(">", begun) + 1, 1
    tag = re.search(r"<(\w+)[^<]*$", html[:begun])[1]
    for found in re.finditer(rf"<(/?){tag}\b", html[inside:]):
        depth += -1 if found[1] else 1
        if not depth:
            return html[inside : inside + found.start()]
    raise AssertionError(f"{name} does not end")


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html.replace("</p>", " "))).split())


def text_of(html: str, name: str) -> str:
    return plain(part_of(html, name))


def rows_of(html: str, name: str) -> list[list[str]]:
    """The rows of a table and of the facts below it."""
    rows = re.findall(r"<tr\b.*?</tr>|<div><dt>.*?</div>", part_of(html, name), re.S)
    return [
        [plain(cell) for cell in re.findall(r"<(?:t[dh]|dt|dd)\b[^>]*>(.*?)</(?:t[dh]|dt|dd)>", row)] for row in rows
    ]


def test_what_stands_before_the_script_is_as_kept(html, request):
    """Shapes, places and words of the first plan's drawing, lane, bars and tables; its numbers have other tests."""
    start, end = html.index("data-plan"), html.index('id="plan-data"')
    kept = Path(__file__).parent / "stills" / "plan.txt"
    assert differ({"plan": html[start:end]}, kept, request.config.getoption("--update-shots")) == []


def test_a_first_visit_sees_the_fastest_layout_that_fits():
    """No layout of the same GPUs is faster, to three digits."""
    found = search(*first_visit())
    assert found.own.plan.fits
    assert digits(found.own.seconds) == digits(found.rows[0].seconds)


def test_the_page_carries_its_first_sheet_and_every_device(html):
    """The script needs nothing but the page: constants, defaults, the first model; </script> cannot end it early."""
    data = json.loads(re.search(r'<script type="application/json" id="plan-data">(.*?)</script>', html, re.S)[1])
    assert data["first"]["slug"] == FIRST
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
    """What page.js imports is one file, which the page itself asks for: no second trip. What comes later is not."""
    script = bundles.text(page_of_plan.SCRIPT)
    at_once = set(re.findall(r'(?:from|import)"\./([^"]+)"', script))
    asked = set(re.findall(r'rel="modulepreload" href="\.\./assets/plan/([^"]+)"', html))
    assert asked == at_once and len(asked) == 1
    texts = [script, *(bundles.text(f"plan/{chunk}") for chunk in asked)]
    later = {name for text in texts for name in re.findall(r'import\("\./([^"]+)"\)', text)}
    assert len(later) == 5  # lanes and pins; suggestions; what can be copied; what axes mean; formulas
    assert later | asked | {"page.js", "worker.js"} == {name.removeprefix("plan/") for name in bundles.names("plan")}


def test_a_model_page_leads_to_its_plan():
    """Each drawn model has a link to the planner with itself in it."""
    from cutaway.app.model_page import page as models

    site = Site()
    assert "plan/?m=openai/gpt-oss-20b" in models.model_page(site, site.view("openai/gpt-oss-20b"))
