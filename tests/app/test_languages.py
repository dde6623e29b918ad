"""Pages in other languages: every message is translated, pages name each other, what is English says so."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path
from posixpath import normpath
from types import ModuleType

import pytest
from bs4 import BeautifulSoup

from cutaway.app.model import ideas
from cutaway.app.model.idea_words import said, spellings
from cutaway.app.site.environment import month_in
from cutaway.app.site.translated import english_path, language_of, mark_english
from cutaway.explainers import languages
from tests.one_site import SITE

ROOT = Path(__file__).resolve().parents[2]
CODES = [one.code for one in languages.LANGUAGES]
PAGES = [(code, path) for code in CODES for path in sorted(SITE.translations[code])]
HOLE = re.compile(r"%\(\w+\)s|\{[\w.]+(?::[^{}]+)?\}")


@cache
def words() -> ModuleType:
    """build/words.py: build/ holds scripts and is no package."""
    spec = importlib.util.spec_from_file_location("build_words", ROOT / "build" / "words.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("code", CODES)
def test_every_message_is_translated(code, verified):
    """Templates, scripts and rows say nothing that the .po lacks or has empty or fuzzy, and it has nothing more.

    If this fails: python build/words.py, then translate what is empty.
    """
    wanted = {(one.context, one.id) for one in words().messages() if one.id}
    known = {(one.context, one.id): one for one in languages.catalogue(code) if one.id}
    wrong = wanted ^ {key for key, one in known.items() if one.string and not one.fuzzy}
    assert wrong == set()
    verified(f"messages in {languages.BY_CODE[code].name}", len(wanted), len(wrong), "templates, scripts and rows")


@pytest.mark.parametrize("code", CODES)
def test_a_translation_fills_in_what_its_message_does(code):
    """%(n)s and {n} stand in both, each at least once."""
    wrong = {
        one.id: one.string
        for one in languages.catalogue(code)
        if one.id and set(HOLE.findall(one.string)) != set(HOLE.findall(one.id))
    }
    assert wrong == {}


@pytest.mark.parametrize("code", CODES)
def test_every_text_of_a_po_is_quoted(code):
    """Babel takes the first and last letter of a text without quotes for them, and says nothing."""
    whole = re.compile(r'|#.*|(msgctxt |msgid |msgstr )?"(\\.|[^"\\])*"')
    lines = languages.path_of(code).read_text("utf-8").splitlines()
    assert [line for line in lines if not whole.fullmatch(line)] == []


def test_what_is_not_translated_stays_english():
    """A message that no .po has, and the English site itself, are their own text."""
    assert languages.translations("zh").gettext("Not a message") == "Not a message"
    assert languages.translations("").pgettext("gqa", "GQA") == "GQA"


def test_an_address_says_the_language():
    """/zh/ and what is below it is Chinese; a page that begins alike is not."""
    assert [language_of(path).tag for path in ("/zh/", "/zh/glossary/", "/", "/zhipu/")] == [
        "zh-Hans",
        "zh-Hans",
        "en",
        "en",
    ]
    assert [english_path(path) for path in ("/zh/", "/zh/learn/heads/", "/plan/")] == ["/", "/learn/heads/", "/plan/"]


def test_a_link_to_an_english_page_is_marked():
    """One that leaves the language; not one to a part of the page or to another host, and none in a drawing."""
    html = '<a href="../plan/?a=1">P</a><a href="#x">x</a><a href="https://a.b/">b</a><a href="learn/">L</a>'
    drawing = '<svg><a href="../plan/"><text>P</text></a></svg>'
    mark = '<a href="../plan/?a=1" hreflang="en">P <small class="english">英文</small></a>'
    assert mark_english(html + drawing, "/zh/", "英文") == mark + html[html.index("</a>") + 4 :] + drawing


def test_months_are_written_as_the_language_does():
    """The year comes first in Chinese; a year alone stays one."""
    assert [month_in("zh")(date) for date in ("2024-12-26", "2024", None)] == ["2024年12月", "2024", ""]


def test_a_term_has_its_chinese_name_first_and_its_english_names_beside_it():
    """GQA's Chinese name leads, the English names follow, and the search takes all of them for one idea."""
    gqa = said(ideas.BY_KEY["gqa"], "zh")
    assert (gqa.word, gqa.names) == ("分组查询注意力", ("GQA", "grouped-query attention"))
    assert "滑动窗口" in spellings(ideas.BY_KEY["window"])
    assert spellings(ideas.BY_KEY["yarn"]) == ()


@pytest.mark.parametrize("code", CODES)
def test_glossary_explainers_and_home_are_there(code):
    """The pages that the tests of the built site go over."""
    assert {"/", "/glossary/", "/learn/", "/learn/heads/", "/learn/position/"} <= SITE.translations[code]


# ---------------------------------------------------------------- the built site


def soup_of(site_dir: Path, path: str) -> BeautifulSoup:
    return BeautifulSoup((site_dir / path.lstrip("/") / "index.html").read_text("utf-8"), "html.parser")


def target(link, path: str) -> str:
    """The path of a link's target; "" if it leaves the site or stays on the page."""
    href = re.split("[?#]", link["href"])[0]
    return "" if not href or ":" in href else normpath(path + href).rstrip("/") + "/"


@pytest.mark.parametrize(("code", "path"), PAGES)
def test_a_page_and_its_translation_name_each_other(site_dir, code, path):
    """Both have the same alternates, the English one as x-default, and a link of the frame that leads to the other."""
    here = [path, f"/{code}{path}"]
    soups = [soup_of(site_dir, one) for one in here]
    for soup, own, other in zip(soups, here, reversed(here), strict=True):
        rows = {link["hreflang"]: target(link, own) for link in soup("link", hreflang=True)}
        assert rows == {"en": path, languages.BY_CODE[code].tag: f"/{code}{path}", "x-default": path}
        assert [target(link, own) for link in soup.select("header a.language")] == [other]
        assert soup.html["lang"] == language_of(own).tag


@pytest.mark.parametrize(("code", "path"), PAGES)
def test_a_translated_page_says_what_is_english(site_dir, code, path):
    """A sentence says it; a link says hreflang just where its page is English; each leads somewhere."""
    own = f"/{code}{path}"
    soup = soup_of(site_dir, own)
    assert len(soup.select(".fallback")) == 1
    assert re.search(r"[\u4e00-\u9fff]", soup.select_one(".fallback").text)
    links = [link for link in soup("a", href=True) if target(link, own) and not link.find_parent("svg")]
    wrong = [str(link) for link in links if (link.get("hreflang") == "en") == target(link, own).startswith(f"/{code}/")]
    assert wrong == []
    assert len(links) > 8
    assert [where for link in links if not (site_dir / (where := target(link, own)).lstrip("/")).exists()] == []


def test_an_english_page_has_no_word_more(site_dir):
    """Without a translation no alternate, no switch; with one, neither dictionary nor style of another language."""
    plan, glossary = ((site_dir / name / "index.html").read_text("utf-8") for name in ("plan", "glossary"))
    assert not re.search(r'rel="alternate" hreflang|class="language"', plan)
    assert not re.search(r'id="words"|zh\.css|class="(?:fallback|english)"|hreflang="en" class', plan + glossary)
    assert len(re.findall(r'hreflang="', glossary)) == 4  # three alternates and the switch


def test_search_leads_to_the_chinese_glossary(page, site_url):
    """On a Chinese page, 滑动窗口 finds the term, on this language's page; the list names what it is in Chinese."""
    page.goto(f"{site_url}/zh/learn/")
    page.fill(".search input", "滑动窗口")
    found = page.locator(".found [role=option]").first
    found.wait_for()
    assert "术语表" in found.inner_text()
    found.click()
    page.wait_for_url("**/zh/glossary/#window")
