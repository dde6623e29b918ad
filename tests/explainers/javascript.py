"""JavaScript as tokens: enough of its grammar to know a number from a string, a template, a comment or a regex."""

from __future__ import annotations

import re
from typing import NamedTuple

TOKEN = re.compile(
    r"(?P<space>\s+|/\*.*?\*/|//[^\n]*)|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<number>0x[\da-f]+|\d+\.?\d*(?:e[+-]?\d+)?n?)|(?P<word>[A-Za-z_$][\w$]*)"
    r"|(?P<sign>===|!==|=>|\.\.\.|<=|>=|&&|\|\||\?\?=?|\?\.(?!\d)|\*\*|\+\+|--|[-+*/%]=|>>>|<<|>>|.)",
    re.S,
)
TEXT = re.compile(r"(?:\\.|\$(?!\{)|[^`$\\])*", re.S)
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[\n])+/[a-z]*")


class Token(NamedTuple):
    """`kind` is string, text (of a template), number, word, sign or regex; `at` its place in the source."""

    kind: str
    at: int
    text: str


def tokens(source: str) -> list[Token]:
    """The tokens of a file, without spaces and comments; a template's text is a token, its holes are code."""
    found: list[Token] = []
    at, open_ = 0, []  # open_: for every open template, how many braces are open in its hole; 0 in its text
    while at < len(source):
        if open_ and not open_[-1]:
            text = TEXT.match(source, at)[0]
            found.append(Token("text", at, text))
            at += len(text)
            if source[at] == "`":
                open_.pop()
                at += 1
            else:
                open_[-1] = 1
                at += 2
            continue
        kind, text = one_at(source, at, found[-1] if found else Token("sign", 0, ";"))
        if text == "`":
            open_.append(0)
        elif open_ and kind == "sign" and text in "{}":
            open_[-1] += 1 if text == "{" else -1
        if kind != "space" and text != "`":
            found.append(Token(kind, at, text))
        at += len(text)
    return found


def one_at(source: str, at: int, before: Token) -> tuple[str, str]:
    """(kind, text) of what begins at a place; a slash after an operator begins a regex."""
    operator = (before.kind == "sign" and before.text not in (")", "]", "}")) or before.text == "return"
    if operator and (regex := REGEX.match(source, at)) and source[at : at + 2] not in ("//", "/*"):
        return "regex", regex[0]
    match = TOKEN.match(source, at)
    return match.lastgroup, match[0]
