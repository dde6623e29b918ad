"""What a page shows before, or without, any script: static/bundles/first/<name>.json, drawn by the page's own modules.

build/bundles.py asks for it (`request`) and kit/first.js draws it. The pieces are held against what would be asked for
now: words, constants or a state that have changed since are a BundleError.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from typing import Any

from cutaway import explainers
from cutaway.explainers import bundles, languages
from cutaway.explainers.beats import Beat
from cutaway.explainers.beats_states import marked, states

WIDTH = 640  # pixels: of a drawing that asks how wide it is


def request(name: str, code: str = "") -> dict[str, Any]:
    """What kit/first.js is to draw, JSON-plain, with its own SHA-256 as `digest`."""
    one = explainers.load(name, code)
    rows = {
        "name": name,
        "where": f"{explainers.folder_path(name)}/page{'.' * bool(code)}{code}.md",
        "said": languages.script_words(code),
        "state": explainers.reference(name).STATE,
        "data": {key: value for key, value in explainers.data(name).items() if key != "apart"},
        "beats": [_beat(one, beat) for beat in one.beats],
        "goals": [{"test": goal.test, "words": goal.words} for goal in one.goals],
    }
    text = json.dumps(rows, default=dict)
    return {**json.loads(text), "digest": hashlib.sha256(text.encode()).hexdigest()}


def _beat(one: explainers.Explainer, beat: Beat) -> dict[str, Any]:
    state, shown = states(one, beat)
    bet = beat.bet._asdict() if beat.bet else None
    kept = {"n": beat.n, "figure": beat.figure, "caption": beat.caption, "before": beat.before}
    return {**kept, "state": state, "shown": shown, "words": marked(one, beat), "bet": bet}


def file_of(name: str, code: str = "") -> str:
    """What the pieces of a page are kept under: heads, heads.zh."""
    return f"{name}.{code}" if code else name


@cache
def pieces(name: str, code: str = "") -> dict[str, Any]:
    """The pieces of a page: {beats, goals, lab}."""
    made = json.loads(bundles.text(f"first/{file_of(name, code)}.json"))
    if made["digest"] != request(name, code)["digest"]:
        raise bundles.BundleError(f"The first pictures of {name} are older than what they show: {bundles.MAKE}.")
    return made


def beat(name: str, n: int, code: str = "") -> dict[str, Any]:
    """The pieces of one beat: words, first, last, before, caption; with a bet ask, says, answer, tool and row."""
    return pieces(name, code)["beats"][n - 1]


def lab(name: str, code: str = "") -> tuple[str, str, str]:
    """The lab as it opens: (what embeds and cards show, what a page has in its place, the rest)."""
    made = pieces(name, code)["lab"]
    return made["brief"], made["above"], made["more"]


def unbound(drawn: str) -> str:
    """A drawing without the paths of its numbers: tests read them in the pieces, and the live drawing has its own."""
    return re.sub(r' data-(?:out|format)="[^"]*"', "", drawn)
