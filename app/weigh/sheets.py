"""A site's catalogued models -> their growth sheets."""

from __future__ import annotations

import json

from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import ModelView
from cutaway.gallery.counting import cache_growth

ALL = "/data/weigh.json"


def sheet_of(site, slug: str) -> cache_growth.Sheet:
    """A catalogued model's growth sheet."""
    return growth(site.view(slug))


@once_for_each
def growth(view: ModelView) -> cache_growth.Sheet:
    """A model's growth sheet."""
    return cache_growth.growth_sheet(view.spec)


def everyone(site) -> str:
    """/data/weigh.json: {slug: [title, sheet]} of every drawn model, the newest first."""
    views = sorted((view for view in site.views if view.spec), key=lambda one: one.row.date or "", reverse=True)
    return as_text({view.slug: [view.title, sheet_of(site, view.slug)] for view in views})


def as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
