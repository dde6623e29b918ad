"""A model whose weights are stored in several formats: what its tile, its facts and its drawing call it."""

from __future__ import annotations

from collections import Counter
from math import prod

import pytest

from cutaway.app.model_page import page as models
from cutaway.app.words import storage
from cutaway.gallery import catalog
from cutaway.gallery.drawing.svg import outline
from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.spec import Quantization
from tests.one_site import SITE

NAMED = {
    "deepseek-ai/DeepSeek-V4-Flash": ("MXFP4", "weights, with FP8 E4M3"),
    "deepseek-ai/DeepSeek-V4-Pro": ("MXFP4", "weights, with FP8 E4M3"),
    "nvidia/MiniMax-M3-NVFP4": ("NVFP4", "weights, with MXFP8 E4M3"),
    "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4": ("NVFP4", "weights, with FP8 E4M3"),
    "deepseek-ai/DeepSeek-V3": ("FP8 E4M3", "weights, 128 × 128 blocks"),
    "meta-llama/Meta-Llama-3-8B": ("BF16", "weights"),
}


@pytest.mark.parametrize("slug", NAMED)
def test_the_format_of_most_numbers_is_named(slug):
    """On the tile and in the drawing, with the next one beside it, and with a block where there is only one."""
    what, where = NAMED[slug]
    assert SITE.view(slug).stored_as == (what, where)
    assert f"{where.replace(' × ', '×')}: {what}" in outline(catalog.spec(slug), slug)


def test_every_tile_names_what_most_numbers_are_stored_in():
    """Of every quantised model, by the bytes of its weights."""
    for view in SITE.views:
        if view.spec and view.spec.quantization and view.spec.quantization.scheme == "mixed":
            numbers: Counter[str] = Counter()
            for weight, kept in zip(view.weights, view.stored, strict=True):
                numbers[kept.row] += prod(weight.shape)
            most = numbers.most_common(1)[0][0]
            assert SCHEMES[most].label.startswith(view.stored_as[0]), view.slug
        view.lighten()


def test_mixed_formats_have_no_block_in_common():
    """The list beside the table says neither an element nor a block; a single scheme says both."""
    mixed = dict(storage.rows(catalog.spec("deepseek-ai/DeepSeek-V4-Flash").quantization))
    assert mixed["Scheme"] == "mixed formats" and not mixed.keys() & {"Element", "Block", "Scale"}
    assert "Element</dt>" not in models.model_page(SITE, SITE.view("deepseek-ai/DeepSeek-V4-Flash"))
    one = dict(storage.rows(catalog.spec("deepseek-ai/DeepSeek-V3").quantization))
    assert (one["Element"], one["Block"]) == ("float8_e4m3fn", "128 × 128")


def test_a_scheme_without_a_row_goes_by_its_own_word_or_by_its_tools():
    """A row's label first, then the scheme, then who wrote the file."""
    said = [Quantization("int5", "int5", row="mxfp4"), Quantization("int5", "int5", method="tool"),
            Quantization("", "", method="tool")]  # fmt: skip
    assert [storage.scheme_words(one) for one in said] == ["MXFP4", "int5", "tool"]
