"""What is drawn before any script, and for print: kept as text, and the words of what the script draws in its place.

`pytest tests/explainers/test_stills.py -k <name> --update-shots` keeps today's as stills/<name>.txt. The drawings of
the scripts are kept in outlines/; the two are written in two languages, so that each is held for itself.
"""

from __future__ import annotations

from pathlib import Path

import explainers
from explainers import beats_html
from tests.explainers.beats_page import section
from tests.stills import differ

STILL = '<div class="beat-still">'  # a figure whose bet is answered
KEPT = Path(__file__).parent / "stills"


def test_what_stands_before_any_script_is_as_kept(name, request):
    """Shapes, places, classes and words of every beat's figure, as it opens and answered, and of the lab."""
    one = explainers.load(name)
    drawn = {"lab": explainers.first_picture(name)}
    for beat in one.beats:
        drawn[beat.name], _, drawn[f"{beat.name}, answered"] = beats_html.figure(one, beat).partition(STILL)
    assert differ(drawn, KEPT / f"{name}.txt", request.config.getoption("--update-shots")) == []


# A text that is placed letter by letter is as many words.
WORDS = """(root) => {
  const found = [], walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const words = walk.currentNode.data.replace(/\\s/g, "");
    const apart = /\\s/.test(walk.currentNode.parentElement.getAttribute("x") || "");
    found.push(...(apart ? words : [words].filter(Boolean)));
  }
  return found; }"""
# A details element says them in its own form once it is opened.
SAID_OTHERWISE = {"bits": {"code"}}


def lost(here, moment: str) -> list[str]:
    """The words of a still figure that the live one of the same beat does not say."""
    still, now = here.locator(f".beat-{moment}"), here.locator(".beat-live")
    said = "".join(now.evaluate(WORDS)) if still.count() and now.count() else None
    return [word for word in still.first.evaluate(WORDS) if word not in said] if said is not None else []


def test_the_script_says_every_word_that_stood_there(name, live):
    """Before a bet and answered, and both again, a live figure has all words and numbers of the one it replaces."""
    page, found = live(name), []
    for beat in explainers.load(name).beats:
        here = section(page, beat)
        found += [(beat.n, "first", word) for word in lost(here, "first")]
        for button, moment in [("skip the bet", "still"), ("bet after all", "first")] * 2 if beat.bet else ():
            here.get_by_role("button", name=button).click()
            found += [(beat.n, moment, word) for word in lost(here, moment)]
    assert [one for one in found if not any(part in one[2] for part in SAID_OTHERWISE.get(name, ()))] == []
