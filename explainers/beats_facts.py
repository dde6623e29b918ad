"""An explainer's functions and a state -> what a beat prints: values by path, formats, templates.

A path names, in this order: a function of `answers` in the folder's beats.py (or reference.py), a value in compute's
result (`tp.bytes_per_rank`, `stops.0.label`), or a key of the state. A template is words with {path} or {path:format}
and **bold**; each number in it becomes an element with data-out and data-format, so that a test can compare it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context
from functools import cache, cached_property
from html import escape
from typing import Any

from cutaway import explainers
from cutaway.explainers import fmt

HOLE = re.compile(r"\{([\w.-]+)(?::([^{}]+))?\}")
PARTS = ("answers", "captions", "goals", "figures")


def sig(x: float, digits: int) -> str:
    """0.10937, 3 -> "0.109", as kit.fmt.sig; beyond 1e21 and below 1e-6 with an exponent, as JavaScript writes it."""
    rounded = Context(prec=int(digits), rounding=ROUND_HALF_UP).create_decimal(x or 0)
    far = 0 if not rounded or -7 < rounded.adjusted() < 21 else rounded.adjusted()
    text = f"{rounded.scaleb(-far):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}e{far:+d}" if far else text


FORMATS: dict[str, Callable[..., str]] = {
    "int": fmt.integer, "fixed": fmt.fixed, "count": fmt.count, "bytes": fmt.in_bytes, "kib": fmt.in_kib, "sig": sig,
    "percent": fmt.percent, "times": fmt.times, "pow2": fmt.pow2, "sup": fmt.sup, "signed": fmt.signed,
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
    if name not in FORMATS:
        raise ValueError(f"There is no format “{name}”; there is {', '.join(FORMATS)}.")
    return FORMATS[name](value, *(int(a) if a.isdigit() else a for a in args))


def spelt(value: Any) -> str:
    """A value as JavaScript's String() writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def short(text: str) -> str:
    """60.0 GB -> 60 GB: how guesses and ticks are printed."""
    return re.sub(r"\.0+(?=\D|$)", "", text)


@cache
def part(name: str, which: str) -> dict[str, Any]:
    """`answers`, `captions`, `goals`, `figures` or `reach` of an explainer: its beats.py, or else its reference.py.

    Where the page's JavaScript alone has them there are none here, and page.md says what reaches a goal.
    """
    if which == "reach" and any(goal.reach for goal in explainers.load(name).goals):
        return {goal.test: list(goal.reach) for goal in explainers.load(name).goals}
    own = explainers.submodule(name, "beats") if (explainers.folder(name) / "beats.py").is_file() else None
    return getattr(own, which, None) or getattr(explainers.reference(name), which, {})


def bound(value: Any, path: str, how: str = "text", tag: str = "tspan") -> str:
    """A value as an element that says which it is: what kit.put leaves on a node, for figures drawn in Python."""
    return f'<{tag} data-out="{path}" data-format="{how}">{escape(printed(value, how))}</{tag}>'


class Look:
    """One state of an explainer: look("holds_bytes") is a value, look.fill("{holds_bytes:bytes}") HTML."""

    def __init__(self, name: str, state: dict[str, Any]):
        self.name, self.data = name, explainers.data(name)
        self.state = {**explainers.reference(name).STATE, **state}
        sentence = explainers.checker(name)(self.state)
        if sentence:
            raise ValueError(f"{explainers.folder_path(name)}/page.md: the state {state} is not legal. {sentence}")

    def __call__(self, path: Any) -> Any:
        """The value of a path, of each of two paths; what is no string is a value already."""
        if isinstance(path, tuple):
            return tuple(self(one) for one in path)
        if not isinstance(path, str):
            return path
        answers = part(self.name, "answers")
        if path in answers:
            return answers[path](self.state, self.data)
        value: Any = {**self.state, **self.now}
        for key in path.split("."):
            if key == "length" and isinstance(value, list):
                return len(value)
            try:
                value = value[int(key)] if isinstance(value, list | tuple) else value[key]
            except (KeyError, IndexError, ValueError, TypeError):
                raise ValueError(
                    f"{explainers.folder_path(self.name)}/page.md: nothing is called {path} (no “{key}”)."
                ) from None
        return value

    @cached_property
    def now(self) -> dict[str, Any]:
        """compute's result."""
        return explainers.reference(self.name).compute(self.state, self.data)

    def fill(self, template: str, at: str = "", tag: str = "span") -> str:
        """A template as HTML; `at` is the state of a beat it is filled from: "beat", "bet", or "" for the held one."""
        mark = f' data-at="{at}"' if at else ""

        def hole(found: re.Match[str]) -> str:
            how = found[2] or "text"
            made = bound(self(found[1]), found[1], how, tag)
            return made.replace(">", f"{mark}>", 1)

        return HOLE.sub(hole, bold(escape(template, quote=False)))

    def plain(self, template: str) -> str:
        """A template as plain text."""
        return HOLE.sub(lambda found: printed(self(found[1]), found[2] or "text"), template).replace("**", "")

    def caption(self, caption: str) -> str:
        """A caption as HTML: the function of that name, or a template."""
        made = part(self.name, "captions").get(caption)
        if not made:
            return self.fill(caption)
        return f'<span data-out="captions.{caption}">{bold(escape(made(self.state, self.data)))}</span>'

    def figure(self, figure: str, bet: str = "") -> str:
        """The static picture of a figure; `bet` ("open" or "shown") is told to those that ask for it."""
        figures = part(self.name, "figures")
        if figure not in figures:
            raise ValueError(
                f"{explainers.folder_path(self.name)}: no figure “{figure}”; there is {', '.join(figures) or 'none'}."
            )
        made = figures[figure]
        asked = {"bet": bet} if "bet" in inspect.signature(made).parameters else {}
        return f'<div class="cw cw-{self.name}">{made(self.state, self.data, **asked)}</div>'


def no(says: str) -> dict:
    """A goal that is not reached, and what is missing."""
    return {"reached": False, "says": says}


def bold(text: str) -> str:
    """**words** -> <b>words</b>."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
