"""The decoder page as a reader meets it: weights come when a mixer is chosen, a stream is edited by keyboard."""

from __future__ import annotations

import pytest

import explainers
from explainers import fmt
from tests.explainers.reader import lab, posed, state
from tests.guarded import until

reference, data = explainers.reference("decoder"), explainers.data("decoder")


@pytest.fixture
def decoder(learn):
    """Open the page at a state; its lab is ready."""
    return learn("decoder")


def said(page) -> list[str]:
    """What the lab says comes next, and how sure it is."""
    return lab(page).locator(".cw-decoder-says li").all_inner_texts()


def expected(**changes) -> list[str]:
    """The same as the reference has it."""
    top = reference.compute({**reference.STATE, **changes}, data)["live"]["top"]
    return [f"{one['name']}\n{fmt.percent(one['share'], 1)}" for one in top]


def test_a_stream_is_edited_by_keyboard_and_answered(decoder):
    """Keys move the cursor and change units; each mixer fetches its own file once, and answers what is there then."""
    asked = []
    decoder.page.on("request", lambda request: asked.append(request.url))
    page = decoder("?m=delta&x=a5.b7.a&u=2")
    until(page, lambda: said(page) == expected(m="delta", x="a5.b7.a", u=2))
    tiles = lab(page).get_by_role("listbox")
    tiles.focus()
    for key in ("ArrowLeft", "c", "2", "W", "9", "R", "Home", "Shift+ArrowRight"):
        page.keyboard.press(key)
    assert (state(page, "x"), state(page, "u")) == ("c2.a5.c19.c.a", 1)
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    assert (state(page, "x"), state(page, "u")) == ("c2.a5.c19.c", 3)
    until(page, lambda: said(page) == expected(m="delta", x="c2.a5.c19.c", u=3))
    assert tiles.get_by_role("option", selected=True).get_attribute("aria-label").startswith("unit 4, read c, answered")
    page.keyboard.press("Home")
    page.keyboard.press("Delete")
    page.keyboard.press("Home")
    page.keyboard.press("z")
    assert state(page, "x") == "z5.c19.c"
    page.keyboard.press("Delete")
    page.keyboard.press("Delete")  # c19 goes too: then c would be read before it is written
    assert state(page, "x") == "c19.c"
    assert "read before it is written" in lab(page).inner_text()
    lab(page).get_by_label("the stream", exact=True).and_(page.locator("input")).fill("q1 q30 q")
    lab(page).get_by_label("mixer", exact=True).and_(page.locator("select")).select_option("mla")
    until(page, lambda: said(page) == expected(m="mla", x="q1.q30.q", u=2))
    lab(page).get_by_role("button", name="a random stream").click()
    assert len(state(page, "x").split(".")) == 40
    until(page, lambda: said(page) == expected(m="mla", x=state(page, "x"), u=39))
    files = sorted(url.rpartition("/")[2].partition(".bin")[0] for url in asked if ".bin" in url)
    assert files == ["delta", "linear", "mla"]  # linear for the goal that compares the two


def test_an_embed_says_where_the_whole_stands(page, learn_dir):
    """A single file carries no weights: its first stream is answered, for any other it leads to the page."""
    page.goto((learn_dir / "embed" / "decoder" / "index.html").as_uri())
    page.wait_for_selector("[data-ready]")
    assert said(page) == expected()
    page.get_by_role("listbox").focus()
    page.keyboard.press("7")
    assert page.get_by_text("The page runs every stream").is_visible()
    assert page.locator(".cw-decoder-says").is_hidden()


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_it_looks_as_kept(decoder, shot, width, scheme):
    """The lab, wide and light, narrow and dark."""
    page = posed(decoder, width, scheme, "?m=gated")
    page.set_viewport_size({"width": width, "height": 2600})  # so that nothing sticks over the card
    until(page, lambda: bool(said(page)))
    shot(page.locator(".learn-card"), f"decoder-{width}-{scheme}")
