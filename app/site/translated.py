"""An address -> its language: /zh/glossary/ is /glossary/ in Chinese. Marks links to English pages.

A page module that has pages in a language names them, by their English paths: `translated(code) -> Iterator[str]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import NamedTuple

from cutaway.explainers.languages import BY_CODE, ENGLISH, Language

LINK = re.compile(r'(<svg\b.*?</svg>)|<a\b([^>]*)\bhref="([^"]*)"([^>]*)>(.*?)</a>', re.S)


class Version(NamedTuple):
    """A page in one language."""

    language: Language
    path: str


def language_of(path: str) -> Language:
    """The language of the page at an address."""
    code = path.split("/")[1]
    return BY_CODE.get(code, ENGLISH)


def english_path(path: str) -> str:
    """/zh/glossary/ -> /glossary/; an English page's path as it is."""
    code = language_of(path).code
    return path.removeprefix(f"/{code}") if code else path


def path_in(language: Language, path: str) -> str:
    """/glossary/ -> /zh/glossary/."""
    return f"/{language.code}{path}" if language.code else path


def mark_english(html: str, path: str, word: str) -> str:
    """The HTML of a translated page, with `word` after every link to an English page of the site.

    Links that have hreflang already, and links in drawings, stay as they are.
    """

    def marked(found: re.Match[str]) -> str:
        drawing, before, href, after, words = found.groups()
        if drawing or "hreflang=" in before + after or not leads_to_english(href, path):
            return found[0]
        return (
            f'<a{before}href="{href}"{after} hreflang="{ENGLISH.tag}">{words} <small class="english">{word}</small></a>'
        )

    return LINK.sub(marked, html)


def leads_to_english(href: str, path: str) -> bool:
    """Whether a link of the page at `path` goes to a page of the site that is in English."""
    if re.match(r"[a-z]+:|//|[#?]", href) or not href:
        return False
    target = normpath(join(path if path.endswith("/") else dirname(path), re.split(r"[?#]", href)[0])) + "/"
    return language_of(target) is ENGLISH


def versions(paths: dict[str, frozenset[str]], path: str) -> Iterator[Version]:
    """A page in every language that has it, English first; `paths` are the translated ones of each language."""
    here = english_path(path)
    yield Version(ENGLISH, here)
    for code, known in paths.items():
        if here in known:
            yield Version(BY_CODE[code], path_in(BY_CODE[code], here))
