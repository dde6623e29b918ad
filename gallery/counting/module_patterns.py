"""Which module names a quantizer's patterns mean: plain names, shell wildcards, and "re:" expressions.

Checkpoints disagree on what stands before `layers.` (`model.`, `language_model.model.`), so both are compared from
there on. Expressions come from strangers: only simple ones are run, so that none can take long.
"""

from __future__ import annotations

import re
from math import comb

_SAFE = re.compile(r"[\w./\\|()\[\]\-^$?:{}, !=<>#@&~%'\";]*")
_NESTED = re.compile(r"[*+}]\)?[*+{]|\)[*+{]")


def tail(name: str) -> str:
    """A name from `layers.` (or `blocks.`) on; the whole name where it has none."""
    for mark in ("layers.", "blocks.", ".h."):
        at = name.find(mark)
        if at >= 0:
            return "layers." + name[at + len(mark) :]
    return name


def simple(expression: str) -> bool:
    """Whether an expression is plain enough to run on names of any length."""
    stars = expression.count("*") + expression.count("+")
    return len(expression) <= 200 and stars <= 4 and not _NESTED.search(expression) and _SAFE.fullmatch(
        expression.replace("*", "").replace("+", "")
    ) is not None  # fmt: skip


def steps(patterns: tuple[str, ...]) -> int:
    """An upper bound of the work of one module's name against all patterns: ways to match 50 letters, and the call."""
    total = 0
    for pattern in patterns:
        if pattern.startswith("re:"):
            expression = pattern[3:].removesuffix(".*")
            repeats = min(sum(expression.count(mark) for mark in "*+{"), 25)
            choices = 2 ** (expression.count("?") - expression.count("(?"))
            for group in expression.split("("):
                choices *= 1 + group.count("|")
            total += 100 + comb(50, repeats) * choices
        elif "*" in pattern:
            total += 100 + comb(50, min(pattern.removesuffix("*").count("*"), 25))
    return total


def is_run(pattern: str) -> bool:
    """Whether a pattern is asked at all: plain names and wildcards are, and expressions that are plain and correct."""
    if not pattern.startswith("re:"):
        return "*" not in pattern or bool(Matcher((pattern,)).expressions)
    return bool(Matcher((pattern,)).beginnings)


class Matcher:
    """Answers whether a module is meant by one of many patterns; `strict`: a plain name means one module alone."""

    def __init__(self, patterns: tuple[str, ...], strict: bool = False) -> None:
        self.strict = strict
        self.plain: set[str] = set()
        self.ends: set[str] = set()
        self.expressions: list[str] = []
        self.beginnings: list[re.Pattern] = []
        for pattern in patterns:
            self._add(pattern)
        self.whole = re.compile("|".join(self.expressions))  # asked at once: a quarter of the time of one by one

    def _add(self, pattern: str) -> None:
        if pattern.startswith("re:"):
            self._compile(pattern[3:])
        elif "*" in pattern:
            parts = [re.escape(part) for part in tail(pattern).split("*")]
            end = r"(\..*)?" if not pattern.endswith("*") else ""
            expression = ".*".join(parts) + end
            if simple(expression.replace("\\", "")):
                self.expressions.append(expression)
        elif "." in pattern or self.strict:
            self.plain.add(tail(pattern))
        else:
            self.ends.add(pattern)

    def _compile(self, expression: str) -> None:
        if simple(expression):
            try:
                self.beginnings.append(re.compile(expression))
            except (re.error, RecursionError, OverflowError):
                return

    def hits(self, module: str) -> bool:
        """Whether the module, or a module it lies in, is one of those."""
        if not (self.ends or self.plain or self.expressions or self.beginnings):
            return False
        name = tail(module)
        if self.strict and name in self.plain:
            return True
        words = [] if self.strict else name.split(".")
        if self.ends and not self.ends.isdisjoint(words):
            return True
        if self.plain and any(".".join(words[:size]) in self.plain for size in range(1, len(words) + 1)):
            return True
        if self.expressions and (self.whole.fullmatch(name) or (module != name and self.whole.fullmatch(module))):
            return True
        return any(begins(found, module, name) for found in self.beginnings)


def begins(found: re.Pattern, module: str, name: str) -> bool:
    """Whether an expression matches from the first letter on, as compressed-tensors' and GPTQModel's re.match does; one
    that says what must not follow is asked about whole names alone."""
    return bool(found.match(module)) or (DENIAL not in found.pattern and bool(found.match(name)))


DENIAL = "(?!"
