"""The planner's drawing and its numbers in a browser: picks, formulas, the keyboard, copies."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.guarded import until
from tests.site.plan_words import GO, PICK, V3, at, near, query

# Places of the page that the script writes as they stand already; of others it says more.
AS_THEY_STAND = """sub fold-model fold-devices fold-split fold-job gpus dp verdict because notes lives-note runs-note
  holds costs-note owns talks-note talks labels"""
MORE = "drawing costs"
STOOD = """async (names) => {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const lines = (root) => {
    const [found, walk] = [[], document.createTreeWalker(root, NodeFilter.SHOW_TEXT)];
    while (walk.nextNode()) found.push(walk.currentNode.data.replace(/\\s+/g, ""));
    return found.filter(Boolean);
  };
  return names.map((name) => [page, document].map((one) => lines(one.querySelector(`[data-at="${name}"]`))));
}"""


def test_the_script_says_what_stood_there_before(opened):
    """Of the first plan every sentence, table and number of the page without scripts is what the script works out."""
    page = opened()
    expect(at(page, "owns-note")).to_have_text("press one to light it above")  # the last that the script fills in
    same, more = AS_THEY_STAND.split(), MORE.split()
    for name, (stood, now) in zip(same + more, page.evaluate(STOOD, same + more), strict=True):
        assert stood, name
        if name in more:
            assert [one for one in stood if not any(one in word for word in now)] == [], name
        else:
            assert "".join(stood) == "".join(now), name


def test_picking_a_tensor_lights_its_owner_and_its_links(opened):
    """One expert stands on one GPU of one stage; its 63 partners are linked, other stages hold none of it."""
    page = opened(V3 + PICK)
    assert page.locator(".c-own").count() == 1
    assert page.locator(".c-own").get_attribute("data-rank") == "73"
    assert page.locator(".ln.line-ep").count() == 63
    assert page.locator(".cells .ln-out").count() == 0
    assert page.locator(".box-owner").all_inner_texts() == [
        "holds none of it",
        "GPU 73 alone owns it",
        *["holds none of it"] * 2,
    ]
    page.get_by_role("button", name="drop the pick").click()
    assert page.locator(".c-own").count() == 0
    assert "pick=" not in query(page)
    at(page, "owns").get_by_role("button", name="self_attn.* (2)").click()
    assert "pick=layers.30.self_attn" in query(page)
    assert page.locator(".c-copy").count() == 63


def test_a_number_tells_its_formula(opened):
    """Hover, focus and tap show how a number came to be, with the values in it; Escape hides it."""
    page = opened(V3)
    number = at(page, "holds").locator("tr", has_text="optimizer").locator("button").first
    number.hover()
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text("stage 0, optimizer: 26.4 GB")
    expect(tip).to_contain_text("12 B × 5,4")
    expect(tip).to_contain_text("÷ dp × cp 64 + 12 B × 2,")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    number.focus()
    expect(number).to_have_attribute("aria-describedby", "plan-tip")
    at(page, "costs").get_by_role("button").first.click()
    expect(tip).to_contain_text("PFLOP/s")


def test_every_number_has_a_formula(opened):
    """No tip fails and none has a hole, for training and for serving, with every part that a GPU can hold."""
    page = opened(V3 + "&zero=3&cp=2:ring&mb=2&fw=1000000000&re=full")
    asked = """() => [...document.querySelectorAll("button")].filter((one) => one.planAsk)
      .map((one) => one.planAsk().flat().join(" | "))"""
    told = page.evaluate(asked)
    for more in (
        "?m=openai/gpt-oss-20b&tp=8",
        "?m=microsoft/phi-4&tp=2&job=prefill",
        "?m=deepseek-ai/DeepSeek-V3&on=h200-sxm:2x8&tp=8&ep=16&dcp=4",
    ):
        opened(more)
        told += page.evaluate(asked)
    assert len(told) > 60
    assert [one for one in told if any(word in one for word in ("NaN", "undefined", "Infinity", "null"))] == []


def test_the_drawing_is_walked_by_keyboard(opened):
    """Arrows move from GPU to GPU and from stage to stage, Enter picks what it holds, Escape drops it."""
    page = opened(V3)
    ring = page.locator(".plan-ring")
    ring.focus()
    expect(ring).to_have_attribute("aria-label", re.compile("^GPU 0, node 0, stage 0, ep rank 0"))
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(at(page, "gpu")).to_contain_text("GPU 65, node 1, stage 1, ep rank 1")
    page.keyboard.press("Enter")
    assert "pick=layers.3.mlp.experts.4.gate_proj" in query(page)
    assert page.locator(".c-own").get_attribute("data-rank") == "65"
    page.locator(".plan-ring").focus()
    page.keyboard.press("Escape")
    assert "pick" not in query(page)


def test_copies_of_the_cache_are_hatched(opened):
    """Every second GPU of tp 8 over 4 key/value heads holds a copy; 8 heads on 8 GPUs have none."""
    page = opened("?m=Qwen/Qwen3-235B-A22B&on=h100_sxm:1x8&tp=8")
    assert page.locator(".st-copy").count() == 4
    assert page.locator(".st-aside").all_text_contents() == ["a copy"] * 4
    assert page.locator(".c-head").all_text_contents() == [f"head {rank // 2}" for rank in range(8)]
    opened("?m=openai/gpt-oss-20b&on=h100_sxm:1x8&tp=8")
    assert page.locator(".st-copy").count() == 0


# What is drawn, without what follows the cursor: [tag, attributes in order, kids], as one text.
DRAWN = """() => {
  const follows = new Set(["sends", "sends-back", "band-on", "st-read"]);
  const told = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    const attributes = [...node.attributes].filter(({ name }) => name !== "style").map(({ name, value }) =>
      `${name}=${name === "class" ? value.split(" ").filter((word) => !follows.has(word)).join(" ") : value}`);
    const kids = [...node.childNodes].filter((one) => !one.matches?.(".packet, .st-now, .plan-ring"));
    return [node.nodeName, attributes.filter((one) => one !== "class=").sort(), node.dataset.now ? [] : kids.map(told)];
  };
  return JSON.stringify(told(document.querySelector("[data-at=drawing]"))[2]); }"""
WAYS = (
    "?m=Qwen/Qwen3-235B-A22B&on=h200_sxm:1x8&tp=8&ctx=131072",
    "?m=Qwen/Qwen3-235B-A22B&on=h200_sxm:1x8&ep=8&ctx=4096",
    V3 + PICK,
    V3.replace("4x4&ep=64", "8&ep=32") + PICK,
    V3 + "&re=full&pin=on:gb200:4x64,job:train,pp:8,ep:32,batch:2048,re:full" + PICK,
    "?m=openai/gpt-oss-20b&on=h100_sxm:1x2&tp=2&job=prefill",
    V3.replace("4x4&ep=64", "16&ep=16"),
    "?m=Qwen/Qwen3-235B-A22B&on=h200_sxm:1x8&tp=8&ctx=131072&pin=on:h200_sxm:1x8,ep:8,ctx:131072",
)


def test_a_drawing_that_changed_is_the_one_that_is_drawn_anew(opened):
    """However it came about, a plan is drawn as on a page that was opened at it: one stage, many, picked, pinned."""
    fresh = {}
    for way in WAYS:
        page = opened(way)
        near(page)
        fresh[way] = page.evaluate(DRAWN)
    assert len(set(fresh.values())) == len(WAYS)
    for way in (*WAYS[::-1], *WAYS[::3]):
        page.evaluate(GO, way)
        until(page, lambda way=way: page.evaluate(DRAWN) == fresh[way])
