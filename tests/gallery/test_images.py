"""What images do inside a text model: M-RoPE and DeepStack are said of every catalogued model whose class has them."""

from __future__ import annotations

import re

import pytest

from cutaway.app.model_page import page as models
from cutaway.app.site import Site
from cutaway.gallery import catalog, read
from cutaway.gallery.drawing.wiring_words import rope_of
from cutaway.gallery.sublayers import graph_of

SECTIONS = {  # transformers 5.23.0: config.rope_parameters.get("mrope_section", ...) of each class
    "qwen2_vl": (16, 24, 24), "qwen2_5_vl": (16, 24, 24), "qwen3_vl_text": (24, 20, 20),
    "qwen3_vl_moe_text": (24, 20, 20), "qwen3_5_text": (11, 11, 10), "qwen3_5_moe_text": (11, 11, 10),
}  # fmt: skip


def said(spec, word: str) -> str:
    """The sentence of a spec that starts with a word."""
    return next((note for note in spec.notes if note.startswith(f"{word}:")), "")


def rotating_pairs(spec) -> set[int]:
    """Pairs that the drawn attention turns."""
    graphs = [graph_of(layer.mixer, spec.hidden_size) for layer in spec.layers]
    ropes = [rope_of({node.name: node for node in graph.nodes}) for graph in graphs]
    return {rope.dims // 2 for rope in ropes if rope}


def test_sections_of_every_model_are_its_class_and_fill_its_rotation():
    """The pairs that a sentence shares out are as many as the drawing rotates."""
    checked = 0
    for row in catalog.drawable_rows():
        spec = catalog.spec(row.slug)
        if spec.model_type in SECTIONS:
            numbers = tuple(map(int, re.findall(r"\d+", said(spec, "M-RoPE"))))
            assert numbers == (*SECTIONS[spec.model_type], sum(SECTIONS[spec.model_type])), row.slug
            assert rotating_pairs(spec) == {numbers[-1]}, row.slug
            checked += 1
    assert checked > 18


DEEP = ["Qwen/Qwen3-VL-4B-Instruct", "Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen3-VL-235B-A22B-Instruct"]


@pytest.mark.parametrize("slug", DEEP)
def test_qwen3_vl_says_where_visual_features_are_added(slug):
    """The class adds as many feature maps as its tower taps, behind the first layers; the page says which."""
    taps = catalog.load(slug)["vision_config"]["deepstack_visual_indexes"]
    sentence = said(catalog.spec(slug), "DeepStack")
    assert list(map(int, re.findall(r"\d+", sentence))) == [len(taps), *taps] and len(taps) == 3
    site = Site()
    html = models.model_page(site, site.view(slug))
    assert sentence in html and "M-RoPE: each image token" in html


def test_a_config_says_its_own_sections():
    """A key wins over the class; a model that sees text alone says nothing; broken sections neither."""
    config = catalog.load("Qwen/Qwen2-VL-2B-Instruct")
    own = read({**config, "rope_scaling": {"type": "mrope", "mrope_section": [8, 28, 28]}})
    assert "8, 28 and 28 of the 64" in said(own, "M-RoPE")
    assert said(catalog.spec("Qwen/Qwen3-8B"), "M-RoPE") == said(catalog.spec("Qwen/Qwen3.5-9B"), "DeepStack") == ""
    broken = read({**config, "rope_scaling": {"type": "mrope", "mrope_section": [True, "x"]}})
    assert said(broken, "M-RoPE") == ""


def test_sections_and_layers_that_cannot_be_are_not_said():
    """More pairs than a head turns, or none: no M-RoPE. A tower of 24 layers passes no 500th, and layer 5 once."""
    text = {"model_type": "qwen3_vl_text", "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 4}
    text |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 100}
    for sections in ([1000, 1, 1], [0, 0, 0], [10**5000, 1, 1], [-1, 1, 32], None):
        config = {"model_type": "qwen3_vl", "text_config": {**text, "rope_scaling": {"mrope_section": sections}}}
        spec = read({**config, "vision_config": {"depth": 24, "deepstack_visual_indexes": [17, 5, 500, 5, 24]}})
        assert (spec.mrope, spec.deepstack, said(spec, "M-RoPE")) == ((), (5, 17), "")
        assert "features of layers 5 and 17 of" in said(spec, "DeepStack")
