"""Rows of /data/models.json -> the architectures that /trends/ counts: each once, at the date of its first release."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from statistics import median
from typing import NamedTuple

from cutaway.app.model.ideas import BY_KEY

FIRST_DAY = date(2023, 1, 1)  # before it the catalogue has single models


class Kind(NamedTuple):
    """A kind of attention or recurrence. A model counts as the first kind of KINDS that one of its mechanisms is of."""

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
    """One architecture: the row of the first model that has it."""

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
    """The architectures of all dated and drawn models since FIRST_DAY, the oldest first."""
    dated = sorted((row for row in rows if row["drawn"] and row["date"]), key=order)
    found: dict[tuple, Structure] = {}
    for row in dated:
        day = date.fromisoformat(f"{row['date']}-01-01"[:10])
        if day >= FIRST_DAY:
            found.setdefault(architecture_key(row), Structure(row, day, mechanisms_of(row), kind_of(row)))
    return list(found.values())


def order(row: dict) -> tuple:
    """Sort key: the oldest first; of one day, the original before its variants."""
    return row["date"], bool(row["variant_of"]), row["slug"]


def architecture_key(row: dict) -> tuple:
    """Sizes and mechanisms: equal for models of one architecture, however their weights are stored."""
    sizes = ("num_hidden_layers", "hidden_size", "made_of", "parameters_total", "parameters_mtp")
    return (*(row[name] for name in sizes), mechanisms_of(row))


def mechanisms_of(row: dict) -> frozenset[str]:
    """A model's mechanisms, without its weight formats."""
    return frozenset(key for key in row["mechanisms"] if BY_KEY[key].part != "stored")


def kind_of(row: dict) -> Kind:
    mechanisms = mechanisms_of(row)
    return next(kind for kind in KINDS if kind.mechanisms & mechanisms or not kind.mechanisms)


# ---------------------------------------------------------------- spans of time and their medians


class Span(NamedTuple):
    """A year, a half-year or a quarter: [start, end)."""

    start: date
    end: date


def spans(months: int, first: date, last: date) -> list[Span]:
    """All spans of this many months, from the one that `first` is in to the one that `last` is in."""
    at = first.year * 12 + (first.month - 1) // months * months
    out = []
    while first_day(at) <= last:
        out.append(Span(first_day(at), first_day(at + months)))
        at += months
    return out


def first_day(month: int) -> date:
    """The first day of a month; months are counted from January of year 0."""
    return date(month // 12, month % 12 + 1, 1)


def within(found: Iterable[Structure], span: Span) -> list[Structure]:
    return [one for one in found if span.start <= one.day < span.end]


def in_year(found: Iterable[Structure], year: int) -> list[Structure]:
    return [one for one in found if one.day.year == year]


def median_of(found: Iterable[Structure], value: Callable[[Structure], float]) -> float:
    """The median of a value over architectures; StatisticsError if there are none."""
    return median(value(one) for one in found)
