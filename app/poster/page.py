"""/poster/: the towers of all models to one scale, families together, on a sheet that a reader zooms or prints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from markupsafe import Markup

from cutaway.app.site.pages import Page
from cutaway.explainers import fmt
from cutaway.gallery.drawing import poster
from cutaway.gallery.drawing.poster import Entry

PATH = "/poster/"
SEARCH = (PATH, "Poster: all models to scale", ("poster", "wall chart", "all models", "overview", "print"))


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: page(site))
    for name, dark in (("poster", False), ("poster-dark", True)):
        yield Page(f"/poster/{name}.svg", partial(sheet_file, site, dark), "image/svg+xml")


def sheet_file(site, dark: bool) -> str:
    """The sheet as a file."""
    return poster.poster(entries(site), dark)


def entries(site) -> list[Entry]:
    """All drawn models but variants, each family's oldest first."""
    drawn = [view for view in site.views if view.spec and not view.row.variant_of]
    drawn.sort(key=lambda view: (view.row.date or "9", view.slug))
    return [
        Entry(view.slug, view.title, view.row.company, f"{fmt.count(view.parameters.total)} parameters", view.spec)
        for view in drawn
    ]


def page(site) -> str:
    """The sheet in the page: each tower is a link."""
    found = entries(site)
    sheet = poster.lay_out(found)
    drawn = poster.poster_in_page(found, lambda slug: site.url(f"/models/{slug}/", PATH))
    return site.render("poster/page.html", PATH, drawn=Markup(drawn), models=len(found), scale=poster.scale_of(sheet))
