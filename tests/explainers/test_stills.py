"""What is drawn before any script, and for print: kept as text, and the words of what the script draws in its place.

`pytest tests/explainers/test_stills.py -k <name> --update-shots` keeps today's as stills/<name>.txt. The drawings of
the scripts are kept in outlines/; the two are written in two languages, so that each is held for itself.
"""

from __future__ import annotations

from pathlib import Path

from cutaway import explainers
from cutaway.explainers import beats_html
from tests.explainers.beats_page import section
from tests.stills import differ

STILL = '<div class="beat-still">'  # a figure whose bet is answered
KEPT = Path(__file__).parent / "stills"


def test_what_stands_before_any_script_is_as_kept(name, request):
    """Shapes, places, classes and words of every beat's figure, as it opens and answered, its captions, and the lab."""
    one = explainers.load(name)
    drawn = {"lab": explainers.first_picture(name)}
    for beat in one.beats:
        drawn[beat.name], _, drawn[f"{beat.name}, answered"] = beats_html.figure(one, beat).partition(STILL)
        drawn[f"{beat.name}, told"] = beats_html.caption(one, beat)
    assert differ(drawn, KEPT / f"{name}.txt", request.config.getoption("--update-shots")) == []


# [moment, word] of each word of a still figure that the live one of the same beat does not say, before a bet and
# answered, and both again. A text that is placed letter by letter is as many words.
LOST = """(section) => {
  const words = (root) => {
    const found = [], walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const words = walk.currentNode.data.replace(/\\s/g, "");
      const apart = /\\s/.test(walk.currentNode.parentElement.getAttribute("x") || "");
      found.push(...(apart ? words : [words].filter(Boolean)));
    }
    return found;
  };
  const lost = (moment) => {
    const still = section.querySelector(`.beat-${moment}`), now = section.querySelector(".beat-live");
    if (!still || !now) return [];
    const said = words(now).join("");
    return words(still).filter((word) => !said.includes(word)).map((word) => [moment, word]);
  };
  const found = lost("first");
  for (const moment of section.dataset.bet ? ["still", "first", "still", "first"] : []) {
    const button = { still: "skip the bet", first: "bet after all" }[moment];
    [...section.querySelectorAll(".bet-buttons button")].find((one) => one.innerText === button).click();
    found.push(...lost(moment));
  }
  return found; }"""


def test_the_script_says_every_word_that_stood_there(name, live):
    """Before a bet and answered, and both again, a live figure has all words and numbers of the one it replaces."""
    page, beats = live(name), explainers.load(name).beats
    assert [(beat.n, *lost) for beat in beats for lost in section(page, beat).evaluate(LOST)] == []
