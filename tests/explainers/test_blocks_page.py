"""The blocks page as a reader meets it: dragged, typed into, by keyboard alone, from a link, narrow."""

import re

import pytest

from cutaway import explainers
from cutaway.explainers import fmt
from tests.explainers.answers.blocks import following
from tests.explainers.reader import (
    READY,
    assert_a_move_draws_little,
    assert_narrow_and_accessible,
    beside,
    posed,
    put,
    state,
)
from tests.guarded import until

reference = explainers.reference("blocks")


@pytest.fixture
def blocks(learn):
    """Open the page at a state."""
    return learn("blocks")


def facts(page) -> dict:
    """The figures above the columns."""
    rows = page.locator("[data-widget] .cw-blocks-rows.facts > div")
    return {r.locator("dt").inner_text(): r.locator("dd").inner_text() for r in rows.all()}


def test_dragging_a_column_moves_scale_and_codes(blocks):
    """Pulling element 2 up past the largest number makes it the one that sets the scale."""
    page = blocks()
    before = facts(page)
    box = page.locator("[data-widget] .cw-blocks-chart").bounding_box()
    column = page.locator("[data-widget] .cw-blocks-col").nth(2).locator(".cw-blocks-hit").bounding_box()
    x = column["x"] + column["width"] / 2
    page.mouse.move(x, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, box["y"] + 2, steps=4)
    page.mouse.move(x, box["y"] - 400, steps=4)
    page.mouse.up()
    assert state(page, "picked") == 2
    assert float(state(page, "edits")["2"]) > 3.53
    assert before["scale"] != facts(page)["scale"]
    until(page, lambda: "edits=" in page.url)


def test_keyboard_alone(blocks):
    """Arrows pick and change a number; what it became is announced; the rules and schemes are radio groups."""
    page = blocks()
    first = page.locator("[data-widget] .cw-blocks-col[tabindex='0']")
    first.focus()
    page.keyboard.press("ArrowRight")
    assert state(page, "picked") == 6
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "element 6"
    before = page.evaluate("document.activeElement.getAttribute('aria-valuenow')")
    page.keyboard.press("ArrowUp")
    after = page.evaluate("document.activeElement.getAttribute('aria-valuenow')")
    assert float(after) == pytest.approx(float(before) + 0.1)
    assert "dequantized to" in page.evaluate("document.activeElement.getAttribute('aria-valuetext')")
    page.keyboard.press("Home")
    assert state(page, "picked") == 0
    page.locator("[data-widget] input[value='floor']").focus()
    page.keyboard.press("ArrowDown")
    assert state(page, "rule") == "ceil"
    page.locator("[data-widget] input[value='MX']").focus()  # the family
    page.keyboard.press("ArrowRight")
    assert state(page, "scheme") == "nvfp4"
    page.locator("[data-widget] input[value='nvfp4']").focus()
    page.keyboard.press("ArrowRight")
    assert state(page, "scheme") == "nvfp4_46"


def test_nonsense_gets_a_sentence_and_a_nan_does_not(blocks):
    """What is no number is refused beside the field and the block stays; a comma is no point; NaN is played out."""
    page = blocks()
    field = page.get_by_label("Value", exact=True)
    says = "Value: a number from -10,000 to 10,000, or NaN."
    for text in ["", "seven", "1e9", "inf", "0x1p3", "1,2,3.4.5", "1,000,00", "1,00,000"]:
        field.fill(text)
        assert (text, beside(page, field)) == (text, says)
        assert state(page, "edits") == {}
    field.fill("1,5")
    assert beside(page, field) == says + " Write 1.5, with a point."
    field.fill("-6,250.5")
    assert (beside(page, field), state(page, "edits")) == ("", {"5": -6250.5})
    field.fill("nan")
    assert (beside(page, field), state(page, "edits")) == ("", {"5": "NaN"})
    assert facts(page)["scale"] == "NaN"
    page.locator("[data-widget] input[value='NVFP4']").check()
    assert state(page, "edits") == {}
    field.fill("nan")
    assert "only for the MX schemes" in beside(page, field)


def test_the_outlier_says_what_it_is(blocks):
    """After element 5 is typed the slider no longer claims a factor; a factor from a link is said as it is."""
    said = lambda page: page.locator("[data-widget] .cw-control-slider output").inner_text()  # noqa: E731
    page = blocks("?outlier=5")
    assert said(page) == "× 5"
    page.get_by_label("Value", exact=True).fill("7")
    assert said(page) == "as typed"
    page.get_by_role("slider", name="Outlier: element 5").press("ArrowRight")
    assert (said(page), state(page, "edits")) == ("× 6", {})


def test_the_damage_of_an_outlier_is_seen(blocks):
    """At x 32 the outlier's column is cut and the others keep their height; what came back before is drawn dashed."""
    page = blocks()
    heights = "(all) => all.map((r) => Number(r.getAttribute('height')))"
    given = page.locator("[data-widget] .cw-blocks-col .cw-blocks-given")
    still = given.evaluate_all(heights)
    assert page.locator("[data-widget] .cw-blocks-ghost").get_attribute("d") == ""
    page = blocks("?outlier=32")
    pulled = given.evaluate_all(heights)
    assert pulled[24] > 0.6 * still[24]
    assert page.locator("[data-widget] .cw-blocks-cuts text").all_text_contents() == ["−24"]
    assert page.locator("[data-widget] .cw-blocks-ghost").get_attribute("d").count("M") == 26
    assert page.locator("[data-widget] .cw-blocks-strip").get_attribute("d").count("M") >= 25
    assert facts(page)["rounded to zero"] == "25 of 32, before 6"
    assert facts(page)["mean relative error"] == "86 %, before 31 %"


GEOMETRY = """(root) => {
  const one = (name) => root.querySelector(`.cw-blocks-${name}`);
  const of = (e, key) => Number(e.getAttribute(key));
  const all = (name, key) => [...root.querySelectorAll(`.cw-blocks-col .cw-blocks-${name}`)].map((e) => of(e, key));
  const lengths = one("strip").getAttribute("d").matchAll(/v(-?[\\d.]+)/g);
  return { zero: Number(one("zero").getAttribute("y1")), role: one("chart").getAttribute("role"),
    top: all("given", "y"), high: all("given", "height"), back: all("back", "y"), error: all("error", "height"),
    strip: [...lengths].map((m) => Number(m[1])), sliders: root.querySelectorAll("[role=slider]").length,
    marks: one("back").checkVisibility({ visibilityProperty: true }) }; }"""


def drawn(found: dict, values: list, back: list, relative: list) -> None:
    """Columns and marks stand as high as their numbers, on one scale; what is cut is cut alike."""
    zero = found["zero"]
    ends = zip(values, found["top"], found["high"], strict=True)
    up = [zero - top if v > 0 else zero - top - high for v, top, high in ends]
    second = sorted(range(len(values)), key=lambda i: abs(values[i]))[-2]  # the largest may be cut
    unit = up[second] / values[second]
    inside = [i for i, v in enumerate(values) if abs(v) * unit < 105]
    assert len(inside) >= len(values) - 1
    assert [up[i] for i in inside] == pytest.approx([unit * values[i] for i in inside], abs=0.15)
    assert [zero - found["back"][i] - 1.5 for i in inside] == pytest.approx([unit * back[i] for i in inside], abs=0.15)
    errors = [unit * abs(back[i] - values[i]) for i in inside]
    assert [found["error"][i] for i in inside] == pytest.approx(errors, abs=0.15)
    assert found["strip"] == pytest.approx([-14 * min(1, r) for r in relative], abs=0.06)


def test_the_lab_is_drawn_to_the_numbers(blocks):
    """Columns, marks and cards of the lab are as long as reference.py says."""
    page = blocks("?outlier=8")
    now = reference.compute({**reference.STATE, "outlier": 8.0}, reference.data())
    drawn(page.locator("[data-widget]").evaluate(GEOMETRY), now["values"], now["dequantized"], now["relative"])
    ghost = page.locator("[data-widget] .cw-blocks-ghost").get_attribute("d").count("M")
    assert ghost == sum(a != b for a, b in zip(now["dequantized"], now["before"]["dequantized"], strict=True))
    cards = page.locator("[data-widget] .cw-blocks-rule")
    marks = cards.evaluate_all("(all) => all.map((c) => c.querySelector('.cw-blocks-back').getAttribute('d'))")
    assert (marks[0] == marks[2], marks[0] == marks[1]) == (True, False)


def test_figures_are_drawn_to_the_numbers(blocks):
    """Columns, marks and bars of the beats are as long as reference.py says; an open bet shows none."""
    page, made = blocks("?outlier=8"), reference.compute
    beats = [page.locator(f"#beat-{n}") for n in range(1, 6)]
    for beat in beats:
        beat.scroll_into_view_if_needed()
        beat.and_(page.locator("[data-live]")).wait_for()
    first, third = beats[0].locator(".beat-live"), beats[2].locator(".beat-live")
    still = made(reference.STATE, reference.data())
    opened = first.evaluate(GEOMETRY)
    assert (opened["role"], opened["sliders"], opened["marks"], set(opened["error"])) == ("img", 0, False, {0})
    assert beats[3].locator("dl").filter(visible=True).count() == 0
    for beat in beats:
        beat.get_by_role("button", name="skip the bet").click()
    shown = first.evaluate(GEOMETRY)
    assert (shown["role"], shown["sliders"], shown["marks"]) == ("group", 32, True)
    drawn(shown, still["values"], still["dequantized"], still["relative"])
    cut = "(all) => all.map((path) => path.getAttribute('d').split('M').length - 1)"
    assert beats[3].locator(".beat-live .cw-blocks-cut").evaluate_all(cut) == [1, 0, 0, 0]

    state = {**reference.STATE, "scheme": "nvfp4", "outlier": 32.0}
    now, near = made(state, reference.data()), following(state, reference.data())
    both = [now[key] + near[key] for key in ("values", "dequantized", "relative")]
    drawn(third.evaluate(GEOMETRY), *both)
    sides = (
        f"16 numbers, scale 4: {now['zeros']} round to zero",
        f"next 16 numbers, scale 0.5714: {near['zeros']} round to zero",
    )
    assert " ".join(sides).split() == third.locator(".cw-blocks-sides").inner_text().split()
    more = beats[4].locator(".beat-live .cw-blocks-more")
    assert float(more.get_attribute("width").rstrip("%")) == pytest.approx(100 * 8 / 136, abs=0.001)

    first.locator(".cw-blocks-col").nth(5).focus()
    page.keyboard.press("PageUp")
    assert beats[0].evaluate("(s) => s.machine.state.edits") == {"5": pytest.approx(0.25)}
    assert page.url.endswith("#beat-1")


def test_permalink_restores(blocks):
    """A link with scheme, rule and changed numbers opens in that state; a broken one says so and shows the default."""
    page = blocks("?scheme=mxfp8_e4m3&rule=rceil&edits=%7B%223%22%3A480%7D&picked=3")
    assert page.locator("[data-widget] input[value='mxfp8_e4m3']").is_checked()
    assert page.locator("[data-widget] input[value='rceil']").is_checked()
    assert page.get_by_label("Value", exact=True).input_value() == "480"
    page = blocks("?scheme=fp3")
    assert "There is no scheme “fp3”" in page.locator("[data-message]").inner_text()
    assert state(page, "scheme") == "mxfp4"


def test_own_numbers_fill_the_block(blocks):
    """Pasted numbers, printed arrays among them, are played again and again; what is no number gets a sentence."""
    page = blocks("?scheme=nvfp4")
    page.get_by_label("Numbers from", exact=True).select_option("own")
    assert state(page, "own")[:2] == [0.25, -0.73]  # to begin with, what was drawn
    field = page.get_by_label("Your own numbers")
    field.fill("tensor([1, 2.5;\n-3e-1])")
    assert state(page, "own") == [1, 2.5, -0.3]
    assert facts(page)["scale"] == "0.42857"
    field.fill("1 seven")
    assert beside(page, field) == "“seven” is not a number. Separate numbers by spaces or commas."
    field.fill("20000")
    assert beside(page, field) == "20000 is beyond 10,000. Numbers go from -10,000 to 10,000."
    assert state(page, "own") == [1, 2.5, -0.3]
    until(page, lambda: "own=1,2.5,-0.3" in page.url)


def test_super_blocks_and_the_reciprocal_are_told(blocks):
    """Q4_K says whose scale and minimum an element has; NVFP4 what a reciprocal taken for a multiplier makes of it."""
    page = blocks("?scheme=q4_k&picked=40")
    page.get_by_text("Q4_K: 256 numbers in 8 sub-blocks, each with a scale and a minimum").wait_for()
    said = page.locator("[data-widget] .cw-blocks-rows.scale").inner_text()
    out = reference.compute({**reference.STATE, "scheme": "q4_k", "picked": 40}, reference.data())
    assert said.split() == " ".join(f"{what} {how}" for what, how in out["said"]["scale"]).split()
    assert "2 of 8, 32 numbers" in said
    mixed = page.locator("[data-widget] .cw-blocks-rows.reciprocal")
    assert not mixed.is_visible()
    put(page, {"scheme": "nvfp4"})
    assert "times too large, as is the whole tensor." in mixed.inner_text()


def test_minus_zero_survives(blocks):
    """A typed -0 is stored with its sign bit, and a link to it brings the sign back."""
    page = blocks()
    page.get_by_label("Value", exact=True).fill("-0")
    assert page.locator("[data-widget] .cw-blocks-sign").inner_text() == "1"
    until(page, lambda: "-0" in page.url)
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("[data-widget] .cw-blocks-sign").inner_text() == "1"


def test_bytes_follow_elements(blocks):
    """Hovering over an element lights its nibble, and the byte order of GGUF moves it."""
    page = blocks()
    page.locator("[data-widget] .cw-blocks-col").nth(9).hover()
    assert page.locator("[data-widget] .cw-blocks-piece.hover").get_attribute("data-i") == "9"
    assert page.get_by_text("Element 5 is the high nibble of byte 2.").count() == 1
    parts = page.locator("[data-widget] .cw-blocks-bits > span")
    classes = parts.evaluate_all("(all) => all.map((s) => [s.className.slice(10), s.textContent])")
    assert classes == [["sign", "1"], ["exponent", "01"], ["mantissa", "1"]]
    page.locator("[data-widget] summary").click()
    rows = "(all) => all.map((tr) => [...tr.querySelectorAll('td')].map((td) => td.textContent))"
    ledger = reference.compute(reference.STATE, reference.data())["ledger"]
    cells = page.locator("[data-widget] details tbody tr").evaluate_all(rows)
    assert cells == [[fmt.fixed(row[0], 3), *row[1:]] for row in ledger]
    page.locator("[data-widget] input[value='halves']").check()
    assert page.get_by_text("Element 5 is the low nibble of byte 5.").count() == 1


@pytest.mark.parametrize(("scheme", "says", "looks"), [
    ("mxfp4", "the element before scaling.", r"-?\d(\.5)?"),
    ("mxfp8_e4m3", "the code, in hexadecimal.", r"[0-9A-F]{2}"),
])  # fmt: skip
def test_what_stands_under_a_column_is_said(blocks, scheme, says, looks):
    """Below the columns stand elements or hexadecimal codes, and the line under them says which."""
    page = blocks(f"?scheme={scheme}")
    page.get_by_text(f"Under each column: {says}", exact=True).wait_for()
    marks = page.locator("[data-widget] .cw-blocks-chart text").all_text_contents()
    assert sum(re.fullmatch(looks, mark.replace("\u2212", "-")) is not None for mark in marks) >= 32


TILE = """(svg) => [...svg.querySelectorAll("g > rect")].map((one) =>
  [...["x", "y", "fill-opacity"].map((key) => Number(one.getAttribute(key))), one.classList.contains("peak")])"""


def test_the_heat_of_a_tile_is_its_numbers(blocks):
    """Patch i of the 128 x 128 tile stands in row i // 16, as dark as its largest number."""
    page = blocks("?scheme=fp8_128x128")
    out = reference.compute({**reference.STATE, "scheme": "fp8_128x128"}, reference.data())
    drawn = page.locator("[data-widget] .cw-blocks-tilebox svg").evaluate(TILE)
    assert len(drawn) == len(out["tile"]) == 256
    for i, (value, (x, y, dark, _)) in enumerate(zip(out["tile"], drawn, strict=True)):
        assert (x, y) == (12 * (i % 16), 12 * (i // 16))
        assert abs(dark - (0.06 + 0.94 * value / out["amax"])) < 0.0006
    assert [i for i, one in enumerate(drawn) if one[3]] == [out["tile"].index(max(out["tile"]))]


def test_narrow_and_accessible(blocks):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(
        blocks,
        "blocks",
        *(f"?scheme={scheme}" for scheme in ("mxfp4", "fp8_128x128", "int4_awq", "q4_k")),
        "?scheme=nvfp4_46&sample=own&own=1,2,3",
    )


def test_a_move_draws_little(blocks):
    """A changed number changes fewer nodes than the page has elements (`make bench` has the times)."""
    page = blocks()
    for scheme in ("mxfp4", "fp8_128x128", "int4_gptq"):
        put(page, {"scheme": scheme, "edits": {}})
        assert_a_move_draws_little(page, "edits", [{5: number} for number in range(-15, 15)])


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_picture(blocks, shot, width, scheme):
    """The card looks as it was last looked at."""
    page = posed(blocks, width, scheme)
    shot(page.locator("[data-widget]"), f"learn-blocks-{width}-{scheme}")
