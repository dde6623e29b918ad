"""A bar with two ends: both are dragged or moved by keys, and the verdict compares both."""

from __future__ import annotations

import json

import pytest

from cutaway import explainers
from cutaway.explainers import beats, beats_html
from tests import bundled

PAGE = """
::: beat {name: Two, state: {kv: 8}}
## From where to where?
Words.
bet: {kind: bar, ask: "From one pair to eight?", range: [0, 400000], format: bytes KB, answer: [mqa_bytes, own_bytes],
  values: [40960, 60000, 100000, 300000, 327680], label: "{kv} pairs"}
:::
"""


@pytest.fixture
def two(blank):
    """A page with this beat's bet as it stands before a script, its row at window.row."""
    page = blank(bundled.kit())
    page.evaluate(MAKE, json.loads(json.dumps(beats.parse(PAGE, "page.md").beats[0].bet._asdict(), default=dict)))
    return page


MAKE = """(bet) => {
  const { kit } = loaded;
  const values = { mqa_bytes: 40960, own_bytes: 327680, kv: 8 };
  const look = Object.assign((path) => values[path], { now: values, state: {} });
  window.row = kit.wireBet(bet, look, look, () => look);
  document.body.replaceChildren(kit.h("section", { class: "beat" }, kit.firstTool(bet, look, look, () => look)));
}"""


def test_both_ends_are_in_the_answered_page(two):
    """The bar lies between both ends, each with its path; on a page the answer names both without a script."""
    answer = two.locator(".bet-answer")
    assert [answer.get_attribute(key) for key in ("x", "y", "width")] == ["10.24%", "24", "71.68%"]
    values = two.locator(".bet-value").evaluate_all("(all) => all.map((e) => [e.dataset.out, e.textContent])")
    assert values == [["mqa_bytes", "41.0 KB"], ["own_bytes", "327.7 KB"]]
    assert two.locator(".bet-handle").count() == 2
    assert two.evaluate("row.answer") == ["mqa_bytes", "own_bytes"]
    one = explainers.load("bits")
    beat = next(beat for beat in one.beats if beat.bet and isinstance(beat.bet.answer, tuple))
    said = beats_html.answer(one, beat)
    assert said.count("data-out") == 2
    assert said.endswith("</b>.")


USE = """() => {
  const { kit } = loaded;
  const section = document.querySelector("section.beat");
  window.now = { open: true, index: null, guess: null, answer: [40960, 327680] };
  const tool = kit.bar(section, row, { ask: "ask-1", place: (index) => {
    now.index = index;
    now.guess = index.includes(null) ? null : index.map((i) => row.values[i]);
    tool.update(now);
  } });
  tool.update(now);
  window.tool = tool;
  window.verdict = (guess) => kit.howFar(row, guess, now.answer);
}"""


def test_two_handles_are_moved_by_keys_and_never_pass_each_other(two):
    """Each end is a slider with its own name; one end alone is no guess; the verdict names each end's difference."""
    page = two
    page.evaluate(USE)
    low, high = page.locator(".bet-input").all()
    names = [page.get_by_role("slider", name=name) for name in ("where it begins", "where it ends")]
    assert [each.get_attribute("aria-valuetext") for each in names] == ["not placed yet"] * 2
    high.press("ArrowLeft")
    assert page.evaluate("now.index") == [None, 4]
    assert page.evaluate("now.guess") is None
    low.press("ArrowRight")
    low.press("ArrowRight")
    assert page.evaluate("now.guess") == [60000, 327680]
    high.press("PageDown")
    assert page.evaluate("now.index") == [1, 1]
    low.press("ArrowRight")
    assert (page.evaluate("now.index"), low.input_value()) == ([1, 1], "1")
    high.press("PageUp")
    assert high.get_attribute("aria-valuetext") == "327.7 KB"
    assert page.locator(".bet-yours").text_content() == "your bet 60 KB to 327.7 KB"
    assert page.locator(".bet-guess").get_attribute("x") == "15%"
    assert page.locator(".bet-guess").get_attribute("width") == "66.92%"
    said = lambda guess: page.evaluate("(g) => verdict(g)", guess)  # noqa: E731
    assert said([40960, 327680]) == {"near": True, "text": "exactly"}
    assert said([60000, 327680])["near"]
    assert said([100000, 327680]) == {"near": False, "text": "which begins 59 KB lower and ends where you said"}
    page.evaluate("Object.assign(now, { open: false }); tool.update(now)")
    assert page.locator(".bet-value").all_text_contents() == ["41.0 KB", "327.7 KB"]
    assert not names[0].count()


@pytest.mark.parametrize(("x", "index"), [(0.02, [0, None]), (0.98, [None, 4]), (0.48, [2, None])])
def test_the_pointer_takes_the_nearer_end(two, x, index):
    """A drag from anywhere on the bar moves the end that stands nearer to it, to the nearest value."""
    page = two
    page.evaluate(USE)
    page.add_style_tag(content=".bet-area { width: 400px } .bet-input { pointer-events: none }")
    box = page.locator(".bet-area").bounding_box()
    page.mouse.move(box["x"] + 400 * x, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 400 * (0.25 if x == 0.48 else x), box["y"] + 44)
    page.mouse.up()
    assert page.evaluate("now.index") == index
