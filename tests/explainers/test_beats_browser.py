"""How every page told in beats looks in a browser: calm at first, words beside a figure, the rail, and as kept."""

from __future__ import annotations

import pytest

from cutaway import explainers
from tests.explainers import expected
from tests.explainers.beats_page import SET_LAB, TOLD, betting, place, section
from tests.guarded import until


def test_the_first_screen_is_calm_and_can_be_played_with(page, learn_url):
    """At most six controls stand on the first screen, and one can be used; answers to choose from count as one
    control, the buttons of a transport, the maps of a row and the requests of a queue too."""
    page.set_viewport_size({"width": 1400, "height": 900})
    count = """() => new Set([...document.querySelectorAll("main :is(button, input, select, [role=slider])")]
      .filter((e) => e.checkVisibility() && e.getBoundingClientRect().top < innerHeight)
      .map((e) => e.closest(".bet-tool, .cw-transport, .cw-matrix-maps, .cw-paged-cache .chips") || e)).size"""
    for name in TOLD:
        page.goto(f"{learn_url}/learn/{name}/")
        page.locator("#beat-1[data-live]").wait_for()
        assert page.evaluate(count) + page.locator("#beat-1 a.set[href]").count() >= 1
        assert page.evaluate(count) <= 6, name


@pytest.mark.skipif("heads" not in TOLD, reason="EXPLAINER is another page")
def test_words_and_bet_stay_beside_a_taller_figure(told):
    """From 900 pixels on, the left column stands still 5 rem below the top while a taller figure passes."""
    page = told("heads")
    tops = """(s) => {
      s.querySelector(".beat-show").style.height = "900px";
      scrollTo({ top: scrollY + s.getBoundingClientRect().top + 150, behavior: "instant" });
      const [text, after] = [...s.querySelectorAll(".beat-text, .beat-after")].map((e) => e.getBoundingClientRect());
      return [text.top, Math.round(after.top - text.bottom)]; }"""
    assert section(page, betting("heads")[0]).evaluate(tops) == [80, 0]
    page.set_viewport_size({"width": 800, "height": 900})
    assert section(page, betting("heads")[0]).evaluate(tops)[0] < 0


PASS = """async () => {
  for (const one of document.querySelectorAll("section.beat, .lab")) {
    one.scrollIntoView({ block: "center", behavior: "instant" });
    for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
  } }"""
SHOW = """(section) => {
  for (const one of [...section.querySelectorAll(".bet-input")].reverse()) {
    one.value = Number(one.max) - 1;
    one.dispatchEvent(new Event("input", { bubbles: true }));
  }
  section.querySelector(".bet-option input")?.click();
  section.querySelector(".beat-main").click(); }"""
RAIL = """() => [[...document.querySelectorAll(".rail a")].map((a) => a.getAttribute("aria-current")),
  [...document.querySelectorAll(".rail a")].map((a) => a.classList.contains("done")),
  [...document.querySelectorAll(".rail-tick")].map((tick) => !tick.hidden),
  document.querySelector("[data-bets]").textContent]"""


def test_the_rail_says_where_one_is_and_what_is_done(told):
    """A bet is done when shown or skipped, a beat without one once it was passed, the lab with both goals reached."""
    name = next((name for name in TOLD if any(not beat.bet for beat in explainers.load(name).beats)), TOLD[0])
    page, beats, bets = told(name), explainers.load(name).beats, betting(name)
    steps = len(beats) + 1

    def rail(at: int, done: list[bool], shown: int) -> list:
        current = [None] * steps
        current[at] = "step"
        return [current, done, done, f"your bets: {shown} of {len(bets)} shown"]

    page.evaluate(PASS)
    free = [not beat.bet for beat in beats]
    until(page, lambda: page.evaluate(RAIL) == rail(steps - 1, [*free, False], 0))
    page.evaluate(PASS)  # a beat is read once, however often it is passed
    read = page.evaluate("(name) => JSON.parse(sessionStorage.getItem(`beats/${name}`))?.read ?? []", name)
    assert sorted(read) == sorted(set(read)) != []
    section(page, bets[0]).evaluate(SHOW)
    section(page, bets[1]).locator(".beat-after .beat-link").evaluate("(b) => b.click()")
    done = [one or beat in bets[:2] for one, beat in zip(free, beats, strict=True)]
    assert page.evaluate(RAIL) == rail(steps - 1, [*done, False], 1)
    for test, ways in expected.reach(name).items():
        assert page.evaluate(RAIL)[1][-1] is False, test
        page.evaluate(SET_LAB, {**explainers.reference(name).STATE, **ways[0]})
    until(page, lambda: page.evaluate(RAIL) == rail(steps - 1, [*done, True], 1))
    page.locator("section.beat").first.evaluate("(s) => s.scrollIntoView({ block: 'center', behavior: 'instant' })")
    until(page, lambda: page.evaluate(RAIL) == rail(0, [*done, True], 1))
    page.reload()
    until(page, lambda: page.evaluate(RAIL)[1:] == rail(0, [*done, True], 1)[1:])
    page.locator("[data-again]").evaluate("(b) => b.click()")
    assert page.evaluate(RAIL)[1:] == rail(0, [False] * steps, 0)[1:]


MORE = [(900, "dark", "open"), (390, "light", "skipped")]
MOMENTS = [(1400, "light", "shown"), *(pytest.param(*one, marks=pytest.mark.patient) for one in MORE)]


@pytest.mark.turns
@pytest.mark.spoils
@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme", "moment"), MOMENTS)
def test_three_moments_look_as_kept(name, width, scheme, moment, live, shot):
    """A page with every bet shown, open and skipped, wide, middling and narrow; the lab has pictures of its own."""
    page = live(name)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    for beat in betting(name) if moment != "open" else ():
        if moment == "shown":
            place(page, beat)
        section(page, beat).locator(".bet-buttons button").nth(0 if moment == "shown" else 1).click()
    page.evaluate(BEATS_ALONE)
    page.mouse.move(1, 1)
    shot(page, f"beats-{name}-{moment}")
    page.close()  # its lab is hidden: nobody may go on with it


BEATS_ALONE = """() => { scrollTo(0, 0);
  const other = ".lab, .told-foot, .learn-words, .rail, header, footer";
  for (const e of document.querySelectorAll(".beat-text, .beat-after")) e.style.position = "static";
  for (const e of document.querySelectorAll(other)) e.hidden = true; }"""


LEAVING = """() => [...document.querySelectorAll("section.beat")].filter((beat) => {
  scrollTo(0, beat.getBoundingClientRect().bottom + scrollY - 220);
  const [text, after] = [".beat-text", ".beat-after"].map((one) => beat.querySelector(one).getBoundingClientRect());
  return after.height && text.bottom > after.top + 1;
}).map((beat) => beat.id)"""


@pytest.mark.turns
def test_words_and_buttons_leave_the_screen_together(name, live):
    """While a beat is scrolled away its bet never slides under its own buttons."""
    page = live(name)
    assert page.evaluate(LEAVING) == []
    page.evaluate("scrollTo(0, 0)")
