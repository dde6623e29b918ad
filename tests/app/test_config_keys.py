"""/config/: a page for every key that is read; its counts, values and median are counted again from the snapshots."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from statistics import median_low
from urllib.parse import urljoin

import pytest
from bs4 import BeautifulSoup

from cutaway import explainers
from cutaway.app.config_keys import about, page, values
from cutaway.app.model import ideas
from cutaway.app.model_page.page import model_page
from cutaway.app.site import Site
from cutaway.app.site.pages import all_pages
from cutaway.gallery import catalog
from cutaway.gallery.catalog.snapshot import CONFIGS
from cutaway.gallery.reading.keys import KEYS
from tests.one_site import SITE

OUTER = ("text_config", "llm_config", "llm_cfg", "language_config", "thinker_config", "text_model_config")
NAMES = {word: key.name for key in KEYS for word in (key.name, *key.spellings)}
RETOLD = re.compile(
    r"^(and|or|their|its|it|the same|of) |\b(the same (?!input)|that is so|than this|to it$|by it$|a half|halves)"
)


@cache
def soup(name: str) -> BeautifulSoup:
    """The page of a key."""
    return BeautifulSoup(page.key_page(SITE, next(key for key in KEYS if key.name == name)), "html.parser").main


@cache
def counted_models() -> dict[str, str]:
    """slug -> the file that its config is read from, of every drawn model that is no variant."""
    rows = [row for row in catalog.MODELS if row.snapshot and not row.variant_of]
    return {row.slug: (row.config_of or row.slug).replace("/", "__") + ".json" for row in rows}


@cache
def written(slug: str) -> dict[str, object]:
    """Every key of a snapshot's file as it is spelled there, inner ones with a dot; the language part's own win."""
    whole = json.loads((CONFIGS / counted_models()[slug]).read_text("utf-8"))["facts"]
    found: dict[str, object] = {}

    def take(part: dict) -> None:
        for key, value in part.items():
            found.setdefault(key, value)
            if isinstance(value, dict) and key not in OUTER:
                found.update({f"{key}.{inner}": one for inner, one in value.items() if f"{key}.{inner}" not in found})

    def descend(part: dict) -> None:
        for name in OUTER:
            if isinstance(part.get(name), dict):
                descend(part[name])
        take(part)

    descend(whole)
    return found


@pytest.mark.whole
def test_every_key_has_a_page_with_its_meaning():
    """320 pages and the list of them, each with the key as its heading and what it means below."""
    paths = {one.path for one in page.pages(SITE)}
    assert paths == {"/config/", *(f"/config/{key.name}/" for key in KEYS)}
    assert len({path.lower() for path in paths}) == len(KEYS) + 1 == 321
    for key in KEYS:
        assert soup(key.name).h1.get_text() == key.name
        assert soup(key.name).select_one("p.lead").get_text().lower() == f"{key.meaning}.".lower()


def test_a_meaning_stands_alone():
    """It says what it is about without the row above, ends without a full stop, and has no word of ours alone."""
    assert [key.name for key in KEYS if RETOLD.search(key.meaning)] == []
    assert [key.name for key in KEYS if key.meaning.endswith((".", ":")) or len(key.meaning.split()) < 2] == []


def test_what_the_pages_count_is_what_the_snapshots_hold(verified):
    """Each model's value of each key is found in its file under the spelling that is named; none is left out."""
    found, slugs = values.all_values(SITE), {f"/models/{slug}/": slug for slug in counted_models()}
    wrong, checked = [], 0
    for key in KEYS:
        ours = {slugs[one.path]: one for one in found.get(key.name, values.NONE).written}
        for slug, one in ours.items():
            checked += 1
            wrong += [] if written(slug).get(one.spelling, written) == one.value else [(key.name, slug, one.spelling)]
        spelled = {slug for slug in slugs.values() if any(NAMES.get(word) == key.name for word in written(slug))}
        wrong += [(key.name, slug, "left out") for slug in spelled - ours.keys()]
    assert wrong == []
    verified("values of config keys", checked, len(wrong), "the catalogue's snapshots, read as JSON")


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_every_number_of_a_page_is_counted_again(verified):
    """Models of each value, of all values, of each spelling; smallest, median and largest: from the page's own text."""
    many, checked, wrong = len(counted_models()), 0, []
    for key in KEYS:
        main, ours = soup(key.name), values.all_values(SITE).get(key.name, values.NONE).written
        if not ours:
            assert "No catalogued model has this key." in main.get_text()
            continue
        raw = [written(one.path.removeprefix("/models/").rstrip("/"))[one.spelling] for one in ours]
        said = " ".join(main.select_one(".key-values p.lead").get_text().split())
        rows = [(row.th.get_text(), int(row.td.get_text()), len(row.select("a"))) for row in main.select("tbody tr")]
        wrong += [] if said.startswith(f"In {len(raw)} of {many} models") else [(key.name, said)]
        wrong += [(key.name, row) for row in rows if row[1] != row[2]]
        wrong += [] if sum(row[1] for row in rows) == len(raw) else [(key.name, "sum")]
        wrong += (
            [] if [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True) else [(key.name, "order")]
        )
        scalars = Counter(plain(value) for value in raw if not isinstance(value, list | dict))
        wrong += [
            (key.name, text, count) for text, count in scalars.items() if (text, count) not in {row[:2] for row in rows}
        ]
        numbers = sorted(value for value in raw if isinstance(value, int | float) and not isinstance(value, bool))
        figures = [number(one.get_text()) for one in main.select(".key-values p.lead b")]
        wanted = [numbers[0], median_low(numbers), numbers[-1]] if numbers and numbers[0] != numbers[-1] else []
        wrong += [] if figures == wanted else [(key.name, figures, wanted)]
        checked += len(rows) + len(figures) + 1
    assert wrong == []
    verified("numbers on the pages of config keys", checked, len(wrong), "the catalogue's snapshots, counted anew")


def plain(value: object) -> str:
    """A number, a word, true, false or null as a page has it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10_000:
        return f"{value:,}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"


def test_the_list_says_what_the_pages_say():
    """Every key with its spellings, its count and its commonest value."""
    main = BeautifulSoup(page.index_page(SITE), "html.parser").main
    rows = main.select(".terms dl > div")
    assert [row.dt.a.get_text() for row in rows] == sorted((key.name for key in KEYS), key=str.lower)
    by_name = {key.name: key for key in KEYS}
    for row in rows:
        key = by_name[row.dt.a.get_text()]
        found = values.all_values(SITE).get(key.name)
        assert [code.get_text() for code in row.select(".names code")] == list(key.spellings)
        who = row.select_one(".who").get_text()
        assert who.startswith(f"In {len(found.written)} of" if found else "In no catalogued model")
        assert not found or row.select(".who code")[0].get_text() == found.values[0].text


def test_every_key_of_the_glossarys_table_is_a_key_and_stands_once():
    """What a key belongs to is an entry, what explains it an explainer; 9 of 10 keys lead to one of them."""
    listed = [name for names in about.ABOUT.values() for name in names.split()] + list(about.EXPLAINED)
    assert len(listed) == len(set(listed))
    assert set(listed) <= {key.name for key in KEYS}
    assert set(about.ABOUT) <= set(ideas.BY_KEY) and set(about.EXPLAINED.values()) <= set(explainers.names())
    assert len(listed) >= 0.8 * len(KEYS)


def test_models_of_a_value_stand_newest_first():
    """By their dates; 99 models have eight KV heads."""
    dates = [catalog.find(one.path.removeprefix("/models/").strip("/")).date
             for one in values.all_values(SITE)["num_key_value_heads"].values[0].models]  # fmt: skip
    assert len(dates) == 99 and dates == sorted(dates, key=lambda date: date or "", reverse=True)


@pytest.mark.whole
def test_links_lead_to_pages(verified):
    """Models, explainers, the glossary's entries and the way back: every link of every page is there."""
    there = {one.path for one in all_pages(SITE)} | {f"/glossary/#{key}" for key in ideas.BY_KEY}
    links = {urljoin(f"/config/{key.name}/", link["href"]) for key in KEYS for link in soup(key.name).select("a[href]")}
    index = BeautifulSoup(page.index_page(SITE), "html.parser").main
    links |= {urljoin("/config/", link["href"]) for link in index.select(".terms a[href]")}
    wrong = links - there
    assert wrong == set()
    verified("links on the pages of config keys", len(links), len(wrong), "the pages of the site")


@pytest.mark.whole
def test_a_model_page_leads_to_its_keys():
    """A fact's key is a link to what it means, in whichever spelling."""
    main = BeautifulSoup(model_page(SITE, SITE.view("deepseek-ai/DeepSeek-V3")), "html.parser").main
    found = {link.get_text(): link["href"] for link in main.select("#facts a[href*='/config/']")}
    assert found["hidden_size"].endswith("/config/hidden_size/")
    assert len(found) >= 4


@pytest.mark.parametrize(
    "value", ["<img src=x onerror=alert(1)>", "</code><script>alert(1)</script>", '"><b>', "&lt;b&gt;"]
)
def test_a_strange_value_stays_text(monkeypatch, value):
    """A value, a spelling and a title out of a file are shown as they are, never as markup."""
    real = catalog.load

    def load(slug: str) -> dict:
        return {**real(slug), "hidden_act": value} if slug == "Qwen/Qwen3-8B" else real(slug)

    monkeypatch.setattr(values.catalog, "load", load)
    html = page.key_page(Site(), next(key for key in KEYS if key.name == "hidden_act"))
    cells = [code.get_text() for code in BeautifulSoup(html, "html.parser").select("tbody th code")]
    assert json.dumps(value) in cells
    assert "<img" not in html and "alert(1)</script>" not in html


def test_long_values_are_told_in_a_few_letters():
    """Large numbers with separators, whole floats as whole numbers, long lists by what they hold."""
    told = {
        "10,000": 10_000.0,
        "9999": 9999,
        "1e-06": 1e-6,
        "null": None,
        "true": True,
        "[1, 2, 3]": [1, 2, 3],
        '8 entries: "a"\u00a0×\u00a06, "b"\u00a0×\u00a02': ["a"] * 6 + ["b"] * 2,
        "20 entries from 1 to 20": list(range(1, 21)),
    }
    assert {text: values.shown(value) for text, value in told.items()} == {text: text for text in told}
    assert len(values.shown("x" * 500)) == values.LONG
