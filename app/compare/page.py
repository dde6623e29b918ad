"""The catalogue -> /compare/: one page, a file per drawn model, and the list that its boxes choose from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cutaway.app.compare import model_file
from cutaway.app.site.pages import Page
from cutaway.gallery import catalog
from cutaway.gallery.comparing import differences
from cutaway.gallery.comparing.attribution import HEADS

NAV = (20, "Compare", "/compare/")
SEARCH = ("/compare/", "Compare models", ("compare", "diff", "versus"))


def pages(site) -> Iterator[Page]:
    yield Page("/compare/", lambda: page(site))
    yield Page("/data/compare/models.json", lambda: model_file.written(models(site)), "application/json")
    for row in site.rows:
        if row.snapshot:
            yield Page(
                f"/data/compare/{row.slug}.json",
                partial(model_text, site, row.slug),
                "application/json",
                model=row.slug,
            )


def model_text(site, slug: str) -> str:
    """The file of one model."""
    return model_file.written(model_file.Compared.listed(site.view(slug)).file())


def models(site) -> list[list]:
    """[slug, title, company, date, drawn] of every row, as the boxes offer them; packings after what they pack."""
    rows = sorted(site.rows, key=lambda row: (bool(row.variant_of), row.title.lower()))
    return [[row.slug, row.title, row.company, row.date or "", bool(row.snapshot)] for row in rows]


def page(site) -> str:
    """The pair that a first visit shows, whole, so that it can be read without a script."""
    a, b = (site.view(slug) for slug in model_file.DEFAULT)
    found = differences.compare_specs(a.spec, b.spec)
    return site.render(
        "compare/page.html",
        "/compare/",
        a=a,
        b=b,
        verdict=differences.verdict(a.spec, b.spec, (a.title, b.title), found),
        figures=differences.figures(a.spec, b.spec),
        found=found,
        parts=[(part, words, [row for row in found.rows if row.part == part]) for part, words in HEADS.items()],
        suggested=[[catalog.BY_SLUG[slug] for slug in pair] for pair in model_file.SUGGESTED],
    )
