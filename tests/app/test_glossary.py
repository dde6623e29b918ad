"""The glossary: an entry for every mechanism, models that have it by their specs, links that lead somewhere."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from urllib.parse import unquote

import pytest

from cutaway import explainers
from cutaway.app.glossary import general, terms
from cutaway.app.glossary.methods import METHODS, methods
from cutaway.app.glossary.page import page, places
from cutaway.app.model import ideas
from cutaway.app.site.pages import all_pages
from cutaway.gallery import comparing
from cutaway.gallery.comparing import novelty
from cutaway.gallery.comparing.mechanism_rows.row import Mechanism
from cutaway.gallery.comparing.mechanisms import BY_KEY, MECHANISMS
from cutaway.gallery.comparing.text.mechanism import say_mechanism
from cutaway.gallery.sublayers import parts_of
from tests.one_site import SITE


@cache
def entries():
    return {one.key: one for _, members in terms.entries(SITE) for one in members}


@cache
def absent():
    return {idea.key for idea in terms.absent(SITE)}


def test_every_mechanism_is_an_idea_and_leads_to_explainers_that_there_are():
    """Ideas begin with the table of mechanisms, in its order; what a row says teaches it is a folder of explainers/."""
    assert set(BY_KEY) <= set(ideas.BY_KEY)
    assert {name for row in MECHANISMS for name in row.learn} - set(explainers.names()) == set()
    assert len(ideas.BY_KEY) == len(ideas.IDEAS)
    assert [one.key for one in ideas.IDEAS[: len(MECHANISMS)]] == [row.key for row in MECHANISMS]


def test_a_mechanism_is_added_by_one_row():
    """The idea of the glossary and the search is made of its row alone."""
    row = Mechanism(
        "echo", "mixer", "echo", "an echo", lambda seen: [], "An echo", "{where}.", "a test",
        meaning="A layer hears itself.", also=("reverb",), learn=("heads",),
    )  # fmt: skip
    made = ideas.of_mechanism(row)
    assert (made.words, made.says, made.learn) == (("echo", "reverb"), "A layer hears itself.", ("heads",))


@pytest.mark.parametrize("key", BY_KEY)
def test_every_mechanism_has_an_entry_with_its_models(key):
    """What a catalogued model has is in the glossary with models that have it; what none has is said to be absent."""
    having = [view for view in SITE.views if view.spec and key in view.mechanisms]
    assert bool(having) is (key in entries()) is (key not in absent())
    if having:
        one = entries()[key]
        assert one.models and {view.slug for view in one.models} <= {view.slug for view in having}
        assert one.count == len([view for view in having if not view.row.variant_of] or having)


def test_first_here_is_what_the_lineage_says():
    """The first of a mechanism has no earlier structure with it, if no training of one came before; undated models are
    first of nothing."""
    known = comparing.catalogue_lineage()
    for key in BY_KEY:
        one, having = entries().get(key), terms.having(SITE)[key]
        new = [structure.head for structure in known.structures if key in structure.new]
        if one and new:
            trained = {view.title: view.row.date for view in having if view.row.variant_of and view.row.date}
            before = {title: date for title, date in trained.items() if date < min(head.date for head in new)}
            known_first = before or {head.title: head.date for head in new}
            assert one.first.date == min(known_first.values()) and one.first.title in known_first
        assert not one or not one.first or re.fullmatch(r"20\d\d(-\d\d){0,2}", one.first.date)


FIRST = {  # history that is known without this catalogue
    "mla": "DeepSeek V2",
    "gated-deltanet": "Qwen3 Next 80B-A3B",
    "dsa": "DeepSeek V3.2 Exp",
    "zero-experts": "LongCat Flash",
    "shortcut-experts": "LongCat Flash",
    "early-experts": "Snowflake Arctic",
    "hca": "DeepSeek V4",
    "loops": "Ouro",
    "learned-position": "GPT-2 XL",
    "m-rope": "Qwen2-VL",
    "deepstack": "Qwen3-VL",
    "two-bases": "Gemma 3",
}


@pytest.mark.parametrize("key", FIRST)
def test_known_firsts(key):
    """Derived from dates and specs."""
    assert entries()[key].first.title.startswith(FIRST[key])


def test_what_is_not_drawn_of_an_earlier_model_is_named():
    """Qwen 7B grows its queries with the logarithm of their position, which its drawing lacks, before Llama 4 did."""
    one = entries()["temperature"]
    assert one.first.title == "Llama 4 Maverick" and one.earlier[0] == "Qwen 7B, August 2023"
    qwen = SITE.view("Qwen/Qwen-7B")
    assert qwen.row.date.startswith("2023-08") and qwen.config["use_logn_attn"]
    assert any("use_logn_attn" in note and "not drawn" in note for note in qwen.spec.notes)


@pytest.mark.whole
def test_a_first_of_a_page_is_the_glossarys():
    """DeepSeek V3.2 Exp came before V3.2: what a page names as the first here is what the glossary names."""
    known = comparing.catalogue_lineage()
    firsts = {key: terms.first(views) for key, views in terms.having(SITE).items()}
    told = {
        (item.key, name[1])
        for slug in known.entries
        for item in novelty.find_novelty(known, slug).items
        if (name := re.search(r"First model here with this mechanism: (.+?)(?: \(|\.$)", item.says))
    }
    assert len(told) > 15
    assert {(key, name) for key, name in told if firsts[key].title != name} == set()


def shares(key, test):
    """Of each model with an idea, how many of its layers pass a test."""
    for view in terms.having(SITE)[key]:
        layers = view.spec.layers
        yield view.slug, sum(any(test(part) for part in parts_of(layer.mixer)) for layer in layers) / len(layers)


def test_a_sentence_holds_for_every_model_that_has_it():
    """Windows may be half of the layers; two mixers need no experts; weights may have been trained in eight bits."""
    windows = dict(shares("window-mix", lambda part: getattr(part, "sliding_window", 0)))
    assert windows["openai/gpt-oss-20b"] == windows["google/gemma-2-2b"] == 0.5
    assert entries()["window-mix"].says == "Some layers attend to a sliding window, others to the whole text."
    zamba = SITE.view("Zyphra/Zamba2-1.2B").mechanisms
    assert (
        "double-layer" in zamba and "moe" not in zamba and entries()["double-layer"].names == ("two mixers in a layer",)
    )
    assert "ScMoE" in entries()["shortcut-experts"].names
    assert "trained in" not in entries()["quantized"].says
    assert "attention's own cost" in entries()["sparse"].says


def test_keys_that_are_values_are_found_in_both_their_forms():
    """Gemma 4 without v_proj and DeepSeek V4 with one vector for both; each says how."""
    have = {view.slug for view in terms.having(SITE)["k-is-v"]}
    assert {"google/gemma-4-31B-it", "deepseek-ai/DeepSeek-V4-Flash"} <= have
    assert "deepseek-ai/DeepSeek-V3" not in have
    said = {slug: say_mechanism(SITE.view(slug).spec, "k-is-v")[1] for slug in have}
    assert "one cached vector" in said["deepseek-ai/DeepSeek-V4-Flash"]
    assert "both are cached" in said["google/gemma-4-31B-it"]


def test_links_of_the_glossary_lead_to_pages(verified):
    """Every link is a page of the site; those to explainers open one that teaches the entry."""
    paths = {one.path for one in all_pages(SITE)}
    links = set(re.findall(r'href="(\.\./[^"?#]*)', page(SITE)))
    wrong = [link for link in links if unquote(link.removeprefix("..")) not in paths and "/assets/" not in link]
    assert wrong == []
    assert all(path.split("/")[2] in explainers.names() for one in entries().values() for _, path in one.learn)
    verified("links in the glossary", len(links), len(wrong), "the pages of the site")


ASKED = """prefix caching, expert choice, test-time memory, EAGLE, Medusa, M-RoPE, RetNet, speculative decoding,
acceptance rate, paged attention, block table, continuous batching, eviction, preemption, chunked prefill,
DSA, NSA, CSA, HCA, MoBA, GLA, Mamba-2, RWKV-7, Lightning Attention, mLSTM, byte-pair encoding,
logits, temperature, top-k, top-p, greedy decoding,
embedding, softmax, token, attention, KV cache, prefill, decode, MTP, SmoothQuant, AWQ, GPTQ"""


def test_terms_that_no_config_holds_are_explained():
    """Every term of the field that was asked for is the name of an entry, with a sentence and a source."""
    names = {ideas.plain(word) for one in (*ideas.IDEAS, *METHODS, *general.TERMS) for word in one.words}
    assert [term for term in ASKED.replace("\n", " ").split(", ") if ideas.plain(term) not in names] == []
    for one in general.TERMS:
        assert one.part in general.PARTS and set(one.learn) <= set(explainers.names()), one.key
        assert one.says.endswith(".") and one.says.count(". ") == 0, one.key
        assert re.match(r"arXiv \d{4}\.\d{5}$|Orca, OSDI 2022$", one.source), one.key
    assert not set(general.BY_KEY) & set(ideas.BY_KEY)
    html = page(SITE)
    assert all(f'<div id="{one.key}">' in html and one.says in html for one in general.TERMS)


def test_an_entry_has_an_address():
    """/glossary/#mla and every other key stands once."""
    ids = re.findall(r' id="([^"]+)"', page(SITE))
    assert len(ids) == len(set(ids))
    assert set(ideas.BY_KEY) <= set(ids)


def test_a_model_page_leads_to_its_words():
    """Under Facts stand the mechanisms of the model, as links to their entries."""
    from cutaway.app.model_page.page import model_page

    html = model_page(SITE, SITE.view("deepseek-ai/DeepSeek-V3"))
    assert set(re.findall(r'href="[./]*/glossary/#([\w-]+)"', html)) == set(
        SITE.view("deepseek-ai/DeepSeek-V3").mechanisms
    )


def test_methods_are_explained_and_found_by_the_search():
    """GPTQ, AWQ, SmoothQuant, rotations and rounding: a sentence, a source, an explainer; no key is an idea's, too."""
    told = {one.said.key: one for one in methods()}
    assert {"gptq", "awq", "smoothquant", "error-feedback", "rounding-mode", "stochastic-rounding"} <= set(told)
    assert set(told) & set(ideas.BY_KEY) == set()
    text = page(SITE)
    for key, one in told.items():
        entry = text.partition(f'<div id="{key}">')[2].partition("</div>")[0]
        assert all(part in entry for part in (*(path for _, path in one.learn), escape(one.said.source)))
        assert f"/glossary/#{key}" in {place.path for place in places(SITE)}
