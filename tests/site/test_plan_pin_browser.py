"""A pinned layout beside yours, in a browser: two drawings, two lanes, one cursor; the difference in words."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.site.plan_words import PICK, V3, at, near, query

TP8 = "?m=Qwen/Qwen3-235B-A22B&on=h200_sxm:1x8&tp=8&ctx=131072&fw=0"  # nothing is kept for the engine
EP8 = "on:h200_sxm:1x8,ep:8,ctx:131072,fw:0"


def test_a_pinned_layout_stands_beside_yours(opened):
    """P pins, the address keeps it, another layout stands beside it; what differs is said; a press unpins."""
    page = opened(TP8.replace("tp=8", "ep=8"))
    at(page, "verdict").click()
    page.keyboard.press("p")
    expect(page.locator(".pin-panel")).to_have_count(2)
    assert query(page).endswith(f"&ctx=131072&fw=0&pin={EP8}")
    expect(at(page, "beside")).to_contain_text("holds 16 sequences, as many; a token takes at least 21.2 ms, as long")
    page = opened(f"{TP8}&pin={EP8}")
    expect(page.locator(".pin-head b")).to_have_text(
        ["yours: tp 8 · pp 1 · ep 1 · dp 1", "pinned: tp 1 · pp 1 · ep 8 · dp 8"]
    )
    expect(page.locator(".pin-head span")).to_have_text(["12 sequences", "16 sequences"])
    expect(at(page, "beside")).to_have_text(
        "The pinned layout, tp 1 · pp 1 · ep 8 · dp 8, holds 16 sequences, 4 more; a token takes at least 21.2 ms, "
        "6.05 % shorter, bound by memory."
    )
    rows = {row[0]: row[1:] for row in page.locator(".pinned tbody tr").evaluate_all(
        "(all) => all.map((row) => [...row.children].map((cell) => cell.textContent))"
    )}  # fmt: skip
    assert rows["cache"] == ["75.7", "50.5", "25.2 GB less"]
    assert rows["bound by"] == ["memory", "memory", "the same"]
    near(page)
    page.locator(".lane-range").focus()
    page.keyboard.press("End")
    lines = page.locator(".lane-cursor").evaluate_all("(all) => all.map((one) => one.style.left)")
    assert lines == ["100%", "100%"]
    expect(at(page, "cursor")).to_contain_text("Pinned: The token is done, 21.2 ms without overlap.")
    page.get_by_role("button", name="Change places").click()
    expect(page.locator(".pin-head b").first).to_have_text("yours: tp 1 · pp 1 · ep 8 · dp 8")
    page.get_by_role("button", name=re.compile("press to unpin")).click()
    expect(page.locator(".pin-panel")).to_have_count(0)
    assert "pin=" not in query(page)
    expect(at(page, "beside")).to_have_text("")
    page = opened(f"{TP8}&pin=on:h200_sxm:1x8,tp:4,ctx:131072")
    expect(page.locator(".layouts tr", has_text="pinned").locator("th")).to_have_text("1 pinned", timeout=30_000)


def test_a_pin_of_a_plan_that_trains_follows_the_cursor(opened):
    """Both drawings have their own activations of now and their own picks; cells of the pinned one are not walked."""
    page = opened(V3 + "&re=full&pin=on:gb200:4x64,job:train,pp:8,ep:32,batch:2048,re:full" + PICK)
    near(page)
    expect(page.locator(".st-now")).to_have_count(4 + 8)
    expect(page.locator(".c-own")).to_have_count(2)
    assert page.locator(".pin-panel").last.locator("[data-rank]").count() == 0
    page.locator(".lane-range").focus()
    page.keyboard.press("Home")
    high = page.locator(".st-now").evaluate_all("(all) => all.map((one) => one.getAttribute('height') > 0)")
    assert high == [True, *[False] * 3, True, *[False] * 7]
    page.click('[data-more="pp"]')
    expect(at(page, "because")).not_to_have_text("")
    expect(page.locator(".pin-panel")).to_have_count(2)


def test_both_drawings_have_one_scale_and_cells_of_their_own(opened):
    """Beside a larger device no line leaves the drawing; a layout beside itself has its cells twice."""
    page = opened("?m=openai/gpt-oss-20b&on=h100_sxm:1x8&tp=8&pin=on:h200_sxm:1x8,tp:8")
    lines = page.locator(".st-line").evaluate_all("(all) => all.map((one) => Number(one.getAttribute('y1')))")
    assert lines == sorted(lines, reverse=True)
    assert lines[-1] > 0
    assert lines[0] > lines[-1]
    page = opened(V3 + "&pin=" + V3.partition("&")[2].replace("&", ",").replace("=", ":"))
    cells = "(all) => all.map((one) => [one.querySelectorAll('.c').length, one.querySelectorAll('[data-rank]').length])"
    assert page.locator(".pin-panel").evaluate_all(cells) == [[256, 256], [256, 0]]
    page.get_by_role("button", name="self_attn.* (2)").click()
    page.get_by_role("button", name="drop the pick").click()
    assert page.locator(".pin-panel").evaluate_all(cells) == [[256, 256], [256, 0]]


def test_a_pin_that_cannot_be_is_said(opened):
    """Words that nobody knows, and a layout that the model cannot have, are sentences; the drawing is yours alone."""
    for words, said in (
        ("tp:8,xx:1", "Not read of the pinned layout: xx."),
        ("on:h200_sxm:1x8,tp:7", "The pinned layout cannot be this model's: tp 7"),
        ("", ""),
        (",,", "Not read of the pinned layout: an empty word."),
    ):
        page = opened(f"{TP8}&pin={words}")
        expect(at(page, "beside")).to_contain_text(said)
        assert page.locator(".pin-panel").count() == 0
