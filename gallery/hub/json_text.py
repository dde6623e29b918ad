"""Bytes that claim to be a config -> a dict, or one sentence that says what they are instead.

`parse` takes JSON alone. `lenient` reads past comments and trailing commas, as people keep them in files of their own,
and says that it did.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from cutaway.gallery.spec import ConfigError

KINDS = {list: "a list", str: "a string", int: "a number", float: "a number", bool: "a truth value", type(None): "null"}
# Strings are stepped over; whatever is left open runs to the end at once, so that no text makes the search slow.
STRING = r'"(?:\\.|[^"\\])*+"?'
DEEPEST = 100  # brackets in each other; a quantized copy's config has eight
BRACKET = re.compile(rf"{STRING}|[][{{}}]")
COMMENT = re.compile(rf"{STRING}|(//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z))", re.S)
COMMA = re.compile(rf"{STRING}|(?<![,:\[{{\s])\s*+(,)(?=\s*[}}\]])", re.S)


class Passed(NamedTuple):
    """Something that JSON does not have, and where it began."""

    at: int
    kind: str


def parse(data: bytes | str, what: str = "the config") -> dict:
    """The JSON object in `data`; ConfigError for HTML, broken or foreign text, comments, and any other JSON type."""
    text = _text(data, what)
    found, passed = _read(text, what)
    if passed:
        raise ConfigError(f"{what} is not plain JSON: a {passed[0].kind} at {_place(text, passed[0].at)}; take it out.")
    return found


def lenient(data: bytes | str, what: str = "the config") -> tuple[dict, str]:
    """The same past comments and trailing commas, and a notice that says so; "" where there were none."""
    text = _text(data, what)
    found, passed = _read(text, what)
    if not passed:
        return found, ""
    kinds = [one.kind for one in passed]
    counts = [(kinds.count(kind), kind) for kind in sorted(set(kinds))]
    words = " and ".join(f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in counts)
    verb = "were" if len(passed) > 1 else "was"
    return found, f"{words} {verb} passed over, the first at {_place(text, passed[0].at)}"


def _text(data: bytes | str, what: str) -> str:
    encoding = json.detect_encoding(data) if isinstance(data, bytes) else ""
    try:
        text = data.decode(encoding) if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        name = error.encoding.upper().replace("-SIG", "")
        raise ConfigError(f"{what} is not {name} text (byte {error.start}): is it a weights file?") from None
    text = text.lstrip("\ufeff").rstrip()
    if not text:
        raise ConfigError(f"{what} is empty: a JSON object was expected.")
    if text.lstrip()[0] == "<":
        raise ConfigError(
            f"{what} is an HTML or XML page, not JSON: a login page or an error page may have come instead."
        )
    return text


def _read(text: str, what: str) -> tuple[dict, list[Passed]]:
    """The object, and what had to be passed over to read it."""
    passed: list[Passed] = []
    if is_deep(text):
        raise ConfigError(f"{what} is nested too deeply to be a config.")
    try:
        found = json.loads(text)
    except ValueError:
        plain = _without(COMMENT, "comment", text, passed)
        found = _loads(_without(COMMA, "trailing comma", plain, passed), what)
    if not isinstance(found, dict):
        raise ConfigError(f"{what} holds {KINDS[type(found)]}, but a config is a JSON object.")
    return found, sorted(passed)


def is_deep(text: str) -> bool:
    """Whether it nests deeper than any config: the parser recurses, and in a browser that ends Python itself."""
    depth = 0
    if text.count("[") + text.count("{") > DEEPEST:
        for match in BRACKET.finditer(text):
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match[0], 0)
            if depth > DEEPEST:
                return True
    return False


def _without(pattern: re.Pattern[str], kind: str, text: str, passed: list[Passed]) -> str:
    """The text with blanks for what the pattern's group finds: every line and column stays where it is."""

    def blank(match: re.Match[str]) -> str:
        found = match[1]
        if found is None or (found.startswith("/*") and (len(found) < 4 or not found.endswith("*/"))):
            return match[0]  # a string, or a comment that nobody closed
        passed.append(Passed(match.start(1), kind))
        return match[0].replace(found, re.sub(r"[^\n]", " ", found))

    return pattern.sub(blank, text)


def _loads(text: str, what: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        cut = "it breaks off" if error.pos >= len(text.rstrip()) or "Unterminated" in error.msg else error.msg
        at = _place(text, error.pos)
        raise ConfigError(f"{what} is not whole JSON ({cut} at {at}): a JSON object was expected.") from None
    except ValueError:  # Python refuses whole numbers of more than 4,300 digits
        raise ConfigError(f"{what} holds a number with thousands of digits: no config needs one.") from None


def _place(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"
