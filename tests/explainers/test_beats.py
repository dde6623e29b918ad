"""Beats: page.md is parsed or refused in words, and every page that has beats keeps the rules of the pattern."""

from __future__ import annotations

import re
from html import unescape
from math import log

import pytest

from cutaway import explainers
from cutaway.explainers import beats, beats_html, beats_states
from tests import bundled
from tests.explainers import expected
from tests.explainers.expected import looks

TOLD = list(explainers.names())

PAGE = """
::: beat {name: One, figure: fan, state: {kv: 8},
  caption: "{kv:int} pairs"}
## Is this a question?
Words with [a phrase]{kv: 1}.
bet: {kind: line, ask: "How many?", range: [0, 10],
  answer: kv}
:::

::: goal {test: reached, words: "Reach it."}

The closing prose.
"""


def test_a_page_is_parsed_into_beats_goals_and_prose():
    """Directives over several lines become rows; what stands outside is prose."""
    told = beats.parse(PAGE, "page.md")
    beat = told.beats[0]
    assert (beat.n, beat.name, beat.title, beat.text) == (
        1,
        "One",
        "Is this a question?",
        "Words with [a phrase]{kv: 1}.",
    )
    assert (beat.bet.kind, beat.bet.range, beat.bet.answer) == ("line", (0, 10), "kv")
    assert told.goals == (beats.Goal("reached", "Reach it."),)
    assert told.prose == "The closing prose."


WRONG = [
    ("kind: line", "kind: pie", "page.md, beat 1, bet: kind is one of bar, line, curve, pick, not “pie”."),
    ("answer: kv", "answer: [kv, tp]", "page.md, beat 1, bet: answer is one path, or for a bar two, [from, to]."),
    ("range: [0, 10]", "range: [10, 0]", "page.md, beat 1, bet: range is [low, high]."),
    ("range: [0, 10]", "range: [0, 10], scale: log", "page.md, beat 1, bet: a log scale starts above 0."),
    ("range: [0, 10]", "scale: linear", "page.md, beat 1, bet: a line needs range."),
    ("range: [0, 10]", "range: [0, 10], scale: loud", "page.md, beat 1, bet: scale is linear or log, not “loud”."),
    ("answer: kv", "anser: kv", "page.md, beat 1, bet: there is no key anser; there is kind, ask, answer"),
    ('ask: "How many?", ', "", "page.md, beat 1, bet: lacks ask."),
    ("name: One, ", "", "page.md, beat 1: lacks name."),
    ("## Is this a question?", "## No question.", "page.md, beat 1: it opens with “## ”, a question and “?”."),
    ("\n:::\n", "\n", "page.md, beat 1: it is never closed by a line “:::”."),
    ("::: goal", "::: gaol", "page.md, gaol 1: there is no directive “gaol”, only beat and goal."),
    ("state: {kv: 8}", "state: {kv: 8", "page.md, beat 1: the mapping is not YAML"),
    ("test: reached, ", "", "page.md, goal 1: lacks test."),
]


@pytest.mark.parametrize(("right", "wrong", "says"), WRONG)
def test_what_is_wrong_is_named(right, wrong, says):
    """A broken directive is refused with the file, the beat and the key."""
    assert right in PAGE
    with pytest.raises(ValueError, match=re.escape(says)):
        beats.parse(PAGE.replace(right, wrong), "page.md")


FILL = """(template) => {
  const values = { kv: 8, tp: {} };
  const look = (path) => path.split(".").reduce((value, key) => value[key], values);
  try { loaded.kit.wordsOf(loaded.kit.strict(look), template); } catch (wrong) { return wrong.message; } }"""


def test_a_path_that_leads_nowhere_and_an_unknown_format_are_named(blank):
    """A template that asks for what compute does not have stops the build; so does a state that is not legal."""
    says = lambda template: blank(bundled.kit()).evaluate(FILL, template)  # noqa: E731
    assert says("{tp.nothing}") == "nothing is called tp.nothing."
    assert says("{kv:loud 3}").startswith("There is no format “loud 3”; there is ")
    assert says("**{kv:int}** pairs") is None
    with pytest.raises(ValueError, match="is not legal"):
        beats_states.whole_state("heads", {"tp": 7})


@pytest.mark.parametrize("name", TOLD)
def test_a_page_keeps_the_rules(name):
    """4 to 8 beats of at most 60 words and two controls, three bets or more, four phrases or more, two goals."""
    one = explainers.load(name)
    assert 4 <= len(one.beats) <= 8
    assert sum(1 for beat in one.beats if beat.bet) >= 3
    html = "".join(beats_html.section(one, beat) for beat in one.beats)
    assert html.count('class="set"') >= 4
    assert len(one.goals) == 2
    assert [beat.name for beat in one.beats if len(beat.controls) > 2] == []
    assert {beat.name: words for beat in one.beats if (words := spoken(one, beat)) > beats.WORDS} == {}
    assert all(goal["says"] for goal in beats_html.goals(one))


def spoken(one: explainers.Explainer, beat: beats.Beat) -> int:
    """How many words a reader reads before the question."""
    return len(re.sub(r"<[^>]+>", "", beats_html.text(one, beat)).split())


@pytest.mark.parametrize("name", TOLD)
def test_answers_lie_on_their_scales(name):
    """No bar is cut off in the state that was asked about, and what can be bet includes something near the answer."""
    one = explainers.load(name)
    for beat in (beat for beat in one.beats if beat.bet and beat.bet.kind != "pick"):
        row, shown = beats_html.bet_row(one, beat), looks(one, beat)[1]
        both = beat.bet.answer if isinstance(beat.bet.answer, tuple) else (beat.bet.answer,)
        for answer in map(shown, both):
            assert row["low"] <= answer <= row["high"], beat.name
            assert min(abs(along(row, v) - along(row, answer)) for v in row["values"]) <= 0.05, beat.name


def along(row: dict, value: float) -> float:
    """0 to 1 along a bet's scale."""
    low, high, value = (log(x) if row["log"] else x for x in (row["low"], row["high"], max(value, row["low"])))
    return (value - low) / (high - low)


def printed(look, path: str, how: str) -> str | None:
    """What stands there in that state; nothing where the state has no such place, as of a rank too many."""
    try:
        return expected.printed(look(path), how)
    except ValueError:
        return None


@pytest.mark.parametrize("name", TOLD)
def test_the_answered_page_says_what_the_reference_says(name):
    """Every bound number in the HTML, read back, is what reference.py gives for the state it stands in."""
    one = explainers.load(name)
    checked = 0
    for beat in one.beats:
        html = beats_html.section(one, beat)
        look, shown = looks(one, beat)
        for tag, text in re.findall(r'<(?:span|tspan|text)([^>]*data-out="[^"]*"[^>]*)>([^<]*)<', html):
            found = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
            if found["data-out"].startswith("captions."):
                continue
            at = look if found.get("data-at") == "beat" else shown
            expected = {printed(one_, found["data-out"], found["data-format"]) for one_ in (at, look)}
            assert unescape(text).removesuffix(" " + found.get("data-unit", "")).strip() in expected, (beat.name, found)
            checked += 1
    assert checked >= 4
