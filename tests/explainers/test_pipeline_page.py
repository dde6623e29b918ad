"""The pipeline page as a reader meets it: scheduled, scrubbed, asked why, refused, from a link, narrow, by keyboard."""

import re

import pytest
from playwright.sync_api import expect

from tests.explainers.reader import SETTLED, assert_narrow_and_accessible, beside, lab, posed, put, state
from tests.guarded import until


@pytest.fixture
def pipeline(learn):
    """Open the page at a state."""
    return learn("pipeline")


def facts(page) -> list[str]:
    page.evaluate(SETTLED)  # what stands below the drawing is written a frame later
    return lab(page).locator(".cw-pipeline-facts b").all_inner_texts()[:4]


def sentence(page) -> str:
    return lab(page).locator(".cw-pipeline-sentence").inner_text()


def test_gpipe_to_1f1b_keeps_the_bubble_and_frees_memory(pipeline):
    """The same 9 units idle; rank 0 holds 8 micro-batches under GPipe and 4 under 1F1B."""
    page = pipeline("?schedule=gpipe")
    peak = lab(page).locator(".cw-table tbody tr").first.locator("td").last
    assert (facts(page), peak.inner_text()) == (["9", "27.3 %", "37.5 %", "9"], "8")
    lab(page).get_by_role("radio", name="1F1B", exact=True).check()
    assert (facts(page), peak.inner_text()) == (["9", "27.3 %", "37.5 %", "9"], "4")
    assert "schedule=" not in page.url
    lab(page).get_by_role("slider", name="micro-batches m").press("Home")
    assert lab(page).locator("h2 small").first.inner_text().endswith("the first rank holds at most 1 micro-batch")


def test_a_gap_says_what_it_waits_for(pipeline):
    """A click into an idle stretch names the result that ends it, and the arrow stands; the keys go on from there."""
    page = pipeline("?rank=-1&op=-1")
    box = lab(page).locator(".cw-pipeline-svg").bounding_box()
    gap = lab(page).locator(".cw-pipeline-gap")
    assert gap.get_attribute("visibility") == "hidden"
    page.mouse.click(box["x"] + 60 + (box["width"] - 228) * 7 / 33, box["y"] + 26 + 16)
    assert sentence(page).startswith("Rank 0 is idle from 4 to 10. Its next operation is the backward of micro-batch 1")
    assert gap.get_attribute("visibility") == "visible"
    assert (state(page, "rank"), state(page, "op"), round(state(page, "cursor"))) == (0, 4, 7)
    lab(page).get_by_role("button", name="Next gap").press("Enter")
    assert (state(page, "rank"), state(page, "op")) == (0, 13)
    lab(page).get_by_role("button", name="Previous gap").press("Enter")
    lab(page).get_by_role("button", name="Previous gap").press("Enter")
    assert sentence(page).startswith("Rank 3 is idle from 0 to 3.")


def test_scrubbing_changes_what_is_in_flight(pipeline):
    """Home empties the pipeline but for the first forward; End shows everybody done."""
    page = pipeline()
    slider = lab(page).get_by_role("slider", name="time", exact=True)
    slider.press("Home")
    column = lab(page).locator(".cw-table tbody tr td:nth-child(3)")
    until(page, lambda: column.all_inner_texts() == ["1", "0", "0", "0"])
    slider.press("End")
    until(page, lambda: column.all_inner_texts() == ["0", "0", "0", "0"])
    assert lab(page).locator(".cw-table tbody tr td:nth-child(2)").all_inner_texts() == ["done"] * 4
    assert state(page, "cursor") == 33


def test_an_impossible_schedule_is_refused_beside_its_control(pipeline):
    """Ten micro-batches do not make rounds of four: the sentence says what does, and the drawing stays."""
    page = pipeline("?schedule=interleaved")
    slider = page.get_by_role("slider", name="micro-batches m")
    slider.press("ArrowRight")
    assert beside(page, slider) == (
        "Interleaved 1F1B sends micro-batches in rounds of 4, one per rank: 9 is not a multiple of 4. "
        "Take 8 or 12 micro-batches."
    )
    assert state(page, "microbatches") == 8
    for _ in range(3):
        slider.press("ArrowRight")
    assert (beside(page, slider), state(page, "microbatches")) == ("", 12)


def test_broken_links_are_said_and_survived(pipeline):
    """A wrong word, a wrong type and an impossible pair each get a sentence; the page shows its start."""
    for query, says in (
        ("?schedule=zigzag", "there is no “zigzag”"),
        ("?pp=many", "pp = “many” is not a number"),
        ("?schedule=dualpipe-v&microbatches=6", "at least 8 micro-batches"),
        ("?forward=NaN", "forward"),
    ):
        page = pipeline(query)
        assert says in page.locator("[data-message]").inner_text(), query
        assert facts(page)[0] == "9"


def test_times_can_be_unequal(pipeline):
    """ZB-H1 with W above F loses its closed form, and says so; back brings the schedule before."""
    page = pipeline()
    lab(page).get_by_role("radio", name="ZB-H1", exact=True).check()
    last = lab(page).locator(".cw-pipeline-facts p").nth(3)
    expect(last).to_have_text(re.compile("equal to the simulation$"))
    lab(page).get_by_role("slider", name="weight gradient W").press("End")
    expect(last).to_have_text(re.compile("not valid here, it needs m ≥ p, W ≤ F, W ≤ I$"))
    page = pipeline()
    lab(page).get_by_role("radio", name="ZB-V", exact=True).check()
    page.wait_for_url("**schedule=zb-v**")
    page.go_back()
    until(page, lambda: lab(page).get_by_role("radio", name="1F1B", exact=True).is_checked())
    assert facts(page)[0] == "9"


def test_the_drawing_stays_where_it_is_and_play_beside_it(pipeline):
    """Whatever the schedule and the step, the drawing begins at the same height; play stands right below it."""
    page = pipeline()
    svg = lab(page).locator(".cw-pipeline-svg")
    for width in (900, 390):
        page.set_viewport_size({"width": width, "height": 900})
        tops = set()
        for schedule in lab(page).get_by_role("radio").all():
            schedule.check()
            lab(page).get_by_role("button", name="Step forward").click()
            box, play = svg.bounding_box(), lab(page).get_by_role("button", name="Play").bounding_box()
            tops.add(round(box["y"] - lab(page).bounding_box()["y"], 1))
            assert 0 <= play["y"] - box["y"] - box["height"] <= 30
        assert len(tops) == 1


def test_16_ranks_and_64_micro_batches_can_be_read(pipeline):
    """Where cells are too narrow, a part of the step round the cursor has its numbers; a map shows which part."""
    page = pipeline()
    shown, frame = lab(page).locator(".cw-pipeline-labels text"), lab(page).locator(".cw-pipeline-frame")
    assert frame.get_attribute("visibility") == "hidden"
    for width, schedule in ((390, "1f1b"), (390, "zb-v"), (1400, "dualpipe-v")):
        page.set_viewport_size({"width": width, "height": 900})
        put(page, {"schedule": schedule, "pp": 16, "microbatches": 64, "cursor": 0})
        until(page, lambda: frame.get_attribute("visibility") == "visible" and shown.first.text_content()[:2] == "12")
        first = frame.bounding_box()["x"]
        lab(page).get_by_role("slider", name="time", exact=True).press("End")
        numbers = "".join(shown.all_text_contents())
        assert "64" in numbers and len(numbers) >= 32
        last, whole = frame.bounding_box(), lab(page).locator(".cw-pipeline-map").first.bounding_box()
        assert last["x"] > first + 40
        assert last["x"] + last["width"] == pytest.approx(whole["x"] + whole["width"], abs=5)


def test_a_pointer_holds_the_part_that_it_drags_in(pipeline):
    """Pressed in a gap and dragged over the close-up, it does not turn the page under the pointer; the map jumps."""
    page = pipeline("?pp=16&microbatches=64&cursor=30&rank=-1")
    svg, frame = lab(page).locator(".cw-pipeline-svg"), lab(page).locator(".cw-pipeline-frame")
    svg.scroll_into_view_if_needed()
    box, before = svg.bounding_box(), frame.get_attribute("x")
    inner, row = box["width"] - 228, box["y"] + 26 + 16 * 8 + 14 + 10
    page.mouse.move(box["x"] + 60 + 0.3 * inner, row)
    page.mouse.down()
    page.mouse.move(box["x"] + 60 + 0.98 * inner, row, steps=4)
    assert (state(page, "rank"), state(page, "op")) == (0, 16)
    assert frame.get_attribute("x") == before
    page.mouse.up()
    assert 50 < state(page, "cursor") < 80
    assert frame.get_attribute("x") != before
    page.mouse.click(box["x"] + 60 + 0.5 * inner, box["y"] + 60)
    assert state(page, "cursor") == pytest.approx(237 / 2, abs=1)


def test_dualpipe_says_what_a_pair_gains(pipeline):
    """Where a forward and a backward run as one piece, the page says how long that piece is, and a slider sets it."""
    page = pipeline()
    note = lab(page).locator(".cw-pipeline-note")
    assert not note.is_visible()
    overlap = lab(page).get_by_role("slider", name="overlap of F and B")
    assert overlap.is_disabled()
    lab(page).get_by_role("radio", name="DualPipeV").check()
    assert "at 100 % only as long as the longer" in note.inner_text()
    before = float(facts(page)[0])
    overlap.press("End")
    assert (float(facts(page)[0]), before) == (1.5, 2.25)
    lab(page).get_by_role("radio", name="DualPipe", exact=True).check()
    assert "all parameters are held twice" in note.inner_text()


def test_a_part_of_the_step_is_zoomed_by_button_key_wheel_and_map(pipeline):
    """Each changes how much is shown, keeps the cursor in it, and stands in the address; "readable" goes back."""
    page = pipeline("?pp=16&microbatches=64&cursor=60&rank=2&op=30")
    svg, frame = lab(page).locator(".cw-pipeline-svg"), lab(page).locator(".cw-pipeline-frame")
    wide = lambda: frame.bounding_box()["width"]  # noqa: E731
    first = wide()
    lab(page).get_by_role("button", name="Zoom in").click()
    until(page, lambda: wide() < 0.6 * first)
    lab(page).get_by_role("slider", name="time", exact=True).press("-")
    until(page, lambda: abs(wide() - first) < 3)
    svg.evaluate("(s) => s.scrollIntoView({ block: 'center', behavior: 'instant' })")  # from under the rail
    box = svg.bounding_box()
    page.mouse.move(box["x"] + 400, box["y"] + 300)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    until(page, lambda: wide() < 0.6 * first)
    left, zoom = state(page, "left"), state(page, "zoom")
    assert left <= state(page, "cursor") <= left + 237 / zoom + 0.02
    page.mouse.click(box["x"] + 60 + 0.8 * (box["width"] - 228), box["y"] + 60)
    until(page, lambda: state(page, "left") > left + 60)
    assert state(page, "zoom") == zoom
    assert state(page, "left") + 237 / zoom / 2 == pytest.approx(state(page, "cursor"), abs=0.02)
    until(page, lambda: f"zoom={zoom:g}" in page.url)
    link = page.url
    lab(page).get_by_role("button", name="whole step").click()
    until(page, lambda: frame.get_attribute("visibility") == "hidden")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("[data-widget][data-ready]", state="attached")
    assert (state(page, "zoom"), state(page, "rank")) == (zoom, 2)
    lab(page).get_by_role("button", name="Zoom to readable numbers").click()
    until(page, lambda: abs(wide() - first) < 3)


def test_a_cell_shows_its_messages(pipeline):
    """A click on an op says what it gets and sends; its arrows are drawn however many cells there are."""
    page = pipeline("?pp=16&microbatches=64&rank=-1&op=-1&hop=0.5")
    links = lab(page).locator(".cw-pipeline-links")
    assert not links.get_attribute("d")
    assert not lab(page).locator(".cw-pipeline-message").first.get_attribute("d")
    svg = lab(page).locator(".cw-pipeline-svg")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    page.mouse.click(box["x"] + 60 + 100, box["y"] + 26 + 142 + 24 + 8)
    until(page, lambda: links.get_attribute("d").count("M") == 2)
    assert "It gets activations from rank 0" in sentence(page)
    assert "It sends activations to rank 2" in sentence(page)


def test_two_schedules_and_a_cap_are_said_and_drawn(pipeline):
    """A second schedule has lanes of its own under the same cursor; what is over the cap is marked and said."""
    page = pipeline("?beside=zb-v&cap=3.5&schedule=gpipe")
    rows = lab(page).locator(".cw-pipeline-rows > g")
    assert (rows.count(), lab(page).locator(".cw-pipeline-rows > g.over").count()) == (8, 8)
    said = lab(page).locator(".cw-pipeline-weighed").inner_text()
    assert "These fit: V-Half (3.5), V-Min (2)." in said
    assert "ZB-V finishes 7.5 units before GPipe" in said
    lab(page).get_by_role("combobox", name="compare with").select_option("none")
    until(page, lambda: rows.count() == 4)
    lab(page).get_by_role("combobox", name="times from").select_option("deepseek-ai/DeepSeek-V3")
    real = lab(page).locator(".cw-pipeline-real")
    until(page, real.is_visible)
    assert "58.7 MB" in real.inner_text()
    assert lab(page).get_by_role("slider", name="forward F").is_disabled()


def test_narrow_and_accessible(pipeline):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(pipeline, "pipeline", "", "?schedule=zb-v&pp=16&microbatches=64")


def test_a_close_up_looks_as_kept(pipeline, shot, card):
    """The lab with 16 ranks and 64 micro-batches, middling wide and dark; the beats have pictures of their own."""
    page = posed(pipeline, 900, "dark", "?schedule=zb-v&pp=16&microbatches=64&cursor=60&rank=0&op=9")
    shot(card(page), "pipeline-close-up")
