"""A model's page says what its copy of the config lacks, and what the config says that the drawing leaves out."""

import re
from html import unescape

import pytest

from cutaway.app.model import tables
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import page as models
from cutaway.gallery import catalog, read
from cutaway.gallery.drawing.marks import Marks
from cutaway.gallery.drawing.svg import outline
from cutaway.gallery.drawing.tower import HALF, Tower
from tests.one_site import SITE


def words(slug):
    """What a reader sees of a page, without tags."""
    page = models.model_page(SITE, SITE.view(slug))
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", page)))


def fact(slug, what):
    return next(row[1:] for row in tables.facts(SITE.view(slug)) if row[0] == what)


PRINTED = {
    "sarvamai/sarvam-105b": "Our copy of the config lacks rope_theta, rope_parameters and "
    "routed_scaling_factor; the defaults of the class are used instead (RoPE base 10,000).",
    "Qwen/Qwen-7B": "Beyond 8,192 tokens, the model relies on use_dynamic_ntk and use_logn_attn",
    "MiniMaxAI/MiniMax-M2.7": "the published files hold no weights of these modules",
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4": "every matrix is shown and counted as quantized",
}


@pytest.mark.parametrize(("slug", "sentence"), PRINTED.items())
def test_a_note_stands_on_the_page(slug, sentence):
    """Once, where the page says what to know about the drawing."""
    assert words(slug).count(sentence) == 1


def test_keys_of_a_copy_are_not_called_keys_of_the_config():
    """A copy that lacks keys was read whole, which says nothing of the file."""
    assert "Every key of our copy of the config was read." in words("sarvamai/sarvam-105b")
    assert "Every key of the config was read." in words("deepseek-ai/DeepSeek-V3")


def test_a_dtype_that_nobody_names_is_called_assumed():
    """No key stands beside it, in the facts and on the tile; a named one has its key."""
    assert fact("sarvamai/sarvam-105b", "Data type") == (
        "BF16 assumed, because our copy of the config has no dtype",
        "",
    )
    assert SITE.view("sarvamai/sarvam-105b").stored_as == ("BF16", "weights, assumed")
    assert fact("openai-community/gpt2-xl", "Data type") == ("FP32", "dtype")
    assert SITE.view("openai/gpt-oss-20b").stored_as[1] == "expert weights, 1 × 32 blocks"


def test_a_pasted_config_may_name_no_dtype():
    """The workbench says so too, and calls nothing a copy."""
    config = {key: value for key, value in catalog.load("Qwen/Qwen3-1.7B").items() if key != "torch_dtype"}
    view = SpecView(read(config), "x", config)
    assert ("Data type", "BF16 assumed, because our copy of the config has no dtype", "") in tables.facts(view)
    assert not view.reconstructed and view.notes == ()


def test_half_layers_stand_above_the_tower_as_halves():
    """Attention on the left, experts above it on the right; DeepSeek's one layer has both."""
    for slug, halves in {
        "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16": [("right", 0), ("left", 12)],
        "deepseek-ai/DeepSeek-V3": [("left", 0), ("right", 0)],
    }.items():
        tower, marks = Tower(catalog.spec(slug)), Marks()
        tower.put(marks, 0, 0, tower.least)
        drawn = [(mark[2], mark[3]) for mark in marks if mark[:2] == ("rect", "ghost embed")]
        top = min(y for _, y in drawn)
        assert [("left" if x < tower.left + HALF else "right", y - top) for x, y in drawn] == halves


def test_two_half_layers_are_one_module():
    """Nemotron 3's pattern *E is attention and experts of one step ahead; DeepSeek's layer is whole."""
    assert fact("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "Multi-token prediction")[0].startswith(
        "1 MTP module of 2 single-mixer layers, "
    )
    drawn = outline(catalog.spec("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"), "x")
    assert "1 MTP module of 2 single-mixer layers above the tower, 2.94 B parameters apart" in drawn
    assert "2 MTP layers" not in drawn
    assert fact("deepseek-ai/DeepSeek-V3", "Multi-token prediction")[0].startswith("1 MTP layer, ")
    assert fact("stepfun-ai/Step-3.5-Flash", "Multi-token prediction")[0].startswith("3 MTP layers, ")
