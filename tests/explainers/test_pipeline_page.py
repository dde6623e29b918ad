"""The pipeline page as a reader meets it: scheduled, scrubbed, asked why, refused, from a link, narrow, by keyboard."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

READY = "[data-widget][data-ready]"


@pytest.fixture
def pipeline(page, learn_url):
    """Open the page at a state."""

    def go(query=""):
        page.goto(f"{learn_url}/learn/pipeline/{query}")
        page.wait_for_selector(READY)
        return page

    return go


def state(page, key):
    return page.evaluate("(key) => document.querySelector('[data-widget]').cutaway.model.get(key)", key)


def errors(page) -> list[str]:
    return [text for text in page.locator(".cw-error").all_inner_texts() if text]


def facts(page) -> list[str]:
    return page.locator(".cw-pipeline-facts b").all_inner_texts()


def test_gpipe_to_1f1b_keeps_the_bubble_and_frees_memory(pipeline):
    """The same 9 units idle; rank 0 holds 8 micro-batches under GPipe and 4 under 1F1B."""
    page = pipeline("?schedule=gpipe")
    peak = page.locator(".cw-table tbody tr").first.locator("td").last
    assert (facts(page), peak.inner_text()) == (["9", "27.3 %", "37.5 %", "9"], "8")
    page.get_by_role("radio", name="1F1B", exact=True).check()
    assert (facts(page), peak.inner_text()) == (["9", "27.3 %", "37.5 %", "9"], "4")
    assert "schedule=" not in page.url


def test_a_gap_says_what_it_waits_for(pipeline):
    """A click into an idle stretch names the result that ends it, and the arrow stands; the link keeps it."""
    page = pipeline("?rank=-1&op=-1")
    lanes = page.locator(".cw-pipeline-svg")
    box = lanes.bounding_box()
    assert page.locator(".cw-pipeline-gap").get_attribute("visibility") == "hidden"
    page.mouse.click(box["x"] + 60 + (box["width"] - 228) * 7 / 33, box["y"] + 26 + 16)
    sentence = page.locator(".cw-pipeline-sentence").inner_text()
    assert sentence.startswith("Rank 0 is idle from 4 to 10. Next in its list is the backward of micro-batch 1")
    assert page.locator(".cw-pipeline-gap").get_attribute("visibility") == "visible"
    assert (state(page, "rank"), state(page, "op")) == (0, 4)
    assert round(state(page, "cursor")) == 7


def test_gaps_by_keyboard(pipeline):
    """Next and previous step through every gap in reading order, round the end."""
    page = pipeline("?rank=-1&op=-1")
    following = page.get_by_role("button", name="Next gap")
    following.focus()
    page.keyboard.press("Enter")
    assert page.locator(".cw-pipeline-sentence").inner_text().startswith("Rank 0 is idle from 4 to 10.")
    page.keyboard.press("Enter")
    assert (state(page, "rank"), state(page, "op")) == (0, 13)
    page.get_by_role("button", name="Previous gap").press("Enter")
    page.get_by_role("button", name="Previous gap").press("Enter")
    assert page.locator(".cw-pipeline-sentence").inner_text().startswith("Rank 3 is idle from 0 to 3.")


def test_scrubbing_changes_what_is_in_flight(pipeline):
    """Home empties the pipeline but for the first forward; End shows everybody done."""
    page = pipeline()
    slider = page.get_by_role("slider", name="time", exact=True)
    slider.focus()
    page.keyboard.press("Home")
    column = page.locator(".cw-table tbody tr td:nth-child(3)")
    assert column.all_inner_texts() == ["1", "0", "0", "0"]
    page.keyboard.press("End")
    assert column.all_inner_texts() == ["0", "0", "0", "0"]
    assert page.locator(".cw-table tbody tr td:nth-child(2)").all_inner_texts() == ["done"] * 4
    assert state(page, "cursor") == 33


def test_an_impossible_schedule_is_refused_beside_its_control(pipeline):
    """Ten micro-batches do not make rounds of four: the sentence says what does, and the drawing stays."""
    page = pipeline("?schedule=interleaved")
    slider = page.get_by_role("slider", name="micro-batches m")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert errors(page) == [
        "Interleaved 1F1B sends micro-batches in rounds of 4, one per rank: 9 is not a multiple of 4. "
        "Take 8 or 12 micro-batches."
    ]
    assert page.locator(".cw-control-slider", has=slider).locator(".cw-error").inner_text() == errors(page)[0]
    assert state(page, "microbatches") == 8
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert (errors(page), state(page, "microbatches")) == ([], 12)


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
    """ZB-H1 with W above F loses its closed form, and says so."""
    page = pipeline("?schedule=zb-h1")
    assert page.locator(".cw-pipeline-facts p").last.inner_text().endswith("equal to the simulation")
    slider = page.get_by_role("slider", name="weight gradient W")
    slider.focus()
    page.keyboard.press("End")
    assert "not valid here, it needs m ≥ p, W ≤ F, W ≤ I" in page.locator(".cw-pipeline-facts p").last.inner_text()


def test_back_brings_the_last_schedule(pipeline):
    """The address follows the state and the browser's back button returns it."""
    page = pipeline()
    page.get_by_role("radio", name="ZB-V", exact=True).check()
    page.wait_for_url("**schedule=zb-v**")
    page.go_back()
    expect(page.get_by_role("radio", name="1F1B", exact=True)).to_be_checked()
    assert facts(page)[0] == "9"


def test_narrow_and_without_script(pipeline, browser, learn_url):
    """At 390 pixels nothing is cut off; without scripts the picture and its numbers stand."""
    page = pipeline()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{learn_url}/learn/pipeline/")
    assert plain.locator(".cw-pipeline-labels text").count() == 64
    assert "27.3 % of the whole step, which is 37.5 % of the work" in plain.locator(".cw-pipeline").inner_text()
    context.close()


def test_axe_finds_nothing(pipeline):
    """No accessibility violation in either theme."""
    page = pipeline("?schedule=zb-v")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [1400, 900, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_looks_as_kept(pipeline, shot, card, width, scheme):
    """The card at three widths, light and dark."""
    page = pipeline()
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    page = pipeline("?schedule=zb-v&cursor=11&rank=0&op=9")
    shot(card(page), f"pipeline-{width}-{scheme}")
