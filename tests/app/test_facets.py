"""The gallery's boxes for licence, year, context and format: each model in the right one, and counted once."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from types import SimpleNamespace

import pytest

from cutaway.app.model import facets
from cutaway.app.site import Site
from cutaway.gallery import catalog
from cutaway.gallery import spec as s
from tests.one_site import SITE

BASES = [view for view in SITE.views if view.spec and not view.row.variant_of]


@cache
def counted():
    return {group: {facet.key: count for facet, count in members} for group, _, members in facets.counted(BASES)}


@pytest.mark.parametrize("group", ["licence", "year", "context"])
def test_every_model_stands_in_one_box(group):
    """These groups part the models: their counts sum to all of them, and no model has two."""
    keys = set(counted()[group])
    assert sum(counted()[group].values()) == len(BASES)
    assert all(len(keys & set(facets.keys(view))) == 1 for view in BASES)


@pytest.mark.parametrize(
    ("licence", "key"),
    [
        ("Apache License 2.0", "l-apache"),
        ("MIT License", "l-mit"),
        ("Modified MIT License", "l-mit-like"),
        ('OpenAI "Modified MIT" license', "l-mit-like"),
        ("Llama 3.1 Community License", "l-llama"),
        ("Gemma Terms of Use", "l-gemma"),
        ("NVIDIA Nemotron Open Model License", "l-nvidia"),
        ("NVIDIA Open Model License", "l-nvidia"),
        ("NVIDIA Internal Scientific Research and Development Model License", "l-own"),
        ("MiniMax M2.7 Non-Commercial License", "l-nc"),
        ("Creative Commons Attribution-NonCommercial 4.0", "l-nc"),
        ("Tencent Hy Community License Agreement", "l-own"),
        ("see repo LICENSE", "l-own"),
        (None, "l-none"),
        ("", "l-none"),
    ],
)
def test_a_licence_belongs_to_a_family_of_terms(licence, key):
    """By the words of its name; what forbids selling is said first."""
    assert facets.licence_of(licence) == key


def test_a_context_is_the_configs():
    """The box of a model is the one its max_position_embeddings falls into, ends included below."""
    ends = {"t-8": (1, 8192), "t-32": (8193, 32768), "t-128": (32769, 131072), "t-256": (131073, 262144)}
    for view in BASES:
        most = view.spec.max_position_embeddings or 0
        expected = "t-none" if not most else next((k for k, (a, b) in ends.items() if a <= most <= b), "t-more")
        assert expected in facets.keys(view), view.slug


def test_a_year_is_the_releases():
    """The first four letters of the date; models without one have a box of their own."""
    for view in BASES:
        assert f"y-{view.row.date[:4] if view.row.date else 'none'}" in facets.keys(view)


METHODS = {"s-fp8": "fp8", "s-nvfp4": "nvfp4", "s-mxfp4": "mxfp4"}


@pytest.mark.parametrize(("slug", "key"), [
    ("deepseek-ai/DeepSeek-V3", "s-fp8"),
    ("openai/gpt-oss-20b", "s-mxfp4"),
    ("deepseek-ai/DeepSeek-V4-Flash", "s-nvfp4"),  # a variant of it
    ("Qwen/Qwen3-32B", "s-fp8"),  # a variant of it
    ("Qwen/Qwen3-8B", "s-int"),  # a variant of it
    ("Qwen/Qwen3-32B", "s-plain"),
])  # fmt: skip
def test_a_format_is_the_models_or_a_variants(slug, key):
    """A reader who wants FP8 finds the model that has it, and the base of a packing that has it."""
    assert key in facets.keys(SITE.view(slug))


def test_formats_are_counted_from_the_configs():
    """Second route: the configs of the model and of its variants as text, without a spec."""
    for key, method in METHODS.items():
        for view in BASES:
            rows = [row for row in (view.row, *catalog.variants(view.slug)) if row.snapshot]
            said = [str(catalog.load(row.slug)).lower() for row in rows]
            if key in facets.keys(view):
                assert any("quant_method" in text or "quantization" in text for text in said), view.slug
            assert (key in facets.keys(view)) or not any(f"'quant_method': '{method}'" in text for text in said), (
                view.slug
            )


# ---------------------------------------------------------------- the ends of a box

UNITS = {"KB": 1e3, "B": 1e9}


def span(words: str) -> tuple[float, float]:
    """The numbers that a box's own words name: "16 – 64 KB" -> (16000, 64000)."""
    numbers, unit = re.findall(r"\d+", words), UNITS[words.split()[-1]]
    if len(numbers) == 2:
        return float(numbers[0]) * unit, float(numbers[1]) * unit
    return (0.0, float(numbers[0]) * unit) if words.startswith("under") else (float(numbers[0]) * unit, float("inf"))


def boxes(group: str, view: object) -> list[str]:
    """The words of a group's boxes that hold for a stand-in of a model."""
    return [one.words for one in facets.FACETS if one.group == group and one.holds(view)]


@pytest.mark.parametrize("group", ["cache", "size"])
def test_a_box_holds_what_its_words_say_from_its_lower_end_on(group):
    """16,000 bytes a token are in "16 – 64 KB", a byte less is in "under 16 KB": at every end that words name."""

    def held(number: float) -> list[str]:
        return boxes(group, SimpleNamespace(cache_growth=(number, ""), parameters=SimpleNamespace(total=number)))

    named = [one.words for one in facets.FACETS if one.group == group and one.words != "more"]
    last = "more" if group == "cache" else named[-1]
    ends = [span(words) for words in named]
    assert [low for low, _ in ends[1:]] == [high for _, high in ends[:-1]]
    for words, (low, high) in zip(named, ends, strict=True):
        assert held(low) == [words]
        if high < float("inf"):
            assert held(high - 1) == [words]
    top = max(high for _, high in ends if high < float("inf"))
    assert held(top) == held(1e15) == [last]


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (1, "up to 8,192"),
        (8192, "up to 8,192"),
        (8193, "to 32,768"),
        (32768, "to 32,768"),
        (32769, "to 131,072"),
        (131072, "to 131,072"),
        (131073, "to 262,144"),
        (262144, "to 262,144"),
        (262145, "more"),
        (10**9, "more"),
        (0, "no limit in the config"),
        (None, "no limit in the config"),
    ],
)
def test_a_context_that_a_box_names_is_inside_it(limit, words):
    """ "to 32,768" holds 32,768 and not 32,769: the powers of two that configs state are all upper ends."""
    assert boxes("context", SimpleNamespace(spec=SimpleNamespace(max_position_embeddings=limit))) == [words]


def test_a_group_lists_only_its_own_boxes_and_no_empty_one():
    """The sidebar in the order of the groups, each box under its own heading; companies are all named."""
    found = facets.counted(BASES)
    assert [(key, heading) for key, heading, _ in found] == list(facets.GROUPS.items())
    for key, _, members in found:
        assert members and all(one.group == key and count > 0 for one, count in members)
    named = next(members for key, _, members in found if key == "company")
    assert {one.words: count for one, count in named} == Counter(view.row.company for view in BASES)
    years = [one.words for key, _, members in found if key == "year" for one, _ in members if one.words.isdigit()]
    assert years == sorted(years, reverse=True)


def test_a_part_must_be_of_the_kind_and_pass_the_question():
    """A dense MLP is no mixture with a shared expert, whatever the question would say of it."""
    view = SITE.view("meta-llama/Meta-Llama-3-8B")
    assert facets.any_part("mlp", s.Dense, lambda part: part.intermediate_size == 14336)(view)
    assert not facets.any_part("mlp", s.Dense, lambda part: part.intermediate_size == 1)(view)
    assert not facets.any_part("mlp", s.MoE, lambda part: True)(view)


def test_a_format_counts_as_stored_where_a_variant_with_a_page_has_it():
    """GLM-5 has copies in FP8 and NVFP4: a site of the same process that ends with GLM-5 knows of neither."""
    glm = "zai-org/GLM-5"
    drawn = [row.slug for row in catalog.KNOWN if row.snapshot]
    everything = {"", "fp8_128x128", "nvfp4"}
    assert facets.stored_rows(SITE.view(glm)) == everything
    try:
        catalog.render_first(drawn.index(glm) + 1)
        assert facets.stored_rows(Site().view(glm)) == {""}
    finally:
        catalog.render_first()
    assert facets.stored_rows(Site().view(glm)) == everything


def test_years_are_named_once_the_newest_first():
    """A box for each year in which a model came, by its four digits; one for those without a date stands last."""
    years = sorted({view.row.date[:4] for view in BASES if view.row.date}, reverse=True)
    undated = ["unknown date"] if any(not view.row.date for view in BASES) else []
    (members,) = (members for group, _, members in facets.counted(BASES) if group == "year")
    assert [facet.words for facet, _ in members] == [*years, *undated]
