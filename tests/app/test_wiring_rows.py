"""What a model's page says of its wiring, from its graphs; and that the page counts bytes in one system."""

from __future__ import annotations

import re

import pytest

from cutaway.app.model import tables
from cutaway.app.model_page import page as models
from cutaway.gallery.command.report import facts_json, facts_lines
from tests.one_site import SITE

SAID = {
    ("zai-org/GLM-4.5", "Router"): "sigmoid scores + selection bias, top 8, weights normalised × 2.5",
    ("zai-org/GLM-4.5", "RoPE"): "base 1,000,000, 64 of 128 dimensions",
    ("zai-org/GLM-4.5", "Norms in attention"): "RMSNorm of queries and keys",
    ("openai/gpt-oss-20b", "Router"): "top 4 logits, then softmax",
    ("openai/gpt-oss-20b", "Experts"): "gate · σ(1.702 gate) × (up + 1), clamped at 7",
    ("openai/gpt-oss-20b", "RoPE"): "base 150,000, yarn × 32",
    ("openai/gpt-oss-20b", "Multipliers"): "rotated q and k × 1.347",
    ("allenai/Olmo-3-1025-7B", "Multipliers"): "none in windowed layers; rotated q and k × 1.208 in full layers",
    ("poolside/Laguna-XS.2", "Multipliers"): (
        "rotated part of q and k × 1.416 in full layers; none in windowed layers"
    ),
    ("tiiuae/Falcon-H1-7B-Instruct", "Multipliers"): (
        "embedding × 5.657, logits × 0.01302, keys × 0.03069, output of attention × 0.1042, input of Mamba × 0.4167, "
        "z × 0.3536, x × 0.25, B × 0.1768, C × 0.5, dt × 0.3536, output of Mamba × 0.1179, gate × 0.2946, "
        "output of the MLP × 0.03255"
    ),
    ("stepfun-ai/Step-3.5-Flash", "Experts"): (
        "SiLU(gate) × up in layers 3–42; SiLU(gate) × up, clamped at 7 (the shared expert: SiLU(gate) × up) in layer "
        "43; SiLU(gate) × up, clamped at 7 (the shared expert: SiLU(gate) × up, clamped at 16) in layer 44"
    ),
    ("tencent/Hy4-preview", "Experts"): "SiLU(gate) × up, clamped at 10 (the shared expert: SiLU(gate) × up)",
    ("google/gemma-4-26B-A4B-it", "Router"): (
        "softmax scores, top 8, weights normalised, × a stored number per expert"
    ),
    ("google/gemma-2-2b", "Soft-caps"): "scores ± 50, logits ± 30",
    ("google/gemma-2-2b", "MLP"): "GELU(gate) × up",
    ("meta-llama/Llama-3.1-8B", "RoPE"): "base 500,000, llama3 × 8",
    ("google/gemma-3-27b-it", "RoPE"): ("base 10,000 in windowed layers; base 1,000,000, linear × 8 in full layers"),
    ("google/gemma-4-31B-it", "Norms in attention"): "RMSNorm of queries, keys and values",
    ("ibm-granite/granite-3.3-8b-instruct", "Multipliers"): (
        "embedding × 12, logits × 0.0625, sublayer outputs × 0.22, q·k × 0.0078125"
    ),
    ("XiaomiMiMo/MiMo-V2-Flash", "Multipliers"): "values × 0.707",
    ("deepseek-ai/DeepSeek-V3", "Router"): (
        "sigmoid scores + selection bias, top 8 in 4 of 8 groups, weights normalised × 2.5"
    ),
    ("HuggingFaceTB/SmolLM3-3B-Base", "RoPE"): "base 5,000,000 in 27 of 36 layers; no RoPE in every 4th layer, from 3",
    ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "RoPE"): "no RoPE",
    ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "Experts"): "ReLU²(up)",
    ("mosaicml/mpt-7b", "RoPE"): "no RoPE: ALiBi",
    ("thinkingmachines/Inkling", "RoPE"): "no RoPE: a learned bias per distance",
    ("tencent/Hunyuan-A13B-Instruct", "RoPE"): "base 11,158,840 at all lengths (10,000 grown by alpha 1,000)",
    ("inclusionAI/Ling-2.6-1T", "RoPE"): (
        "base 6,000,000, 64 of 128 dimensions in 70 of 80 layers; base 6,000,000, 64 of 192 dimensions in every 8th "
        "layer, from 7"
    ),
    ("mistralai/Mistral-Large-3-675B-Instruct-2512", "Router"): "softmax scores, top 4, weights normalised",
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "Gate on attention"): "σ, one value per dimension",
    ("stepfun-ai/Step-3.5-Flash", "Gate on attention"): "σ, one value per head",
    ("meta-llama/Llama-4-Maverick-17B-128E-Instruct", "Experts"): "SiLU(gate) × up, weighted at the input",
}


@pytest.mark.parametrize(("slug", "what"), SAID)
def test_a_page_says_how_the_model_is_wired(slug, what):
    """Each row says what the graphs do, in the words of the drawing."""
    assert SAID[slug, what] == dict(tables.wiring(SITE.view(slug)))[what]


LACKING = {
    "meta-llama/Llama-3.1-8B": ["RoPE", "MLP", "Wiring"],
    "openai/gpt-oss-20b": ["RoPE", "Multipliers", "Router", "Experts", "Wiring"],
}


@pytest.mark.parametrize("slug", LACKING)
def test_what_a_model_does_not_have_is_not_a_row(slug):
    """No caps, no multipliers, no gate: no words on them."""
    assert LACKING[slug] == [what for what, _ in tables.wiring(SITE.view(slug))]


def test_the_command_line_says_the_same():
    """The fact sheet and its JSON hold the page's rows."""
    spec = SITE.view("google/gemma-2-2b").spec
    assert "soft-caps " in "\n".join(facts_lines(spec))
    assert facts_json(spec)["wiring"]["Soft-caps"] == "scores ± 50, logits ± 30"


PUBLISHED = re.compile(r"<h3>Published figures.*?</table>", re.S)
BINARY = re.compile(r"\b[\d.,]+ ?[KMGT]iB\b")
DRAWN = sorted(SITE.slugs)[::16]


@pytest.mark.whole
def test_a_model_page_counts_in_thousands():
    """KB is 1,000 bytes all over the page; only figures that others printed keep their KiB."""
    pages = {slug: models.model_page(SITE, view) for slug in DRAWN if (view := SITE.view(slug)).spec}
    mixed = {slug: BINARY.findall(PUBLISHED.sub("", page)) for slug, page in pages.items()}
    assert {slug: found for slug, found in mixed.items() if found} == {}
    assert all("How the model is wired" in page for page in pages.values())
