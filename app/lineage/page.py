"""The catalogue by date -> /lineage/: each model connected to its closest earlier model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import cache

from cutaway.app.lineage import entries
from cutaway.app.lineage.layout import Plan, laid_out
from cutaway.app.lineage.svg import svg
from cutaway.app.site.pages import Page
from cutaway.gallery import comparing
from cutaway.gallery.comparing.entries import say_closeness

NAV = (30, "Lineage", "/lineage/")
SEARCH = ("/lineage/", "Lineage of architectures", ("lineage", "family tree", "history"))


def pages(site) -> Iterator[Page]:
    yield Page("/lineage/", lambda: page(site), follows=lambda: shows(site))


def shows(site) -> tuple[object, ...]:
    """All that the page says of the catalogue."""
    known = comparing.catalogue_lineage()
    undated = [(row.slug, row.title) for row in entries.undated(site.rows, known)]
    return entries.shown(known), entries.drawn(known), undated


@cache
def plan() -> Plan:
    """Where every drawn structure stands; worked out once."""
    return laid_out(entries.drawn(comparing.catalogue_lineage()))


def page(site) -> str:
    """The drawing, and the same as a list, the newest first."""
    drawn, found = [spot.one for spot in plan().spots], entries.shown(comparing.catalogue_lineage())
    models = sum(1 + len(one.clones) for one in found)
    shown = sum(1 + len(one.clones) for one in drawn)
    says = f"{shown} models by date, each connected to its closest earlier model, as in the list below"
    return site.render(
        "lineage/page.html",
        "/lineage/",
        drawing=svg(plan(), lambda target: site.url(target, "/lineage/"), says),
        rows=sorted(found, key=lambda one: one.date, reverse=True),
        models=models,
        closeness=say_closeness(),
        left_out=len(found) - len(drawn),
        lanes=entries.LANES,
        undated=[site.view(row.slug) for row in entries.undated(site.rows, comparing.catalogue_lineage())],
        months=months(drawn),
        compare="/compare/" in {target for _, target in site.nav},
    )


def months(found: list[entries.Shown]) -> list[tuple[str, int]]:
    """("2023-07", how many) of every month from the first that is drawn to the last."""
    counts = Counter(max(date.fromordinal(one.day), date.fromordinal(plan().first)).isoformat()[:7] for one in found)
    year, month = divmod(date.fromordinal(plan().first).year * 12 + date.fromordinal(plan().first).month - 1, 12)
    out = []
    while f"{year}-{month + 1:02}" <= max(counts):
        out.append((f"{year}-{month + 1:02}", counts[f"{year}-{month + 1:02}"]))
        year, month = divmod(year * 12 + month + 1, 12)
    return out
