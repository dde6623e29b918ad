"""What a page prints, by a second route: reference.py, and for answers that beats.js alone has answers/<folder>.py.

A path names, in this order: an answer, a value in compute's result (`tp.bytes_per_rank`, `stops.0.label`), or a key of
the state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

from cutaway import explainers
from cutaway.explainers import beats_states, fmt

FORMATS: dict[str, Callable[..., str]] = {
    "int": fmt.integer, "fixed": fmt.fixed, "count": fmt.count, "bytes": fmt.in_bytes, "kib": fmt.in_kib,
    "sig": fmt.sig, "percent": fmt.percent, "times": fmt.times, "pow2": fmt.pow2, "sup": fmt.sup, "signed": fmt.signed,
    "num": fmt.num,
    "text": lambda value: spelt(value),
}  # fmt: skip


def printed(value: Any, how: str = "text") -> str:
    """343597383680, "bytes GB 1" -> "343.6 GB": a call of kit.fmt, written as words."""
    if isinstance(value, tuple):  # both ends of a bar
        return " to ".join(printed(v, how) for v in value)
    name, *args = how.split()
    if name == "each":
        return "  ".join(printed(v, " ".join(args)) for v in value)
    if isinstance(value, str):  # words already: "NaN"
        return value
    return FORMATS[name](value, *(int(a) if a.isdigit() else a for a in args))


ONE = dict.fromkeys(("dB", "ms", "FLOP", "×")) | {"passes": "pass"}


def counted(words: str, unit: str) -> str:
    """ "24 tokens", "1 token", "1 ms", "24": printed words with their unit, where there is one."""
    one = ONE.get(unit, unit.removesuffix("s")) or unit
    return f"{words} {one if words == '1' else unit}" if unit else words


def spelt(value: Any) -> str:
    """A value as JavaScript's String() writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def short(text: str) -> str:
    """60.0 GB -> 60 GB: how guesses and ticks are printed."""
    return re.sub(r"\.0+(?=\D|$)", "", text)


class Remembering:
    """A reference whose compute knows its last states: two dozen answers and three tests of a page ask for the same
    ones. Tests of a page follow one another, so one page's are kept. Nobody changes what it gave."""

    last: Remembering | None = None

    def __init__(self, made: ModuleType):
        self.made, self.known = made, {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made, name)

    def compute(self, state: dict[str, Any], *data: Any) -> dict[str, Any]:
        """compute's result; the data of an explainer is always the same."""
        if Remembering.last is not self:
            if Remembering.last:
                Remembering.last.known.clear()
            Remembering.last = self
        key = json.dumps(state, sort_keys=True)
        if key not in self.known:
            while len(self.known) >= 800:
                self.known.pop(next(iter(self.known)))
            self.known[key] = self.made.compute(state, *data)
        return self.known[key]


@cache
def reference(name: str) -> Remembering:
    """The reference of an explainer."""
    return Remembering(explainers.reference(name))


@cache
def answers(name: str) -> dict[str, Callable[[dict[str, Any], dict[str, Any]], Any]]:
    """The answers of beats.js, from reference.py: {name: (state, data) -> value}."""
    try:
        module = import_module(f"tests.explainers.answers.{explainers.folder(name).name}")
    except ModuleNotFoundError:
        return {}
    if hasattr(module, "reference"):
        module.reference = reference(name)
    return module.answers


def reach(name: str) -> dict[str, list[dict[str, Any]]]:
    """The states that reach each goal of a page, as page.md lists them."""
    return {goal.test: list(goal.reach) for goal in explainers.load(name).goals}


class Expected:
    """A state of an explainer: expected("holds_bytes") is a value."""

    def __init__(self, name: str, state: dict[str, Any]):
        self.name, self.data = name, explainers.data(name)
        self.state = beats_states.whole_state(name, state)

    def __call__(self, path: Any) -> Any:
        """The value of a path, of each of two paths; what is no string is a value already."""
        if isinstance(path, tuple):
            return tuple(self(one) for one in path)
        if not isinstance(path, str):
            return path
        if path == "config_ends":
            return explainers.config_end(self.state["model"], self.data)
        if path in answers(self.name):
            return answers(self.name)[path](self.state, self.data)
        value: Any = {**self.state, **self.now}
        for key in path.split("."):
            if key == "length" and isinstance(value, list):
                return len(value)
            try:
                value = value[int(key)] if isinstance(value, list | tuple) else value[key]
            except (KeyError, IndexError, ValueError, TypeError):
                raise ValueError(f"{self.name}: nothing is called {path} (no “{key}”).") from None
        return value

    @cached_property
    def now(self) -> dict[str, Any]:
        """compute's result."""
        return reference(self.name).compute(self.state, self.data)

    def plain(self, template: str) -> str:
        """A template as plain text."""
        fill = lambda found: printed(self(found[1]), found[2] or "text")  # noqa: E731
        return re.sub(r"\{([\w.-]+)(?::([^{}]+))?\}", fill, template).replace("**", "")


def looks(one: explainers.Explainer, beat) -> tuple[Expected, Expected]:
    """(as the beat opens, where its bet's answer holds)."""
    opens, shown = beats_states.states(one, beat)
    return Expected(one.name, opens), Expected(one.name, shown)
