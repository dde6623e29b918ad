"""The glossary: an entry for every mechanism, models that have it by their specs, links that lead somewhere."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import unquote

import pytest

import explainers
from app import glossary, ideas
from app.pages import all_pages
from app.pages.glossary import page
from app.site import Site
from app.told import TOLD
from gallery import comparing
from gallery.comparing.mechanisms import BY_KEY, MECHANISMS

SITE = Site()


@cache
def entries():
    return {one.key: one for _, members in glossary.entries(SITE) for one in members}


@cache
def absent():
    return {idea.key for idea in glossary.absent(SITE)}


def test_every_mechanism_is_named_in_one_place_and_explained_in_one():
    """A row of the table of mechanisms and a sentence for it; neither without the other, and all of them ideas."""
    assert set(TOLD) == set(BY_KEY)
    assert set(BY_KEY) <= set(ideas.BY_KEY)
    assert len(ideas.BY_KEY) == len(ideas.IDEAS)
    assert [one.key for one in ideas.IDEAS[: len(MECHANISMS)]] == [row.key for row in MECHANISMS]


@pytest.mark.parametrize("key", BY_KEY)
def test_every_mechanism_has_an_entry_with_its_models(key):
    """What a catalogued model has is in the glossary with models that have it; what none has is said to be absent."""
    having = [view for view in SITE.views if view.spec and key in view.mechanisms]
    assert bool(having) is (key in entries()) is (key not in absent())
    if having:
        one = entries()[key]
        assert one.models and {view.slug for view in one.models} <= {view.slug for view in having}
        assert one.count == len([view for view in having if not view.row.variant_of] or having)


def test_first_here_is_what_the_lineage_says():
    """The first of a mechanism has no earlier structure with it; undated models are first of nothing."""
    known = comparing.catalogued()
    for key in BY_KEY:
        one = entries().get(key)
        new = [structure.head for structure in known.structures if key in structure.new]
        if one and new:
            assert one.first.date == min(head.date for head in new)
            assert one.first.title in {head.title for head in new}
        assert not one or not one.first or re.fullmatch(r"20\d\d(-\d\d){0,2}", one.first.date)


FIRST = {  # history that is known without this catalogue
    "mla": "DeepSeek V2",
    "gated-deltanet": "Qwen3 Next 80B-A3B",
    "dsa": "DeepSeek V3.2",
    "hca": "DeepSeek V4",
    "loops": "Ouro",
    "learned-position": "GPT-2 XL",
}


@pytest.mark.parametrize("key", FIRST)
def test_known_firsts(key):
    """Derived from dates and specs."""
    assert entries()[key].first.title.startswith(FIRST[key])


def test_links_of_the_glossary_lead_to_pages(verified):
    """Every link is a page of the site; those to explainers open one that teaches the entry."""
    paths = {one.path for one in all_pages(SITE)}
    links = set(re.findall(r'href="(\.\./[^"?#]*)', page(SITE)))
    wrong = [link for link in links if unquote(link.removeprefix("..")) not in paths and "/assets/" not in link]
    assert wrong == []
    assert all(path.split("/")[2] in explainers.names() for one in entries().values() for _, path in one.learn)
    verified("links of the glossary", len(links), len(wrong), "the site's pages")


def test_an_entry_has_an_address():
    """/glossary/#mla and every other key stands once."""
    ids = re.findall(r' id="([^"]+)"', page(SITE))
    assert len(ids) == len(set(ids))
    assert set(ideas.BY_KEY) <= set(ids)


def test_a_model_page_leads_to_its_words():
    """Under Facts stand the mechanisms of the model, as links to their entries."""
    from app.pages.models import model_page

    html = model_page(SITE, SITE.view("deepseek-ai/DeepSeek-V3"))
    assert set(re.findall(r'href="[./]*/glossary/#([\w-]+)"', html)) == set(
        SITE.view("deepseek-ai/DeepSeek-V3").mechanisms
    )
