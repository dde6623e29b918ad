"""The superposed drawing of /compare/: every node of both graphs and no other, sizes as shapes say, texts free."""

import random
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cutaway.app.compare import model_file
from cutaway.gallery import catalog
from tests import bundled
from tests.tally import Tally

CHECK = Path(__file__).with_suffix("").with_name("compare_insides.js").read_text("utf-8")
WIDTHS = [[1320, False], [836, False], [358, False]]  # of the drawing, and whether equal parts are asked for
NAMED = (
    model_file.DEFAULT,
    ("Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-Next-80B-A3B-Instruct"),
    ("meta-llama/Llama-3.1-8B", "mistralai/Mamba-Codestral-7B-v0.1"),
    ("google/gemma-2-2b", "google/gemma-3-27b-it"),
    ("Qwen/Qwen3.5-27B", "Qwen/Qwen3-Next-80B-A3B-Instruct"),  # one gate from two matrices
    ("deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V4-Flash"),
    ("google/gemma-3n-E4B", "CohereLabs/c4ai-command-r7b-12-2024"),
)


@pytest.fixture
def opened(page, site_url):
    """opened(query): the page at an address, when it has been drawn."""

    def go(query: str = "", width: int = 1400):
        page.set_viewport_size({"width": width, "height": 900})
        bundled.serve_modules(page, "compare-drawing.js", "compare-words.js", "compare-merge.js")
        page.goto(f"{site_url}/compare/{query}")
        expect(page.locator(".cmp-towers").first).to_be_visible()
        return page

    return go


def test_what_is_drawn_are_the_nodes_of_both(opened, verified):
    """Each node of a pair's graphs is drawn or folded, nothing else is; rectangles are as their shapes."""
    draw, drawn = random.Random(11), [row.slug for row in catalog.drawable_rows()]
    known = {row.slug for row in catalog.drawable_rows()}
    near = [(a, b) for b, others in sorted(model_file.counted_pairs().items()) for a in others]
    pairs = [pair for pair in NAMED if known.issuperset(pair)] + draw.sample(near, 2) + [tuple(draw.sample(drawn, 2))]
    found = opened().evaluate(CHECK, [pairs, WIDTHS])
    assert found["checked"] > 5000
    tally = Tally()
    tally.add(found["checked"], found["wrong"])
    verified("compare: nodes, sizes and texts of the overlaid drawing", tally, against="the graphs in the files")


def test_kimi_k2_on_deepseek_v3(opened):
    """The picture of the design: a -> b at the place, costs in the corners, discs where the table counts."""
    page = opened()
    moe, mla, dense = page.locator(".cmp-panels svg").evaluate_all("all => all.map((one) => one.textContent)")
    told = {
        moe: (
            "Mixture of experts",
            "+327.01 B",
            "router 7,168 → 256 → 384",
            "⊕ 128 experts",
            "8 groups, 4 kept → none",
        ),
        mla: ("Multi-head latent", "−5.24 B", "⊖ 64 heads", "16,384 → 8,192 → 7,168", "c 512", "1,152 B per token"),
        dense: ("Dense MLP, SwiGLU", "+33.12 B", "row 4; in 3 → 1 layer", "18,432 → 7,168 ="),
    }
    assert [(words, text[:20]) for text, some in told.items() for words in some if words not in text] == []
    numbers = page.locator(".cmp-drawing .i-disc").evaluate_all("all => all.map((one) => one.textContent).sort()")
    assert numbers == ["1", "2", "3", "4", "4", "5", "6"]  # the dense layers on their panel and on the tower


BOXES = """all => all.map((one) => {
  const { left, top, width } = one.getBoundingClientRect();
  return [left, top, width].map(Math.round).join();
})"""
SEEN = "all => all.filter((one) => one.getClientRects().length).length"


def test_one_model_alone_in_the_same_boxes(opened):
    """A | Both | B: no box moves, the other's values are not seen, the address says which; so it loads."""
    page = opened()
    boxes = page.locator(".cmp-panels :is(.bx, .pill, .keep)")
    before = boxes.evaluate_all(BOXES)
    assert page.locator(".cmp-drawing .k-b").evaluate_all(SEEN) > 10
    page.get_by_role("button", name="A DeepSeek V3").click()
    assert "show=a" in page.url
    assert boxes.evaluate_all(BOXES) == before
    assert page.locator(".cmp-drawing .k-b").evaluate_all(SEEN) == 0
    page = opened("?show=b&part=mlp", 390)
    assert page.locator(".cmp-drawing .k-a").evaluate_all(SEEN) == 0
    assert page.locator(".cmp-drawing .k-b").evaluate_all(SEEN) > 10
    assert page.locator(".cmp-in.lit").count() == 1
    assert page.locator('.cmp-show [aria-pressed="true"]').inner_text().startswith("B ")


def test_a_phone_gets_the_differences_first(opened):
    """The list stands above the drawing; equal parts are folded until they are asked for; nothing is cut off."""
    page = opened("", 390)
    tops = [page.locator(one).first.bounding_box()["y"] for one in (".cmp-list", ".cmp-show", ".cmp-panels")]
    assert tops == sorted(tops)
    expect(page.locator(".cmp-folded")).to_contain_text("Dense MLP, SwiGLU: equal")
    page.get_by_role("button", name="Show equal parts").click()
    assert "equal=1" in page.url
    expect(page.locator(".cmp-folded")).to_have_count(0)
    page.locator(".cmp-panels").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 900)")
    assert page.locator(".cmp-show").bounding_box()["y"] < 80
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_too_far_apart_to_be_superposed(opened):
    """Llama 3.1 and Mamba stand side by side, and the table says what either has alone."""
    page = opened("?a=meta-llama/Llama-3.1-8B&b=mistralai/Mamba-Codestral-7B-v0.1")
    assert page.locator(".cmp-sides h3").all_inner_texts() == ["A Llama 3.1 8B", "B Mamba Codestral 7B"] * 2
    heads = page.locator(".cmp-part th").all_inner_texts()
    assert heads == ["Only in A", "Only in B", "In both, with other values"]
    assert page.locator(".cmp-side-b .cmp-in").last.text_content().startswith("Mamba-2")
