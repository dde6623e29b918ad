"""The rows that build/new_models.py wrote: models of the Hub that were read and drawn, and that nobody has reviewed.

To review one: compare its drawing with the modelling code, then move its row from machine_drawn.json to models.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Set
from pathlib import Path

from cutaway.gallery.catalog.model_row import CatalogModel

FILE = Path(__file__).with_suffix(".json")
NOTE = "Machine-drawn from the Hub's config.json; not yet reviewed."


def read_rows() -> list[dict]:
    """The file's rows: slug, title, company, date and licence of each."""
    return json.loads(FILE.read_text("utf-8"))


def rows(reviewed: Set[str] = frozenset()) -> tuple[CatalogModel, ...]:
    """The file's rows as the catalogue has them, without those that models.py has by now (slugs in lower case)."""
    return tuple(_row(one) for one in read_rows() if one["slug"].lower() not in reviewed)


def _row(one: dict) -> CatalogModel:
    address = f"https://huggingface.co/{one['slug']}"
    licence_from = address if one["licence"] else None
    more = {"repo": one["slug"], "note": NOTE, "looked_up": address, "licence_from": licence_from, "unreviewed": True}
    return CatalogModel(one["slug"], one["title"], one["company"], one["date"], licence=one["licence"], **more)


def write_rows(found: Iterable[dict]) -> None:
    """Write the file, in the order of the slugs."""
    FILE.write_bytes(as_text(found))


def as_text(found: Iterable[dict]) -> bytes:
    """The file's content."""
    text = json.dumps(sorted(found, key=lambda one: one["slug"].lower()), ensure_ascii=False, indent=1)
    return f"{text}\n".encode()
