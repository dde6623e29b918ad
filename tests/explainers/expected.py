"""What a page prints, by a second route: reference.py, and for answers that beats.js alone has answers/<folder>.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from cutaway import explainers
from cutaway.explainers import beats_facts, beats_states


@cache
def answers(name: str) -> dict[str, Callable[[dict[str, Any], dict[str, Any]], Any]]:
    """The answers of beats.js, from reference.py: {name: (state, data) -> value}."""
    if beats_facts.part(name, "answers"):
        return beats_facts.part(name, "answers")
    try:
        return import_module(f"tests.explainers.answers.{explainers.folder(name).name}").answers
    except ModuleNotFoundError:
        return {}


class Expected(beats_facts.Look):
    """A look of the same face: expected("holds_bytes") is a value."""

    def __call__(self, path: Any) -> Any:
        if isinstance(path, str) and path in answers(self.name):
            return answers(self.name)[path](self.state, self.data)
        return super().__call__(path)


def looks(one: explainers.Explainer, beat) -> tuple[Expected, Expected]:
    """(as the beat opens, where its bet's answer holds)."""
    opens, shown = beats_states.looks(one, beat)
    return Expected(one.name, opens.state), Expected(one.name, shown.state)
