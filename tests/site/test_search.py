"""The search: what is typed finds models by name and by idea, explainers that teach it, and forgives one letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutaway.app.model import facets, ideas
from tests import bundled
from tests.guarded import guarded
from tests.one_site import SITE
from tests.site.searched import (
    COMBINED,
    ENDLESS,
    KEPT,
    MISSPELT,
    NUMBERED,
    ODD,
    ORDERED,
    TERMS,
    TYPED,
    having,
    ideas_of,
)

FIND = """async texts => {
  const { finder } = await import(new URL("assets/js/find.js", location.href).href);
  window.find_models ??= finder(await (await fetch("data/search.json")).json());
  return texts.map(text => { const found = window.find_models(text); return {
    models: found.models.map(model => model.slug), pages: found.pages.map(page => page.path.split("/")[2]),
    lead: found.lead.map(page => page.path), corrected: found.corrected, without: found.without }; });
}"""


@pytest.fixture(scope="module")
def find(browser, site_url):
    """find("MLA", "sinks") -> one {models, pages, lead, corrected, without} each, by one finder for all tests."""
    with guarded(browser) as page:
        bundled.serve_modules(page, "find.js")
        page.goto(site_url + "/")
        yield lambda *texts: page.evaluate(FIND, list(texts))


def test_an_idea_finds_every_model_that_has_it(find, verified):
    """Its usual name, another, without hyphens or half typed: the models are those whose spec says so, and no other."""
    answers = dict(zip(TYPED, find(*TYPED), strict=True))
    wrong = []
    for text, (key, learn) in TYPED.items():
        named = {row.slug for row in SITE.rows if text.lower() in f"{row.title} {row.slug} {row.company}".lower()}
        wrong += [(text, slug) for slug in set(answers[text]["models"]) ^ (having(key) | named)]
        wrong += [(text, answers[text]["pages"])] if answers[text]["pages"] != learn else []
        wrong += [(text, "corrected")] if answers[text]["corrected"] else []
    assert wrong == []
    checked = sum(len(answer["models"]) for answer in answers.values())
    verified("models found by searching for a mechanism", checked, len(wrong), "the fields of each model")


def test_every_name_of_every_idea_finds_its_models(find):
    """No row of the table is out of reach: each of its names finds all that have it."""
    names = [(idea.key, word) for idea in ideas.IDEAS for word in idea.words]
    answers = find(*(word for _, word in names))
    missing = [name for name, one in zip(names, answers, strict=True) if not having(name[0]) <= set(one["models"])]
    assert missing == []


def test_a_name_means_the_name(find):
    """Brands are models before they are ideas, words narrow each other down, addresses are exact."""
    for (text, (first, never)), found in zip(ODD.items(), find(*ODD), strict=True):
        assert found["models"][0].startswith(first), text
        assert never not in found["models"], text
        assert found["without"] == [], text


def test_one_wrong_letter_is_forgiven_and_said(find):
    """A long word that stands nowhere is read as one that is a letter away; short words and numbers are not guessed."""
    for (text, meant), found in zip(MISSPELT.items(), find(*MISSPELT), strict=True):
        assert found["corrected"] == meant
        assert found["models"], text
    for text, found in zip(KEPT, find(*KEPT), strict=True):
        assert (found["models"], found["pages"], found["corrected"]) == ([], [], ""), text
    assert [bool(found["models"]) for found in find(*ENDLESS)] == [False, False, True]


def test_a_superlative_is_an_order(find):
    """The models of the other words by that number, those without it left out; equal ones in any order."""
    for (text, (idea, number, down)), found in zip(ORDERED.items(), find(*ORDERED), strict=True):
        held = having(idea) if idea else {view.slug for view in SITE.views}
        values = {view.slug: number(view) for view in SITE.views if view.slug in held and view.spec}
        known = sorted(filter(None, values.values()), reverse=down)
        assert known == [values[slug] for slug in found["models"]], text
        assert found["without"] == [], text


def test_a_number_beside_its_noun_is_a_filter(find):
    """Window, experts, context: before the noun or behind it, k by 1,024, the other words still hold."""
    for (text, has), found in zip(NUMBERED.items(), find(*NUMBERED), strict=True):
        expected = {view.slug for view in SITE.views if view.spec and has(view)}
        assert expected and set(found["models"]) == expected, text


def test_company_licence_year_and_idea_narrow_each_other(find):
    """The models that are all of it, and no other."""
    for (text, (company, licence, year, idea)), found in zip(COMBINED.items(), find(*COMBINED), strict=True):
        expected = {
            view.slug for view in SITE.views
            if company in view.row.company and (not licence or facets.licence_of(view.row.licence) == licence)
            and (view.row.date or "").startswith(year) and (not idea or idea in ideas_of()[view.slug])
        }  # fmt: skip
        assert expected and set(found["models"]) == expected, text


def test_a_term_of_the_field_leads_to_its_explainer_first(find):
    """As it is written in papers, with or without hyphens, in a question: before every model that has it."""
    asked = [(f"/learn/{name}/", term) for name, terms in TERMS.items() for term in terms.split("; ")]
    answers = find(*(term for _, term in asked))
    wrong = [(term, one["lead"]) for (path, term), one in zip(asked, answers, strict=True) if one["lead"][:1] != [path]]
    assert wrong == []
    assert len(asked) >= 60


def test_a_question_with_words_that_nothing_has_finds_the_pages_it_mentions(find):
    """The longest term first; a maker's name is no term, and "deep" begins DeepSeek before it begins DeepEP."""
    found = find("fp8 e4m3 max value", "ZeRO stage 3", "kv cache mla", "deep", "gpu memory calculator")
    assert [one["pages"][:1] for one in found[:3]] == [["bits"], ["data-parallel"], ["heads"]]
    assert found[3]["lead"] == []
    assert found[4]["lead"] == ["/plan/"]


def test_what_an_empty_search_suggests_is_found(find):
    """Every idea that the sentence names leads somewhere."""
    assert all(found["models"] for found in find("Qwen3", "Mistral", *SITE.hints))


def test_an_explainer_is_found_by_its_own_words(find):
    """What a page is about, in the words of its title and its first lines."""
    found = find("pipeline", "bits of a number", "number formats", "keys and values", "all-reduce")
    assert ["pipeline" in found[0]["pages"], "bits" in found[1]["pages"], "blocks" in found[2]["pages"]] == [True] * 3
    assert "heads" in found[3]["pages"]
    assert found[4]["pages"]


def test_ten_thousand_models_are_searched_within_a_keystroke(page, site_url, monkeypatch):
    """Made-up models under the catalogue's ideas: nine letters of ten, and any slip, are answered within 50 ms."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "bench"))
    from finding import keystrokes

    page.goto(site_url + "/")
    typed = ("sliding window", "sparce mla atention")
    spent = sorted(keystrokes(page, site_url + "/assets/js/find.js", typed=typed))
    assert spent[len(spent) * 9 // 10] < 50, spent[-5:]
