"""What is drawn before any script, and for print: kept as text, and the words of what the script draws in its place.

`pytest tests/explainers/test_stills.py -k <name> --update-shots` keeps today's as stills/<name>.txt. The drawings of
the scripts are kept in outlines/; the two are written in two languages, so that each is held for itself.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from html.parser import HTMLParser
from pathlib import Path

import explainers
from explainers import beats_html
from tests.explainers.beats_page import section

STILL = '<div class="beat-still">'  # a figure whose bet is answered
KEPT = Path(__file__).parent / "stills"
ATTRIBUTES = "x y width height cx cy r x1 x2 y1 y2 d transform points style viewbox stroke-width"
PLACES = frozenset(ATTRIBUTES.split())
MARKS = {"text-anchor", "data-out", "data-format", "data-warm", "href", "aria-label"}
NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")


class Shapes(HTMLParser):
    """How many elements of each kind there are, the sums of what places them, what is marked, what they say."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count, self.sums, self.said = Counter(), defaultdict(Counter), defaultdict(Counter)
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        held = {key: value or "" for key, value in attrs}
        kind = ".".join([tag, *(one for one in held.get("class", "").split() if one != "cw")])
        self.open.append(kind)
        self.count[kind] += 1
        for key in held.keys() & PLACES:
            self.sums[kind][key] += sum(map(float, NUMBER.findall(held[key])))
        for key in [key for key in held if key in MARKS]:
            self.said[kind][f"{key}={held[key]}"] += 1

    def handle_endtag(self, tag):
        while self.open and self.open.pop().partition(".")[0] != tag:
            pass

    def handle_data(self, data):
        if words := " ".join(data.split()):
            self.said[self.open[-1] if self.open else ""][f'"{words}"'] += 1

    def lines(self) -> list[str]:
        """`rect.cw-rank0 ×7  height=420 width=84 x=390 y=150`: a line for each kind."""
        return [
            "  ".join(
                [f"{kind} ×{n}" if n > 1 else kind]
                + [f"{key}={sums:.0f}" for key, sums in sorted(self.sums[kind].items())]
                + [f"{what} ×{times}" if times > 1 else what for what, times in self.said[kind].items()]
            )
            for kind, n in self.count.items()
        ]


def test_what_stands_before_any_script_is_as_kept(name, request):
    """Shapes, places, classes and words of every beat's figure, as it opens and answered, and of the lab."""
    one = explainers.load(name)
    drawn = {"lab": explainers.first_picture(name)}
    for beat in one.beats:
        drawn[beat.name], _, drawn[f"{beat.name}, answered"] = beats_html.figure(one, beat).partition(STILL)
    found = [line for where, html in drawn.items() if html for line in (f"## {where}", *Shapes(html).lines())]
    kept = KEPT / f"{name}.txt"
    if request.config.getoption("--update-shots"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("\n".join(found) + "\n", "utf-8")
    differ = difflib.unified_diff(kept.read_text("utf-8").split("\n")[:-1], found, "kept", "now", lineterm="", n=0)
    assert list(differ)[:20] == []


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


def test_the_script_says_every_word_that_stood_there(name, live):
    """Before its bet and answered, a live figure has all the words and numbers of the still one that it replaces."""
    page, lost = live(name), []
    for beat in explainers.load(name).beats:
        here = section(page, beat)
        for moment in ("first", "still") if beat.bet else ("first",):
            if beat.bet and moment == "still":
                here.get_by_role("button", name="skip the bet").click()
            still = here.locator(f".beat-{moment}")
            if not beat.figure or not still.count() or not here.locator(".beat-live").count():
                continue
            said = "".join(here.locator(".beat-live").evaluate(WORDS))
            lost += [(beat.n, moment, word) for word in still.first.evaluate(WORDS) if word not in said]
    assert [one for one in lost if not any(part in one[2] for part in SAID_OTHERWISE.get(name, ()))] == []
