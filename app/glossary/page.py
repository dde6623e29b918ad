"""/glossary/: every mechanism in a sentence, with the models that have it and the explainer that teaches it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cutaway.app.glossary import terms
from cutaway.app.glossary.methods import METHODS, methods
from cutaway.app.model import ideas
from cutaway.app.model.idea_words import spellings
from cutaway.app.site.pages import Page
from cutaway.app.site.places import Place

PATH = "/glossary/"
SEARCH = (PATH, "Glossary", ("glossary", "terms", "definitions"))


def pages(site) -> Iterator[Page]:
    for language, path in site.versions(PATH):
        yield Page(path, partial(page, site, path, language.code))


def places(site) -> Iterator[Place]:
    """Every entry under all its names, in all languages."""
    for idea in (*ideas.IDEAS, *METHODS):
        yield Place(f"{PATH}#{idea.key}", idea.words[0], "Glossary", idea.says, (*idea.words[1:], *spellings(idea)))


def translated(code: str) -> Iterator[str]:
    """The glossary is in every language."""
    yield PATH


def page(site, path: str = PATH, code: str = "") -> str:
    """All entries on one page, so that a browser's own search finds them."""
    return site.render(
        "glossary/page.html", path, parts=terms.entries(site, code), absent=terms.absent(site, code),
        methods=list(methods(code)),
    )  # fmt: skip
