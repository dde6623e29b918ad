"""Feeds, the tutorial's cells, languages and values of keys: what each makes of rows that a test wrote."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import pytest

from cutaway.app.config_keys import values
from cutaway.app.config_keys.values import Written
from cutaway.app.docs import tutorial
from cutaway.app.site import feeds, translated
from cutaway.explainers.languages import BY_CODE

ATOM = "{http://www.w3.org/2005/Atom}"


def site(rows: list, base: str = "") -> SimpleNamespace:
    """As much of a site as a feed asks for."""
    view = SimpleNamespace(line="12 layers")
    return SimpleNamespace(rows=rows, base=base, address=lambda path, _: base + path, view=lambda _: view)


def row(at: int, **more) -> SimpleNamespace:
    """A model that was read on a day of March; its release is of the month before."""
    own = {"slug": f"a/m{at}", "title": f"M{at}", "company": "A", "snapshot": True, "note": "", "date": "2024-02",
           "source": {"read": f"2024-03-{at:02d}"}}  # fmt: skip
    return SimpleNamespace(**own | more)


def test_the_feed_has_the_forty_that_were_read_last():
    """Newest first; the feed is as new as the first; a month begins with its first day, a day stays itself."""
    days = [row(at % 28 + 1, slug=f"a/{at:02d}", title=f"T{at}") for at in range(28)]
    older = [row(1, title=f"older {at}", source={}, date=f"2023-{at % 12 + 1:02d}-05") for at in range(20)]
    made = ElementTree.fromstring(feeds.feed(site([row(9, snapshot=False), *older, *days])))
    entries = made.findall(f"{ATOM}entry")
    updated = [one.findtext(f"{ATOM}updated") for one in entries]
    assert len(entries) == 40 and updated == sorted(updated, reverse=True)
    assert made.findtext(f"{ATOM}updated") == updated[0] == "2024-03-28T00:00:00Z"
    first = entries[0]
    assert first.findtext(f"{ATOM}published") == "2024-02-01T00:00:00Z"
    assert [first.findtext(f"{ATOM}{name}") for name in ("title", "summary")] == ["T27, A", "12 layers"]
    assert entries[-1].findtext(f"{ATOM}updated").startswith("2023-")


@pytest.mark.parametrize(("day", "said"), [("2024", "2024-01-01"), ("2024-12", "2024-12-01"), ("2024-12-26",) * 2])
def test_a_day_is_a_time_at_its_beginning(day, said):
    """As Atom writes one."""
    assert feeds._noon(day) == f"{said}T00:00:00Z"


def test_a_site_without_an_address_has_ids_that_stay_and_no_map():
    """With one, ids are addresses and robots are told of the map; without models a feed is of 1970."""
    bare, based = site([]), site([], "https://x.org/")
    assert feeds._name(based, "/models/a/") == "https://x.org/models/a/"
    assert feeds._name(bare, "/a/") == feeds._name(bare, "/a/") != feeds._name(bare, "/b/")
    assert feeds.robots(based).endswith("Sitemap: https://x.org/sitemap.xml\n") and "Sitemap" not in feeds.robots(bare)
    assert [page.path for page in feeds.pages(bare)] == ["/feed.xml", "/robots.txt"]
    assert [page.path for page in feeds.pages(based)][2:] == ["/sitemap.xml"]
    assert b"1970-01-01T00:00:00Z" in feeds.feed(bare)


def test_cells_of_a_notebook(monkeypatch):
    """Words; code with what it printed, in both spellings of a text; an error; a picture in place of its text."""
    svg = {"image/svg+xml": ["<svg>", "</svg>"], "text/plain": "<Drawing>"}
    cells = (
        {"cell_type": "markdown", "source": ["# A\n", "b"]},
        {"cell_type": "code", "source": "1 + 1", "metadata": {}, "outputs": [
            {"output_type": "stream", "text": ["one\n", "two\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "2\n"}},
            {"output_type": "error", "ename": "E", "evalue": "no"}]},
        {"cell_type": "code", "source": "draw", "metadata": {}, "outputs": [
            {"output_type": "display_data", "data": svg}]},
        {"cell_type": "code", "source": "live", "metadata": {"explainer": "bits"}, "outputs": [
            {"output_type": "stream", "text": "gone"}]},
    )  # fmt: skip
    monkeypatch.setattr(tutorial, "_cells", lambda: cells)
    assert tutorial.cells() == [
        tutorial.Cell(words="# A\nb"), tutorial.Cell(code="1 + 1", text="one\ntwo\n2\nE: no"),
        tutorial.Cell(code="draw", picture="/docs/tutorial/2.svg"), tutorial.Cell(code="live", live="bits"),
    ]  # fmt: skip
    assert tutorial.pictures() == {"/docs/tutorial/2.svg": "<svg></svg>"} and tutorial.words() == "# A\nb"


@pytest.mark.parametrize(("href", "english"), [
    ("../plan/", True), ("../", True), ("../zh/", False), ("glossary/", False), ("#a", False), ("?a=1", False),
    ("", False), ("mailto:a@b", False), ("//x.org/", False), ("/plan/?a#b", True), ("/zh/learn/", False),
])  # fmt: skip
def test_where_a_link_of_a_chinese_page_leads(href, english):
    """To an English page of this site, or not."""
    assert translated.leads_to_english(href, "/zh/") is english


def test_a_page_is_named_in_each_language_that_has_it():
    """English first, whichever of them asks; a page that is not translated has one."""
    paths = {"zh": frozenset({"/", "/glossary/"})}
    for path in ("/glossary/", "/zh/glossary/"):
        assert [one.path for one in translated.versions(paths, path)] == ["/glossary/", "/zh/glossary/"]
    assert [one.path for one in translated.versions(paths, "/plan/")] == ["/plan/"]
    assert translated.path_in(BY_CODE["zh"], "/") == "/zh/"


@pytest.mark.parametrize(("value", "text"), [
    (-10_000, "-10,000"), (-9999.0, "-9999"), (1e15, "1000000000000000.0"), (1e14, "100,000,000,000,000"),
    (float("inf"), "Infinity"), ([1] * 6, "[1, 1, 1, 1, 1, 1]"), ([1] * 7, "7 entries: 1\u00a0×\u00a07"),
    ([1, 2, 3, 4, 4, 4, 4], "7 entries: 4\u00a0×\u00a04, 1\u00a0×\u00a01, 2\u00a0×\u00a01, 3\u00a0×\u00a01"),
    ([1, 2, 3, 4, 5, 5, True], "7 entries: 1, 2, 3, 4 …"), ("x" * 78, '"' + "x" * 78 + '"'),
    ("x" * 79, '"' + "x" * 78 + "…"),
])  # fmt: skip
def test_a_value_in_a_few_letters(value, text):
    """Six entries of a list and eighty letters are shown; four different entries are counted one by one."""
    assert values.shown(value) == text


def test_values_of_a_key_are_counted_and_measured():
    """The commonest first, of equal ones that of the newest model; smallest, lower middle and largest of numbers."""
    rows = [
        Written(f"M{at}", "", "n" if at else "m", value, values.shown(value))
        for at, value in enumerate((8, 64, 8.0, 16, True, "x", 32, 64))
    ]
    found = values.counted(rows)
    assert [(one.text, len(one.models)) for one in found.values] == [
        ("8", 2), ("64", 2), ("16", 1), ("true", 1), ('"x"', 1), ("32", 1),
    ]  # fmt: skip
    assert [(one.words, one.text, one.model.title) for one in found.figures] == [
        ("smallest", "8", "M0"), ("median", "16", "M3"), ("largest", "64", "M1"),
    ]  # fmt: skip
    assert found.spellings == {"n": 7, "m": 1} and list(found.spellings) == ["n", "m"]
    assert values.figures([rows[0], rows[2], rows[4]]) == ()
