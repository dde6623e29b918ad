"""/glossary/: every mechanism in a sentence, with the models that have it and the explainer that teaches it."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.app.glossary import terms
from cutaway.app.site.pages import Page

PATH = "/glossary/"
SEARCH = (PATH, "Glossary", ("glossary", "terms", "definitions"))


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: page(site))


def page(site) -> str:
    """All entries on one page, so that a browser's own search finds them."""
    return site.render("glossary/page.html", PATH, parts=terms.entries(site), absent=terms.absent(site))
