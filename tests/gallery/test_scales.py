"""What q·k is divided by before the softmax: from keys, from families, and as the drawing writes it."""

from __future__ import annotations

import pytest

from gallery import catalog, read
from gallery.drawing.steps import softmax
from gallery.drawing.svg import outline

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
