"""A row of the catalogue -> one record: who made it, and what follows from its config.

The columns are called as in /data/models.json; every number has its unit in its name. None: not known, or not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from cutaway.gallery import catalog
from cutaway.gallery.catalog.model_row import CatalogModel
from cutaway.gallery.comparing.mechanisms import BY_KEY, mechanisms
from cutaway.gallery.counting.memory import memory
from cutaway.gallery.counting.parameters import parameters
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.spec import ConfigError, ModelSpec

ROW = ("slug", "title", "company", "date", "licence", "repo", "revision", "report", "variant_of")
SPEC = ("model_type", "num_hidden_layers", "hidden_size", "vocab_size")
OF_SPEC: dict[str, Callable[[ModelSpec], Any]] = {
    **{name: attrgetter(name) for name in SPEC},
    "context_tokens": lambda spec: spec.max_position_embeddings,
    "parameters_total": lambda spec: parameters(spec).total,
    "parameters_active": lambda spec: parameters(spec).active,
    "weights_bytes": stored_bytes,
    "cache_per_token_bytes": lambda spec: memory(spec, 0).per_token_bytes,
    "cache_fixed_bytes": lambda spec: memory(spec, 0).fixed_bytes,
    "cache_at_131072_tokens_bytes": lambda spec: memory(spec, 131_072).total_bytes,
    "mechanisms": lambda spec: list(mechanisms(spec)),
}
COLUMNS = (*ROW, "drawn", *OF_SPEC)


def spec_of(row: CatalogModel) -> ModelSpec | None:
    """The spec of a row; None where it has no facts, or these cannot be read."""
    try:
        return catalog.spec(row.slug) if row.snapshot else None
    except ConfigError:
        return None


def record(row: CatalogModel, columns: Iterable[str] = COLUMNS) -> dict[str, Any]:
    """These columns of a row."""
    spec = spec_of(row)
    return {name: value(row, spec, name) for name in columns}


def value(row: CatalogModel, spec: ModelSpec | None, column: str) -> Any:
    """One cell."""
    if column == "drawn":
        return spec is not None
    if column in ROW:
        return getattr(row, column)
    found = None if spec is None else OF_SPEC[column](spec)
    return None if found == "" else found


# ---------------------------------------------------------------- which


def find_rows(words: Sequence[str] = ()) -> list[CatalogModel]:
    """The rows of the catalogue that all the words name: each begins a word of the model's name, its company, its date
    or a mechanism's names."""
    if any(typed.strip() and not plain(typed) for typed in words):  # signs alone name nothing
        return []
    asked = [word for typed in words for word in plain(typed).split()]
    return [row for row in catalog.KNOWN if all(f" {word}" in haystack(row.slug) for word in asked)]


def plain(text: str) -> str:
    """Letters and digits in lower case, words apart: "QK-norm" and "qk norm" are one."""
    return " ".join(re.findall(r"[\w.]+", text.lower()))


@cache
def haystack(slug: str) -> str:
    """All by which a model is found, with a space before each word."""
    row = catalog.BY_SLUG[slug]
    spec = spec_of(row)
    told = [row.slug, row.title, row.company, row.date or "", row.decoder or ""]
    if spec:
        told.append(spec.model_type)
        for one in map(BY_KEY.__getitem__, mechanisms(spec)):
            told += [one.key, one.short, one.word, *one.also]
    return " " + plain(" ".join(told))


NUMBERS = frozenset(name for name in OF_SPEC if name not in ("model_type", "mechanisms"))


def order(rows: Iterable[CatalogModel], column: str) -> list[CatalogModel]:
    """Rows by a column: numbers and dates with the largest and latest first, words from a to z; unknown ones last."""
    known: list[tuple[Any, CatalogModel]] = []
    unknown: list[CatalogModel] = []
    for row in rows:
        cell = value(row, spec_of(row), column)
        if cell is None:
            unknown.append(row)
        else:
            known.append((cell.lower() if isinstance(cell, str) else cell, row))
    known.sort(key=lambda pair: pair[0], reverse=column in NUMBERS or column == "date")
    return [*(row for _, row in known), *unknown]
