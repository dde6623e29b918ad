"""The catalogue: slug -> row, snapshot, config, spec. The rows are in models.py, reference_models.py,
ancestors.py and newcomers.py, the facts in configs/.

from cutaway.gallery import catalog
row = catalog.find("deepseek-ai/DeepSeek-V3")
spec = catalog.spec(row.slug)  # read(catalog.load(row.slug)), once for all who ask
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from cutaway.gallery.catalog import machine_drawn, snapshot
from cutaway.gallery.catalog.ancestors import ANCESTORS
from cutaway.gallery.catalog.model_row import CatalogModel
from cutaway.gallery.catalog.models import FURTHER
from cutaway.gallery.catalog.newcomers import NEWCOMERS
from cutaway.gallery.catalog.reference_models import GALLERY

if TYPE_CHECKING:
    from cutaway.gallery.spec import ModelSpec

REVIEWED = GALLERY + FURTHER + ANCESTORS + NEWCOMERS
KNOWN: tuple[CatalogModel, ...] = REVIEWED + machine_drawn.rows({row.slug.lower() for row in REVIEWED})
RENDERED = 1000  # drawn models that have pages of their own
MODELS: tuple[CatalogModel, ...]  # those, and the rows that nobody can draw: all that pages and lists are about
PACKED: tuple[CatalogModel, ...]  # every further row: its config is in a pack, and a reader's browser draws it
LISTED = 250  # models that an explainer offers
BY_SLUG = {row.slug: row for row in KNOWN}
_BY_LOWER = {row.slug.lower(): row for row in KNOWN}


def render_first(count: int = RENDERED) -> None:
    """Let the first so many drawn rows, in the catalogue's order, have pages; every further drawn row is packed."""
    global MODELS, PACKED
    rendered = set([row.slug for row in KNOWN if row.snapshot][:count])
    MODELS = tuple(row for row in KNOWN if row.slug in rendered or not row.snapshot)
    PACKED = tuple(row for row in KNOWN if row.slug not in rendered and row.snapshot)
    for known in (twins, _offered, listed_slugs):
        known.cache_clear()


def find(slug: str) -> CatalogModel | None:
    """The row of a slug, whatever its case."""
    return BY_SLUG.get(slug) or _BY_LOWER.get(slug.lower())


def drawable_rows() -> list[CatalogModel]:
    """The first RENDERED rows that have facts to draw: what explainers and commands offer, whatever has a page."""
    return list(_offered())


@cache
def _offered() -> tuple[CatalogModel, ...]:
    return tuple([row for row in KNOWN if row.snapshot][:RENDERED])


def gallery_rows() -> list[CatalogModel]:
    """The drawn rows that a page with all of them in one file takes in: the first LISTED."""
    return drawable_rows()[:LISTED]


@cache
def listed_slugs() -> frozenset[str]:
    """The slugs of gallery_rows()."""
    return frozenset(row.slug for row in gallery_rows())


def bases_by_date() -> list[CatalogModel]:
    """The drawn rows with pages but variants, the oldest first; those without a date come last."""
    return sorted(
        (row for row in MODELS if row.snapshot and not row.variant_of), key=lambda row: (row.date or "9", row.slug)
    )


def load(slug: str) -> dict:
    """The config of a catalogued model, from its snapshot; KeyError for a slug without one."""
    return snapshot.from_snapshot(snapshot.read_stored(_snapshot_slug(slug)))


def spec(slug: str) -> ModelSpec:
    """A catalogued model, read from its snapshot once a process; KeyError for a slug without one."""
    return _spec(_snapshot_slug(slug))


def _snapshot_slug(slug: str) -> str:
    """The slug whose snapshot stands for a model."""
    row = find(slug)
    if row is None or row.snapshot is None:
        raise KeyError(row.missing if row else f"No model of the catalogue is called {slug!r}.")
    return row.config_of or row.slug


_SPECS: dict[str, ModelSpec] = {}


def _spec(slug: str) -> ModelSpec:
    from cutaway.gallery.reading.read import read

    if slug not in _SPECS:
        found = snapshot.read_stored(slug)
        _SPECS[slug] = replace(read(snapshot.from_snapshot(found)), assumed=tuple(found.get("lacks", ())))
    return _SPECS[slug]


def renew(slug: str) -> None:
    """Let a model's snapshot be read again: it has changed."""
    snapshot.forget()
    _SPECS.pop(slug, None)


def variants(slug: str) -> list[CatalogModel]:
    """Packings and trainings of a model."""
    return twins().get(slug, [])


@cache
def twins() -> dict[str, list[CatalogModel]]:
    """Slug of a model -> its packings and trainings."""
    found: dict[str, list[CatalogModel]] = {}
    for row in MODELS:
        if row.variant_of:
            found.setdefault(row.variant_of, []).append(row)
    return found


def provenance(slug: str) -> str:
    """One sentence on where a model's facts are from."""
    row = find(slug)
    if row is None or not row.source:
        return str(row.missing) if row else f"No model of the catalogue is called {slug!r}."
    about = row.source
    revision = f"revision {about['revision'][:12]}" if about["revision"] else "revision unknown"
    how = about.get("how") or snapshot.KINDS[about["kind"]]
    by = row.looked_up or row.report
    lent = f" The config is that of {row.config_of}{f', according to {by}' if by else ''}." if row.config_of else ""
    return f"Snapshot of {about['read']}, {revision}: {how}.{lent}"


render_first()
