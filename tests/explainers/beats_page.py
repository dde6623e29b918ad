"""What the tests of all pages told in beats share: which pages, their beats, and how a guess is placed or a lab set."""

from __future__ import annotations

from cutaway import explainers
from cutaway.explainers import beats_html
from tests.units import ONLY

TOLD = [name for name in explainers.names() if name == ONLY or not ONLY]


def betting(name: str) -> list:
    """The beats of a page that ask for a bet."""
    return [beat for beat in explainers.load(name).beats if beat.bet]


def section(page, beat):
    """A beat as it stands on its page."""
    return page.locator(f"#beat-{beat.n}")


SKIP = """(s) => [...s.querySelectorAll(".bet-buttons button")].find((b) => b.innerText === "skip the bet").click()"""


def skip(here) -> None:
    """A section's bet is left out, at once; that its button can be clicked is looked at by test_bets_browser.py."""
    here.evaluate(SKIP)


def place(page, beat) -> None:
    """A guess by keyboard: one key on each handle, or the first option."""
    handles = section(page, beat).locator(".bet-input, .bet-option input").all()
    for i, handle in enumerate(handles[:1] if beat.bet.kind == "pick" else handles):
        handle.focus()
        page.keyboard.press("Space" if beat.bet.kind == "pick" else ("ArrowRight", "ArrowLeft")[i])


SET_LAB = """(state) => { const { model } = document.querySelector('[data-widget]').cutaway;
  for (const [k, v] of Object.entries(state)) model.set(k, v); model.save_changes();
  return new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done), 20))); }"""


def settings(one: explainers.Explainer, beat) -> list[dict]:
    """What a beat's phrases and controls can set."""
    rows = [beats_html.control(one, given) for given in beat.controls]
    values = [(row["key"], option) for row in rows if "options" in row for option in row["options"]]
    found = [{key: option["value"] if isinstance(option, dict) else option} for key, option in values]
    check = explainers.checker(one.name)
    return [s for s in found if not check({**explainers.reference(one.name).STATE, **beat.state, **s})]
