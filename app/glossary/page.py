"""/glossary/: every mechanism in a sentence, with the models that have it and the explainer that teaches it."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.app.glossary import terms
from cutaway.app.model import ideas
from cutaway.app.site.pages import Page
from cutaway.app.site.places import Place

PATH = "/glossary/"
SEARCH = (PATH, "Glossary", ("glossary", "terms", "definitions"))


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: page(site))


def places(site) -> Iterator[Place]:
    """Every entry under all its names."""
    for idea in ideas.IDEAS:
        yield Place(f"{PATH}#{idea.key}", idea.words[0], "Glossary", idea.says, idea.words[1:])


def page(site) -> str:
    """All entries on one page, so that a browser's own search finds them."""
    return site.render("glossary/page.html", PATH, parts=terms.entries(site), absent=terms.absent(site))
