"""What q·k is divided by before the softmax: from keys, from families, and as the drawing writes it."""

from __future__ import annotations

from math import log

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.drawing.annotations import softmax
from cutaway.gallery.drawing.svg import outline

# (model, what its drawing writes, where the number comes from)
WRITTEN = (
    ("meta-llama/Meta-Llama-3-8B", "softmax(q·k / √128) · v", "head_dim"),
    ("google/gemma-3-27b-it", "softmax(q·k / √168) · v", "query_pre_attn_scalar 168"),
    ("google/gemma-2-2b", "softmax(q·k / √256) · v", "query_pre_attn_scalar 256"),
    ("google/gemma-3n-E4B", "softmax(q·k) · v", "Gemma3nTextAttention: scaling = 1.0"),
    ("ibm-granite/granite-3.3-8b-instruct", "softmax(q·k / 128) · v", "attention_multiplier 0.0078125"),
    ("moonshotai/Kimi-Linear-48B-A3B-Instruct", "softmax(q·k / √192) · v", "128 + 64"),
    ("deepseek-ai/DeepSeek-V3", "softmax(1.87 · q·k / √192) · v", "(0.1 ln 40 + 1)² = 1.874, YaRN's mscale_all_dim 1"),
    ("deepseek-ai/DeepSeek-V2", "softmax(1.59 · q·k / √192) · v", "(0.1 · 0.707 · ln 40 + 1)² = 1.590"),
    ("mistralai/Mistral-Large-3-675B-Instruct-2512", "softmax(q·k / √192) · v", "attention_factor is 1.0"),
    ("mistralai/Mistral-Small-4-119B-2603", "softmax(2.21 · q·k / √128) · v", "(0.1 ln 128 + 1)², Mistral4Attention"),
    ("Zyphra/Zamba2-1.2B", "softmax(q·k / 8) · v", "(128 / 2) ** -0.5"),
    ("deepseek-ai/DeepSeek-V4-Flash", "softmax(q·kv / √512) · kv", "head_dim"),
    ("meta-models/Muse-Glimmer-30B", "softmax(3.87 · q·k / √128) · v", "qk_scale_factor 3.87 on the queries"),
)


@pytest.mark.parametrize(("slug", "words", "why"), WRITTEN, ids=[row[0] for row in WRITTEN])
def test_the_drawing_writes_the_scale(slug, words, why):
    """The softmax of a drawing divides by what the model's code divides by."""
    assert words in outline(catalog.spec(slug)), why


def test_a_scale_in_words():
    """The default is a root, a square is divided out, one is left away, what fits no root is a factor."""
    assert softmax(0.0, 64) == "softmax(q·k / √64) · v"
    assert softmax(0.125, 128) == "softmax(q·k / 8) · v"
    assert softmax(1.0, 128) == "softmax(q·k) · v"
    assert softmax(0.5**0.5, 4) == "softmax(q·k / √2) · v"
    assert softmax(3.0, 4) == "softmax(6 · q·k / √4) · v"
    assert softmax(None, 128) == "softmax(scale · q·k) · v"


def test_an_unknown_family_keeps_the_word():
    """A model_type nobody here has read gives no number for its scale."""
    config = dict(catalog.load("meta-llama/Meta-Llama-3-8B"), model_type="of_tomorrow", architectures=["TomorrowLM"])
    assert read(config).layers[0].mixer.scale is None


ROPE = {"rope_type": "yarn", "factor": 36.0, "original_max_position_embeddings": 8192, "mscale_all_dim": 1}
SAID = [
    ({}, True), ({"attention_factor": 1.0}, False), ({"apply_yarn_scaling": False}, False),
    ({"apply_scale": False}, False), ({"apply_yarn_scaling": True}, True), ({"attention_factor": 1.3}, True),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "grows"), SAID, ids=str)
def test_mistrals_file_says_if_yarn_multiplies_scores(keys, grows):
    """Mistral Large 3's class heeds each spelling of "no magnitude correction"; DeepSeek-V3's heeds none."""
    config = {**catalog.load("mistralai/Mistral-Large-3-675B-Instruct-2512"), "rope_parameters": {**ROPE, **keys}}
    assert bool(read(config).layers[0].mixer.scale) is grows
    deepseek = {**config, "architectures": ["DeepseekV3ForCausalLM"]}
    assert read(deepseek).layers[0].mixer.scale == pytest.approx((0.1 * log(36) + 1) ** 2 / 192**0.5)


def test_mistral_large_3_is_a_class_of_its_own():
    """vLLM gives it DeepSeek-V3's model_type: that is no contradiction, while any other class would be one."""
    config = catalog.load("mistralai/Mistral-Large-3-675B-Instruct-2512")
    assert (read(config).family, read(config).contradictions) == ("mistral_large3", ())
    assert read({**config, "architectures": ["DeepseekV2ForCausalLM"]}).contradictions


def test_mistral_small_4_says_who_leaves_its_growth_out():
    """transformers' class multiplies; engines that read params.json may not: its page has both."""
    (note,) = catalog.spec("mistralai/Mistral-Small-4-119B-2603").notes
    assert "2.21" in note and "apply_scale: false" in note
