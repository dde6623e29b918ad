"""Rows of the catalogue -> what `cutaway list` prints: a table, or JSON with the columns of /data/models.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# the word of --sort -> the column; here without imports, so that the grammar costs nothing
SORTS = {
    "date": "date",
    "title": "title",
    "company": "company",
    "layers": "num_hidden_layers",
    "context": "context_tokens",
    "parameters": "parameters_total",
    "active": "parameters_active",
    "weights": "weights_bytes",
    "cache": "cache_per_token_bytes",
}
HEAD = ("model", "slug", "date", "parameters", "active", "layers", "context", "cache per token")
SHOWN = ("title", "slug", "date", "parameters_total", "parameters_active", "num_hidden_layers", "context_tokens",
         "cache_per_token_bytes")  # fmt: skip
NONE = "No model of the catalogue has all of: {}. Give fewer words, or `cutaway list` for all {:,}."


def listed(words: Sequence[str], sort: str) -> list:
    """The rows that the words name, in order."""
    from cutaway.gallery import listing

    return listing.order(listing.find_rows(words), SORTS[sort])


def listing_lines(rows: Sequence, words: Sequence[str]) -> list[str]:
    """The table, and how many of how many it has."""
    from cutaway.gallery import catalog
    from cutaway.gallery.command.report import printable, table
    from cutaway.gallery.drawing.words import count, size
    from cutaway.gallery.listing import record

    if not rows:
        return [printable(NONE.format(" ".join(words)[:200], len(catalog.KNOWN)))]
    says: dict[str, Callable[[Any], str]] = {name: count for name in SHOWN if name.startswith("parameters")}
    says["cache_per_token_bytes"] = size
    cells = []
    for row in rows:
        found = record(row, SHOWN)
        cells.append(["" if found[name] is None else says.get(name, plain)(found[name]) for name in SHOWN])
    many = f"{len(rows):,} of {len(catalog.KNOWN):,} models"
    return [*table([HEAD, *cells], right=range(3, len(HEAD))), "", many]


def plain(value: object) -> str:
    """A number with its digits in groups; words as they are."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def listing_json(rows: Sequence) -> dict:
    """The same rows with every column."""
    from cutaway.gallery.listing import record

    return {"models": [record(row) for row in rows]}
