"""/compare/ in a browser: any two models, numbers as in Python, choosing, sentences for what cannot be, keys."""

import csv
import json
import random
import re
import xml.etree.ElementTree as Tree

import pytest
from playwright.sync_api import expect

from cutaway.app.compare import model_file
from cutaway.gallery import catalog, memory, parameters
from cutaway.gallery.comparing import differences
from cutaway.gallery.comparing.text.number import say_change, scaled_bytes
from tests import accessible, bundled

V3, K2 = model_file.DEFAULT
WORDS = """async ([pairs]) => {
  const at = (name) => import(document.querySelector('script[src*="compare.js"]').src.replace(/compare\\.js.*/, name));
  const words = { ...(await at("compare-words.js")), ...(await at("compare-numbers.js")) };
  const files = new URL(document.querySelector(".cmp").dataset.files, location.href), held = new Map();
  const file = (slug) => held.get(slug) ?? held.set(slug, fetch(new URL(`${slug}.json`, files)).then((one) => one.json())).get(slug);
  return Promise.all(pairs.map(async ([one, other]) => {
    const [a, b] = [await file(one), await file(other)], found = words.pair(a, b);
    return { counted: found.counted, verdict: words.sentence(found), figures: words.FIGURES.map(([key, , told]) => [told(a.figures[key]), told(b.figures[key]),
      words.change(b.figures[key] - a.figures[key], key === "context" ? words.whole : told)]), heads: found.heads, rows: found.rows.length };
  }));
}"""  # noqa: E501


@pytest.fixture
def opened(page, site_url):
    """opened(query): the page at an address, when it has been drawn."""

    def go(query: str = ""):
        bundled.serve_modules(page, "compare-words.js", "compare-numbers.js")
        page.goto(f"{site_url}/compare/{query}")
        expect(page.locator(".cmp-towers").first).to_be_visible()
        return page

    return go


def test_the_browser_says_what_python_says(opened, verified):
    """Verdicts of counted pairs, figures and heads of any pair, random ones among all drawn models."""
    draw = random.Random(5)
    slugs = [row.slug for row in catalog.MODELS if row.snapshot]
    near = [(a, b) for b, others in sorted(model_file.counted_pairs().items()) for a in others]
    pairs = [*draw.sample(near, 60), *(tuple(draw.sample(slugs, 2)) for _ in range(60))]
    checked, wrong = 0, []
    for (a, b), said in zip(pairs, opened().evaluate(WORDS, [pairs]), strict=True):
        one, two = catalog.spec(a), catalog.spec(b)
        titles = (catalog.BY_SLUG[a].title, catalog.BY_SLUG[b].title)
        figures = [[one.a, one.b, one.change] for one in differences.figures(one, two)]
        figures = [[side or "not stated" if i != 3 or side != "0" else "not stated" for side in row[:2]] + row[2:]
                   for i, row in enumerate(figures)]  # fmt: skip
        figures[4][:2] = ["no growing cache" if side == "0 B" else side for side in figures[4][:2]]
        expected = {"figures": figures, "heads": differences.heads(one, two)}
        if said["counted"]:
            expected["verdict"] = differences.verdict(one, two, titles).text
        checked += 19 + len(expected["heads"])
        wrong += [(a, b, key, said[key], value) for key, value in expected.items() if said[key] != value]
    verified("compare: text and numbers in the browser", checked, len(wrong), "gallery.comparing, for 120 pairs")
    assert wrong == []


def test_the_first_visit_is_the_page_without_a_script(browser, site_url, opened):
    """Verdict and rows of the default pair stand in the HTML."""
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(f"{site_url}/compare/")
    verdict, rows = still.locator(".cmp-verdict").inner_text(), still.locator(".cmp-table code").all_inner_texts()
    context.close()
    page = opened()
    assert page.locator(".cmp-verdict").inner_text() == verdict
    assert page.locator(".cmp-table code").all_inner_texts() == rows
    assert "355,381,805,056" in page.locator("tr.sum").inner_text()


def test_choosing_swapping_and_coming_back(opened):
    """A typed name is a model, the address follows, x swaps, the way back leads to the first pair."""
    page = opened()
    page.fill("#in-b", "qwen3 32b")
    page.keyboard.press("Enter")
    expect(page.locator(".cmp-verdict")).to_contain_text("Next to DeepSeek V3, Qwen3 32B")
    assert "b=Qwen/Qwen3-32B" in page.url
    page.locator("h1").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("x")
    expect(page.locator("#in-a")).to_have_value("Qwen3 32B")
    page.go_back()
    page.go_back()
    expect(page.locator("#in-b")).to_have_value(catalog.BY_SLUG[K2].title)
    assert "?" not in page.url
    page.keyboard.press("2")
    assert page.url.endswith("#d-2")


def test_what_cannot_be_compared_is_said(opened):
    """Unknown, undrawn, the same twice: a sentence each, and what stands stays."""
    page = opened()
    for typed, words in (("no such thing", "No model here is called"), ("DeepSeek V3", "already here")):
        page.fill("#in-b", typed)
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text(words)
        expect(page.locator(".cmp-towers")).to_be_visible()
    opened(f"?a={V3}&b={V3}&c={K2}")
    expect(page.get_by_role("alert")).to_contain_text("not compared with itself")
    page.goto(page.url.split("?")[0] + f"?a={V3}")
    expect(page.locator(".cmp-verdict")).to_contain_text("choose a model to compare it with")


def test_a_tower_or_a_cell_opens_its_pair(opened):
    """Of three models: A and the chosen one; back brings the three. SVG has their towers, under a sentence on each."""
    page = opened(f"?a={V3}&b={K2}&c=zai-org/GLM-5")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    words = "".join(Tree.fromstring(download.value.path().read_text("utf-8")).itertext())
    assert all(name in words for name in ("A DeepSeek V3", "B Kimi K2", "C GLM-5", "Next to DeepSeek V3"))
    page.locator(".cmp-towers a").last.click()
    expect(page.locator(".cmp-show")).to_contain_text("B GLM-5")
    assert page.url.endswith(f"?a={V3}&b=zai-org/GLM-5")
    page.go_back()
    expect(page.locator(".cmp-towers a")).to_have_count(2)
    page.get_by_role("link", name="384").click()
    expect(page.locator(".cmp-show")).to_contain_text("B Kimi K2")
    assert "part=mlp" in page.url
    assert page.locator(".cmp-in.lit").count() == 2


def test_the_drawing_is_a_file(opened):
    """As it is seen: every part, its colours written out for light and for dark, nothing that a viewer lacks."""
    page = opened("?show=b")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    text = download.value.path().read_text("utf-8")
    tree = Tree.fromstring(text)
    assert len(tree.findall("{http://www.w3.org/2000/svg}svg")) == page.locator("svg.cmp-in").count() == 6
    assert tree.get("data-show") == "b"
    assert "prefers-color-scheme: dark" in text
    assert "light-dark(" not in text
    assert set(re.findall(r"var\((--[\w-]+)", text)) <= {"--c", "--s", "--x", "--gap-3"}
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    rows = json.loads(download.value.path().read_text("utf-8"))[0]
    assert sum(row["parameters"] for row in rows["rows"]) == 355_381_805_056


def test_a_site_of_files_says_where_a_config_is_compared(opened):
    """No server, no Python: a sentence in place of the dialog, from the button and from the list."""
    page = opened()
    page.get_by_role("button", name="Paste a config.json").click()
    expect(page.get_by_role("alert")).to_contain_text("start the live app")
    page.fill("#in-b", "Paste a config.json …")
    page.keyboard.press("Enter")
    expect(page.locator("#in-b")).to_have_value(catalog.BY_SLUG[K2].title)
    assert page.locator("dialog").count() == 0


SIX = (
    V3,
    K2,
    "openai/gpt-oss-120b",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "MiniMaxAI/MiniMax-M2",
    "deepseek-ai/DeepSeek-V4-Flash",
)
ALL_SIX = "?" + "&".join(f"{letter}={slug}" for letter, slug in zip("abcdef", SIX, strict=True))


def test_six_models_and_narrow_pages(opened):
    """A sentence on each, towers, a table, curves; no seventh; no sideways scroll on a phone; axe is content."""
    page = opened(ALL_SIX)
    expect(page.locator(".cmp-verdict li")).to_have_count(5)
    expect(page.locator(".cmp-matrix thead th")).to_have_count(7)
    expect(page.locator(".cmp-curves .line")).to_have_count(6)
    assert page.locator('[data-do="add"]').is_hidden()
    assert accessible.look(page).wrong == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page = opened()
    assert accessible.look(page).wrong == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_context_and_a_format_of_the_cache_are_chosen(opened):
    """Bytes are those of gallery.memory; the address keeps both, and the focus stays on what chose them."""
    page = opened(ALL_SIX)
    page.locator("[data-cache=ctx]").select_option("65536")
    page.get_by_role("button", name="FP8", exact=True).click()
    assert page.url.endswith("&ctx=65536&kv=fp8")
    expect(page.locator('[data-kv="fp8"]')).to_be_focused()
    kept = [scaled_bytes(memory(catalog.spec(slug), 65_536, "float8_e4m3fn").total_bytes) for slug in SIX]
    cells = page.locator(".cmp-curves [aria-current=true] td").all_inner_texts()
    assert ["=" if at and one == kept[0] else one for at, one in enumerate(kept)] == cells
    row = page.locator(".cmp-matrix tr", has_text="cache at 65,536 tokens, FP8")
    assert row.locator("td").all_inner_texts() == cells
    page.reload()
    expect(page.locator('[data-kv="fp8"][aria-pressed=true]')).to_be_visible()


def test_any_set_is_a_table_and_a_file_with_commas(opened):
    """Every field of two models where equal ones are asked for; CSV has the same rows."""
    page = opened()
    page.get_by_role("button", name="Table").click()
    assert page.url.endswith("?view=table") and page.locator(".cmp-seen").count() == 0
    some = page.locator(".cmp-matrix tbody tr").count()
    page.get_by_role("button", name="Show equal fields").click()
    assert page.locator(".cmp-matrix tbody tr").count() > some
    page.get_by_role("button", name="SVG").click()
    expect(page.get_by_role("alert")).to_contain_text("A table has no picture")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    rows = list(csv.reader(download.value.path().read_text("utf-8").splitlines()))
    assert rows[0] == ["part", "field", "key", *(catalog.BY_SLUG[slug].title for slug in (V3, K2))]
    assert ["MLP", "routed experts", "num_experts", "256", "384"] in rows
    assert ["", "parameters", "", *(str(parameters(catalog.spec(slug)).total) for slug in (V3, K2))] in rows
    parts = page.locator(".cmp-matrix .cmp-part").count()
    assert len(rows) - 1 == page.locator(".cmp-matrix tbody tr").count() - parts


def test_a_sign_stands_before_a_number():
    """The words of both languages begin alike."""
    assert say_change(-5, "5") == "−5"
