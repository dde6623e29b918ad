"""Beats -> the HTML of a page that works before, or without, any script: every bet answered, every figure drawn.

    section.beat#beat-3[data-bet][data-state] > .beat-text (count, h2, words, the bet's question and "Answer: ...")
                                                .beat-show (figure, instrument, place of the controls)
                                                .beat-after (verdict, buttons)      .beat-caption

That is the order on a narrow screen too; from 900 px the grid moves things. before-paint.js puts `js` on <html>, and
learn.css then hides what an open bet may not tell: .bet-answered, .bet-says, .beat-still.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from html import escape
from typing import Any

from markupsafe import Markup

from cutaway import explainers
from cutaway.explainers import first, languages
from cutaway.explainers.beats import Beat

NUMBER = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")


def gettext_of(one: explainers.Explainer) -> Callable[[str], str]:
    """gettext, in the language of a page."""
    return languages.translations(one.code).gettext


def text(one: explainers.Explainer, beat: Beat) -> str:
    """The words of a beat: Markdown, linked phrases, bound numbers."""
    return first.beat(one.name, beat.n, one.code)["words"]


def question(one: explainers.Explainer, beat: Beat) -> str:
    """The bet's question, and below it the answer, hidden while the bet is open."""
    bet = beat.bet
    if not bet:
        return ""
    made = first.beat(one.name, beat.n, one.code)
    ask, says, _ = made["ask"], made["says"], gettext_of(one)
    label, is_answer = _("make a bet before you read on"), _("Answer:")
    return (
        f'<div class="bet"><p class="bet-label">{label}</p>'
        f'<p class="bet-ask" id="ask-{beat.n}">{ask}</p>'
        f'<p class="bet-says"><b>{is_answer}</b> {answer(one, beat)}{says and " " + says}</p></div>'
    )


def answer(one: explainers.Explainer, beat: Beat) -> str:
    """<b>343.6 GB</b>. For a pick: the option."""
    return first.beat(one.name, beat.n, one.code)["answer"]


def figure(one: explainers.Explainer, beat: Beat) -> str:
    """The figure twice where the answer changes it: as the bet opens, and answered (for print, and without scripts)."""
    if not beat.figure:
        return ""
    made = first.beat(one.name, beat.n, one.code)
    opened, last = made["first"], made["last"]
    if opened == last:
        return f'<div class="beat-figure"><div class="beat-first beat-still">{opened}</div></div>'
    return f'<div class="beat-figure"><div class="beat-first">{opened}</div><div class="beat-still">{last}</div></div>'


def caption(one: explainers.Explainer, beat: Beat) -> str:
    """The caption as answered, and before that what may be said while the bet is open."""
    made = first.beat(one.name, beat.n, one.code)
    return f'<div class="beat-captions">{made["before"]}{made["caption"]}</div>'


def instrument(one: explainers.Explainer, beat: Beat) -> str:
    """What a bet is placed with, as a drawing."""
    return first.beat(one.name, beat.n, one.code)["tool"] if beat.bet else ""


def section(one: explainers.Explainer, beat: Beat, bound: bool = True) -> str:
    """One beat; with `bound`, each number of its figure has the path of its value."""
    _ = gettext_of(one)
    count = _("{n} of {all}").format(n=beat.n, all=len(one.beats))
    bet = f' data-bet="{beat.bet.kind}" data-state="open"' if beat.bet else ""
    drawn = figure(one, beat)
    both = [drawn if bound else first.unbound(drawn), instrument(one, beat)]
    if beat.bet and beat.bet.kind in ("bar", "curve"):  # these are charts: what they are about stands below
        both.reverse()
    return (
        f'<section class="beat" id="beat-{beat.n}"{bet} aria-labelledby="ask-title-{beat.n}">'
        f'<div class="beat-text"><p class="beat-count">{count}</p>'
        f'<h2 id="ask-title-{beat.n}">{escape(beat.title)}</h2>'
        f'<div class="beat-words">{text(one, beat)}</div>{question(one, beat)}</div>'
        f'<div class="beat-show">{"".join(both)}<div class="beat-controls cw"></div></div>'
        f'<div class="beat-after"></div>{caption(one, beat)}</section>'
    )


@cache
def sections(name: str, code: str = "") -> tuple[str, ...]:
    """All beats of a page: it shows them, its style and the files of single beats ask what stands in them."""
    one = explainers.load(name, code)
    return tuple(section(one, beat, bound=False) for beat in one.beats)


def check_counts(one: explainers.Explainer) -> str:
    """Five short steps with four bets, then a lab with all controls."""
    bets = sum(1 for beat in one.beats if beat.bet)
    _ = gettext_of(one)
    said = _("{steps} short steps with {bets} bets, then a lab with all controls.")
    return said.format(steps=_(NUMBER[len(one.beats)]), bets=_(NUMBER[bets]).lower())


def rail(one: explainers.Explainer) -> list[tuple[str, str, str]]:
    """(target, number, name) of every segment."""
    _ = gettext_of(one)
    return [(f"#beat-{beat.n}", str(beat.n), beat.name) for beat in one.beats] + [("#lab", "", _("Lab"))]


def goals(one: explainers.Explainer) -> list[dict[str, str]]:
    """The lab's goals with what is said of each in the first state."""
    return first.pieces(one.name, one.code)["goals"]


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
    return first.beat(one.name, beat.n, one.code)["row"] if beat.bet else None


def as_json(rows: dict[str, Any]) -> Markup:
    """The rows, safe inside a <script>."""
    return Markup(json.dumps(rows, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"))


def control(one: explainers.Explainer, given: Any) -> dict[str, Any]:
    """A control as written in the beat, or by its name in front matter, or by the name of a function in beats.js."""
    return given if isinstance(given, dict) else {"name": given, **(one.controls or {}).get(given, {})}
