"""The masks page as a reader meets it: dragged, stacked, typed into, by keyboard, from a link, narrow."""

import re
from math import ceil, floor, log2, log10

import pytest
from pytest import approx

from cutaway import explainers
from tests.explainers.reader import (
    assert_a_move_draws_little,
    assert_narrow_and_accessible,
    beside,
    lab,
    posed,
    state,
)
from tests.guarded import until

reference, data = explainers.reference("masks"), explainers.data("masks")


@pytest.fixture
def masks(learn):
    """Open the page at a state."""
    return learn("masks")


def said(page) -> str:
    return lab(page).locator(".cw-masks-read").first.inner_text()


def test_the_query_moves_by_pointer_and_by_keyboard(masks):
    """Dragging over the picture and arrow keys move the query; a screen reader hears what it sees."""
    page = masks()
    assert said(page).startswith("Query 40 sees 12 keys: 29 to 40.")
    stage = lab(page).get_by_role("slider", name="Query token")
    stage.focus()
    page.keyboard.press("ArrowDown")
    assert stage.get_attribute("aria-valuetext") == "Query 41 sees 12 keys: 30 to 41."
    page.keyboard.press("Home")
    assert stage.get_attribute("aria-valuetext") == "Query 0 sees 1 key: 0."
    picture = lab(page).locator(".cw-masks-mask")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + box["height"] - 8, steps=4)
    page.mouse.up()
    assert state(page, "query") == 47


def test_stacked_windows_reach_further_and_chunks_do_not(masks):
    """Turning up the layers makes a window's reach grow and leaves a chunk where it was."""
    page = masks()
    layers = lab(page).get_by_role("slider", name="layers with this mask")
    layers.focus()
    page.keyboard.press("ArrowRight")
    assert "After 2 layers with this mask, the query can know about 23 tokens: 18 to 40." in said(page)
    lab(page).get_by_role("radio", name="chunked").check()
    assert "After 2 layers with this mask, the query can know about 5 tokens: 36 to 40." in said(page)


def test_a_sink_takes_its_share(masks):
    """The learned sink is off until it is switched on, then says what it takes."""
    page = masks()
    logit = lab(page).get_by_role("slider", name="its logit")
    assert logit.is_disabled()
    lab(page).get_by_label("a learned sink, as in gpt-oss and MiMo").check()
    assert "38.1 % goes to the sink" in said(page)
    logit.focus()
    page.keyboard.press("End")
    assert "99.6 % goes to the sink" in said(page)


def test_layers_of_a_real_stack(masks):
    """Arrow keys walk up Gemma 3: its fifth window still has an end, the full layer above it has none."""
    page = masks("?layer=4")
    stage = lab(page).get_by_role("slider", name="Layer", exact=True)
    assert "5,116 tokens, none before token 125,956." in stage.get_attribute("aria-valuetext")
    stage.focus()
    page.keyboard.press("ArrowUp")
    until(page, lambda: "every token from the first on" in stage.get_attribute("aria-valuetext"))
    assert state(page, "layer") == 5


def test_picking_a_stack_from_the_table(masks):
    """A row of the table is a button that brings the model up; its layer stays legal."""
    page = masks("?layer=61")
    lab(page).get_by_role("button", name="Mistral 7B v0.1").click()
    assert (state(page, "model"), state(page, "layer")) == ("mistralai/Mistral-7B-v0.1", 31)
    assert lab(page).get_by_role("button", name="Mistral 7B v0.1").get_attribute("aria-pressed") == "true"
    until(page, lambda: lab(page).get_by_text("No layer of Mistral 7B v0.1 can know about token 0").count() == 1)


def test_a_phone_shows_the_whole_table_and_both_axes(masks):
    """At 390 pixels no column of the stacks' table has to be scrolled to, and the picture says where queries stand."""
    page = masks()
    page.set_viewport_size({"width": 390, "height": 800})
    table = lab(page).get_by_role("region", name="Stacks of real models")
    until(page, lambda: table.evaluate("(t) => t.scrollWidth <= t.clientWidth"))
    axes = lab(page).locator(".cw-masks-mask .cw-masks-axis").filter(visible=True).all_text_contents()
    assert [text.split(":")[0] for text in axes] == ["keys", "queries"]


def test_nonsense_gets_a_sentence(masks):
    """A context that is none is refused beside the field, and the last good one stays."""
    page = masks()
    field = page.get_by_role("textbox", name="tokens", exact=True)
    for typed in ("", "0", "-5", "1e9", "many", "3.5"):
        field.fill(typed)
        assert beside(page, field) == "tokens: a whole number from 1 to 4,194,304."
        assert state(page, "context") == 131_072
        field.fill("8,192")
        assert (beside(page, field), state(page, "context")) == ("", 8_192)
        field.fill("131,072")


def test_one_seventh_follows_the_context(masks):
    """The claim is recomputed: 1/6.96 at 128k, 1/6.40 at 8k."""
    page = masks()
    ratio = lab(page).locator(".cw-masks-ratio").first
    assert ratio.inner_text() == "1/6.96"
    lab(page).locator(".cw-pill", has_text="8k").first.click()
    until(page, lambda: ratio.inner_text() == "1/6.40")


def test_the_beats_draw_no_more_than_may_be_known(masks):
    """While a bet is open, layers show what they see alone and the curve only the comparison; both bars follow it."""
    page = masks()
    first, more, stack, cache = (page.locator(f"#beat-{n}") for n in (1, 2, 4, 5))
    for beat in (first, more, stack, cache):
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
    first.get_by_text("Full attention", exact=True).click()
    assert first.locator(".cw-masks-key.seen.full").count() == 1
    legend = more.locator(".beat-live").get_by_text("known through the layers below")
    assert not legend.is_visible()
    more.get_by_role("button", name="skip the bet").click()
    assert legend.is_visible()
    widths = "(all) => new Set(all.map((r) => r.getAttribute('width'))).size"
    lines = stack.locator(".beat-live .cw-masks-reach")
    assert lines.evaluate_all(widths) == 2
    stack.locator(".bet-input").fill("9")
    assert lines.evaluate_all(widths) == 2
    assert "know" not in stack.get_by_role("slider", name="Layer", exact=True).first.get_attribute("aria-valuetext")
    stack.get_by_role("button", name="Show me").click()
    assert lines.evaluate_all(widths) == 6
    curve = cache.locator(".beat-live .cw-masks-curves")
    assert not curve.locator(".cw-masks-area").is_visible()
    assert "As built" not in curve.get_attribute("aria-label")
    cache.get_by_role("button", name="skip the bet").click()
    assert curve.locator(".cw-masks-area").is_visible()
    cache.get_by_label("model", exact=True).select_option("MiniMaxAI/MiniMax-M2")
    bars = [cache.locator(css).get_attribute("width") for css in (".bet-beside", ".bet-answer")]
    assert bars == ["27.738%", "27.738%"]
    assert cache.locator(".beat-caption").inner_text().endswith("take 33.3 GB with every token in every layer.")
    box = curve.bounding_box()
    curve.click(position={"x": box["width"] - 4, "y": 20})
    assert cache.evaluate("(s) => s.machine.state.context") == 131_072


DRAWN = """(root) => {
  const all = (css, keys) => [...root.querySelectorAll(css)].map((e) => keys.map((k) => e.getAttribute(k)));
  const w = Number(root.querySelector(".cw-masks-stack").getAttribute("width"));
  const rects = (css) => all(css, ["x", "width", "y"]);
  const on = [...root.querySelectorAll("tr.on button, .cw-masks-hit.on + rect")];
  return { w, seen: all(".cw-masks-seen", ["d"]), known: all(".cw-masks-known", ["d"]),
    row: all(".cw-masks-row", ["y"]), reach: rects(".cw-masks-reach"), sight: rects(".cw-masks-sight"),
    ticks: all(".cw-masks-stack .cw-masks-tick", ["d"]), curve: all(".cw-masks-curve", ["d"]),
    dots: all(".cw-masks-dot", ["cx", "cy"]), full: all("tr.on .cw-masks-mark.F", ["d"]),
    on: on.map((e) => e.textContent || e.getAttribute("y")) }; }"""


def cells(rows: list[list[list[int]]]) -> str:
    """Ranges of keys, query by query, as one path of cells 10 pixels wide."""
    drawn = [(a, (b - a + 1) * 10, query) for query, ranges in enumerate(rows) for a, b in ranges]
    return "".join(f"M{10 * a} {10 * query}h{wide}v10h-{wide}z" for a, wide, query in drawn)


def test_the_drawings_are_the_references(masks):
    """Cells, reaches, ticks, curves, dots and strips lie where the reference's numbers put them."""
    state = {**reference.STATE, "first": 1, "depth": 3, "query": 30, "span": 9, "context": 4_096, "layer": 3}
    now = reference.compute(state, data)
    page = masks("?first=1&depth=3&query=30&span=9&context=4096&layer=3")
    drawn, stack = lab(page).evaluate(DRAWN), now["stack"]
    seen = [([[0, 0]] if start else []) + [[start, query]] for query, start in enumerate(now["mask"]["starts"])]
    assert drawn["seen"] == [[cells(seen)]]
    assert drawn["known"] == [[cells(now["mask"]["known_from"])]]
    assert drawn["row"] == [["300"]]
    long = lambda tokens: (drawn["w"] - 64) * log2(tokens) / log2(4_096)  # noqa: E731
    for css, starts in (("reach", stack["first"]), ("sight", stack["sees"])):
        assert [float(width) for _, width, _ in drawn[css]] == [approx(long(4_096 - at), abs=0.01) for at in starts]
        assert all(float(x) + float(width) == approx(drawn["w"] - 50, abs=0.02) for x, width, _ in drawn[css])
        assert [int(y) for *_, y in drawn[css]] == [16 + 6 * (61 - i) for i in range(62)]
    assert [float(d[1:].split()[0]) for (d,) in drawn["ticks"]] == [
        approx(drawn["w"] - 50 - long(t), abs=0.01) for t in stack["back"]
    ]
    wide, low, up = drawn["w"] - 76, 8, 12
    ends = [stack["curve"], stack["curve_full"]]
    assert (low, up) == (floor(log10(ends[0][0])), ceil(log10(ends[1][-1])))
    y = lambda value: approx(10 + 216 * (up - log10(value)) / (up - low), abs=0.01)  # noqa: E731
    assert [(float(a), float(b)) for a, b in drawn["dots"]] == [
        (approx(62 + wide * 4 / 12, abs=0.01), y(stack[key])) for key in ("bytes_full", "bytes")
    ]
    lines = [[float(pair.split()[1]) for pair in d[1:].split("L")] for (d,) in drawn["curve"]]
    assert lines == [[y(value) for value in values] for values in reversed(ends)]
    assert drawn["on"] == [str(16 + 6 * 58), "Gemma 3 27B"]
    marks = [i for i, mark in enumerate(stack["marks"]) if mark == "F"]
    strip = [float(x) for x in re.findall(r"M([\d.]+) 0", drawn["full"][0][0])]
    assert strip == [approx(i * 200 / 62, abs=0.01) for i in marks]


def test_narrow_and_accessible(masks):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(
        masks, "masks", "?kind=chunked&depth=5&sink=true", "?model=MiniMaxAI/MiniMax-M3", "?kind=causal"
    )


def test_a_move_draws_little(masks):
    """A moved control changes fewer nodes than the page has elements (`make bench` has the times)."""
    page = masks()
    for key in ("query", "depth"):
        assert_a_move_draws_little(page, key, list(range(1, 13)))


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(masks, shot, width, scheme):
    """The card, wide and light, narrow and dark; between them its outline says where things stand."""
    page = posed(masks, width, scheme, "?depth=3&sink=true")
    shot(page.locator(".learn-card"), f"masks-{width}-{scheme}")
