"""The top of model pages as text: what is new of known history, its relatives as links, its numbers on the drawing."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

import pytest

from cutaway.app.model_page import novelty
from cutaway.app.model_page import page as models
from cutaway.app.render import job as render_job
from cutaway.gallery import catalog, comparing
from tests.gallery.fake_hub import CONFIG
from tests.one_site import SITE
from tests.site.html_check import Document

NEXT = "Qwen/Qwen3-Next-80B-A3B-Instruct"


@cache
def page(slug: str) -> str:
    return models.model_page(SITE, SITE.view(slug))


def text(html: str) -> str:
    """Words alone."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip())


def top(html: str) -> str:
    return html[html.index('<section class="novelty first"') : html.index('id="drawn"')]


DISC = r'<a class="disc[^"]*" href="#new-(\d)">\1</a>'


def tagline(html: str) -> str:
    """The headline without its numbers."""
    said = re.search(r'<p class="tagline[^"]*"><strong>(.*?)</strong>', html, re.DOTALL)[1]
    return text(re.sub("</?b>|</?span>", "", re.sub(DISC + " ", "", said)))


HISTORY = [  # what readers of the field expect to be named, in its own words
    ("openai-community/gpt2-xl", "The first of the catalogue: multi-head attention, a GELU MLP without a gate, "
     "LayerNorm, learned position embeddings, biases on queries, keys and values, a bias on attention's output and "
     "biases in the MLP."),
    ("mistralai/Mistral-7B-v0.1", "with sliding windows of 4,096 tokens"),
    ("EleutherAI/gpt-neo-2.7B", "First in the catalogue with a sliding window (Longformer had it earlier)"),
    ("deepseek-ai/DeepSeek-V2", "First in the catalogue with latent attention, low-rank queries and group-limited "
     "routing."),
    ("google/gemma-2-9b", "First in the catalogue with soft-capped scores (Grok-1 had it earlier)"),
    ("deepseek-ai/DeepSeek-V3", "First in the catalogue with a selection bias without auxiliary loss. Next to DeepSeek "
     "V2 236B: MTP and 256 experts (8 active) instead of 160 (6); both have MLA"),
    (NEXT, "First in the catalogue with Gated DeltaNet."),
    ("deepseek-ai/DeepSeek-V3.2", "First in the catalogue with DeepSeek sparse attention (DSA), from DeepSeek "
     "V3.2 Exp of September 2025 on."),
    ("deepseek-ai/DeepSeek-V4-Flash", "First in the catalogue with compressed sparse attention, heavily compressed "
     "attention, a grouped low-rank output projection, a √softplus router and hyper-connections."),
    ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "Nemotron-H 56B with 128 experts (6 active, "
     "1 shared) instead of a dense MLP, a context of 262,144 instead of 8,192 and 52 layers of 2,688"),
    ("moonshotai/Kimi-Linear-48B-A3B-Base", "First in the catalogue with Kimi Delta Attention."),
    ("openai/gpt-oss-120b", "First in the catalogue with attention sinks."),
    ("google/gemma-3n-E4B", "First in the catalogue with normalised values, AltUp, LAuReL and per-layer "
     "embeddings."),
    ("MiniMaxAI/MiniMax-M2", "MiniMax M1 80k with GQA in every layer instead of lightning attention, QK-norm"),
    ("LiquidAI/LFM2-1.2B", "First in the catalogue with short convolutions."),
    ("allenai/OLMo-2-1124-7B-Instruct", "OLMoE 1B-7B with post-norm only, a dense MLP instead of experts"),
    ("nvidia/DeepSeek-V4-Flash-NVFP4", "The architecture of DeepSeek V4-Flash; other weights. Both have CSA"),
    ("zai-org/GLM-5.3", "Same mechanisms and sizes as GLM-5.2; other weights."),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "words"), HISTORY)
def test_taglines_of_known_history(slug, words):
    """Kept text: what the page says first of models whose novelty is known."""
    said = tagline(page(slug))
    assert words in said and len(said.split()) <= 40


def test_the_top_of_a_page_in_words():
    """Relatives with distance and month, numbered sentences with pills, the line of descent with what each added."""
    found, known = text(top(page(NEXT))), comparing.catalogue_lineage().structures
    for words in (
        "Nearest earlier models, and what differs here Qwen3 Coder Flash 30B-A3B Jul 2025, same company "
        "+ Gated DeltaNet, output gate, shared expert … ERNIE 4.5 21B-A3B Jun 2025 + Gated DeltaNet",
        "Qwen3.5 397B later, Feb 2026, same company 1 difference Qwen3.8 2.4T-A95B later, Aug 2026, same company",
        "1 Gated DeltaNet in 36 of 48 layers: each value head updates one 128 × 128 state instead of adding keys and "
        "values to a cache. first here 2 A gate on attention",
        "3 One multi-token-prediction layer with 1.65 B parameters, in addition to the 48 layers. First model here "
        "with "
        "this mechanism: DeepSeek V3 (the 7B of Gloeckle et al. had it earlier). new for Alibaba Cloud; 7th here 4 "
        "RoPE on 64 of 256",
        "GPT-2 XL 1.5B the plain baseline LLaMA 7B + SwiGLU, RMSNorm, RoPE Llama 2 70B + GQA Qwen3 0.6B + QK-norm "
        "Qwen3 235B-A22B + MoE",
        "We know of these: a gate on attention's output: Forgetting Transformer, March 2025 (arXiv 2503.02130: the Pro "
        "block) multi-token prediction: the 7B of Gloeckle et al., April 2024 (arXiv 2404.19737)",
        "All 12 mechanisms",
        f"{sum(one.head.date < '2025-09-09' for one in known)} of the {len(known)} dated models here are earlier.",
    ):
        assert words in found, words


ALL = [row.slug for row in catalog.drawable_rows()]
FEW = [NEXT, "zai-org/GLM-5.3", "nvidia/DeepSeek-V4-Flash-NVFP4", "openai-community/gpt2-xl", "Zyphra/Zamba2-1.2B"]


def faults(slug: str, html: str) -> list[str]:
    """What is wrong with a model's page."""
    found = novelty.of(SITE.view(slug))
    out = []
    numbers = [item.number for item in found.items]
    if [int(n) for n in re.findall(r'<li id="new-(\d)"', html)] != numbers:
        out.append("the list has other numbers")
    told = html[html.index('<div class="told">') : html.index('<div class="towers">')]
    if sorted(int(n) for n in re.findall(DISC, told)) != numbers:
        out.append("the headline, and what stands below it, have other numbers")
    lit = html[html.index('<figure class="cw-lit">') : html.index('<div class="around">')]
    for drawing in lit.split('<svg class="cf cf-')[1:]:
        if sorted({int(n) for n in re.findall(r'<a href="#new-(\d)"', drawing)}) != numbers:
            out.append("the lit drawing has other numbers")
    start = html.index('id="drawn"')
    figure = html[start : html.index("</figure>", start)]
    for kind, drawing in re.findall(r'<svg class="cf cf-(wide|middle|narrow)".*?>(.*?)</svg>', figure, re.DOTALL):
        discs = re.findall(r'<a href="#new-(\d)"[^>]*><circle[^>]*/><text[^>]*>(\d)<', drawing)
        if sorted({int(n) for n, _ in discs}) != numbers or any(a != b for a, b in discs):
            out.append(f"the {kind} drawing has other numbers: {discs}")
    paths = {f"/models/{row.slug}/" for row in catalog.MODELS}
    for target in re.findall(r'<a class="(?:kin|pill)" href="([^"]+)"', html):
        if "/models/" + target.split("models/")[-1].replace("../", "") not in paths:
            wanted = [p for p in paths if p.endswith(target.replace("../", ""))]
            out += [] if wanted else [f"{target} leads nowhere"]
    return [f"{slug}: {fault}" for fault in out]


def test_list_and_drawings_agree_on_a_few():
    """Every number of the list stands on each of the three drawings and leads back to its row; relatives have pages."""
    assert [fault for slug in FEW for fault in faults(slug, page(slug))] == []


@pytest.mark.whole
def test_list_and_drawings_agree(site_dir, verified):
    """The same of every drawn model, on its page as it was built."""
    pages = ((slug, (site_dir / "models" / slug / "index.html").read_text("utf-8")) for slug in ALL)
    found = [fault for slug, html in pages for fault in faults(slug, html)]
    assert found[:5] == []
    verified(
        "numbers in the lists of new mechanisms and on the drawings", len(ALL), len(found), "the text of the pages"
    )


@pytest.mark.parametrize("slug", FEW)
def test_the_page_is_sound(slug):
    """Tags close, ids are unique, fragments lead somewhere, nothing is inline."""
    found = Document(page(slug))
    assert (found.inline, found.errors) == ([], [])
    assert len(found.ids) == len(set(found.ids))


def test_an_undated_model_claims_nothing_new():
    """Nearest, not nearest earlier; no later ones; no black pill; and why."""
    html = top(page("ibm-granite/granite-4-8b-dense-hybrid"))
    assert "Nearest earlier" not in html and ">Later<" not in html
    assert 'class="pill first"' not in html
    assert "This model’s release date is unknown, so nothing is called new." in html


def test_marks_say_what_they_are():
    """A number on the drawing is read out with its word and its pill."""
    words = [one.says for one in novelty.marks(novelty.of(SITE.view(NEXT)))]
    assert words[0] == "New 1, Gated DeltaNet, first in the catalogue."
    assert (
        words[1]
        == "New 2, A gate on attention's output, first in the catalogue; Forgetting Transformer had it earlier."
    )
    assert words[2] == "3, One multi-token-prediction layer, new for Alibaba Cloud; 7th here."


def test_a_pasted_config_has_relatives_in_the_workbench():
    """Drawn with its numbers and its nearest models; a config of no date has no "first here"."""
    config = catalog.load("deepseek-ai/DeepSeek-V4-Flash")
    html = render_job.draw(render_job.Request(config, "Your config", "Pasted.")).html["result"]
    assert "Same mechanisms and sizes as DeepSeek V4-Flash." in text(html)
    assert "A config has no release date, so nothing in it is called new." in html
    assert '<a href="#new-1" aria-label="1, ' in html
    assert "first here" not in html
    plain = render_job.draw(render_job.Request(CONFIG, "Your config", "Pasted.")).html["result"]
    assert "InternLM3 8B with 2 layers of 64 instead of 48 of 4,096" in plain and "#new-" not in plain


def test_a_config_without_relatives_is_still_drawn(monkeypatch, caplog):
    """What goes wrong above the drawing takes nothing from the drawing."""
    monkeypatch.setattr(novelty, "of", lambda view: 1 / 0)
    html = render_job.draw(render_job.Request(CONFIG, "Your config", "Pasted.")).html["result"]
    assert "cf-wide" in html and 'class="novelty"' not in html
    assert "no relatives" in caplog.text


def test_a_page_leads_to_its_comparison():
    """With the nearest relative; the oldest of the catalogue stands alone."""
    assert "compare/?a=Qwen/Qwen3-Coder-30B-A3B-Instruct&amp;b=Qwen/Qwen3-Next-80B-A3B-Instruct" in page(NEXT)
    assert 'compare/?a=openai-community/gpt2-xl"' in page("openai-community/gpt2-xl")


def test_relatives_are_those_of_the_rule():
    """Chips are the lineage's own links, in its order, with what one has more and less in a title."""
    known = comparing.catalogue_lineage()
    found = novelty.top(SITE.view(NEXT))
    assert [one.path for one in found.later] == [f"/models/{link.slug}/" for link in known.later(NEXT)]
    assert (
        found.nearest[0].about
        == "+ Gated DeltaNet, output gate, shared expert, shared expert's gate, partial RoPE, MTP"
    )
