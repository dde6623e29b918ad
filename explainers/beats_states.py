"""Beats -> states: as each opens, where its bet's answer holds, and what its phrases set. All of them are legal."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any

import yaml

from cutaway import explainers
from cutaway.explainers import permalink
from cutaway.explainers.beats import LOADER, Beat
from cutaway.explainers.beats_facts import Look

PHRASE = re.compile(r"\[((?:(?!\]\{|\[).)+)\]\{([^{}]+)\}", re.S)


def whole_state(one: explainers.Explainer, beat: Beat, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The state of a beat, all keys."""
    return {**explainers.reference(one.name).STATE, **beat.state, **(more or {})}


def looks(one: explainers.Explainer, beat: Beat) -> tuple[Look, Look]:
    """(as the beat opens, where its bet's answer holds)."""
    answered = whole_state(one, beat, beat.bet.state if beat.bet else None)
    return Look(one.name, whole_state(one, beat)), Look(one.name, answered)


def phrases(one: explainers.Explainer, beat: Beat, html: str) -> str:
    """[words]{kv: 8} in rendered Markdown -> a link that sets the state, and works as one without a script."""

    def link(found: re.Match[str]) -> str:
        sets = yaml.load("{" + unescape(found[2]) + "}", LOADER)
        after = sets.pop("after", "") == "bet"
        start = whole_state(one, beat)
        Look(one.name, {**start, **sets})  # says so if it is not legal
        query = permalink.write(start, {**start, **sets})
        data = escape(json.dumps(sets, ensure_ascii=False))
        hold = " data-after" if after else ""
        return f'<a class="set" href="{query}#beat-{beat.n}" data-set="{data}"{hold}>{found[1]}</a>'

    return PHRASE.sub(link, html)


def marked(one: explainers.Explainer, beat: Beat) -> str:
    """The words of a beat as HTML: Markdown and linked phrases, its {numbers} still to be filled in."""
    return phrases(one, beat, explainers.markdown(beat.text))
