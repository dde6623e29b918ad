"""/data/: the catalogue for programs, as JSON and as CSV, and the page that documents both."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.app.data import dataset
from cutaway.app.site.pages import Page

SEARCH = ("/data/", "The catalogue as data", ("data", "CSV", "JSON", "dataset", "download"))


def pages(site) -> Iterator[Page]:
    yield Page("/data/", lambda: page(site))
    yield Page("/data/models.json", lambda: dataset.as_json(site), "application/json")
    yield Page("/data/models.csv", lambda: dataset.as_csv(site), "text/csv")


def page(site) -> str:
    """What there is, and what each column means."""
    drawn = [row for row in site.rows if row.snapshot]
    shown = next(view for view in site.views if view.slug == SHOWN)
    example = {"shown": shown, "example": dataset.record(shown)}
    return site.render(
        "data/page.html", "/data/", fields=dataset.FIELDS, rows=len(site.rows), drawn=len(drawn), **example
    )


SHOWN = "Qwen/Qwen3-Next-80B-A3B-Instruct"
