"""The catalogue: slug -> row, snapshot, config, spec. The rows are in models.py, the facts in configs/.

from gallery import catalog, read
row = catalog.find("deepseek-ai/DeepSeek-V3")
spec = read(catalog.load(row.slug))
"""

from __future__ import annotations

from gallery.catalog import snapshot
from gallery.catalog.models import FURTHER, GALLERY, CatalogModel

MODELS: tuple[CatalogModel, ...] = GALLERY + FURTHER
BY_SLUG = {row.slug: row for row in MODELS}
_BY_LOWER = {row.slug.lower(): row for row in MODELS}


def find(slug: str) -> CatalogModel | None:
    """The row of a slug, whatever its case."""
    return BY_SLUG.get(slug) or _BY_LOWER.get(slug.lower())


def drawn() -> list[CatalogModel]:
    """The rows that have facts to draw."""
    return [row for row in MODELS if row.snapshot]


def load(slug: str) -> dict:
    """The config of a catalogued model, from its snapshot; KeyError for a slug without one."""
    row = find(slug)
    if row is None or row.snapshot is None:
        raise KeyError(row.missing if row else f"No model of the catalogue is called {slug!r}.")
    return snapshot.from_snapshot(snapshot.stored(row.config_of or row.slug))


def variants(slug: str) -> list[CatalogModel]:
    """Packings and trainings of a model."""
    return [row for row in MODELS if row.variant_of == slug]


def provenance(slug: str) -> str:
    """One sentence on where a model's facts are from."""
    row = find(slug)
    if row is None or not row.source:
        return str(row.missing) if row else f"No model of the catalogue is called {slug!r}."
    about = row.source
    revision = f"revision {about['revision'][:12]}" if about["revision"] else "revision not known"
    how = about.get("how") or snapshot.KINDS[about["kind"]]
    lent = f" This is the config of {row.config_of}." if row.config_of else ""
    return f"Snapshot of {about['read']}, {revision}: {how}.{lent}"
