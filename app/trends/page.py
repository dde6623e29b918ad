"""/trends/: how open models are built, over time; each plot with its sentence, its data and its picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple

from markupsafe import Markup

from cutaway.app.data import dataset
from cutaway.app.model.once import once_for_each
from cutaway.app.roofline.page import SCRIPT
from cutaway.app.site import Site
from cutaway.app.site.pages import Page
from cutaway.app.trends import svg
from cutaway.app.trends.chart import Panels, Scatter
from cutaway.app.trends.plots import PLOTS, Plot, lead
from cutaway.app.trends.structures import Structure, structures

PATH = "/trends/"
NAV = (35, "Trends", PATH)
SEARCH = (PATH, "Trends: how open models are built", ("trends", "statistics", "design space", "over time", "adoption"))


class Card(NamedTuple):
    """A plot as the page shows it."""

    plot: Plot
    says: str
    chart: Scatter | Panels


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: page(site))
    for plot in PLOTS:
        follows = partial(card, site, plot)
        yield Page(f"/trends/{plot.key}.svg", partial(picture_file, site, plot), "image/svg+xml", follows=follows)
        yield Page(f"/data/trends/{plot.key}.csv", partial(data_file, site, plot), "text/csv")
        if plot.zooms:
            path = f"/data/trends/{plot.key}.json"
            yield Page(path, partial(live_file, site, plot), "application/json", follows=follows)


@once_for_each
def found(site) -> list[Structure]:
    """The architectures of the catalogue."""
    return structures(map(dataset.record, site.views))


@once_for_each
def cards(site) -> dict[str, Card]:
    """The plots, by their keys."""
    return {plot.key: Card(plot, *plot.show(found(site))) for plot in PLOTS}


def card(site, plot: Plot) -> Card:
    """One plot."""
    return cards(site)[plot.key]


def page(site) -> str:
    """All cards, each with the picture that is shown until Bokeh is loaded."""
    some = found(site)
    shown = [(one, picture(one.chart, one.says)) for one in cards(site).values()]
    dated = [view for view in site.views if view.spec and view.row.date]
    return site.render(
        "trends/page.html", PATH, cards=shown, lead=Markup(lead(some)), structures=len(some),
        models=sum(int(view.row.date[:4]) >= some[0].day.year for view in dated), script=SCRIPT,
        years=(some[0].day.year, some[-1].day.year), is_panels=lambda chart: isinstance(chart, Panels),
    )  # fmt: skip


@lru_cache(32)  # a watching build draws the plots anew that have changed
def picture(chart: Scatter | Panels, says: str) -> Markup:
    """A plot in the page."""
    return svg.picture(chart, says, lambda to: Site.url(to, PATH))


def picture_file(site, plot: Plot) -> str:
    """The picture for download: light, with title and sentence."""
    one = card(site, plot)
    return svg.file(one.chart, plot.title, one.says)


def live_file(site, plot: Plot) -> str:
    """The plot that a reader can zoom."""
    from cutaway.app.trends import live  # Bokeh takes longer to import than a model's pages to be made

    chart = card(site, plot).chart
    assert isinstance(chart, Scatter)
    return live.as_text(chart, plot.key, lambda to: site.url(to, PATH))


def data_file(site, plot: Plot) -> str:
    """A plot's data: a row for each architecture, with the columns that the plot uses."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = ("slug", "title", "date", *plot.columns)
    writer.writerow((*names, "counted_as"))
    for one in found(site):
        writer.writerow((*(dataset.cell(one.row[name]) for name in names), one.kind.words))
    return out.getvalue()
