"""The search: what is typed finds models by name and by idea, explainers that teach it, and forgives one letter."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from cutaway.app.model import facets, ideas
from tests import accessible, bundled
from tests.guarded import guarded, until
from tests.one_site import SITE

MODEL = "/models/deepseek-ai/DeepSeek-V3/"
UNDRAWN = "/models/" + next(view.slug for view in SITE.views if not view.spec) + "/"
FIND = """async texts => {
  const { finder } = await import(new URL("assets/js/find.js", location.href).href);
  window.find_models ??= finder(await (await fetch("data/search.json")).json());
  return texts.map(text => { const found = window.find_models(text); return {
    models: found.models.map(model => model.slug), pages: found.pages.map(page => page.path.split("/")[2]),
    lead: found.lead.map(page => page.path), corrected: found.corrected, without: found.without }; });
}"""


@pytest.fixture(scope="module")
def find(browser, site_url):
    """find("MLA", "sinks") -> one {models, pages, lead, corrected, without} each, by one finder for all tests."""
    with guarded(browser) as page:
        bundled.serve_modules(page, "find.js")
        page.goto(site_url + "/")
        yield lambda *texts: page.evaluate(FIND, list(texts))


@cache
def ideas_of() -> dict[str, set[str]]:
    """The ideas of each model, by its slug."""
    return {view.slug: set(ideas.keys(view)) for view in SITE.views}


@cache
def having(names: str) -> frozenset[str]:
    """Slugs of models that have one of these ideas."""
    return frozenset(slug for slug, has in ideas_of().items() if has & set(names.split()))


TYPED = {  # what a reader types: (the ideas it names, explainers that teach them)
    "DSA": ("dsa", ["sparse", "long-context"]),
    "sparse": ("sparse", ["sparse", "long-context"]),
    "sinks": ("sinks", ["masks"]),
    "MTP": ("mtp", ["loops"]),
    "NoPE": ("nope no-position", ["position"]),
    "QK-norm": ("qk-norm qk-norm-full qk-norm-bare", ["norms"]),
    "qknorm": ("qk-norm qk-norm-full qk-norm-bare", ["norms"]),
    "sliding window": ("window", ["masks"]),
    "slidingwindow": ("window", ["masks"]),
    "sliding-window attention": ("window", ["masks"]),
    "MLA": ("mla", ["mla-numbers", "heads"]),
    "latent attention": ("mla", ["mla-numbers", "heads"]),
    "MoE": ("moe", ["experts", "expert-parallel"]),
    "mixture of experts": ("moe", ["experts", "expert-parallel"]),
    "hyper-connections": ("hyper-connections", ["loops"]),
    "hyperconnections": ("hyper-connections", ["loops"]),
    "looped": ("loops", ["loops"]),
    "KDA": ("kda", ["delta-rule", "linear-family", "decoder"]),
    "DeltaNet": ("delta", ["delta-rule", "linear-family", "decoder"]),
    "gated deltanet": ("gated-deltanet", ["delta-rule", "decoder"]),
    "multi query": ("mqa", ["heads"]),
    "multi-token prediction": ("mtp", ["loops"]),
    "mxfp4": ("mxfp4", ["blocks"]),
    "attention sink": ("sinks", ["masks"]),
}


def test_an_idea_finds_every_model_that_has_it(find, verified):
    """Its usual name, another, without hyphens or half typed: the models are those whose spec says so, and no other."""
    answers = dict(zip(TYPED, find(*TYPED), strict=True))
    wrong = []
    for text, (key, learn) in TYPED.items():
        named = {row.slug for row in SITE.rows if text.lower() in f"{row.title} {row.slug} {row.company}".lower()}
        wrong += [(text, slug) for slug in set(answers[text]["models"]) ^ (having(key) | named)]
        wrong += [(text, answers[text]["pages"])] if answers[text]["pages"] != learn else []
        wrong += [(text, "corrected")] if answers[text]["corrected"] else []
    assert wrong == []
    checked = sum(len(answer["models"]) for answer in answers.values())
    verified("models found by searching for a mechanism", checked, len(wrong), "the fields of each model")


def test_every_name_of_every_idea_finds_its_models(find):
    """No row of the table is out of reach: each of its names finds all that have it."""
    names = [(idea.key, word) for idea in ideas.IDEAS for word in idea.words]
    answers = find(*(word for _, word in names))
    missing = [name for name, one in zip(names, answers, strict=True) if not having(name[0]) <= set(one["models"])]
    assert missing == []


ODD = {  # typed: what must come first, and what must not come at all
    "kimi": ("moonshotai/", "fireworks/Ember-1"),
    "deepseek": ("deepseek-ai/", "zai-org/GLM-5"),
    "google sliding window": ("google/", "openai/gpt-oss-20b"),
    "kimi linear": ("moonshotai/Kimi-Linear", "moonshotai/Kimi-K2"),
    "qwen moe": ("Qwen/", "Qwen/Qwen3-32B"),
    "gpt oss 20b": ("openai/gpt-oss-20b", "openai-community/gpt2-xl"),
    "gptoss": ("openai/gpt-oss", "openai-community/gpt2-xl"),
    "hf.co/openai/gpt-oss-20b": ("openai/gpt-oss-20b", "openai/gpt-oss-120b"),
    "https://huggingface.co/Qwen/Qwen3-32B?x#y": ("Qwen/Qwen3-32B", "Qwen/Qwen3-8B"),
}


def test_a_name_means_the_name(find):
    """Brands are models before they are ideas, words narrow each other down, addresses are exact."""
    for (text, (first, never)), found in zip(ODD.items(), find(*ODD), strict=True):
        assert found["models"][0].startswith(first), text
        assert never not in found["models"], text
        assert found["without"] == [], text


MISSPELT = {
    "sparce": "sparse",
    "slidng window": "sliding window",
    "deltanett": "deltanet",
    "hyper-conections": "hyper connections",
    "hyperconections": "hyperconnections",
    "lopoed": "looped",
    "mistrla": "mistral",
    "quantied": "quantized",
    "sparce mla atention": "sparse mla attention",
}
KEPT = ["mtq", "dsx", "kimy", "qwen9", "zzzzz", "moee", "sparxxe", "", " ", "-", ".", "\U0001f600", "zz/yy/xx"]
ENDLESS = ["x" * 5000, "zz " * 300, "a " * 20 + "zzzzz"]  # the first twenty words are read


def test_one_wrong_letter_is_forgiven_and_said(find):
    """A long word that stands nowhere is read as one that is a letter away; short words and numbers are not guessed."""
    for (text, meant), found in zip(MISSPELT.items(), find(*MISSPELT), strict=True):
        assert found["corrected"] == meant
        assert found["models"], text
    for text, found in zip(KEPT, find(*KEPT), strict=True):
        assert (found["models"], found["pages"], found["corrected"]) == ([], [], ""), text
    assert [bool(found["models"]) for found in find(*ENDLESS)] == [False, False, True]


ORDERED = {  # a superlative -> the idea that is asked for, what it goes by, and whether the largest comes first
    "smallest MLA": ("mla", lambda view: view.parameters.total, False),
    "largest MoE": ("moe", lambda view: view.parameters.total, True),
    "which model has the longest context": ("", lambda view: view.spec.max_position_embeddings, True),
    "longest context MoE": ("moe", lambda view: view.spec.max_position_embeddings, True),
    "fewest active parameters mla": ("mla", lambda view: view.parameters.active, False),
    "smallest cache mla": ("mla", lambda view: view.per_token_bytes, False),
    "newest sliding window": ("window", lambda view: view.row.date, True),
}


def test_a_superlative_is_an_order(find):
    """The models of the other words by that number, those without it left out; equal ones in any order."""
    for (text, (idea, number, down)), found in zip(ORDERED.items(), find(*ORDERED), strict=True):
        held = having(idea) if idea else {view.slug for view in SITE.views}
        values = {view.slug: number(view) for view in SITE.views if view.slug in held and view.spec}
        known = sorted(filter(None, values.values()), reverse=down)
        assert known == [values[slug] for slug in found["models"]], text
        assert found["without"] == [], text


def test_the_first_row_of_a_superlative_is_its_model(page, site_url):
    """Before what explains the idea, with the number; Enter opens it; all of them keep the order."""
    page.goto(site_url + "/")
    page.fill(".search input", "longest context")
    page.wait_for_selector(".found [aria-selected=true]")
    assert page.inner_text(".found [aria-selected=true]") == "Llama 4 Scout\nMeta · 10,485,760\nModel"
    page.fill(".search input", "smallest MLA")
    held = [view for view in SITE.views if view.slug in having("mla") and view.spec]
    least = min(held, key=lambda view: view.parameters.total)
    until(page, lambda: page.inner_text(".found [aria-selected=true]").startswith(least.title + "\n"))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/?q=smallest%20MLA&sort=parameters")


def windows(view) -> set[int]:
    return {getattr(layer.mixer, "sliding_window", None) or 0 for layer in view.spec.layers}


def expert_counts(view) -> set[int]:
    halves = [half for layer in view.spec.layers for half in getattr(layer.mlp, "parts", (layer.mlp,))]
    return {getattr(half, "num_experts", 0) for half in halves}


NUMBERED = {  # a number beside its noun -> which models have it
    "128 window": lambda view: 128 in windows(view),
    "sliding window of 4,096": lambda view: 4096 in windows(view),
    "1k window": lambda view: 1024 in windows(view),
    "512-token window": lambda view: 512 in windows(view),
    "64 experts": lambda view: 64 in expert_counts(view),
    "256 experts MLA": lambda view: 256 in expert_counts(view) and "mla" in ideas_of()[view.slug],
    "128k context openai": lambda view: view.row.company == "OpenAI" and view.spec.max_position_embeddings == 131_072,
}


def test_a_number_beside_its_noun_is_a_filter(find):
    """Window, experts, context: before the noun or behind it, k by 1,024, the other words still hold."""
    for (text, has), found in zip(NUMBERED.items(), find(*NUMBERED), strict=True):
        expected = {view.slug for view in SITE.views if view.spec and has(view)}
        assert expected and set(found["models"]) == expected, text


COMBINED = {  # a company, a licence, a year, an idea, in any order -> (company, licence, year, idea), "" for any
    "apache moe 2025": ("", "l-apache", "2025", "moe"),
    "2025 alibaba apache": ("Alibaba Cloud", "l-apache", "2025", ""),
    "MIT DeepSeek MLA": ("DeepSeek", "l-mit", "", "mla"),
    "sliding window google 2024": ("Google", "", "2024", "window"),
}


def test_company_licence_year_and_idea_narrow_each_other(find):
    """The models that are all of it, and no other."""
    for (text, (company, licence, year, idea)), found in zip(COMBINED.items(), find(*COMBINED), strict=True):
        expected = {
            view.slug for view in SITE.views
            if company in view.row.company and (not licence or facets.licence_of(view.row.licence) == licence)
            and (view.row.date or "").startswith(year) and (not idea or idea in ideas_of()[view.slug])
        }  # fmt: skip
        assert expected and set(found["models"]) == expected, text


TERMS = {  # explainer: terms of the field, as people type them
    "heads": "GQA; grouped-query attention; Grouped Query Attention; MQA; multi-head attention; KV; what is GQA",
    "mla-numbers": "MLA; multi-head latent attention; what is MLA?",
    "masks": "sliding window; sliding window attention; causal mask; attention sinks",
    "flash": "FlashAttention; flash attention; flash-attention; online softmax",
    "long-context": "long context; context window; million tokens",
    "sparse": "sparse attention; DSA; NSA; MoBA; lightning indexer; CSA; HCA; block-sparse attention",
    "delta-rule": "delta rule; linear attention; DeltaNet; gated DeltaNet; KDA",
    "linear-family": "RetNet; GLA; gated linear attention; mLSTM; RWKV-7; lightning attention",
    "position": "RoPE; rotary embedding; YaRN; rope_theta; NoPE; ALiBi",
    "norms": "RMSNorm; QK-norm; residual stream",
    "loops": "MTP; multi-token prediction; hyper-connections",
    "decoder": "state space models; Mamba; attention",
    "experts": "MoE; mixture of experts; load balancing; router; top-k routing; capacity factor",
    "expert-parallel": "expert parallelism; expert parallel; all-to-all; DeepEP",
    "speculative": "speculative decoding; speculative sampling; draft model; EAGLE; Medusa; prompt lookup",
    "roofline": "roofline; arithmetic intensity; memory bound; how does prefill work",
    "bits": "FP8; ＦＰ８; E4M3; E4M3FN; bfloat16; BF16; subnormals",
    "rounding": "stochastic rounding; Kahan summation; double rounding",
    "matrix": "quantization error; SQNR; Hadamard rotation; QuaRot; outlier channel",
    "blocks": "MXFP4; NVFP4; quantization; microscaling",
    "activations": "SmoothQuant; AWQ; GPTQ; activation quantization; W4A4; W8A8",
    "collectives": "all-reduce; allreduce; all gather; reduce-scatter; NCCL",
    "data-parallel": "FSDP; ZeRO; ZeRO-3; data parallelism",
    "tensor-parallel": "tensor parallelism; tensor parallel; Megatron",
    "pipeline": "pipeline parallelism; 1F1B; GPipe; pipeline bubble; zero bubble",
    "context-parallel": "ring attention; Ulysses; context parallelism",
    "which-axis": "3D parallelism; parallelism",
}


def test_a_term_of_the_field_leads_to_its_explainer_first(find):
    """As it is written in papers, with or without hyphens, in a question: before every model that has it."""
    asked = [(f"/learn/{name}/", term) for name, terms in TERMS.items() for term in terms.split("; ")]
    answers = find(*(term for _, term in asked))
    wrong = [(term, one["lead"]) for (path, term), one in zip(asked, answers, strict=True) if one["lead"][:1] != [path]]
    assert wrong == []
    assert len(asked) >= 60


def test_a_question_with_words_that_nothing_has_finds_the_pages_it_mentions(find):
    """The longest term first; a maker's name is no term, and "deep" begins DeepSeek before it begins DeepEP."""
    found = find("fp8 e4m3 max value", "ZeRO stage 3", "kv cache mla", "deep", "gpu memory calculator")
    assert [one["pages"][:1] for one in found[:3]] == [["bits"], ["data-parallel"], ["heads"]]
    assert found[3]["lead"] == []
    assert found[4]["lead"] == ["/plan/"]


def test_what_an_empty_search_suggests_is_found(find):
    """Every idea that the sentence names leads somewhere."""
    assert all(found["models"] for found in find("Qwen3", "Mistral", *SITE.hints))


def test_an_explainer_is_found_by_its_own_words(find):
    """What a page is about, in the words of its title and its first lines."""
    found = find("pipeline", "bits of a number", "number formats", "keys and values", "all-reduce")
    assert ["pipeline" in found[0]["pages"], "bits" in found[1]["pages"], "blocks" in found[2]["pages"]] == [True] * 3
    assert "heads" in found[3]["pages"]
    assert found[4]["pages"]


def test_ten_thousand_models_are_searched_within_a_keystroke(page, site_url, monkeypatch):
    """Made-up models under the catalogue's ideas: nine letters of ten, and any slip, are answered within 50 ms."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "bench"))
    from finding import keystrokes

    page.goto(site_url + "/")
    typed = ("sliding window", "sparce mla atention")
    spent = sorted(keystrokes(page, site_url + "/assets/js/find.js", typed=typed))
    assert spent[len(spent) * 9 // 10] < 50, spent[-5:]


# ---------------------------------------------------------------- the box


def test_slash_searches_and_enter_opens(page, site_url):
    """/ focuses the box, words narrow the list, arrows choose, Enter opens the page."""
    page.goto(site_url + MODEL)
    page.keyboard.press("/")
    page.keyboard.type("kimi linear")
    page.wait_for_selector(".found [aria-selected=true]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/moonshotai/Kimi-Linear*/")


def tabbed_to(page, selector: str):
    """Tab until the focus stands there."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never came to {selector}.")


def test_an_idea_is_found_opened_compared_and_left_by_keys_alone(page, site_url):
    """Typed idea, first model, its Compare, the two swapped, and the way back (Alt and left, as a browser calls it)."""
    page.goto(site_url + "/")
    page.keyboard.press("/")
    page.keyboard.type("delta rule")
    page.wait_for_selector(".found [aria-selected=true]")
    while not page.locator(".found [aria-selected=true]").inner_text().endswith("Model"):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/*/*/")
    model = page.locator("h1").inner_text()
    tabbed_to(page, "a[href*='compare/?']")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/compare/?a=" in url)
    boxes = page.locator(".cmp-box input")
    boxes.nth(1).wait_for()
    chosen = [boxes.nth(at).input_value() for at in (0, 1)]
    assert model in chosen
    page.keyboard.press("x")
    until(page, lambda: boxes.first.input_value() == chosen[1])
    assert chosen[::-1] == [boxes.nth(at).input_value() for at in (0, 1)]
    page.go_back()
    until(page, lambda: boxes.first.input_value() == chosen[0])
    for _ in range(2):
        page.go_back()
    page.wait_for_url(site_url + "/")


def test_a_pasted_hub_address_opens_its_model(page, site_url):
    """A Hub URL is as good as a name."""
    page.goto(site_url + "/")
    page.fill(".search input", "https://huggingface.co/openai/gpt-oss-20b/tree/main")
    page.wait_for_selector(".found [aria-selected=true]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/openai/gpt-oss-20b/")


def test_an_id_that_is_not_catalogued_leads_to_the_hub_first(page, site_url):
    """Whatever else its words may find; an id whose words a catalogued model has leads to that model first."""
    page.goto(site_url + "/")
    for typed, first in (
        ("plain/other-model", "Draw plain/other-model from the Hub"),
        ("openai/gpt-oss", "GPT-OSS 120B"),
    ):
        page.fill(".search input", typed)
        until(page, lambda first=first: page.locator(".found [aria-selected=true]").inner_text().startswith(first))


def test_a_search_without_a_hit_says_so(page, site_url):
    """Nonsense gets a sentence that says what to try, and the way to draw what is not here; Escape takes it away."""
    page.goto(site_url + "/")
    page.fill(".search input", "<b>zzz</b>")
    page.wait_for_selector(".found p")
    assert page.inner_text(".found").startswith("Not in this gallery. Try a name (Qwen3)")
    assert page.locator("#found [role=option]").all_inner_texts() == ["Draw a model of your own\nYour model"]
    page.keyboard.press("Escape")
    assert not page.locator(".found").is_visible()


def test_an_idea_lists_models_explainers_and_the_way_to_all(page, site_url):
    """From any page: what explains it, what is called so, the first models, more places, then all models."""
    page.goto(site_url + MODEL)
    page.fill(".search input", "sliding window")
    page.wait_for_selector(".found [aria-selected=true]")
    rows = page.locator(".found [role=option]")
    texts = rows.all_inner_texts()
    assert len(texts) == 18
    assert texts[0] == "Sliding-window and chunked attention\nExplainer"
    assert texts[1] == "sliding window\nGlossary"
    assert texts[2].startswith("sliding_window\n") and texts[2].endswith("\nConfig key")
    assert all(text.endswith("\nModel") for text in texts[3:11])
    assert not any(text.endswith("\nModel") for text in texts[11:])
    assert texts[17].startswith("All ")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/?q=sliding%20window")
    bases = {view.slug for view in SITE.views if not view.row.variant_of} & having("window")
    page.wait_for_selector(".learnt:not([hidden])")
    assert page.locator(".card:visible").count() == len(bases)
    assert page.inner_text(".learnt").startswith("Explained in: Sliding-window and chunked attention")
    assert page.inner_text(".learnt").endswith("Glossary: sliding window")
    page.click(".learnt a")
    page.wait_for_url("**/learn/masks/")


def test_the_gallery_narrows_by_idea_and_says_what_it_took_a_word_for(page, site_url):
    """Typing an idea leaves its cards; a slip is named; facets still count what is left; clearing brings all back."""
    page.goto(site_url + "/models/")
    everything = page.locator(".card:visible").count()
    page.click(".search input")
    page.keyboard.type("sparce")
    page.wait_for_selector(".meant:not([hidden])")
    assert page.inner_text(".meant") == "Nothing is called “sparce”. These are for “sparse”."
    sparse = {view.slug for view in SITE.views if not view.row.variant_of} & having("sparse")
    assert page.locator(".card:visible").count() == len(sparse)
    assert page.inner_text("label:has(input[value=sparse]) .count") == str(len(sparse))
    page.check("input[value=mla]")
    assert 0 < page.locator(".card:visible").count() < len(sparse)
    page.fill(".search input", "zzzzz")
    assert page.inner_text(".nothing").startswith("No model matches.")
    assert page.locator(".meant").is_hidden() and page.locator(".learnt").is_hidden()
    page.click("text=clear")
    assert page.locator(".card:visible").count() == everything


def test_a_slip_is_named_in_the_box_too(page, site_url):
    """The list says what it took the word for, and leads to the gallery under the right word."""
    page.goto(site_url + "/")
    page.fill(".search input", "sparce")
    page.wait_for_selector(".found [aria-selected=true]")
    assert page.inner_text(".found [role=status]") == "Nothing is called “sparce”. This is for “sparse”."
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/?q=sparse")


@pytest.mark.whole
def test_axe_finds_nothing_in_an_open_list(page, site_url, verified):
    """The list of what is found, the sentence where nothing is, and a page without a drawing, in either theme."""
    passed, wrong = 0, []
    for scheme, typed in (("light", "sinks"), ("dark", "sparce"), ("light", "zzzzz")):
        page.emulate_media(color_scheme=scheme)
        page.goto(site_url + UNDRAWN)
        page.fill(".search input", typed)
        page.wait_for_selector(".found:not([hidden])")
        found = accessible.look(page)
        passed += found.passed
        wrong += [f"{typed} {one}" for one in found.wrong]
    assert wrong == []
    verified("accessibility of the open search box", passed, len(wrong), found.engine)


def test_without_places_the_box_finds_models_all_the_same(page, site_url):
    """A file that cannot be fetched takes its rows away and nothing else; keys choose and Enter opens as before."""
    page.route("**/data/places.json", lambda route: route.abort())
    page.goto(site_url + "/")
    page.fill(".search input", "gpt-oss-20b")
    page.wait_for_selector(".found [aria-selected=true]")
    assert page.locator(".found [aria-selected=true]").inner_text() == "GPT-OSS 20B\nOpenAI\nModel"
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/openai/gpt-oss-20b/")


def test_a_key_a_format_and_a_device_open_by_enter(page, site_url):
    """A config key by an older spelling; a format and a device with what they choose; a step of an explainer."""
    for typed, where in (
        ("n_layer", "**/config/num_hidden_layers/"),
        ("float8_e4m3fn", "**/learn/bits/?format=float8_e4m3fn"),
        ("h100_sxm", "**/plan/?on=h100_sxm:1x8"),
        ("guard bit", "**/learn/bits/#beat-1"),
    ):
        page.goto(site_url + "/glossary/")
        page.keyboard.press("/")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")  # asks once more where the list is of an earlier letter
        page.wait_for_url(where)


def test_a_word_that_nothing_has_is_left_out_and_said(page, site_url):
    """The models are those of the other words; the sentence says which word was left out; the gallery does the same."""
    page.goto(site_url + "/")
    page.fill(".search input", "cuddly MLA")
    page.wait_for_selector(".found [aria-selected=true]")
    said = "No model matches “cuddly”; it was left out."
    assert page.inner_text(".found [role=status]") == said
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/?q=MLA")
    page.fill(".search input", "cuddly MLA")
    page.wait_for_selector(".meant:not([hidden])")
    assert page.inner_text(".meant") == said
    bases = {view.slug for view in SITE.views if not view.row.variant_of} & having("mla")
    assert page.locator(".card:visible").count() == len(bases)
    page.fill(".search input", "eps")
    until(page, lambda: not page.locator(".card:visible").count())
