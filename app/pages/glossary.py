"""/glossary/: every mechanism in a sentence, with the models that have it and the explainer that teaches it."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.app import glossary
from cutaway.app.pages import Page

PATH = "/glossary/"


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: page(site))


def page(site) -> str:
    """All entries on one page, so that a browser's own search finds them."""
    return site.render("glossary.html", PATH, parts=glossary.entries(site), absent=glossary.absent(site))
