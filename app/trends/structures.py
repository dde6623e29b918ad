"""Rows of /data/models.json -> the structures that /trends/ counts: each once, at the date of its first release."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from statistics import median
from typing import NamedTuple

from cutaway.app.model.ideas import BY_KEY

FIRST_DAY = date(2023, 1, 1)  # before it the catalogue has single models


class Kind(NamedTuple):
    """One kind of sequence mixing: a structure is of the first kind of KINDS that it has a mechanism of."""

    key: str
    words: str
    role: str  # its colour in tokens.css
    mechanisms: frozenset[str]


KINDS = (
    Kind("ssm", "state space", "ssm", frozenset({"mamba1", "mamba2", "rg-lru", "mlstm", "rwkv4", "rwkv7"})),
    Kind("linear", "linear", "linear", frozenset({"gated-deltanet", "kda", "lightning", "one-matrix", "short-conv"})),
    Kind("sparse", "sparse", "sparse", frozenset({"sparse", "csa", "hca", "dsa", "block-indexer", "pooled-indexer"})),
    Kind("latent", "latent", "latent", frozenset({"mla"})),
    Kind("window", "windows", "window", frozenset({"window", "window-mix", "chunks"})),
    Kind("full", "full", "full", frozenset()),
)


class Structure(NamedTuple):
    """One structure: the row of the first model that was built so."""

    row: dict
    day: date
    mechanisms: frozenset[str]
    kind: Kind

    @property
    def title(self) -> str:
        return self.row["title"]

    @property
    def is_moe(self) -> bool:
        return "moe" in self.mechanisms

    @property
    def size(self) -> int:
        return self.row["parameters_total"]


def structures(rows: Iterable[dict]) -> list[Structure]:
    """The structures of all dated and drawn models since FIRST_DAY, the oldest first."""
    dated = sorted((row for row in rows if row["drawn"] and row["date"]), key=order)
    found: dict[tuple, Structure] = {}
    for row in dated:
        day = date.fromisoformat(f"{row['date']}-01-01"[:10])
        if day >= FIRST_DAY:
            found.setdefault(built_so(row), Structure(row, day, built_with(row), kind_of(row)))
    return list(found.values())


def order(row: dict) -> tuple:
    """The oldest first; of one day the original before its variants."""
    return row["date"], bool(row["variant_of"]), row["slug"]


def built_so(row: dict) -> tuple:
    """Equal for models of one structure, however their weights are stored."""
    sizes = ("num_hidden_layers", "hidden_size", "made_of", "parameters_total", "parameters_mtp")
    return (*(row[name] for name in sizes), built_with(row))


def built_with(row: dict) -> frozenset[str]:
    """A model's mechanisms without those of how its weights are stored."""
    return frozenset(key for key in row["mechanisms"] if BY_KEY[key].part != "stored")


def kind_of(row: dict) -> Kind:
    mechanisms = built_with(row)
    return next(kind for kind in KINDS if kind.mechanisms & mechanisms or not kind.mechanisms)


# ---------------------------------------------------------------- spans of time and their medians


class Span(NamedTuple):
    """A year, a half-year or a quarter: [start, end)."""

    start: date
    end: date


def spans(months: int, first: date, last: date) -> list[Span]:
    """Spans of so many months from the one of `first` to the one of `last`."""
    at = first.year * 12 + (first.month - 1) // months * months
    out = []
    while starts(at) <= last:
        out.append(Span(starts(at), starts(at + months)))
        at += months
    return out


def starts(month: int) -> date:
    """The first day of a month that is counted from year 0."""
    return date(month // 12, month % 12 + 1, 1)


def within(found: Iterable[Structure], span: Span) -> list[Structure]:
    return [one for one in found if span.start <= one.day < span.end]


def in_year(found: Iterable[Structure], year: int) -> list[Structure]:
    return [one for one in found if one.day.year == year]


def median_of(found: Iterable[Structure], value: Callable[[Structure], float]) -> float:
    """The median of a value over structures; there must be one."""
    return median(value(one) for one in found)
