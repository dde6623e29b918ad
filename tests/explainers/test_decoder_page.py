"""The decoder page as a reader meets it: weights come when a mixer is chosen, a stream is edited by keyboard."""

from __future__ import annotations

import pytest

from cutaway import explainers
from cutaway.explainers import fmt
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
    assert (
        tiles.get_by_role("option", selected=True)
        .get_attribute("aria-label")
        .startswith("operation 4, read c, answered")
    )
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
    lab(page).get_by_role("button", name="random stream").click()
    assert len(state(page, "x").split(".")) == 40
    until(page, lambda: said(page) == expected(m="mla", x=state(page, "x"), u=39))
    files = sorted(url.rpartition("/")[2].partition(".bin")[0] for url in asked if ".bin" in url)
    assert files == ["delta", "linear", "mla"]  # linear for the goal that compares the two


def test_what_is_taken_can_be_said(decoder):
    """Say it feeds the drawn token and goes on to the next read, as the reference has it; it can be taken back."""
    page = decoder("?m=full&x=a5.b7.a.b9.b.a&u=2&temp=3&draw=41")
    until(page, lambda: bool(said(page)))
    say, unsay = (lab(page).get_by_role("button", name=name) for name in ("say it", "take back what was said"))
    assert (say.is_enabled(), unsay.is_enabled()) == (True, False)
    first = {"m": "full", "temp": 3.0, "x": "a5.b7.a.b9.b.a", "u": 2, "draw": 41}
    taken = reference.compute({**reference.STATE, **first}, data)["live"]["taken"]
    assert taken not in ("5", "a")  # the dice were chosen so that it is wrong, and a number
    say.click()
    assert (state(page, "x"), state(page, "u"), state(page, "draw")) == (f"a5.b7.a~{taken}.b9.b.a", 4, 42)
    unit = lab(page).get_by_role("listbox").get_by_role("option").nth(2)
    assert f"said {taken}, answered 5, right" in unit.get_attribute("aria-label")
    assert unit.inner_text().split()[:3] == ["R", "a", taken]
    later = reference.compute({**reference.STATE, **first, "x": state(page, "x"), "u": 5}, data)["live"]["top"][0]
    lab(page).get_by_role("listbox").get_by_role("option").nth(5).click()
    until(page, lambda: said(page)[:1] == [f"{later['name']}\n{fmt.percent(later['share'], 1)}"])
    lab(page).get_by_role("listbox").get_by_role("option").nth(0).click()
    assert say.is_disabled()  # a write is not foreseen
    unsay.click()
    assert state(page, "x") == "a5.b7.a.b9.b.a"
    assert unsay.is_disabled()


def test_a_unit_is_dragged_to_its_place(decoder):
    """Dragged over another a unit takes its place; where the stream would be none, it stays and a sentence says why."""
    page = decoder("?m=full&x=a5.b7.a.c9&u=2")
    until(page, lambda: bool(said(page)))
    units = lab(page).get_by_role("listbox").get_by_role("option")
    units.nth(3).scroll_into_view_if_needed()

    def drag(one: int, to: int) -> None:
        units.nth(one).hover()
        page.mouse.down()
        units.nth(to).hover()
        page.mouse.up()

    drag(3, 1)
    assert (state(page, "x"), state(page, "u")) == ("a5.c9.b7.a", 1)
    drag(0, 3)
    assert state(page, "x") == "a5.c9.b7.a"
    assert "a is read before it is written" in lab(page).inner_text()
    units.nth(2).hover()  # nothing is held any more
    assert state(page, "x") == "a5.c9.b7.a"


@pytest.mark.parametrize("name", ["full", "gated-x"])
def test_every_mixer_has_its_small_map(decoder, name):
    """Beside each mixer stand its cells, dark as its share of wrong answers, of those that know the same streams."""
    page = decoder(f"?m={name}&x=a5.b7.a&u=2")
    rows = [row for row in data["mixers"] if row["resets"] == name.endswith("-x")]
    cells = [[cell for line in row["cells"] for cell in line] for row in rows]
    dark = [[1 - right / asked if asked else 0.0 for right, asked in row] for row in cells]
    darkness = "one => Number(one.getAttribute('opacity'))"
    script = f"(all) => all.map((li) => [...li.querySelectorAll('rect[opacity]')].map({darkness}))"
    mapped = lab(page).locator(".cw-decoder-every li")
    until(page, lambda: mapped.count() == len(rows) and bool(mapped.last.locator("rect[opacity]").count()))
    assert mapped.evaluate_all(script) == [pytest.approx(row, abs=0.006) for row in dark]


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
