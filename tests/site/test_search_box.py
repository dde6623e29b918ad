"""The search box on a page: keys, rows, what Enter opens, what it says where nothing or another word is meant."""

from __future__ import annotations

import pytest

from tests import accessible
from tests.guarded import until
from tests.one_site import SITE
from tests.site.searched import having

MODEL = "/models/deepseek-ai/DeepSeek-V3/"
UNDRAWN = "/models/" + next(view.slug for view in SITE.views if not view.spec) + "/"


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
