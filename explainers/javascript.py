"""JavaScript -> its pieces, each name with what it is there: a name, a key or property, or both in one.

It relies on how the files here are written: a brace behind a bracket, an arrow or a word like `else` begins a block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
TOKEN = re.compile(
    r"(?:\s+|//[^\n]*|/\*.*?\*/)+|[A-Za-z_$][\w$]*|\.?\d[\w.]*|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
    r"|=>|\.\.\.|\?\.(?!\d)|[=!]==?|[<>]=?|\?\?=?|&&|\|\||[-+*/%&|^]=|\+\+|--|.",
    re.S,
)
REGEX = re.compile(r"/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
WORDS = frozenset((
    "arguments", "as", "async", "await", "break", "catch", "const", "continue", "debugger", "default",
    "delete", "do", "else", "export", "extends", "false", "finally", "for", "from", "function", "get", "if",
    "import", "in", "instanceof", "let", "new", "null", "of", "return", "set", "static", "super", "this",
    "throw", "true", "try", "typeof", "undefined", "var", "void", "while", "with", "yield",
))  # fmt: skip
BEFORE_BLOCK = frozenset((")", "=>", "else", "try", "finally", "catch", "do", ";", "{", "}", ""))
BEFORE_VALUE = frozenset((")", "]", "}", "`"))  # behind these a slash divides
BEFORE_REGEX = frozenset(("return", "typeof", "else", "do", "await", "yield", "throw", "void", "delete", "in"))
OPENS, CLOSES = frozenset("([{"), frozenset(")]}")


class Token(NamedTuple):
    """A piece of a statement: its text; "" or what a name is here; how deep in brackets it stands."""

    text: str
    role: str = ""  # "name" | "key" (or a property) | "short": a key that is the name, too
    depth: int = 0


def texts(script: str) -> Iterator[str]:
    """All pieces, in order; what stands between the holes of a template is one."""
    place, stack, last, before = 0, [""], "", ""
    while place < len(script):
        if script[place] == "`" or (script[place] == "}" and stack[-1] == "${"):
            if script[place] == "}":
                stack.pop()
            end, hole = template_end(script, place + 1)
            if hole:
                stack.append("${")
            yield script[place:end]
            place, last, before = end, "(" if hole else "`", ""
            continue
        found = (is_fresh(last, before) and REGEX.match(script, place)) or TOKEN.match(script, place)
        text, place = found[0], found.end()  # type: ignore[union-attr]
        if text in OPENS:
            stack.append(text)
        elif text in CLOSES and len(stack) > 1:
            stack.pop()
        if not is_space(text):
            last, before = text, last
        yield text


def is_fresh(last: str, before: str) -> bool:
    """Whether a value may begin behind a piece, so that a slash there is not a division; `before`: the piece before."""
    if before in (".", "?."):
        return False
    return last in BEFORE_REGEX or not (last in BEFORE_VALUE or last[-1:].isalnum() or last[-1:] in "_$\"'")


def template_end(script: str, place: int) -> tuple[int, bool]:
    """(behind the next `${` or the closing quote of a template, whether it is a hole)."""
    while script[place] != "`":
        if script.startswith("${", place):
            return place + 2, True
        place += 2 if script[place] == "\\" else 1
    return place + 1, False


def is_space(text: str) -> bool:
    """Spaces and comments."""
    return text[:1].isspace() or text[:2] in ("//", "/*")


def tokens(script: str) -> Iterator[Token]:
    """The pieces with what they are."""
    every = [(text, is_space(text)) for text in texts(script)]
    solid = [text for text, space in every if not space]
    stack, place = [""], -1
    for text, space in every:
        if space:
            yield Token(text)
            continue
        place += 1
        before, after = solid[place - 1] if place else "", solid[place + 1] if place + 1 < len(solid) else ""
        if text in OPENS or text.endswith("${"):
            if text.startswith("}"):
                stack.pop()
            stack.append("object" if text == "{" and before not in BEFORE_BLOCK else text)
        elif (text in CLOSES or text.startswith("}")) and len(stack) > 1:
            stack.pop()
        named = IDENTIFIER.fullmatch(text) and text not in WORDS
        yield Token(text, role_of(stack[-1], before, after) if named else "", len(stack) - 1)


def role_of(inside: str, before: str, after: str) -> str:
    """What an identifier is."""
    if before in (".", "?."):
        return "key"
    if inside == "object" and before in ("object", "{", ",", "get", "set", "async"):
        return "key" if after in (":", "(") else "short"
    return "name"


def pairs(solid: Sequence[Token]) -> dict[int, int]:
    """Where each bracket closes."""
    found, open_now = {}, []
    for place, one in enumerate(solid):
        if one.text in OPENS or one.text.endswith("${"):
            if one.text.startswith("}"):
                open_now.pop()
            open_now.append(place)
        elif (one.text in CLOSES or one.text.startswith("}")) and open_now:
            found[open_now.pop()] = place
    return found
