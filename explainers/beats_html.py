"""Beats -> the HTML of a page that works before, or without, any script: every bet answered, every figure drawn.

    section.beat#beat-3[data-bet][data-state] > .beat-text (count, h2, words, the bet's question and "Answer: ...")
                                                .beat-show (figure, instrument, place of the controls)
                                                .beat-after (verdict, buttons)      .beat-caption

That is the order on a narrow screen too; from 900 px the grid moves things. theme.js puts `js` on <html> before the
first paint, and learn.css then hides what an open bet may not tell: .bet-answered, .bet-says, .beat-still.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from typing import Any

from markupsafe import Markup

from cutaway import explainers
from cutaway.explainers import first
from cutaway.explainers.beats import Beat, Goal
from cutaway.explainers.beats_facts import HOLE, Look, bound, part
from cutaway.explainers.beats_states import looks, marked
from cutaway.explainers.beats_tools import tool, wire

NUMBER = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")


def text(one: explainers.Explainer, beat: Beat) -> str:
    """The words of a beat: Markdown, linked phrases, bound numbers."""
    if first.is_rendered(one.name):
        return first.beat(one.name, beat.n)["words"]
    look = looks(one, beat)[0]
    pieces = re.split(r"(<[^>]*>)", marked(one, beat))  # between tags only: a phrase's state stands in an attribute
    return "".join(one if one.startswith("<") else HOLE.sub(lambda m: look.fill(m[0], "beat"), one) for one in pieces)


def question(one: explainers.Explainer, beat: Beat) -> str:
    """The bet's question, and below it the answer, hidden while the bet is open."""
    bet = beat.bet
    if not bet:
        return ""
    ask, says = asked_and_said(one, beat)
    return (
        f'<div class="bet"><p class="bet-label">a bet to make before you read on</p>'
        f'<p class="bet-ask" id="ask-{beat.n}">{ask}</p>'
        f'<p class="bet-says"><b>Answer:</b> {answer(one, beat)}{says and " " + says}</p></div>'
    )


def asked_and_said(one: explainers.Explainer, beat: Beat) -> tuple[str, str]:
    """A bet's question, and what is said after its answer."""
    if first.is_rendered(one.name):
        made = first.beat(one.name, beat.n)
        return made["ask"], made["says"]
    assert beat.bet  # who asks has seen one
    look, shown = looks(one, beat)
    return look.fill(beat.bet.ask, "beat"), shown.fill(beat.bet.says, "bet")


def answer(one: explainers.Explainer, beat: Beat) -> str:
    """It is <b>343.6 GB</b>. For a pick: the option."""
    if first.is_rendered(one.name):
        return first.beat(one.name, beat.n)["answer"]
    assert beat.bet  # who asks has seen one
    bet, shown = beat.bet, looks(one, beat)[1]
    value = shown(bet.answer)
    if bet.kind == "pick":
        if bet.cuts:
            value = sum(value > shown(c["at"]) for c in bet.cuts)
        return f'<b data-pick="{bet.answer}">{escape(str(bet.options[value]))}</b>.'
    unit = f" {escape(bet.unit)}" if bet.unit else ""
    paths = bet.answer if isinstance(bet.answer, tuple) else (bet.answer,)
    said = [bound(shown(path), path, bet.format, "span").replace(">", ' data-at="bet">', 1) for path in paths]
    return f"It is <b>{' to '.join(said)}{unit}</b>."


def figure(one: explainers.Explainer, beat: Beat) -> str:
    """The figure twice where the answer changes it: as the bet opens, and answered (for print, and without scripts)."""
    if not beat.figure:
        return ""
    opened, last = drawn(one, beat)
    if opened == last:
        return f'<div class="beat-figure"><div class="beat-first beat-still">{opened}</div></div>'
    return f'<div class="beat-figure"><div class="beat-first">{opened}</div><div class="beat-still">{last}</div></div>'


def drawn(one: explainers.Explainer, beat: Beat) -> tuple[str, str]:
    """A beat's figure as it opens, and answered."""
    if first.is_rendered(one.name):
        made = first.beat(one.name, beat.n)
        return made["first"], made["last"]
    look, shown = looks(one, beat)
    opened = look.figure(beat.figure, "open" if beat.bet else "")
    return opened, shown.figure(beat.figure, "shown") if beat.bet else opened


def caption(one: explainers.Explainer, beat: Beat) -> str:
    """The caption as answered, and before that what may be said while the bet is open."""
    if first.is_rendered(one.name):
        made = first.beat(one.name, beat.n)
        return f'<div class="beat-captions">{made["before"]}{made["caption"]}</div>'
    look, shown = looks(one, beat)
    before = f'<p class="beat-before">{look.fill(beat.before)}</p>' if beat.before and beat.bet else ""
    after = f'<p class="beat-caption">{shown.caption(beat.caption)}</p>' if beat.caption else ""
    return f'<div class="beat-captions">{before}{after}</div>'


def instrument(one: explainers.Explainer, beat: Beat) -> str:
    """What a bet is placed with, as a drawing."""
    if not beat.bet:
        return ""
    if first.is_rendered(one.name):
        return first.beat(one.name, beat.n)["tool"]
    return tool(beat.bet, *looks(one, beat))


def section(one: explainers.Explainer, beat: Beat) -> str:
    """One beat."""
    bet = f' data-bet="{beat.bet.kind}" data-state="open"' if beat.bet else ""
    both = [figure(one, beat), instrument(one, beat)]
    if beat.bet and beat.bet.kind in ("bar", "curve"):  # these are charts: what they are about stands below
        both.reverse()
    return (
        f'<section class="beat" id="beat-{beat.n}"{bet} aria-labelledby="ask-title-{beat.n}">'
        f'<div class="beat-text"><p class="beat-count">{beat.n} of {len(one.beats)}</p>'
        f'<h2 id="ask-title-{beat.n}">{escape(beat.title)}</h2>'
        f'<div class="beat-words">{text(one, beat)}</div>{question(one, beat)}</div>'
        f'<div class="beat-show">{"".join(both)}<div class="beat-controls cw"></div></div>'
        f'<div class="beat-after"></div>{caption(one, beat)}</section>'
    )


@cache
def sections(name: str) -> tuple[str, ...]:
    """All beats of a page: it shows them, its style and the files of single beats ask what stands in them."""
    one = explainers.load(name)
    return tuple(section(one, beat) for beat in one.beats)


def check_counts(one: explainers.Explainer) -> str:
    """Five short steps with four bets, then the whole lab."""
    bets = sum(1 for beat in one.beats if beat.bet)
    return f"{NUMBER[len(one.beats)]} short steps with {NUMBER[bets].lower()} bets, then the whole lab."


def rail(one: explainers.Explainer) -> list[tuple[str, str, str]]:
    """(target, number, name) of every segment."""
    return [(f"#beat-{beat.n}", str(beat.n), beat.name) for beat in one.beats] + [("#lab", "", "Lab")]


def goals(one: explainers.Explainer) -> list[dict[str, str]]:
    """The lab's goals with what is said of each in the first state; a goal that is reached there is an error."""
    if first.is_rendered(one.name):
        return first.rendered(one.name)["goals"]
    start = Look(one.name, {})
    return [_goal(one, goal, start) for goal in one.goals]


def _goal(one: explainers.Explainer, goal: Goal, start: Look) -> dict[str, str]:
    tests, place = part(one.name, "goals"), explainers.folder_path(one.name)
    if goal.test not in tests:
        raise ValueError(f"{place}: no goal “{goal.test}”; there is {', '.join(tests) or 'none'}.")
    now = tests[goal.test](start.state, start.data)
    if now["reached"]:
        raise ValueError(f"{place}: the goal “{goal.test}” is reached before anyone did anything.")
    return {"test": goal.test, "words": start.fill(goal.words), "says": now["says"]}


def rows(one: explainers.Explainer) -> dict[str, Any]:
    """What kit-beats.js starts from, JSON-plain."""
    made = []
    for beat in one.beats:
        row = {key: value for key in ("n", "figure", "caption", "before") if (value := getattr(beat, key))}
        row["state"] = dict(beat.state)
        row["controls"] = [control(one, given) for given in beat.controls]
        row["bet"] = bet_row(one, beat)
        made.append(row)
    return {"name": one.name, "beats": made, "goals": [goal.test for goal in one.goals]}


def bet_row(one: explainers.Explainer, beat: Beat) -> dict[str, Any] | None:
    """What kit/bets.js starts from; None where there is no bet."""
    if not beat.bet:
        return None
    if first.is_rendered(one.name):
        return first.beat(one.name, beat.n)["row"]
    return wire(beat.bet, *looks(one, beat))


def as_json(rows: dict[str, Any]) -> Markup:
    """The rows, safe inside a <script>."""
    return Markup(json.dumps(rows, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"))


def control(one: explainers.Explainer, given: Any) -> dict[str, Any]:
    """A control as written in the beat, or by its name in front matter, or by the name of a function in beats.js."""
    return given if isinstance(given, dict) else {"name": given, **(one.controls or {}).get(given, {})}
