"""The catalogue as data: all rows and columns, the pages' own numbers, documented; the feed; what can be cited."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import cache
from xml.etree import ElementTree as Tree

import pytest

from cutaway import gallery
from cutaway.app.data import dataset
from cutaway.app.data import page as data
from cutaway.app.model_page import cite
from cutaway.app.site import feeds
from cutaway.gallery import catalog
from tests.one_site import SITE

ATOM = "{http://www.w3.org/2005/Atom}"


@cache
def table():
    """The data of the site, as a reader loads them."""
    return json.loads(dataset.as_json(SITE))


def row_of(slug):
    return next(row for row in table()["models"] if row["slug"] == slug)


@pytest.mark.whole
def test_every_model_has_a_row_and_every_column_a_meaning():
    """All of the catalogue in its order; the columns are those that are documented."""
    assert [row["slug"] for row in table()["models"]] == [row.slug for row in catalog.MODELS]
    names = [field.name for field in dataset.FIELDS]
    assert all(list(row) == names for row in table()["models"])
    assert table()["fields"] == {field.name: [field.kind, field.says] for field in dataset.FIELDS}
    html = data.page(SITE)
    assert all(f"<code>{name}</code>" in html for name in names)
    assert all(len(field.says) > 10 for field in dataset.FIELDS)


def test_values_are_of_their_kind():
    """Integers, numbers, lists and texts as the column says; a number that has a unit says it in its name."""
    kinds = {"text": str, "integer": int, "number": int | float, "boolean": bool, "list": list}
    for field in dataset.FIELDS:
        for row in table()["models"]:
            value = row[field.name]
            assert value is None or isinstance(value, kinds[field.kind]), (row["slug"], field.name)
            assert field.kind == "boolean" or not isinstance(value, bool)
    units = ("_bytes", "_tokens", "parameters_", "_size", "num_", "vocab_size")
    numbers = [field.name for field in dataset.FIELDS if field.kind in ("integer", "number")]
    assert all(any(unit in name for unit in units) for name in numbers)


def test_numbers_are_gallerys(verified):
    """Parameters and cache of every drawn model, asked of the library itself."""
    checked, wrong = 0, []
    for row in catalog.drawable_rows():
        spec, told = catalog.spec(row.slug), row_of(row.slug)
        counted, kept = gallery.parameters(spec), gallery.memory(spec, 131_072)
        ours = {
            "parameters_total": counted.total,
            "parameters_active": counted.active,
            "parameters_looked_up": counted.looked_up,
            "parameters_mtp": counted.mtp,
            "cache_at_131072_tokens_bytes": kept.total_bytes,
            "cache_per_token_bytes": kept.per_token_bytes,
            "num_hidden_layers": len(spec.layers),
        }
        checked += len(ours)
        wrong += [(row.slug, name) for name, value in ours.items() if told[name] != value]
    assert wrong == []
    verified("numbers in models.json", checked, len(wrong), "gallery.parameters and gallery.memory")


def test_a_model_without_a_config_says_nothing_of_one():
    """Its row is there, its numbers are null."""
    waiting = [row for row in table()["models"] if not row["drawn"]]
    assert waiting
    empty = [field.name for field in dataset.FIELDS if field.drawn]
    assert all(row[name] is None for row in waiting for name in empty)


def test_the_csv_holds_the_same():
    """Read back with a CSV reader, each cell is its JSON value; nothing in it would run in a spreadsheet."""
    rows = list(csv.DictReader(io.StringIO(dataset.as_csv(SITE))))
    assert len(rows) == len(table()["models"])
    for read, told in zip(rows, table()["models"], strict=True):
        for name, value in told.items():
            expected = " ".join(value) if isinstance(value, list) else json.dumps(value) if value is not None else ""
            assert read[name] == (value if isinstance(value, str) else expected), (told["slug"], name)
            assert not read[name].startswith(("=", "+", "@"))


@pytest.mark.parametrize(
    ("value", "cell"),
    [(None, ""), (True, "true"), (["a", "b"], "a b"), ("=SUM(A1)", "'=SUM(A1)"), ("", ""), (0, 0), ("-x", "'-x")],
)
def test_a_cell_is_plain(value, cell):
    """Nothing for null, lower case for truth, and a formula stays a text."""
    assert dataset.cell(value) == cell


# ---------------------------------------------------------------- the feed


def test_the_feed_has_what_was_added_last():
    """Entries are sorted by the day their config was read; each says it, and its release where that is known."""
    feed = Tree.fromstring(feeds.feed(SITE))
    entries = feed.findall(f"{ATOM}entry")
    updated = [one.find(f"{ATOM}updated").text for one in entries]
    assert len(entries) == feeds.NEWEST and updated == sorted(updated, reverse=True)
    assert feed.find(f"{ATOM}updated").text == updated[0]
    for one in entries:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", one.find(f"{ATOM}updated").text)
        assert one.find(f"{ATOM}summary").text
    days = {one.find(f"{ATOM}title").text: one.findtext(f"{ATOM}published") for one in entries}
    for row in catalog.drawable_rows():
        if (title := f"{row.title}, {row.company}") in days and row.date:
            assert days[title] is None or days[title].startswith(row.date[:4])


@pytest.mark.parametrize(
    ("date", "written"),
    [("2024-12-26", "2024-12-26T00:00:00Z"), ("2024-07", "2024-07-01T00:00:00Z"), ("2024", "2024-01-01T00:00:00Z")],
)
def test_a_date_is_a_time_in_atom(date, written):
    """Months and years begin with their first day."""
    assert feeds._noon(date) == written


# ---------------------------------------------------------------- what can be cited

DEEPSEEK = """@misc{deepseek-v3-report,
  title = {DeepSeek V3},
  author = {{DeepSeek}},
  year = {2024},
  eprint = {2412.19437},
  archivePrefix = {arXiv},
  url = {https://arxiv.org/pdf/2412.19437}
}"""


def test_a_page_and_a_report_can_be_cited():
    """The page with the day its config was read, the report with its number; braces balance, keys are plain."""
    found = {id: text for id, _, text in cite.entries(SITE.view("deepseek-ai/DeepSeek-V3"), "https://x.org/m/")}
    read = catalog.find("deepseek-ai/DeepSeek-V3").source["read"]
    assert found["bib-report"] == DEEPSEEK
    assert f"year = {{{read[:4]}}}" in found["bib-page"] and f"read {read}}}" in found["bib-page"]
    assert "url = {https://x.org/m/}" in found["bib-page"]
    card = {id: text for id, _, text in cite.entries(SITE.view("openai/gpt-oss-20b"), "")}["bib-report"]
    assert "year = {2025}" in card and "eprint" not in card
    lent = {id: text for id, _, text in cite.entries(SITE.view("moonshotai/Kimi-Linear-48B-A3B-Instruct"), "")}
    assert "eprint = {2510.26692}" in lent["bib-report"]
    for view in SITE.views:
        for _, _, text in cite.entries(view, "https://x.org/") if view.spec else ():
            assert text.count("{") == text.count("}"), text
            assert re.match(r"@misc\{[a-z0-9-]+,\n", text), text


def test_tex_prints_what_is_meant():
    """Signs that TeX reads are escaped."""
    assert cite.tex("A & B_1 50%") == r"A \& B\_1 50\%"
