"""The gallery's boxes for licence, year, context and format: each model in the right one, and counted once."""

from __future__ import annotations

from functools import cache

import pytest

from cutaway.app.model import facets
from cutaway.app.site import Site
from cutaway.gallery import catalog

SITE = Site()
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
