"""Reading a drawing part by part, and taking it away: tips, keys, addresses, files, the menu."""

from __future__ import annotations

import io
import json
import re

import pytest
from playwright.sync_api import expect

from tests import accessible, bundled
from tests.guarded import unpainted, until

PATH = "/models/moonshotai/Kimi-Linear-48B-A3B-Instruct/"
SLUG = PATH.removeprefix("/models/").strip("/")
PLAIN = "/models/openai/gpt-oss-20b/"
WIDE = ".cw-figure > svg.cf-wide"


@pytest.fixture
def model(page, site_url):
    """The page of a hybrid model, ready."""
    page.goto(site_url + PATH)
    return page


def part(page, graph: str, node: str):
    return page.locator(f'{WIDE} [data-g="{graph}"] [data-n~="{node}"]').first


def active(page) -> str:
    return page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent")


def graph_with(page, node: str) -> str:
    """The first picture that has a node."""
    return page.evaluate(
        "node => document.querySelector(`.cf-wide [data-n~='${node}']`).closest('[data-g]').dataset.g", node
    )


def test_pointing_at_a_part_says_what_it_is(model):
    """Its formula with this model's numbers, its tensor with its shape, its explainer; leaving takes it away."""
    graph = graph_with(model, "delta")
    part(model, graph, "delta").hover()
    tip = model.locator(".tip")
    tip.wait_for(state="visible")
    assert tip.locator(".tip-head").inner_text() == "Delta rule"
    assert "32 states of 128 × 128" in tip.inner_text()
    assert tip.locator(".tip-learn a").first.get_attribute("href").split("/learn/")[1].startswith("delta-rule/")
    part(model, graph, "out_proj" if part(model, graph, "out_proj").count() else "o_proj").hover()
    model.wait_for_selector(".tip ul a")
    row = model.locator(".tip ul li").first.inner_text()
    assert re.fullmatch(r"model\.layers\.\d+\.self_attn\.o_proj\.weight 2,304 × 4,096 · 9\.44 M", row)
    model.mouse.move(2, 2)
    tip.wait_for(state="hidden")


def test_the_tip_leads_to_the_tensor_and_the_explainer(model):
    """A click keeps it; its links open the weights table at the tensor, and the explainer with the model's numbers."""
    graph = graph_with(model, "o_proj")
    part(model, graph, "o_proj").click()
    model.wait_for_selector(".tip[data-pinned] ul a")
    assert model.url.endswith(f"#part={graph}:o_proj")
    model.click(".tip ul a")
    model.wait_for_selector("tr.lit")
    assert "o_proj.weight" in model.text_content("tr.lit")
    assert model.locator("tr.lit").is_visible()


BEFORE = """() => {
  const figure = document.querySelector("[data-parts] .cw-figure");
  const all = [...document.querySelectorAll("a[href], button, input, summary")];
  const stops = all.filter((one) => one.checkVisibility());
  stops.filter((one) => !figure.contains(one) && one.compareDocumentPosition(figure) & 4).at(-1).focus();
}"""


def test_the_drawing_is_read_by_keys_alone(model):
    """One stop; arrows walk, PageDown goes to the next picture, Enter keeps, Escape lets go, Tab leaves."""
    model.evaluate(BEFORE)
    model.keyboard.press("Tab")
    model.wait_for_selector(".tip:not([hidden])")
    first = active(model)
    assert model.evaluate("document.activeElement.closest('svg').querySelectorAll('[tabindex=\"0\"]').length") == 1
    model.keyboard.press("ArrowRight")
    second = active(model)
    assert first != second
    model.keyboard.press("ArrowLeft")
    assert active(model) == first
    model.keyboard.press("PageDown")
    model.keyboard.press("Enter")
    model.wait_for_selector(".tip[data-pinned]")
    assert "#part=layer" in model.url
    here = active(model)
    model.keyboard.press("Tab")
    assert model.evaluate("document.activeElement.closest('.tip') !== null")
    model.keyboard.press("Escape")
    assert model.locator(".tip").is_hidden() and active(model) == here and "#" not in model.url
    model.keyboard.press("Tab")
    assert model.evaluate("document.activeElement.closest('[data-parts]') === null")
    assert model.locator(".tip").is_hidden()


def test_every_part_has_a_name_and_says_something(page, site_url, verified):
    """Of four drawings: each part is a button with a name; what is said of it is never empty."""
    checked, wrong = 0, []
    for path in (PATH, PLAIN):
        page.goto(site_url + path)
        page.focus(f"{WIDE}")
        page.wait_for_selector(f"{WIDE}[data-dressed]")
        labels = page.eval_on_selector_all(
            f"{WIDE} [role=button]", "all => all.map(one => one.getAttribute('aria-label'))"
        )
        checked += len(labels)
        wrong += [f"{path}: {label}" for label in labels if not label or "undefined" in label]
        assert page.locator(f"{WIDE} [data-g] title").count() == 0
    assert wrong == []
    verified(
        "parts of a drawing that have an accessible name", checked, len(wrong), "the drawings as shown in Chromium"
    )


LAYERS = """async told => {
  const { located } = await import(new URL("assets/js/reading-words.js", new URL("../../../", location.href)).href);
  return [...told.layers.keys()].map(at => located(told, (at + 0.5) / told.layers.length).head);
}"""


def test_a_slab_of_the_tower_is_a_layer(model, site_dir):
    """The middle of every slab says its number; the words are those of its kind."""
    told = json.loads((site_dir / "data" / "parts" / f"{SLUG}.json").read_text())
    bundled.serve_modules(model, "reading-words.js")
    assert model.evaluate(LAYERS, told) == [f"Layer {index}" for index in range(len(told["layers"]))]
    slabs = model.locator(f"{WIDE} [data-g=model] path.f-solid.f-moe")
    slabs.evaluate("(slabs) => slabs.scrollIntoView({ behavior: 'instant' })")
    box = slabs.bounding_box()
    model.mouse.move(box["x"] + 8, box["y"] + 4)
    model.wait_for_selector(".tip:not([hidden])")
    assert model.inner_text(".tip-head") == f"Layer {len(told['layers']) - 1}"
    assert told["kinds"][told["layers"][-1]][0] in model.inner_text(".tip-sub")


def test_a_line_says_what_it_carries(model):
    """Between two boxes: the value, how it was made, where it goes."""
    bundled.serve_modules(model, "reading-words.js")
    said = model.evaluate(
        """async () => {
          const home = new URL("../../../", location.href);
          const { carried } = await import(new URL("assets/js/reading-words.js", home).href);
          return carried({graphs: {layer0: {"mixer.q": {is: "y"}}}, tensors: {}}, "layer0.mixer", "q>attend k>attend");
        }"""
    )
    assert (said["head"], said["sub"], said["rows"]) == ("q, k", "goes to attend", [{"name": "q", "is": "y"}])


def test_an_address_opens_a_part_or_a_tensor(page, site_url):
    """#part= scrolls there and keeps it open; #w- lights a tensor, also of a layer that another one stands for."""
    page.goto(site_url + PATH)
    graph = graph_with(page, "attend")
    page.goto("about:blank")
    page.goto(f"{site_url}{PATH}#part={graph}:attend")
    page.wait_for_selector(".tip[data-pinned]")
    assert page.inner_text(".tip-head") == "Softmax attention"
    assert part(page, graph, "attend").evaluate(
        "one => { const r = one.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; }"
    )
    page.goto(f"{site_url}{PLAIN}#w-model.layers.7.self_attn.k_proj.weight")
    page.wait_for_selector("tr.lit")
    assert "k_proj.weight" in page.text_content("tr.lit")
    page.evaluate("location.hash = '#w-model.embed_tokens.weight'")
    until(page, lambda: "embed_tokens" in page.inner_text("tr.lit"))


def test_an_address_that_names_nothing_changes_nothing(page, site_url):
    """No error, no tip, nothing lit: opened with it, and changed to it."""
    hashes = ("#part=", "#part=layer99:none", "#part=%zz", "#w-none", "#w-model.layers.999.x", "#w-")
    page.goto(f"{site_url}{PATH}{hashes[0]}")
    for at in hashes:
        page.evaluate("(at) => { location.hash = at; }", at)
        page.wait_for_timeout(200)
        assert page.locator(".tip:visible").count() == page.locator("tr.lit").count() == 0, at
        assert page.errors == []


def test_the_menu_takes_the_drawing_away(model):
    """SVG, PNG at twice the size with the page's own face, JSON, text; BibTeX with the address of the page."""
    from PIL import Image

    model.click(".taking > summary")
    model.wait_for_selector(".taking pre")
    with model.expect_download() as got:
        model.click("text=Drawing, PNG")
    picture = Image.open(io.BytesIO(got.value.path().read_bytes()))
    assert picture.size[0] == 2800 and len(picture.convert("RGB").getcolors(1 << 24)) > 50
    for words, kind in (("Drawing, SVG", ".svg"), ("Numbers, JSON", ".json"), ("Drawing as text", ".txt")):
        with model.expect_download() as got:
            model.click(f"text={words}")
        assert got.value.suggested_filename == f"{SLUG.replace('/', '--')}{kind}"
        assert len(got.value.path().read_bytes()) > 500
    assert f"url = {{{model.url}}}" in model.inner_text("#bib-page")
    model.click("text=BibTeX: the model's report")
    assert model.inner_text("#bib-report").startswith("@misc{")
    assert model.locator("#bib-page").is_hidden()
    model.keyboard.press("Escape")
    assert model.locator(".taking-box").is_hidden()


def test_the_menu_works_without_scripts(browser, site_url):
    """Links and BibTeX are in the page; the drawing keeps its own titles."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + PATH)
    page.click(".taking > summary")
    assert page.locator(".taking-box a:visible").count() == 4
    assert page.inner_text("#bib-page").startswith("@misc{cutaway-")
    assert page.locator(".taking button:visible").count() == 0
    assert page.locator(f"{WIDE} title").count() > 20
    context.close()


@pytest.mark.parametrize("size", [(1400, 900), (1400, 600), (900, 800)])
def test_a_tip_stays_inside_the_window(model, size):
    """Where there is room neither below a part nor above it the tip stands beside it, whole."""
    model.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    parts = model.locator(".cw-figure > svg:visible [data-n]")
    for at in (0, 3, 9):
        parts.nth(at).evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
        parts.nth(at).hover(position={"x": 6, "y": 6}, force=True)
        model.locator(".reading .lit").wait_for()
        box = model.locator(".tip").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= size[0]
        assert box["y"] >= 0 and box["y"] + box["height"] <= size[1]
        model.mouse.move(1, 1)
        model.locator(".tip").wait_for(state="hidden")


def test_a_phone_reads_the_tip_at_its_lower_edge(browser, site_url):
    """390 pixels: a tap opens it, nothing scrolls sideways, a tap elsewhere shuts it."""
    context = unpainted(browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True))
    page = context.new_page()
    page.goto(site_url + PATH)
    page.locator(".cf-narrow [data-n]").nth(4).tap()
    page.wait_for_selector(".tip[data-pinned]")
    box = page.locator(".tip").bounding_box()
    assert (box["x"], round(box["width"]), round(box["y"] + box["height"])) == (0, 390, 844)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("h1").tap()
    page.locator(".tip").wait_for(state="hidden")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_a_tip_or_the_menu(page, site_url, verified, scheme):
    """With a part kept open, and with the menu open."""
    page.emulate_media(color_scheme=scheme)
    page.goto(site_url + PATH)
    page.focus(WIDE)
    page.wait_for_selector(f"{WIDE}[data-dressed]")
    page.keyboard.press("PageDown")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tip[data-pinned]")
    rules = accessible.CONTRAST if scheme == "dark" else accessible.ALL
    found = [accessible.look(page, ".tip", rules)]  # the page around it: test_browser.py
    page.keyboard.press("Escape")
    page.click(".taking > summary")
    page.wait_for_selector(".taking pre")
    found.append(accessible.look(page, ".taking", rules))
    for path in ("/glossary/", "/data/", "/config/"):
        page.goto(site_url + path)
        found.append(accessible.look(page, rules=rules))
    wrong = [wrong for one in found for wrong in one.wrong]
    assert wrong == []
    passed = sum(one.passed for one in found)
    verified(
        f"accessibility of tooltips, the menu, the glossary and the data page, {scheme} theme",
        passed,
        len(wrong),
        "axe-core",
    )


def test_the_glossary_narrows_itself(page, site_url):
    """Typed words leave the entries that hold them; the address keeps them; an entry's address lights it."""
    page.goto(site_url + "/glossary/#mla")
    assert page.locator("#mla").is_visible()
    everything = page.locator(".terms dl > div:visible").count()
    page.fill("#narrow", "sinks")
    until(page, lambda: page.locator(".terms dl > div:not([hidden])").count() < 5)
    assert page.locator("#sinks").is_visible() and "q=sinks" in page.url
    page.reload()
    assert 0 < page.locator(".terms dl > div:visible").count() < 5 < everything
    page.fill("#narrow", "zzz")
    assert page.inner_text(".narrow [role=status]").startswith("No entry.")
    page.fill("#narrow", "")
    assert page.locator(".terms dl > div:visible").count() == everything


OF_LAYERS = ["dense_attention_every_n_layers", "global_attn_every_n_layers", "n_layers_per_attn_res_block",
             "num_hidden_layers"]  # fmt: skip
NARROWED = (("n_layer", OF_LAYERS), ("N-Layer", OF_LAYERS), ("num_attention_groups", ["num_key_value_heads"]))


@pytest.mark.parametrize(("typed", "names"), NARROWED)
def test_config_keys_are_found_by_an_older_spelling(page, site_url, typed, names):
    """A spelling is one word, wherever its separators: n_layer leaves its own key, not each with an n and a layer."""
    page.goto(site_url + "/config/")
    page.fill("#narrow", typed)
    expect(page.locator(".narrow [role=status]")).to_have_text(f"{len(names)} of 320")
    assert names == page.locator(".terms dt:visible a").all_inner_texts()
