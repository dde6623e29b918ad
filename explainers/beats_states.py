"""Beats -> states: as each opens, where its bet's answer holds, and what its phrases set. All of them are legal."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any

from cutaway import explainers
from cutaway.explainers import permalink
from cutaway.explainers.beats import Beat, from_yaml

PHRASE = re.compile(r"\[((?:(?!\]\{|\[).)+)\]\{([^{}]+)\}", re.S)


def whole_state(name: str, *changes: Mapping[str, Any]) -> dict[str, Any]:
    """A state of an explainer, all keys; one that is not legal is an error."""
    state = dict(explainers.reference(name).STATE)
    for one in changes:
        state.update(one)
    sentence = explainers.checker(name)(state)
    if sentence:
        raise ValueError(f"{explainers.folder_path(name)}/page.md: the state {state} is not legal. {sentence}")
    return state


def states(one: explainers.Explainer, beat: Beat) -> tuple[dict[str, Any], dict[str, Any]]:
    """(as the beat opens, where its bet's answer holds)."""
    return whole_state(one.name, beat.state), whole_state(one.name, beat.state, beat.bet.state if beat.bet else {})


def phrases(one: explainers.Explainer, beat: Beat, html: str) -> str:
    """[words]{kv: 8} in rendered Markdown -> a link that sets the state, and works as one without a script."""

    def link(found: re.Match[str]) -> str:
        sets = from_yaml("{" + unescape(found[2]) + "}")
        after = sets.pop("after", "") == "bet"
        start = whole_state(one.name, beat.state)
        query = permalink.write(start, whole_state(one.name, start, sets))
        data = escape(json.dumps(sets, ensure_ascii=False))
        hold = " data-after" if after else ""
        return f'<a class="set" href="{query}#beat-{beat.n}" data-set="{data}"{hold}>{found[1]}</a>'

    return PHRASE.sub(link, html)


def marked(one: explainers.Explainer, beat: Beat) -> str:
    """The words of a beat as HTML: Markdown and linked phrases, its {numbers} still to be filled in."""
    return phrases(one, beat, explainers.markdown(beat.text))
