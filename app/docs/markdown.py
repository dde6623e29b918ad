"""Markdown -> HTML in the site's look: headings have ids, links of the site are relative, HTML stays text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup


class Heading(NamedTuple):
    """A heading of a page: its level from 1 to 6, its id and its words."""

    level: int
    id: str
    words: str


def slug(words: str) -> str:
    """The id of a heading: lower case, one hyphen for whatever is no letter or digit."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _tokens(text: str) -> list[Token]:
    """The text's tokens; each heading has its id."""
    found, taken = _parser().parse(text), set()
    for place, token in enumerate(found):
        if token.type == "heading_open":
            ident = base = slug(plain(found[place + 1])) or "part"
            number = 1
            while ident in taken:
                number += 1
                ident = f"{base}-{number}"
            taken.add(ident)
            token.attrSet("id", ident)
    return found


def plain(token: Token) -> str:
    """The words of a line without its marks."""
    return "".join(one.content for one in token.children or ())


def headings(text: str) -> list[Heading]:
    """Every heading in order."""
    found = _tokens(text)
    return [
        Heading(int(one.tag[1]), str(one.attrGet("id")), plain(found[place + 1]))
        for place, one in enumerate(found)
        if one.type == "heading_open"
    ]


def blocks(text: str, language: str) -> list[str]:
    """The code of every fenced block in a language."""
    return [one.content for one in _parser().parse(text) if one.type == "fence" and one.info.strip() == language]


def html(text: str, url: Callable[[str], str] = str) -> Markup:
    """The text as HTML; a link that begins with "/" goes through `url`, wide tables can be scrolled."""
    found = _tokens(text)
    for token in found:
        for inner in token.children or ():
            href = inner.attrGet("href")
            if inner.type == "link_open" and isinstance(href, str) and href.startswith("/"):
                inner.attrSet("href", url(href))
    made = _parser().renderer.render(found, _parser().options, {})
    return Markup(made.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>"))


def inline(text: str) -> Markup:
    """One line: code, links and emphasis, no paragraph."""
    return Markup(_parser().renderInline(text))
