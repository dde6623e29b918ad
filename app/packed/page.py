"""The catalogue's rows beyond those that have pages -> packs of their configs, and lists of them, as files.

/data/packed/configs-<n>.json   {slug: its row, its origin and its config's text} of about SHARD models: those whose
                                slug has the hash n, modulo the number of packs. One of them is fetched for an address
                                /models/<slug>/ that has no file; find-packed.js counts the same hash.
/data/packed/rows-<n>.json      [slug, title, company, date, parameters] of PAGE models, the newest first: /models/
                                pages through them
/data/packed/names.json         [slug, title, company] of all: the search fetches it when a word is typed
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from cutaway import gallery
from cutaway.app.site.pages import Page
from cutaway.explainers import fmt
from cutaway.gallery import catalog
from cutaway.gallery.catalog import CatalogModel

FOLDER = "/data/packed/"
SHARD = 64  # models of a pack of configs, on average: 12 KB as a host sends it
PAGE = 100  # rows of a list
NAMES = f"{FOLDER}names.json"
JSON = "application/json"


def pages(site) -> Iterator[Page]:
    """The packs and the lists; none while every model has a page."""
    for number, rows in enumerate(listed()):
        yield Page(f"{FOLDER}rows-{number}.json", partial(as_rows, rows), JSON)
    for number, rows in sharded().items():
        yield Page(f"{FOLDER}configs-{number}.json", partial(as_configs, rows), JSON)
    if catalog.PACKED:
        yield Page(NAMES, as_names, JSON)


def counts() -> dict[str, int]:
    """For scripts: how many models are packed, in how many packs and lists; how many are not."""
    lists = -(-len(catalog.PACKED) // PAGE)
    drawn = sum(row.snapshot is not None for row in catalog.MODELS)
    return {"models": len(catalog.PACKED), "packs": packs(), "lists": lists, "rendered": drawn}


def packs() -> int:
    """The number of packs: a power of two, so that it seldom changes."""
    return 1 << max(0, (len(catalog.PACKED) // SHARD - 1).bit_length()) if catalog.PACKED else 0


def hashed(slug: str) -> int:
    """FNV-1a of a slug in lower case, 32 bits."""
    value = 0x811C9DC5
    for byte in slug.lower().encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def address(site, slug: str) -> str:
    """Where a packed model is drawn: at a model's address if the host's 404 page finds its scripts from there."""
    return f"/models/{slug}/" if site.base or site.live else f"/your-model/?m={slug}"


def slug_at(path: str) -> str:
    """The packed model that an address of a page means, or ""."""
    row = catalog.find(path.removeprefix("/models/").rstrip("/")) if path.startswith("/models/") else None
    return row.slug if row and row in catalog.PACKED else ""


def sharded() -> dict[int, list[CatalogModel]]:
    """Number of a pack -> its rows; an empty pack has a file, too."""
    found: dict[int, list[CatalogModel]] = {number: [] for number in range(packs())}
    for row in catalog.PACKED:
        found[hashed(row.slug) % packs()].append(row)
    return found


def listed() -> list[list[CatalogModel]]:
    """The packed rows, the newest first, a list at a time."""
    rows = sorted(catalog.PACKED, key=lambda row: row.date or "", reverse=True)
    return [rows[at : at + PAGE] for at in range(0, len(rows), PAGE)]


def paths_of(slug: str) -> set[str]:
    """The files that hold a packed model."""
    (at,) = (number for number, rows in enumerate(listed()) if any(row.slug == slug for row in rows))
    return {f"{FOLDER}configs-{hashed(slug) % packs()}.json", f"{FOLDER}rows-{at}.json"}


def as_configs(rows: list[CatalogModel]) -> str:
    """A pack. The config is text in it: JavaScript would write 10000.0 as 10000, which reads as another type."""
    return plain({row.slug: entry(row) for row in rows})


def entry(row: CatalogModel) -> dict[str, Any]:
    """A packed model as its page shows it."""
    marks = {"machine-drawn, unreviewed": row.unreviewed, "reconstructed": row.reconstructed}
    told = {"title": row.title, "company": row.company, "date": row.date, "licence": row.licence, "repo": row.repo}
    text = json.dumps(catalog.load(row.slug), separators=(",", ":"))
    marked = [mark for mark, is_so in marks.items() if is_so]
    return {**told, "origin": catalog.provenance(row.slug), "marks": marked, "config": text}


def as_rows(rows: list[CatalogModel]) -> str:
    """A list of packed models, as JSON."""
    return plain([[row.slug, row.title, row.company, row.date or "", parameters(row)] for row in rows])


def as_names() -> str:
    """The names that the search reads, as JSON."""
    return plain([[row.slug, row.title, row.company] for rows in listed() for row in rows])


def parameters(row: CatalogModel) -> str:
    """How many a model has, in a word; "" where its config cannot be read. Nothing of it is kept."""
    try:
        return fmt.count(gallery.parameters(gallery.read(catalog.load(row.slug))).total)
    except gallery.ConfigError:
        return ""


def plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
