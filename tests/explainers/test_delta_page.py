"""The delta-rule page as a reader meets it: written by hand, stepped, by keyboard, from a link, narrow."""

import pytest

from tests.explainers.reader import assert_narrow_and_accessible, lab, state
from tests.guarded import until

DOCUMENTS = (
    "?writes=0,15,1,51,2,85,0,105&step=4&border=3&gates=3,0&channels=1,1,1,1,0.5,0.5,0.5,0.5&wanted=0,1&rule=kda"
)


@pytest.fixture
def delta(learn):
    """Open the page at a state."""
    return learn("delta-rule")


def errors(page) -> list[str]:
    """The recall error printed in each of the five cards."""
    return page.locator("[data-widget] .cw-delta-rule-error strong").all_inner_texts()


def test_first_picture_is_the_widgets(delta):
    """Linear attention is 25 % off because A was written twice; DeltaNet recalls all four keys."""
    assert errors(delta()) == ["25.0 %", "30.4 %", "0.0 %", "14.0 %", "14.0 %"]


def test_write_by_hand(delta):
    """A chosen key and eight toggled signs become the next write, and removing it restores the tape."""
    page = delta()
    before = state(page, "writes")
    page.locator(".cw-delta-rule-write input[type=radio]").nth(4).check()
    page.get_by_role("button", name="place 7: plus one").click()
    page.get_by_role("button", name="Write", exact=True).click()
    assert state(page, "writes") == [*before, 4, 104]
    assert state(page, "step") == 6
    page.get_by_role("button", name="Remove this write").click()
    assert state(page, "writes") == before
    page.get_by_role("button", name="Clear").click()
    assert state(page, "writes") == []
    assert errors(page) == ["0.0 %"] * 5
    assert page.get_by_role("button", name="Remove this write").is_disabled()


def test_step_and_play(delta):
    """Stepping back before the overwrite makes linear attention right again; playing ends at the last write."""
    page = delta()
    page.get_by_role("button", name="Step back").click()
    assert state(page, "step") == 4
    assert errors(page)[0] == "0.0 %"
    page.get_by_role("button", name="Play").click()
    until(page, lambda: state(page, "step") == 5)
    assert errors(page)[0] == "25.0 %"


def test_keyboard_alone(delta):
    """The tape's entries are buttons, sliders move by arrows, and the state's numbers follow the chosen rule."""
    page = delta()
    lab(page).get_by_role("button", name="write 2: key B").focus()
    page.keyboard.press("Enter")
    assert state(page, "step") == 2
    page.get_by_label("Overlap of keys").focus()
    page.keyboard.press("ArrowRight")
    assert state(page, "overlap") == 0.05
    page.locator(".cw-delta-rule-card input").first.focus()
    page.keyboard.press("ArrowRight")
    assert state(page, "rule") == "decay"
    until(page, lambda: lab(page).locator("summary").first.inner_text() == "Decay in numbers")


def test_full_tape_says_so(delta):
    """After 32 writes the button answers with a sentence and the tape stays."""
    page = delta("?writes=" + ",".join(["0,1"] * 32) + "&step=32")
    page.get_by_role("button", name="Write", exact=True).click()
    assert page.get_by_text("The tape is full: 32 writes. Undo one or clear.").count() == 1
    assert len(state(page, "writes")) == 64


def test_permalinks(delta):
    """A link restores writes and sliders; one with an impossible key names what is legal and shows the default."""
    page = delta("?writes=0,1,7,255&step=1&overlap=0.3&rule=kda")
    assert state(page, "writes") == [0, 1, 7, 255]
    assert page.locator(".cw-delta-rule-card.on strong").first.inner_text() == "KDA"
    page = delta("?writes=9,1&step=1")
    assert "A key is a number from 0 (A) to 7 (H)" in page.locator("[data-message]").inner_text()
    assert len(state(page, "writes")) == 10


def test_the_last_four_of_24_keys(delta):
    """The tape of 24 random keys, scored on its last four: a gentle decay brings one rule under 45 %."""
    page = delta("?decay=1")
    page.get_by_role("button", name="24 random keys").click()
    assert (state(page, "seed"), state(page, "step")) == (64, 24)
    assert errors(page) == ["156.7 %", "156.7 %", "109.7 %", "109.7 %", "109.7 %"]
    page.get_by_role("button", name="the last four").click()
    assert state(page, "wanted") == [20, 21, 22, 23]
    assert errors(page)[2] == "48.5 %"
    page.get_by_role("button", name="X", exact=True).click()
    assert state(page, "wanted") == [20, 21, 22]
    page.get_by_role("button", name="X", exact=True).click()
    lab(page).get_by_label("Decay α").focus()
    page.keyboard.press("ArrowLeft")
    assert errors(page)[3] == "41.6 %"
    until(page, lambda: page.locator("[data-goal=last_four][data-reached=true]").count() == 1)
    page.get_by_role("button", name="every key").click()
    assert state(page, "wanted") == []


def test_a_gate_is_shut_for_one_write(delta):
    """An α under a write closes there alone, moves along when a write is put in before it, and goes with its write."""
    page = delta("?decay=1")
    page.get_by_role("button", name="two documents").click()
    gate = lab(page).get_by_label("α at write 9, key A")
    gate.focus()
    page.keyboard.press("Home")
    assert state(page, "gates") == [8, 0]
    until(page, lambda: page.locator("[data-goal=two_documents][data-reached=true]").count() == 1)
    lab(page).get_by_role("button", name="write 1: key A").click()
    page.get_by_role("button", name="Write", exact=True).click()
    assert (state(page, "gates"), state(page, "border")) == ([9, 0], 9)
    page.get_by_role("button", name="Remove this write").click()
    assert (state(page, "gates"), state(page, "border")) == ([8, 0], 8)
    gate = lab(page).get_by_label("α at write 9, key A")
    gate.focus()
    page.keyboard.press("End")
    assert state(page, "gates") == []
    gate.focus()
    page.keyboard.press("Home")
    lab(page).get_by_role("button", name="write 9: key A").click()
    page.get_by_role("button", name="Remove this write").click()
    assert (state(page, "gates"), state(page, "border")) == ([], 8)


def test_channels_of_kda(delta):
    """Each row has an α of its own, and one button makes them alike again."""
    page = delta()
    lab(page).get_by_label("KDA’s α of row B").focus()
    page.keyboard.press("Home")
    assert state(page, "channels") == [0.9, 0, *[0.9] * 6]
    page.get_by_role("button", name="all rows alike").click()
    assert state(page, "channels") == []


def test_both_forms_are_shown(delta):
    """Each rule prints its first number from both forms, and that the difference is rounding."""
    page = delta("?overlap=0.4&chunk=2")
    rows = lab(page).locator("table", has_text="step by step").locator("tbody tr")
    assert rows.count() == 5
    for row in rows.all():
        first, again, apart = row.locator("td").all_inner_texts()
        assert (first, apart) == (again, "below 10⁻¹²")


def test_narrow_and_accessible(delta):
    """At 390 pixels nothing is cut off, and axe finds nothing; the themes in turn."""
    assert_narrow_and_accessible(delta, "delta-rule", "", "?writes=%5B%5D&step=0", DOCUMENTS)
