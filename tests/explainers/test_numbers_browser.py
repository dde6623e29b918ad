"""Every number of every page told in beats: the reference's, bound to a value, under its words.

What is printed with data-out is compared with reference.py, so nothing here knows a page.
"""

from __future__ import annotations

import json
import random
import re
from functools import lru_cache

import pytest

from cutaway import explainers
from tests import bundled
from tests.explainers import expected
from tests.explainers.beats_page import SET_LAB, betting, section, settings, skip
from tests.explainers.test_pattern import ROUNDED, differences, legal

STATES = 3  # of each beat and lab in a run
CASES = 25  # of the shared ones, for each answer


TOLD = """() => Object.fromEntries(["answers", "captions"].map((which) =>
  [which, Object.keys(loaded.beats[which] || {})]))"""
# Captions and answers of one case after another: what a case computes is kept until the next.
BOTH = """(text) => { const [cases, captions, answers, data] = JSON.parse(text);
  return JSON.stringify(cases.map((c) => [
    captions.map((key) => loaded.beats.captions[key](c, data)),
    answers.map((key) => loaded.beats.answers[key](c, data))])); }"""


def test_answers_are_the_same_in_both_languages(name, blank, plain, verified):
    """Over the shared cases, every answer of beats.js is what its twin in answers/ gives.

    A caption prints no number that is not bound, and is compared on the screen; a goal by the tests of its page.
    """
    data, page = explainers.data(name), blank(bundled.explainer(name))
    cases = random.Random(3).sample(legal(name), min(CASES, len(legal(name))))
    told = page.evaluate(TOLD)
    mirror = expected.answers(name)
    assert set(told["answers"]) == set(mirror), "tests/explainers/answers/"
    both = json.loads(page.evaluate(BOTH, json.dumps([cases, told["captions"], list(mirror), data])))
    bare = [re.sub(r"\{[^{}]*\}", "", caption) for captions, _ in both for caption in captions]
    assert [caption for caption in bare if re.search(r"(?<![A-Za-z\d.])\d", caption)][:3] == []
    if not mirror:
        return
    wrong = []
    for case, (_, got) in zip(cases, both, strict=True):
        mine = [plain(answer(case, data)) for answer in mirror.values()]
        each, off = zip(mirror, mine, got, strict=True), ROUNDED.get(name, 0.0)
        wrong += [(case, key, a, b) for key, a, b in each if list(differences(a, b, off=off))]
    assert wrong[:2] == []
    verified(
        f"{name}: functions behind its sections", len(cases) * len(mirror), len(wrong), "the same functions in Python"
    )


# The numbers of a caption are bound one by one.
BOUND = """(root) => [...root.querySelectorAll("[data-out]")].filter((e) =>
  e.checkVisibility() && !e.dataset.out.startsWith("captions.")).map((e) => ({
  path: e.dataset.out, how: e.dataset.format || "text", unit: e.dataset.unit || "",
  at: e.dataset.at || (e.closest(".beat-first") && "beat") || "",
  text: e.textContent,
  more: JSON.parse(e.dataset.with || "{}"),
  verdict: Boolean(e.closest(".bet-verdict")) }))"""

# As one text: a thousand rows are carried ten times faster than as values.
SET_BEAT = f"""(s, states) => JSON.stringify(states.map((state) => {{
  s.machine.set(state);
  return ({BOUND})(s); }}))"""
IN_LAB = f"(root) => JSON.stringify(({BOUND})(root))"
# Files apart are fetched when a state asks for them: until they are here, the lab stands in the state before.
ASKED = f"""async (states) => {{
  let pending = 0;
  const {{ fetch }} = window;
  window.fetch = async (...asked) => {{
    pending += 1;
    const got = await fetch(...asked);
    got.clone().arrayBuffer().finally(() => setTimeout(() => {{ pending -= 1; }}, 20));
    return got;
  }};
  for (const state of states) await ({SET_LAB})(state);
  while (pending) await new Promise((done) => setTimeout(done, 5));
  window.fetch = fetch; }}"""


@lru_cache(maxsize=64)
def looked(name: str, state: str) -> expected.Expected:
    """One look for all outputs of a state: it computes once."""
    return expected.Expected(name, json.loads(state))


def wanted(name: str, state: dict, out: dict) -> str:
    """What the reference prints for one output."""
    look = looked(name, json.dumps({**state, **out["more"]}))
    return expected.counted(expected.printed(look(out["path"]), out["how"]), out["unit"])


@pytest.mark.whole
def test_every_bound_number_is_the_references(name, live, verified):
    """In random states of the lab and of every beat, what is printed at a path is what reference.py computes there."""
    page, one = live(name), explainers.load(name)
    state = explainers.reference(name).STATE
    cases = random.Random(11).sample(legal(name), STATES)
    if explainers.separate_files(name):
        page.evaluate(ASKED, cases)
    checked, wrong = 0, []
    for case in cases:
        page.evaluate(SET_LAB, case)
        for out in json.loads(page.locator("[data-widget]").evaluate(IN_LAB)):
            checked += 1
            wrong += [(out, case)] if out["text"] != wanted(name, case, out) else []
    for beat in one.beats:
        here, start = section(page, beat), {**state, **beat.state}
        if beat.bet:
            skip(here)
        asked = {**start, **(beat.bet.state if beat.bet else {})}
        states = [*({**start, **changes} for changes in settings(one, beat)), *drawable(one, beat, cases)[:2]]
        for case, outs in zip(states, json.loads(here.evaluate(SET_BEAT, states)), strict=True):
            for out in outs:
                at = start if out["at"] == "beat" else asked if out["at"] == "bet" or out["verdict"] else case
                checked += 1
                wrong += [(beat.name, out, case)] if out["text"] != wanted(name, at, out) else []
    assert wrong[:3] == []
    assert checked > 40 * len(one.beats)
    verified(f"{name}: numbers shown on the page", checked, len(wrong), "reference.py, in random states")


def drawable(one: explainers.Explainer, beat, cases: list[dict]) -> list[dict]:
    """The cases in which every point of the beat's curve is legal: a short tape has no step 24."""
    along = [{beat.bet.along: x} for x in beat.bet.at] if beat.bet and beat.bet.kind == "curve" else []
    check = explainers.checker(one.name)
    return [case for case in cases if not any(check({**case, **point}) for point in along)]


# Words that an author wrote or that belong to a control; what a bet prints has tests of its own.
KNOWN = """[data-out] [data-index] .cw-control .cw-tip .cw-legend th .cw-live .set h2 .beat-words .beat-count .bet
  .bet-verdict .bet-tick .bet-mark .bet-option .bet-yours .bet-far .bet-note .bet-name"""
LOOSE = f"""(root) => {{
  const [found, known] = [[], {json.dumps(", ".join(KNOWN.split()))}];
  const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {{
    const node = words.currentNode, box = node.parentElement;
    const number = /(?<![A-Za-z\\d])\\d/.test(node.data); // BF16 is a name
    if (number && box.checkVisibility() && !box.closest(known)) found.push(node.data.trim().slice(0, 60));
  }}
  return found; }}"""


def test_no_number_is_bound_to_nothing(name, live):
    """In figures, captions and the lab, every printed number says which value of compute it is."""
    page = live(name)
    for beat in betting(name):
        skip(section(page, beat))
    loose = {beat.name: section(page, beat).evaluate(LOOSE) for beat in explainers.load(name).beats}
    loose["lab"] = page.locator("[data-widget] [data-view]").evaluate(LOOSE)
    assert {where: numbers for where, numbers in loose.items() if numbers} == {}
