"""The bits page used by hand: typed, toggled, walked by keyboard, and fed nonsense."""

from __future__ import annotations

import pytest

from tests.explainers.reader import assert_a_move_draws_little

SHOTS = [(1400, "light"), (390, "dark")]


@pytest.fixture
def bits(learn):
    """Open the page with a query: bits("?typed=1") -> the widget."""
    return lambda query="": learn("bits")(query).locator("[data-widget] .cw-bits")


def test_a_bit_is_a_button_that_says_what_it_is(bits):
    """Pressing a bit flips it: its name tells field, place, value and whether it is on."""
    widget = bits("?typed=26")
    widget.get_by_role("button", name="exponent bit 3 of 4, value 8, on").click()
    widget.get_by_role("button", name="exponent bit 3 of 4, value 8, off").wait_for()
    assert widget.locator(".big").inner_text() == "0.1016"


def test_arrow_keys_step_codes_and_walk_bits(bits, page):
    """On the bits, up and down step the code across exponents; left and right move along the bits."""
    widget = bits("?typed=30")
    widget.get_by_role("button", name="sign bit, off").focus()
    page.keyboard.press("ArrowUp")
    assert widget.locator(".big").inner_text() == "32"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert widget.locator(".big").inner_text() == "28"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert widget.get_by_role("button", name="exponent bit 3 of 4, value 8, off").count() == 1


@pytest.mark.parametrize(("last", "button", "first"), [("FF", "Next code", "00"), ("00", "Previous code", "FF")])
def test_the_codes_are_a_ring(last, button, first, bits):
    """After the last code comes the first, and before the first the last."""
    widget = bits(f"?code={int(last, 16)}")
    widget.get_by_role("button", name=button).click()
    assert widget.evaluate("(w) => w.closest('[data-widget]').cutaway.model.get('code')") == int(first, 16)


ENDS = """(bins) => [...bins.querySelectorAll("g")].map((g) => {
  const [x, w] = ["x", "width"].map((k) => Number(g.querySelector("rect").getAttribute(k)));
  return [x, x + w, Number(g.querySelector("line").getAttribute("x1"))]; })"""


@pytest.mark.parametrize("code", [7, 15])
def test_a_bin_without_an_end_lies_evenly_round_its_value(code, bits):
    """Beyond the largest value the bin has no bound: drawn, it reaches as far as the step between its neighbours."""
    bins = sorted(bits(f"?format=float4_e2m1fn&code={code}").locator("svg.line > .bins").evaluate(ENDS))
    left, right, at = bins[-1] if code < 8 else bins[0]
    step = abs(bins[-1][2] - bins[0][2]) / (len(bins) - 1)
    assert abs((right - at if code < 8 else at - left) - step / 2) < 0.01


def test_the_poster_is_walked_with_arrows(bits, page):
    """In the grid the arrows choose codes, and the focus goes with the choice."""
    widget = bits("?typed=28")
    widget.locator('[aria-selected="true"]').focus()
    for key, value in (("ArrowRight", "30"), ("ArrowDown", "60"), ("ArrowLeft", "56"), ("ArrowUp", "28")):
        page.keyboard.press(key)
        assert widget.locator(".big").inner_text() == value
        assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"


def test_the_window_of_a_wide_format_moves_on(bits, page):
    """In FP32, page down goes 128 codes on, and the focus stays in the grid."""
    widget = bits("?format=float32&code=200&typed=")
    widget.locator('[aria-selected="true"]').focus()
    page.keyboard.press("PageDown")
    assert widget.locator(".stepper").inner_text().split("·")[0].strip().endswith("0x00000148")
    assert page.evaluate("document.activeElement.dataset.code") == "328"


def test_nonsense_gets_a_sentence_and_the_last_good_state_stays(bits):
    """What is no number is said so beside the box; the drawing keeps the last number."""
    widget = bits("?typed=26")
    box, big = widget.get_by_label("nearest to"), widget.locator(".big")
    for typed in ("abc", "1..2", "1/0", "0x1FF", "1e99999", "<img src=x onerror=alert(1)>", "  ", "=1+1"):
        box.fill(typed)
        assert widget.locator(".ask .cw-error").inner_text().endswith("."), typed
        assert (big.inner_text(), box.get_attribute("aria-invalid")) == ("26", "true")
    box.fill("4")
    assert (widget.locator(".ask .cw-error").inner_text(), big.inner_text()) == ("", "4")


def test_every_way_to_type_a_number_works(bits):
    """Hex, binary, a fraction, a hexfloat, infinity and minus zero arrive."""
    widget = bits()
    ways = [("0x5D", "26"), ("0b01011101", "26"), ("1/3", "0.34375"), ("0x1.ap4", "26"), ("-inf", "NaN"), ("−0", "-0")]
    for typed, big in ways:
        widget.get_by_label("nearest to").fill(typed)
        assert widget.locator(".big").inner_text() == big, typed


SPECIAL = {"-0": "0x80", "nan": "0x7E", "-nan": "0xFE", "inf": "0x7C", "-inf": "0xFC"}


def test_special_numbers_survive_a_link(bits, page):
    """NaN, -0 and both infinities come back from the address as the code they were."""
    widget, links = bits("?format=float8_e5m2"), {}
    for typed, code in SPECIAL.items():
        widget.get_by_label("nearest to").fill(typed)
        page.wait_for_url(f"**/learn/bits/?format=float8_e5m2&typed={typed}")
        links[page.url.partition("?")[2]] = code
    for query, code in links.items():
        page.goto("about:blank")
        assert f"{code} ·" in bits(f"?{query}").locator(".stepper").inner_text()


def test_a_link_with_a_code_shows_that_code(bits):
    """A link that sets only a code means the code, not the number that is typed at the start."""
    widget = bits("?code=40")
    assert "0x28 · code 40" in widget.locator(".stepper").inner_text()
    widget.get_by_label("nearest to").fill("27.3")  # what is typed at the start: nothing to say in a link
    widget.page.wait_for_timeout(100)
    assert "?" not in widget.page.url


def test_back_changes_the_field_that_has_the_focus(bits, page):
    """What the reader types stays as typed; a state from elsewhere, as after Back, is written into the box."""
    box = bits("?typed=26").get_by_label("nearest to")
    box.fill("0x5D")
    assert box.input_value() == "0x5D"
    page.wait_for_timeout(600)
    box.fill("0.10")
    page.wait_for_timeout(300)
    assert box.input_value() == "0.10"
    page.go_back()
    assert (box.input_value(), box.evaluate("(b) => b === document.activeElement")) == ("26", True)


def test_labels_of_wide_formats_count_from_the_end_of_each_field(bits):
    """In FP32 the last bit of the exponent is its bit 0, as the last of the mantissa is."""
    widget = bits("?format=float32")
    under = lambda field: "".join(widget.locator(f".{field} small").all_inner_texts())  # noqa: E731
    assert (under("exponent"), under("mantissa")) == ("40", "201612840")
    assert widget.locator(".cw-table").first.locator("tr", has_text="FP32").inner_text().split()[3] == "27.2999992"


def test_casts_that_disagree_are_marked(bits):
    """465 is 448 to some casts and NaN to others; the fewer are marked, and the heading says how many there are."""
    widget = bits("?typed=464")
    assert widget.locator("tr.differs").count() == 0
    widget.get_by_label("nearest to").fill("465")
    widget.locator("tr.differs").first.wait_for()
    assert "The casts disagree" in widget.inner_text()


def test_the_number_stays_when_the_format_changes(bits):
    """Another format shows the same number, whether it was typed or set by bits."""
    widget = bits("?format=float32&code=1&typed=")
    widget.get_by_role("radio", name="FP16", exact=True).check()
    assert widget.get_by_label("nearest to").input_value() == "0x1p-149"
    assert widget.locator(".big").inner_text() == "0"
    widget.get_by_role("radio", name="TF32", exact=True).check()
    widget.get_by_role("radio", name="FP32", exact=True).check()
    assert "1 · subnormal" in widget.locator(".stepper").inner_text()


def test_a_move_draws_little(bits, page):
    """A typed number changes fewer nodes than the page has elements (`make bench` has the times)."""
    bits()
    assert_a_move_draws_little(page, "typed", [str(i * 4.37 - 200) for i in range(64)])


PLACES = """(svg) => { const x = (e, key) => Number(e.getAttribute(key));
  const ticks = [...svg.querySelectorAll(".bins line")].map((e) => x(e, "x1")), frame = svg.querySelector(".frame");
  return { ticks, mark: Number(svg.querySelector(".typed path").getAttribute("d").slice(1).split(" ")[0]),
    frame: frame && [x(frame, "x"), x(frame, "x") + x(frame, "width")] }; }"""


def test_beats_hide_and_then_show_where_things_lie(bits, page):
    """Open, no figure tells the answer and no bit can be flipped; then bits flip, and marks stand where they should."""
    bits()
    beat = lambda n: page.locator(f"#beat-{n}")  # noqa: E731
    for n in range(1, 6):
        beat(n).scroll_into_view_if_needed()
        page.locator(f"#beat-{n}[data-live]").wait_for()
    live = {n: beat(n).locator(".beat-live") for n in range(1, 6)}
    top = live[2].locator(".exponent .bit").first
    assert (top.is_disabled(), live[1].locator(".bit").count(), live[5].locator("table").is_visible()) == (
        True,
        0,
        False,
    )
    assert live[4].locator(".here, .odd").count() == 0
    assert "27" not in live[4].locator("svg").get_attribute("aria-label")
    for n in range(1, 6):
        beat(n).get_by_role("button", name="skip the bet").click()
    assert live[1].locator(".bit").count() == 16
    assert live[2].locator(".big").inner_text() == "0.1094"
    top.click()
    assert (live[2].locator(".big").inner_text(), page.url.partition("?")[2]) == ("28", "")
    live[2].locator(".sign .bit").press("ArrowUp")
    assert live[2].locator(".big").inner_text() == "30"
    near, end = live[4].locator("svg").evaluate(PLACES), live[5].locator("svg").evaluate(PLACES)
    assert near["frame"] == pytest.approx([sum(near["ticks"][i : i + 2]) / 2 for i in (2, 3)], abs=0.1)
    assert near["mark"] == pytest.approx(near["ticks"][3], abs=0.1)
    assert end["mark"] == pytest.approx(sum(end["ticks"][3:]) / 2, abs=0.1)
    beat(5).get_by_text("465", exact=True).first.click()
    assert live[5].locator("tr.differs").count() == 4


def test_the_line_is_the_same_on_both_sides(bits):
    """A number and its negative are marked at the same distance from the middle, and right of it the larger."""
    widget, places = bits(), []
    line = widget.locator(".line").first
    width = float(line.get_attribute("viewBox").split()[2])
    for typed in ("27.3", "-27.3", "1", "300"):
        widget.get_by_label("nearest to").fill(typed)
        places.append(float(line.locator(".mark line").get_attribute("x1")) / width - 0.5)
    assert places[0] == pytest.approx(-places[1], abs=1e-3)
    assert 0 < places[2] < places[0] < places[3] < 0.5


@pytest.mark.parametrize(("width", "scheme"), SHOTS)
def test_the_page_looks_as_it_did(width, scheme, bits, page, shot, card):
    """The lab, wide and light, narrow and dark; the beats have pictures of their own."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    bits()
    page.evaluate(
        "for (const one of document.querySelectorAll('.beat, .rail')) one.style.display = 'none'"
    )  # they grow
    shot(card(page), f"learn-bits-{width}-{scheme}")
