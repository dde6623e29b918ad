"""Timeline of a step, in a browser: lanes that come when somebody does; one cursor for lanes, links and stacks."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.guarded import until
from tests.site.plan_words import GO, PICK, RANGE, V3, at, near, query


def solid(page) -> list[float]:
    """How high the activations of now stand in each stack, of their peak."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".st-now")].map((now) =>
        Number(now.getAttribute("height")) / Number(now.previousSibling.getAttribute("height")))"""
    )


def test_one_cursor_moves_lanes_links_and_stacks(opened):
    """Arrows go a slot, pages a round, Home and End to the ends; words, stacks and links say what is then."""
    page = opened(V3 + PICK + "&re=full")
    assert page.evaluate("performance.getEntriesByType('resource').filter((one) => /plan.later/.test(one.name))") == []
    near(page)
    slider = page.locator(RANGE)
    lit = page.locator(".ln-myF, .ln-myB").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('d').split('M').length)"
    )
    assert lit == [21, 21], "of its own chunk alone: 20 of 32 micro-batches are drawn"
    assert page.locator(".lane-fold").inner_text() == "3 rounds alike"
    assert max(solid(page)) == 1
    slider.focus()
    page.keyboard.press("Home")
    assert solid(page) == [solid(page)[0], 0, 0, 0]
    expect(at(page, "cursor")).to_have_text(
        "At the cursor: Stage 0 runs the forward of micro-batch 1, chunk 1; stage 1 waits for the forward of "
        "micro-batch 1, chunk 1 on stage 0; stage 2 waits for the forward of micro-batch 1, chunk 1 on stage 1; "
        "stage 3 waits for the forward of micro-batch 1, chunk 1 on stage 2. The pipeline is filling: activations grow."
    )
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"Sent: stage 0 → 1 \(micro-batch 1\)"))
    assert page.locator(".sends").count() == 1
    page.keyboard.press("PageUp")
    assert slider.input_value() == "65"
    page.keyboard.press("PageDown")
    assert slider.input_value() == "1"
    page.keyboard.press("End")
    expect(at(page, "cursor")).to_have_text("At the cursor: The step is done, every stage at the pace of the slowest.")
    assert solid(page) == [0, 0, 0, 0]
    page.keyboard.press("PageDown")
    expect(at(page, "cursor")).to_contain_text("Stage 0 runs the forward of micro-batch 32, chunk 4; stage 1 runs the")
    expect(at(page, "cursor")).to_contain_text("Sent: stage 3 → 0 (micro-batch 32).")
    page.keyboard.press("End")
    page.wait_for_url(re.compile(r"&t=4\.\d"))
    there = query(page)
    page = opened(there)
    near(page)
    assert page.locator(RANGE).input_value() == page.locator(RANGE).get_attribute("max")
    assert query(page) == there


def test_rounds_unfold_and_a_finger_moves_the_cursor(opened):
    """A press on the folded rounds draws them all, and back; a press on a lane puts the cursor there; play runs on."""
    page = opened(V3 + "&re=full")
    near(page)
    last = int(page.locator(RANGE).get_attribute("max"))
    page.locator("button.lane-fold").click()
    assert page.locator(".lane-fold").count() == 0
    assert int(page.locator(RANGE).get_attribute("max")) == last - 3 + 3 * 64
    page.get_by_role("button", name="fold rounds").click()
    field = page.locator(".lane-field")
    box = field.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + 8)
    left = page.locator(".lane-cursor").evaluate("(one) => parseFloat(one.style.left)")
    assert abs(left - 75) < 0.5
    page.mouse.move(box["x"] + 1, box["y"] + 8)
    expect(page.get_by_role("tooltip")).to_contain_text("Stage 0 runs the forward of micro-batch 1, chunk 1layers 0–2")
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] - 8)
    expect(page.get_by_role("tooltip")).to_have_text(
        "Stage 3 waits for the forward of micro-batch 1, chunk 1 on stage 2"
    )
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 8)
    expect(page.get_by_role("tooltip")).to_contain_text("to 4.6 s")
    page.mouse.move(box["x"] + 1, box["y"] - 200)
    expect(page.get_by_role("tooltip")).to_have_count(0)
    page.locator(RANGE).press("Home")
    page.locator(".plan-ring").focus()
    expect(at(page, "gpu")).to_contain_text(re.compile(r"activations 2\.\d of 6\.1 at the cursor"))
    before = page.locator(RANGE).input_value()
    page.get_by_role("button", name="Play").click()
    expect(page.locator(RANGE)).not_to_have_value(before)
    page.get_by_role("button", name="Pause").click()


def test_a_step_that_serves_reads_and_meets(opened):
    """Each layer reads its cache, then its weights, and its ranks meet: what is read and who meets is lit above."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h200_sxm:1x8&tp=8&ctx=131072")
    near(page)
    expect(at(page, "cursor")).to_contain_text("Layer 47 of 94: each GPU reads its part of the cache of")
    assert page.locator("rect.st-copy.st-read").count() == 4
    page.locator(RANGE).focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(at(page, "cursor")).to_contain_text("Layer 47 of 94: tp all-reduce")
    assert page.locator(".band-on").count() == 1
    page.keyboard.press("PageUp")
    expect(at(page, "cursor")).to_contain_text("Layer 48 of 94: each GPU reads its part of the cache")
    page.fill("#in-n", "9999")
    expect(at(page, "cursor")).to_contain_text("9,999 sequences")


def test_where_nothing_runs_nothing_follows_a_cursor(opened):
    """What the cursor lit goes out when a plan comes in which nothing runs."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h200_sxm:1x8&tp=8&ctx=4096")
    near(page)
    page.locator(RANGE).focus()
    lit = page.locator(".st-read, .band-on, .sends")
    until(page, lambda: page.keyboard.press("ArrowRight") or bool(lit.count()))
    page.evaluate(GO, "?m=Qwen/Qwen3-235B-A22B&on=h200_sxm:1x2&tp=2&ctx=4096")
    expect(at(page, "lanes")).to_contain_text("No sequence fits, so nothing runs.")
    expect(lit).to_have_count(0)
    page.evaluate(GO, V3)
    expect(page.locator("[data-now=word]").first).to_have_text("at the cursor")
