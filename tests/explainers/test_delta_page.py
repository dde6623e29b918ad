"""The delta-rule page as a reader meets it: written by hand, stepped, by keyboard, from a link, narrow."""

import pytest

from tests.explainers.reader import assert_narrow_and_accessible, posed, state, until


@pytest.fixture
def delta(learn):
    """Open the page at a state."""
    return learn("delta-rule")


def errors(page) -> list[str]:
    """The recall error printed in each of the five cards."""
    return page.locator(".cw-delta-rule-error strong").all_inner_texts()


def test_first_picture_is_the_widgets(delta):
    """Linear attention is 25 % off because A was written twice; DeltaNet recalls all four keys."""
    assert errors(delta()) == ["25.0 %", "30.4 %", "0.0 %", "14.0 %", "10.7 %"]


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
    page.get_by_role("button", name="write 2: key B").focus()
    page.keyboard.press("Enter")
    assert state(page, "step") == 2
    page.get_by_label("Overlap of keys").focus()
    page.keyboard.press("ArrowRight")
    assert state(page, "overlap") == 0.05
    page.locator(".cw-delta-rule-card input").first.focus()
    page.keyboard.press("ArrowRight")
    assert state(page, "rule") == "decay"
    assert page.locator("summary").inner_text() == "Decay in numbers"


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


def test_both_forms_are_shown(delta):
    """Each rule prints its first number from both forms, and a difference that is rounding."""
    page = delta("?overlap=0.4&chunk=2")
    rows = page.locator("table", has_text="step by step").locator("tbody tr")
    assert rows.count() == 5
    for row in rows.all():
        assert float(row.locator("td").last.inner_text().replace("−", "-")) < 1e-12


@pytest.mark.parametrize("query", ["", "?writes=%5B%5D&step=0", "?overlap=0.5&decay=0.7&spread=1&rule=kda"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_and_accessible(delta, query, scheme):
    """At 390 pixels nothing is cut off, and axe finds nothing."""
    assert_narrow_and_accessible(delta, query, scheme)


@pytest.mark.parametrize(
    ("width", "scheme"), [(1400, "light"), (1400, "dark"), (900, "light"), (390, "light"), (390, "dark")]
)
def test_picture(delta, shot, width, scheme):
    """The card looks as it was last looked at."""
    page = posed(delta, width, scheme)
    shot(page.locator("[data-widget]"), f"learn-delta-rule-{width}-{scheme}")
