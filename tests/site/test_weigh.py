"""Weighing a cache on a model's page as a reader does: three moves, the address, keys, what is refused."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from cutaway.explainers import fmt
from cutaway.gallery import catalog, memory
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import devices
from tests import noded
from tests.guarded import until
from tests.site.weighed import said

V3, NEXT, V4 = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "deepseek-ai/DeepSeek-V4-Flash"
OLD = "openai-community/gpt2-xl"


def test_two_hundred_thousand_tokens_of_eight_in_three_moves(weighing):
    """200k typed, 8 typed, FP8 chosen: 57.6 GB; the address says so and opens the same."""
    page = weighing(V3)
    panel = page.locator("#cache .w-panel")
    panel.locator('[data-in="ctx"]').fill("200k")
    panel.locator('[data-in="batch"]').fill("8")
    panel.get_by_role("radio", name="FP8", exact=True).check(force=True)
    assert (said(page, "title"), said(page, "total")) == ("Cache at 204,800 tokens × 8 sequences", "57.6 GB")
    assert page.url.endswith("/?ctx=204800&batch=8&kv=fp8")
    page.reload()
    page.wait_for_selector("[data-weighs]", state="attached")
    assert said(page, "total") == "57.6 GB"
    assert page.locator("#cache .w-strip path").first.get_attribute("transform").endswith("scale(1 94.37184)")


def test_a_first_move_before_the_script_has_come_is_kept(page, weighed):
    """Somebody who moves the slider at once gets what they chose, not what the page began with."""
    page.goto(f"{weighed}/models/{NEXT}/")
    slide = page.locator('#cache [data-in="slide"]')
    slide.evaluate("one => { one.value = 56; one.dispatchEvent(new Event('input', { bubbles: true })); }")
    page.wait_for_selector("[data-weighs]", state="attached")
    assert said(page, "title") == "Cache at 131,072 tokens".replace("131,072", f"{cache_growth.CONTEXTS[56]:,}")


def test_letting_the_slider_go_adds_one_step_to_go_back_to(weighing):
    """Dragging rewrites nothing that Back would miss: one step back is the state of before."""
    page = weighing(NEXT)
    box = page.locator('#cache [data-in="slide"]').bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.7, y)
    page.mouse.down()
    for share in (0.6, 0.5, 0.4, 0.3):
        page.mouse.move(box["x"] + box["width"] * share, y)
        page.wait_for_timeout(120)
    page.mouse.up()
    page.wait_for_url("**ctx=*")
    context = int(re.search(r"ctx=(\d+)", page.url)[1])
    assert context in cache_growth.CONTEXTS
    until(page, lambda: said(page, "title") == f"Cache at {context:,} tokens")
    page.go_back()
    assert "ctx=" not in page.url
    expect(page.locator('#cache [data-at="title"]').first).to_have_text("Cache at 131,072 tokens")
    page.go_forward()
    expect(page.locator('#cache [data-in="ctx"]')).to_have_value(str(context))


def test_keys_move_the_slider_and_reset_takes_all_back(weighing):
    """[ and ] go a step, arrows too; reset empties the address and keeps its other words."""
    page = weighing(NEXT, "?tp=4&kv=fp8&gpu=l4&gpus=2#cache")
    assert "2 × L4 have 51.5 GB of memory" in said(page, "room") and "GB too much" in said(page, "room")
    page.locator("#cache h2").click()
    page.keyboard.press("]")
    assert said(page, "title") == "Cache at 147,456 tokens"
    page.keyboard.press("[")
    page.keyboard.press("[")
    assert said(page, "title") == "Cache at 122,880 tokens"
    page.locator('#cache [data-in="slide"]').focus()
    page.keyboard.press("ArrowRight")
    assert said(page, "title") == "Cache at 131,072 tokens"
    slide = page.locator('#cache [data-in="slide"]')
    assert slide.get_attribute("aria-valuetext") == "131,072 tokens, 1.7 GB"
    page.get_by_role("button", name="Reset").click()
    assert page.url.endswith("/?tp=4#cache") and said(page, "total") == "3.3 GB"
    assert not page.locator("[data-reset]").is_visible()


@pytest.mark.parametrize("text", ["0", "", "1048577", "2M", "12x", "-5", "1e9", "<b>"])
def test_a_context_that_is_none_is_refused_in_words(weighing, text):
    """What cannot be read is marked and said; the numbers stay."""
    page = weighing(V3)
    box = page.locator('#cache [data-in="ctx"]')
    box.fill(text)
    box.press("Enter")
    assert "A context is a whole number of tokens from 1 to 1,048,576" in said(page, "error")
    assert box.get_attribute("aria-invalid") == "true" and said(page, "total") == "9.2 GB"
    box.fill("128 k tokens")
    box.press("Tab")
    assert page.locator('#cache [data-at="error"]').is_hidden() and said(page, "total") == "9.2 GB"


def test_strange_addresses_open_the_usual_and_are_told(weighing):
    """What is no context, format, model or GPU is not shown, and the page says so."""
    page = weighing(V3, "?ctx=-1&batch=x&kv=int9&gpu=toString&gpus=0&vs=a/b,__proto__")
    assert (said(page, "title"), said(page, "total")) == ("Cache at 131,072 tokens", "9.2 GB")
    assert page.locator("[data-chosen] tbody tr").count() == 0
    assert "8 × H100 SXM" in said(page, "room")
    told = said(page, "error")
    for word, noun in (("int9", "cache format"), ("toString", "device"), ("a/b", "model to compare with")):
        assert f"“{word}” in the address is no {noun} of this page." in told
    assert "A context is a whole number of tokens" in told and "A batch is a whole number" in told


def test_models_are_put_beside_it_by_name(weighing):
    """A typed name adds a line and a row, three at most; × takes one away; crossings are Python's."""
    page = weighing(V4)
    box = page.locator('[data-in="vs"]')
    for name in ("gpt-2 xl", "Kimi Linear 48B-A3B Instruct", "deepseek v3"):
        box.fill(name)
        box.press("Enter")
        expect(box).to_have_value("")
    names = page.locator("[data-chosen] tbody th").all_inner_texts()
    assert names == ["GPT-2 XL 1.5B", "Kimi Linear 48B-A3B Instruct", "DeepSeek V3"]
    assert "the first made room" in said(page, "error")
    ours, other = (cache_growth.growth_sheet(catalog.spec(slug)) for slug in (NEXT, "openai/gpt-oss-120b"))
    (at,) = cache_growth.crossings(other, ours)
    assert page.locator(".w-curve svg:visible path.c-other").count() == 3
    page.get_by_role("button", name="Remove DeepSeek V3").click()
    assert page.url.endswith("?vs=openai-community/gpt2-xl,moonshotai/Kimi-Linear-48B-A3B-Instruct")
    assert page.locator("[data-chosen] tbody tr").count() == 2
    box.fill("no such model")
    box.press("Enter")
    expect(page.locator('#cache [data-at="error"]')).to_have_text("No drawn model is called “no such model”.")
    page = weighing(NEXT, "?vs=openai/gpt-oss-120b")
    assert f"larger from {at:,} tokens on" in page.locator("[data-chosen] tbody tr").inner_text()


def test_the_compute_section_follows_and_says_what_bounds_a_step(weighing):
    """A prompt is bound by arithmetic, a token by reading; context, batch and GPUs are those of the cache."""
    page = weighing(V3)
    says = page.locator("[data-says]")
    assert "bound by reading weights" in says.inner_text() and "8 × H100 SXM" in says.inner_text()
    page.get_by_role("radio", name="whole prompt").check(force=True)
    expect(says).to_contain_text("bound by arithmetic")
    assert page.url.endswith("?job=prefill")
    page.go_back()
    expect(says).to_contain_text("a decode step takes")
    page.locator('#cache [data-in="batch"]').fill("512")
    page.locator('#cache [data-in="batch"]').press("Enter")
    expect(says).to_contain_text("its cache")
    first = page.locator("#compute tbody tr").first.inner_text()
    assert "61 × MLA" in first and page.locator("#compute svg:visible .r-dot").count() == 4


def test_the_switch_paints_the_drawing_with_and_without_scripts(browser, weighing, weighed):
    """A ticked box gives FP8 and BF16 matrices two colours and outlines; the address keeps it; keys tick it."""
    paint = """() => ["f8", "16"].map((code) => {
      const found = [...document.querySelectorAll(`.cf-wide [data-q="${code}"] .f-box`)];
      const style = getComputedStyle(found.at(-1));
      return [style.fill, style.strokeDasharray];
    })"""
    page = weighing(V3)
    plain = page.evaluate(paint)
    page.get_by_text("Colour by storage").click()
    assert page.url.endswith("?paint=storage")
    fp8, bf16 = page.evaluate(paint)
    assert fp8 != bf16 and [fp8, bf16] != plain and fp8[1] != bf16[1] == "none"
    assert page.locator(".q-legend").inner_text().startswith("FP8 128x128")
    page.locator("#by-storage").focus()
    page.keyboard.press("Space")
    assert page.evaluate(paint) == plain and "paint" not in page.url
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1400, "height": 900})
    still = context.new_page()
    still.goto(f"{weighed}/models/{V3}/")
    still.get_by_text("Colour by storage").click()
    assert still.locator(".q-key").first.is_visible()
    context.close()


def test_the_switch_stays_where_it_is_pressed(page, weighed):
    """A phone's page does not scroll away from it; FP8 experts are framed with dashes, as the legend is."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{weighed}/models/{V3}/")
    switch = page.get_by_text("Colour by storage")
    switch.evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
    before = switch.bounding_box()
    switch.click()
    frame = page.locator('.cf-narrow [data-q="f8"] > .f-panel').first
    until(page, lambda: frame.evaluate("one => getComputedStyle(one).strokeDasharray") == "6px, 3px")
    assert switch.bounding_box() == before


def test_the_planner_is_given_the_gpus_that_were_chosen(weighing):
    """“Plan it on these GPUs” names device, nodes and GPUs of each, before a choice and after."""
    page = weighing(V3)
    link = page.get_by_role("link", name="Plan it on these GPUs")
    assert link.get_attribute("href").endswith(f"plan/?m={V3}&on=h100_sxm:1x8")
    page.locator('#cache [data-in="gpu"]').select_option("gb200")
    page.locator('#cache [data-in="gpus"]').fill("72")
    page.locator('#cache [data-in="gpus"]').press("Enter")
    expect(link).to_have_attribute("href", re.compile(f"plan/[?]m={V3}&on=gb200:18x4$"))


def test_every_choice_of_gpus_is_one_that_the_planner_reads():
    """As many GPUs of the same device, in nodes that it has."""
    known = {name: [row.memory_bytes, row.gpus_per_node] for name, row in DEVICES.items()}
    sheet = cache_growth.growth_sheet(catalog.spec(OLD))
    asked = [(name, gpus) for name in DEVICES for gpus in (1, 7, 8, 12, 13, 72, 4096)]
    states = [{"ctx": 1024, "batch": 1, "kv": "bf16", "gpu": name, "gpus": gpus} for name, gpus in asked]
    model = {"weights": 1, "devices": known}
    for (name, gpus), told in zip(
        asked, noded.called("cache-words.js", "toldAll", [[sheet, model, one] for one in states]), strict=True
    ):
        found, nodes, each = devices(told["on"])
        assert (name, gpus) == (found.name, nodes * each) and each <= found.gpus_per_node


def test_the_strip_has_a_column_a_layer_and_says_its_edge(weighing):
    """Columns are as high as their bytes: of Qwen3 Next the full layers grow, the states do not."""
    page = weighing(NEXT, "?ctx=262144")
    kept = memory(catalog.spec(NEXT), 262_144)
    (edge,) = noded.called("cache-bytes.js", "ceiling", [[max(layer.bytes for layer in kept.layers)]])
    assert said(page, "edge") == fmt.in_bytes(edge, digits=0)
    scale = r"scale\(1 ([\d.e-]+)\)"
    high = {}
    for one in page.locator(".w-strip path").all():
        kind, size = one.get_attribute("data-kind"), float(re.search(scale, one.get_attribute("transform"))[1])
        high[kind] = high.get(kind, 0) + size
    expected = sorted({100 * layer.bytes / edge for layer in kept.layers})
    assert sorted(high.values()) == pytest.approx(expected, rel=1e-3)
    paths = page.locator(".w-strip path").evaluate_all("all => all.map((one) => one.getAttribute('d'))")
    assert sum(path.count("M") for path in paths) == 48
