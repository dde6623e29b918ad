"""The heads page as a reader meets it: slid, hovered, typed into, by keyboard, from a link, narrow."""

import re

import pytest
from playwright.sync_api import expect
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import (
    assert_a_move_draws_little,
    assert_narrow_and_accessible,
    beside,
    lab,
    state,
)
from tests.guarded import until

reference = explainers.reference("heads")
data = explainers.data("heads")


@pytest.fixture
def heads(learn):
    """Open the page at a state."""
    return learn("heads")


def main(page) -> str:
    return page.locator("[data-widget] .cw-heads-main").inner_text()


def test_the_slider_goes_from_mha_to_mla(heads):
    """From its own 8 key/value heads one step left doubles the cache; End is the latent."""
    page = heads()
    assert main(page) == "327.7 KB per token"
    slider = page.get_by_role("slider", name="Key/value heads")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert (main(page), state(page, "kv")) == ("655.4 KB per token", 16)
    page.keyboard.press("End")
    assert (main(page), state(page, "kv")) == ("92.2 KB per token", 0)
    assert (
        page.locator("[data-widget] .cw-heads-below")
        .inner_text()
        .startswith("cached per token: one latent of 512 + 64")
    )
    page.keyboard.press("Home")
    assert (main(page), slider.get_attribute("aria-valuetext")) == ("2,621.4 KB per token", "MHA 64")


def test_a_head_says_which_group_it_reads(heads):
    """Pointing at a head names its group without moving the link; arrows and clicks choose it."""
    page = heads()
    reads = page.locator("[data-widget] .cw-heads-below > :last-child")
    assert reads.inner_text() == "head 27 reads group 3"
    box = page.locator("[data-widget] .cw-heads-fans").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + 20)
    assert reads.inner_text() == "head 63 reads group 7"
    assert "?" not in page.url
    page.mouse.move(box["x"] - 20, box["y"] - 40)
    assert reads.inner_text() == "head 27 reads group 3"
    stage = page.locator("[data-widget]").get_by_role("slider", name="Selected query head")
    stage.focus()
    page.keyboard.press("PageUp")
    assert (state(page, "head"), reads.inner_text()) == (35, "head 35 reads group 4")
    assert stage.get_attribute("aria-valuetext") == "head 35 reads group 4, one of 8 key/value heads"
    page.mouse.click(box["x"] + 3, box["y"] + 20)
    assert state(page, "head") == 0


def test_illegal_ranks_get_a_sentence_and_the_last_good_state_stays(heads):
    """Nonsense beside the ranks is refused in words that say what is legal; the picture stays."""
    page, whole = heads("?tp=16"), "ranks: a whole number from 1 to 64."
    field = page.get_by_label("ranks", exact=True)
    refused = {"7": "7 ranks cannot share 64 query heads evenly; legal here: 1, 2, 4, 8, 16, 32, 64."}
    for typed, says in {**refused, **dict.fromkeys(("65", "2.5", "many", ""), whole)}.items():
        field.fill(typed)
        assert beside(page, field) == says
        assert state(page, "tp") == 16
        picture = page.locator("[data-widget] .cw-heads-ranks")
        expect(picture).to_have_attribute("aria-label", re.compile("stored 2 times"))
        field.fill("4")
        assert (beside(page, field), state(page, "tp")) == ("", 4)
        field.fill("16")


def test_a_broken_link_keeps_the_default(heads):
    """TP 7 in a link: the sentence, and the page's first state."""
    page = heads("?tp=7")
    assert "7 ranks cannot share 64 query heads evenly" in page.locator("[data-message]").inner_text()
    assert state(page, "tp") == 8


def test_switching_the_model_brings_its_own_stop_and_legal_ranks(heads):
    """A model comes with its own heads; ranks and head move to the nearest legal ones."""
    page = heads("?tp=64&head=63")
    page.get_by_label("model", exact=True).select_option("MiniMaxAI/MiniMax-M2.5")
    assert (state(page, "tp"), state(page, "head"), state(page, "kv")) == (48, 47, -1)
    page.get_by_label("model", exact=True).select_option("deepseek-ai/DeepSeek-V3")
    assert main(page) == "70.3 KB per token"
    assert "56.9 times less than 128" in page.locator("[data-widget] .cw-heads-read").inner_text()


def test_a_model_with_two_shapes_shows_both(heads):
    """Gemma 4's global and sliding layers have heads of their own: a second choice appears, and only there."""
    page = heads("?model=google/gemma-4-31B-it")
    layers = page.get_by_label("layers", exact=True)
    assert re.findall(r"\d+ (?:full|of [\d,]+ tokens)", layers.inner_text()) == ["10 full", "50 of 1,024 tokens"]
    layers.select_option("1")
    assert (
        "All 50 of these layers keep only the last 1,024 tokens."
        in page.locator("[data-widget] .cw-heads-read").inner_text()
    )
    page.get_by_label("model", exact=True).select_option("meta-llama/Llama-3.1-70B")
    assert page.get_by_label("layers", exact=True).count() == 0


def test_the_circuit_absorbs(heads):
    """Absorbed shows W_uk on the query's side; with RoPE inside the key the two circuits part."""
    page = heads("?model=deepseek-ai/DeepSeek-V3")
    circuit = page.locator("[data-widget] .cw-heads-circuit")
    assert circuit.get_attribute("aria-label").startswith("Expanded: W_uk and W_uv rebuild 128 keys of 128")
    page.get_by_role("radio", name="absorbed").check()
    until(page, lambda: circuit.get_attribute("aria-label").startswith("Absorbed: W_uk is folded into the query"))
    page.get_by_role("radio", name="inside the key").check()
    until(page, lambda: "a shared one is wrong" in page.locator("[data-widget] .cw-heads-agree").inner_text())


DRAWN = """(root) => {
  const count = (css) => (root.querySelector(css).getAttribute("d").match(/M/g) || []).length;
  const texts = (css) => [...root.querySelectorAll(css)].map((e) => e.textContent);
  const bars = [...root.querySelectorAll(".cw-heads-bar > rect:not(.cw-heads-hit)")];
  return { heads: count(".cw-heads-q"), strands: count(".cw-heads-fan"), boxes: count(".cw-heads-kv"),
    on: count(".cw-heads-q.on"), letters: texts(".cw-heads-fans .cw-heads-letter").join(""),
    bars: bars.map((e) => Number(e.getAttribute("width"))),
    stops: texts(".cw-heads-bar .cw-heads-name"), built: texts(".cw-heads-bar .cw-heads-bytes"),
    cards: count(".cw-heads-card"), asking: count(".cw-heads-few"),
    first: count(".cw-heads-ranks .cw-heads-kv"), copies: count(".cw-heads-copy"),
    tiles: texts(".cw-heads-ranks .cw-heads-letter") }; }"""


@pytest.mark.parametrize("change", [{"tp": 16}, {"kv": 32, "tp": 4}, {"kv": 0, "tp": 8}])
def test_the_drawings_are_the_references(heads, change):
    """As many heads, strands, boxes, cards and copies as the reference counts, and bars as long as its bytes."""
    page = heads("?" + "&".join(f"{key}={value}" for key, value in change.items()))
    now, drawn = reference.compute({**reference.STATE, **change}, data), lab(page).evaluate(DRAWN)
    pairs, tp = max(now["kv"], 1), now["tp"]
    assert (drawn["heads"], drawn["strands"], drawn["boxes"], drawn["on"]) == (64, 64, 2 * pairs, 64 // pairs)
    assert drawn["letters"] == ("kv" * pairs if now["kv"] else "latent c 512kᴿ 64")
    most = max(stop["bytes"] for stop in now["stops"])
    assert drawn["bars"] == [approx(max(drawn["bars"]) * stop["bytes"] / most, abs=0.01) for stop in now["stops"]]
    assert drawn["stops"] == [stop["label"] for stop in now["stops"]]
    assert ["as built" in words for words in drawn["built"]] == [stop["own"] for stop in now["stops"]]
    held = [(copy, tile) for tiles, copy in zip(tp["tiles"], tp["copy"], strict=True) for tile in tiles]
    assert (drawn["cards"], drawn["asking"]) == (len(tp["tiles"]), 64)
    assert drawn["copies"] == sum(copy for copy, _ in held)
    assert drawn["first"] == len(held) - drawn["copies"]
    assert drawn["tiles"] == [str(tile) if now["kv"] else "c + kᴿ" for _, tile in held]


FIGURES = """() => {
  const d = (css) => document.querySelector(css).getAttribute("d");
  const share = (e, key) => Number(e.getAttribute(key).replace("%", ""));
  const boxes = [...document.querySelectorAll(".beat-live .cw-heads-latent .cw-heads-kv rect")];
  const frame = document.querySelector(".beat-live .cw-heads-frame");
  return { cuts: d(".beat-live .cw-heads-cuts"), frame: [share(frame, "x"), share(frame, "y")],
    texts: [...document.querySelectorAll(".beat-live .cw-heads-pairs:not(.narrow) text")].map((e) => e.textContent),
    heads: d(".beat-live .cw-heads-latent .cw-heads-q").match(/M/g).length,
    rebuilt: d(".beat-live .cw-heads-up").match(/M/g).length,
    boxes: boxes.map((e) => [share(e, "x"), share(e, "width")]) }; }"""


def test_the_figures_of_the_beats_are_the_references(told):
    """A cell for each pair of 64 heads in 80 layers, the opened one where its words say; the latent by its parts."""
    page, now = told("heads"), reference.compute({**reference.STATE, "kv": 64}, data)
    page.wait_for_function("() => document.querySelector('.beat-live .cw-heads-latent .cw-heads-kv rect')")
    drawn = page.evaluate(FIGURES)
    assert drawn["cuts"].count("V") + 1 == now["heads"] and drawn["cuts"].count("H") + 1 == now["layers"]
    assert drawn["frame"] == [approx(70 * 40.5 / now["heads"], abs=0.01), approx(23 + 280 * (79 - 52) / now["layers"])]
    said = ["one token, “cat”: 64 key-value pairs in each of 80 layers", "head 0", "head 63", "layer 79", "layer 0"]
    assert drawn["texts"] == [*said, "key", "value", "layer 52, head 40:", "128 numbers each"]
    assert drawn["heads"] == drawn["rebuilt"] == now["heads"]
    (left, latent), (right, turned) = drawn["boxes"]
    assert latent / turned == approx(now["mla"]["rank"] / now["mla"]["rope"], rel=0.01)
    assert (left + latent + 0.4, right + turned) == (approx(right, abs=0.02), approx(70.4, abs=0.02))


def test_narrow_and_accessible(heads):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(
        heads, "heads", "?kv=0", "?model=deepseek-ai/DeepSeek-V3&kv=128&tp=64", "?kv=1&tp=16&path=absorbed"
    )


def test_a_move_draws_little(heads):
    """A changed stop changes fewer nodes than the page has elements, with 128 heads (`make bench` has the times)."""
    page = heads("?model=deepseek-ai/DeepSeek-V3")
    assert_a_move_draws_little(page, "tp", [1, 4, 16, 64])
    assert_a_move_draws_little(page, "kv", [128, 64, 32, 16, 8, 4, 2, 1, 0])
