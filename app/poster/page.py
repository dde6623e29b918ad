"""/poster/: the towers of all models to one scale, families together, on a sheet that a reader zooms or prints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from markupsafe import Markup

from cutaway.app.model.once import once_for_each
from cutaway.app.site.pages import Page
from cutaway.gallery import catalog
from cutaway.gallery.drawing import poster
from cutaway.gallery.drawing.poster import Entry, Sheet, entry_of

PATH = "/poster/"
SEARCH = (PATH, "Poster: all models to scale", ("poster", "wall chart", "all models", "overview", "print"))


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: page(site))
    for name, dark in (("poster", False), ("poster-dark", True)):
        yield Page(f"/poster/{name}.svg", partial(sheet_file, site, dark), "image/svg+xml")


def sheet_file(site, dark: bool) -> str:
    """The sheet as a file."""
    return poster.sheet_svg(sheet(site), dark)


@once_for_each
def sheet(site) -> Sheet:
    """Where every tower stands."""
    return poster.lay_out(entries(site))


def entries(site) -> list[Entry]:
    """All drawn models but variants, each family's oldest first."""
    views = (site.view(row.slug) for row in catalog.bases_by_date())
    return [
        entry_of(view.slug, view.title, view.row.company, view.spec, view.parameters.total)
        for view in views
        if view.spec
    ]


def page(site) -> str:
    """The sheet in the page: each tower is a link."""
    laid = sheet(site)
    drawn = Markup(poster.poster_in_page(laid, lambda slug: site.url(f"/models/{slug}/", PATH)))
    return site.render("poster/page.html", PATH, drawn=drawn, models=len(laid.spots), scale=poster.scale_of(laid))
