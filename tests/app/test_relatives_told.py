"""The top of a model's page, word by word: distances, what is more and less, who was first, the line of descent."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from cutaway.app.lineage.page import page as lineage_page
from cutaway.app.model_page import novelty
from cutaway.app.model_page import page as models
from cutaway.gallery import catalog, comparing
from cutaway.gallery.comparing import entries
from cutaway.gallery.comparing.mechanisms import BY_KEY
from tests.one_site import SITE

V3, NEXT, OSS = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-20b"
OLMO, GPT = "allenai/Olmo-3-1025-7B", "openai-community/gpt2-xl"


def links(slug: str):
    return novelty.of(SITE.view(slug)).nearest


def test_a_relative_says_what_differs_its_house_and_its_month():
    """What the model has more and less, as far as a row has room; only a relative of the same company is said to be."""
    made = novelty.kins(links(NEXT))
    assert [(one.when, one.words) for one in made] == [
        ("Jul 2025, same company", "+ Gated DeltaNet, output gate, shared expert …"),
        ("Jun 2025", "+ Gated DeltaNet, output gate …; − selection bias"),
        ("Jul 2025", "+ Gated DeltaNet …; − sigmoid router …"),
    ]
    assert novelty.kin(links(NEXT)[1], compared=False).when == "later, Jun 2025"
    assert all(one.path == f"/models/{link.slug}/" for one, link in zip(made, links(NEXT), strict=True))


def test_a_pointer_is_told_what_a_relative_has_more_and_less():
    """Both signs, each once; equal ones have the same mechanisms; nobody tells where it was not asked for."""
    one = next(one for one in links(NEXT) if one.lost)
    words = {key: BY_KEY[key].label if hasattr(BY_KEY[key], "label") else "" for key in (*one.gained, *one.lost)}
    assert one.gained and one.lost and words
    said = novelty.apart(one)
    more, less = said.split("; ")
    assert more.startswith("+ ") and less.startswith("− ")
    assert (len(more.split(", ")), len(less.split(", "))) == (len(one.gained), len(one.lost))
    assert novelty.apart(replace(one, lost=())) == more and novelty.apart(replace(one, gained=())) == less
    assert novelty.apart(replace(one, gained=(), lost=())) == "the same mechanisms"
    assert novelty.kin(one).about == said and novelty.kin(one, compared=False).about == ""


def test_who_had_it_first_is_the_earliest_of_those_who_had():
    """Multi-token prediction of Qwen3-Next: DeepSeek-V3 before all others; what is first here has nobody before it."""
    found = novelty.of(SITE.view(NEXT))
    for item in found.items:
        first, dates = novelty.first(item), comparing.catalogue_lineage().entries
        assert (first is None) is (not item.earlier)
        if first:
            slug = first.path.removeprefix("/models/").rstrip("/")
            assert dates[slug].date == min(dates[other].date for other in item.earlier)
            assert first.title == catalog.BY_SLUG[slug].title
    assert any(novelty.first(item) for item in found.items) and not all(novelty.first(item) for item in found.items)


def test_the_top_of_a_page_is_found_where_it_is_not_given():
    """Asked with a view alone, it says the same as with what was found of it; without a drawing there is none."""
    view = SITE.view(NEXT)
    assert novelty.top(view) == novelty.top(view, novelty.of(view)) != None  # noqa: E711
    assert novelty.top(SimpleNamespace(spec=None)) is None
    assert novelty.top(view).before == sum(
        one.head.date < view.row.date for one in comparing.catalogue_lineage().structures
    )


def test_a_cache_stands_beside_the_nearest_of_its_house_and_of_another():
    """Two bars: the nearest relative that the same company made, and the nearest that it did not."""
    found = novelty.of(SITE.view(NEXT))
    own = [one.slug for one in found.nearest if one.same_company]
    others = [one.slug for one in found.nearest if not one.same_company]
    assert novelty.beside(found) == (own[0], others[0]) and novelty.beside(None) == ()
    assert len(novelty.beside(replace(found, nearest=found.nearest[:1]))) == 1


def test_a_step_of_descent_names_three_and_counts_more():
    """Four names are all said, five are three "and 2 more"; the model itself is no link, the oldest is plain."""
    view = SITE.view(NEXT)
    steps = novelty.of(view).descent
    some = next(one for one in steps if one.slug != view.slug and comparing.catalogue_lineage().of[one.slug].parent)
    keys = list(BY_KEY)[:5]
    said = {n: novelty.step(replace(some, added=tuple(keys[:n])), view.slug, view).words for n in (0, 3, 4, 5)}
    assert said[0] == "same mechanisms" and said[3].count(", ") == 2 and said[4].count(", ") == 3
    assert said[5] == f"{said[3]} and 2 more"
    assert novelty.step(some, some.slug, view).path == "" != novelty.step(some, view.slug, view).path
    assert novelty.step(steps[0], view.slug, view).words == "the plain baseline"


def test_the_oldest_model_descends_from_nobody():
    """A line of descent of one step is none."""
    assert novelty.top(SITE.view("openai-community/gpt2-xl")).descent == ()
    assert len(novelty.top(SITE.view(NEXT)).descent) > 1


def test_a_packing_leads_to_its_base_and_a_base_to_its_packings():
    """Each page links the other."""
    packing = next(
        row for row in catalog.drawable_rows() if row.variant_of and catalog.BY_SLUG[row.variant_of].snapshot
    )
    base = catalog.BY_SLUG[packing.variant_of]
    for one, other in ((packing, base), (base, packing)):
        html = models.model_page(SITE, SITE.view(one.slug))
        link = f'<a href="{SITE.url(f"/models/{other.slug}/", f"/models/{one.slug}/")}">{other.title}</a>'
        assert link in html, one.slug
        assert (f"a variant of {link}" in html) is (one is packing)


@pytest.mark.whole
def test_pages_state_the_corrections_that_the_rule_makes():
    """In points, on a model's page and on /lineage/: 15 for the company, 2.5 a doubling, 5 a year, 1 or 4 of input."""
    assert [entries.HOUSE, entries.DOUBLING, entries.YEAR] == [0.15, 0.025, 0.05]
    assert [entries.ENCODER_ADDED, entries.ENCODER_DROPPED] == [0.01, 0.04]
    words = (
        "15 points more for the same company, 2.5 fewer for each doubling between their sizes (width² × layers), 5 "
        "fewer for each year between them, 1 fewer where only the later one has an encoder for images or sound, and 4 "
        "fewer where only the earlier one has"
    )
    for html in (models.model_page(SITE, SITE.view(NEXT)), lineage_page(SITE)):
        assert words in " ".join(html.split())


def test_the_headline_carries_the_numbers_of_what_it_names():
    """Runs of the headline, each mechanism by whatever word it has there; together they are the headline."""
    made = novelty.top(SITE.view(NEXT))
    assert "".join(run.words for run in made.headline) == made.found.tagline
    named = [(run.words, run.row.item.number) for run in made.headline if run.row]
    assert named == [("Gated DeltaNet", 1), ("output gate", 2), ("partial RoPE", 4), ("MTP", 3)]
    assert novelty.headline(SITE.view(NEXT), "A gateway, no output gates.", made.rows) == (
        novelty.Run("A gateway, no output gates."),
    )


def test_the_tower_beside_it_is_its_house_s_predecessor():
    """Rather the model of the time before than a sibling of the same days; none where the house has none here."""
    towers = {slug: novelty.towers(SITE.view(slug), novelty.of(SITE.view(slug))) for slug in (OLMO, NEXT, GPT)}
    assert [one.title for one in towers[OLMO]] == ["OLMo 2 7B", "OLMo 3 7B"]
    assert [one.words for one in towers[NEXT]] == ["48 layers", "48 layers"]
    assert [one.title for one in towers[GPT]] == ["GPT-2 XL 1.5B"]
    assert towers[OLMO][1].svg.count("h10v.8h-10z") == 2 * 32  # a mark for each half of a layer
