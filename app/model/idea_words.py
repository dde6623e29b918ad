"""The names of an idea and its sentence, in a language: app/model/ideas.py has them in English, a .po in others."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.app.model.ideas import Idea
from cutaway.explainers import languages


class Said(NamedTuple):
    """An idea in the words of a language."""

    key: str
    word: str
    names: tuple[str, ...]  # its other names: in English, then in that language
    says: str
    source: str


SEPARATOR = "；"  # between names of one idea in a .po: the first is the usual one


def said(idea: Idea, code: str = "") -> Said:
    """An idea in a language; what is not translated is in English."""
    known = languages.translations(code)
    own = known.pgettext(idea.key, idea.words[0]).split(SEPARATOR)
    names = dict.fromkeys((own[0], *idea.words, *own[1:]))
    return Said(idea.key, own[0], tuple(names)[1:], known.pgettext(idea.key, idea.says), idea.source)


def spellings(idea: Idea) -> tuple[str, ...]:
    """Its names in languages other than English, for the search."""
    told = (said(idea, one.code) for one in languages.LANGUAGES)
    names = [name for one in told for name in (one.word, *one.names)]
    return tuple(name for name in dict.fromkeys(names) if name not in idea.words)
