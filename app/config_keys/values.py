"""The catalogue's configs -> for every key which models have it, in which spelling, and with which values.

Variants, which mostly repeat the config of the model that they are made from, are left out.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median_low
from typing import NamedTuple, TypeGuard

from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import ModelView
from cutaway.gallery import catalog
from cutaway.gallery.reading.keys import SPELLINGS, UNITS
from cutaway.gallery.reading.read import facts_of

LONG = 80  # letters of a value that are shown
FEW = 6  # entries of a list that are shown as they are
SORTS = 4  # different entries of a list that are counted one by one


class Written(NamedTuple):
    """A key in the config of one model."""

    title: str
    path: str
    spelling: str
    value: object
    text: str  # the value as it is shown


class Value(NamedTuple):
    """A value, as it is shown, and the models that have it."""

    text: str
    models: tuple[Written, ...]


class Figure(NamedTuple):
    """The smallest value, the one in the middle or the largest, and the first model that has it."""

    words: str
    text: str
    model: Written


@dataclass(frozen=True, slots=True)
class Values:
    """What the catalogue has of one key."""

    written: tuple[Written, ...]  # the newest model first
    values: tuple[Value, ...]  # the commonest first
    figures: tuple[Figure, ...]  # of numbers that differ
    spellings: Mapping[str, int]  # as configs write it -> how many do


NONE = Values((), (), (), {})


@once_for_each
def models(site) -> list[catalog.CatalogModel]:
    """The models that are counted: drawn, and no variant; the newest first."""
    rows = [row for row in site.rows if row.snapshot and not row.variant_of]
    return sorted(rows, key=lambda row: row.date or "", reverse=True)


@once_for_each
def all_values(site) -> dict[str, Values]:
    """Name of a key -> its values."""
    found: dict[str, list[Written]] = {}
    for row in models(site):
        for name, one in written(site.view(row.slug)):
            found.setdefault(name, []).append(one)
    return {name: counted(rows) for name, rows in found.items()}


@once_for_each
def written(view: ModelView) -> list[tuple[str, Written]]:
    """(key, how it is written) of all that the config of a model has."""
    row, config = view.row, catalog.load(view.slug)
    return [
        (name, Written(row.title, f"/models/{row.slug}/", spelling, value, shown(value)))
        for name, spelling, value in said(config)
    ]


def said(config: Mapping) -> list[tuple[str, str, object]]:
    """(key, as it is spelled, value) of all that a config has; a family's own word for a key counts as that key."""
    facts = facts_of(config)
    known = {name: (facts.word_for(name), value) for name, value in facts.said()}
    for name in (known.keys() - UNITS.keys()) & SPELLINGS.keys():
        known.setdefault(SPELLINGS[name][0], known[name])
    return [(name, *one) for name, one in known.items() if name in UNITS]


def counted(written: list[Written]) -> Values:
    """The models of a key by value, the commonest value first; of equal ones, the one with the newest model."""
    by_text: dict[str, list[Written]] = {}
    for one in written:
        by_text.setdefault(one.text, []).append(one)
    values = sorted((Value(text, tuple(rows)) for text, rows in by_text.items()), key=lambda one: -len(one.models))
    spellings = Counter(one.spelling for one in written)
    return Values(tuple(written), tuple(values), figures(written), dict(spellings.most_common()))


def figures(written: list[Written]) -> tuple[Figure, ...]:
    """Smallest, median and largest of the numbers; none where they do not differ."""
    numbers = [(one.value, one) for one in written if is_number(one.value)]
    found = sorted(number for number, _ in numbers)
    if not found or found[0] == found[-1]:
        return ()
    wanted = {"smallest": found[0], "median": median_low(found), "largest": found[-1]}
    return tuple(
        Figure(words, shown(number), next(one for value, one in numbers if value == number))
        for words, number in wanted.items()
    )


def is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def shown(value: object) -> str:
    """A value in a few letters, as JSON has it but with separators in large numbers; long lists are counted."""
    if isinstance(value, float) and math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, list) and len(value) > FEW:
        return cut(f"{len(value)} entries{entries(value)}")
    return cut(json.dumps(value, ensure_ascii=False))


def entries(values: list) -> str:
    """What stands in a long list: its few different entries with their counts, or its numbers' range."""
    sorts = Counter(map(shown, values))
    if len(sorts) <= SORTS:
        return ": " + ", ".join(f"{text}\u00a0×\u00a0{count}" for text, count in sorts.most_common())
    if all(map(is_number, values)):
        return f" from {shown(min(values))} to {shown(max(values))}"
    return f": {', '.join(map(shown, values[:SORTS]))} …"


def cut(text: str) -> str:
    return text if len(text) <= LONG else text[: LONG - 1] + "…"
