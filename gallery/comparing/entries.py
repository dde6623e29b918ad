"""Rows of a catalogue -> entries that can be placed among others, and what a place among them is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date as calendar_date
from functools import cached_property
from typing import Any

from cutaway.gallery.comparing.facts import Facts, facts
from cutaway.gallery.comparing.mechanisms import MECHANISMS, mechanisms

FOUNDER = 0.25  # a share below: too far apart to be superposed, a dotted line in the lineage
EVEN = 9  # digits of a share that count as a tie
FACTORS = tuple(0.0 if not row.near else 2.0 if row.part == "mixer" else 1.0 for row in MECHANISMS)


@dataclass(frozen=True, slots=True)
class Entry:
    """One model as far as its relatives are concerned."""

    slug: str  # its page
    title: str
    company: str
    date: str  # ISO
    mechanisms: tuple[str, ...]  # keys, in the order of MECHANISMS
    facts: Facts = frozenset()  # (field, value) of everything structural: ties and near-clones
    stands_for: str = ""  # the base that is not drawn: title and date are the base's
    spec: Any = field(default=None, compare=False, repr=False)
    after: tuple[str, str] = ("", "")  # (title, date) of a training of it that came out before it (V3.2-Exp)
    # log2 of width² · layers: how large a model is drawn; 0 where nobody has read it
    size: float = field(init=False, default=0.0, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.spec:
            size = 2 * math.log2(self.spec.hidden_size) + math.log2(len(self.spec.layers))
            object.__setattr__(self, "size", size)

    @property
    def encoders(self) -> bool:
        """Whether it takes in more than text."""
        return bool(self.spec and self.spec.towers)


HOUSE, DOUBLING, YEAR = 0.15, 0.025, 0.05  # of a share: the same house; twice the size; a year between
ENCODER_ADDED, ENCODER_DROPPED = 0.01, 0.04  # for images or sound: the later one has it alone; the earlier one has
MOST_APART = 5  # doublings, and years, beyond which nothing more is taken off


def closeness(share: float, one: Entry, other: Entry) -> float:
    """How near two models are: what they share, more in one house, less what is apart in size, date and inputs."""
    doublings = min(abs(one.size - other.size), MOST_APART) if one.size and other.size else 0.0
    years = min(years_between(one.date, other.date), MOST_APART)
    house = HOUSE if one.company and one.company == other.company else 0.0
    return round(share + house - DOUBLING * doublings - YEAR * years - _inputs(one, other), EVEN)


def _inputs(one: Entry, other: Entry) -> float:
    """What an encoder that one of both has alone takes off: text models get encoders more often than they lose them."""
    if one.encoders == other.encoders:
        return 0.0
    later = other if one.date and other.date > one.date else one
    return ENCODER_ADDED if later.encoders else ENCODER_DROPPED


def say_closeness() -> str:
    """What is counted beside a share, in points: as the pages say it."""
    counted = (HOUSE, DOUBLING, YEAR, ENCODER_ADDED, ENCODER_DROPPED)
    house, doubling, year, added, dropped = (f"{100 * one:g}" for one in counted)
    return (
        f"{house} points more for the same company, {doubling} fewer for each doubling between their sizes "
        f"(width² × layers), {year} fewer for each year between them, {added} fewer where only the later one has an "
        f"encoder for images or sound, and {dropped} fewer where only the earlier one has"
    )


def years_between(one: str, other: str) -> float:
    """Years between two ISO dates; 0 where one is not known."""
    return (
        abs((calendar_date.fromisoformat(one) - calendar_date.fromisoformat(other)).days) / 365.25
        if one and other
        else 0.0
    )


@dataclass(frozen=True, slots=True)
class Link:
    """A model and one of its relatives."""

    slug: str  # the relative
    title: str
    company: str
    date: str
    share: float  # 0 to 1: weight of what both have / of what either has
    gained: tuple[str, ...]  # mechanisms that the later of both has alone
    lost: tuple[str, ...]
    same_company: bool

    @property
    def apart(self) -> int:
        """Mechanisms that one of both lacks."""
        return len(self.gained) + len(self.lost)

    @property
    def words(self) -> str:
        """5 differences; same mechanisms."""
        if not self.apart:
            return "same mechanisms"
        return f"{self.apart} difference{'s' if self.apart > 1 else ''}"

    @property
    def founder(self) -> bool:
        """Whether the later of both is too far from the earlier to be called its child."""
        return self.share < FOUNDER


@dataclass
class Structure:
    """Near-clones by date, the head first. Its relative and what is new in it are looked up when they are asked for."""

    head: Entry
    order: int
    mask: int
    members: list[Entry]
    find_parent: Callable[[str], Link | None] = field(repr=False, compare=False)
    find_new: Callable[[Entry], tuple[str, ...]] = field(repr=False, compare=False)

    @cached_property
    def parent(self) -> Link | None:
        """The nearest earlier structure."""
        return self.find_parent(self.head.slug)

    @cached_property
    def new(self) -> tuple[str, ...]:
        """Mechanisms that no earlier structure has: first here."""
        return self.find_new(self.head)


@dataclass(frozen=True, slots=True)
class Step:
    """One ancestor: what it added that the model still has."""

    slug: str
    title: str
    date: str
    added: tuple[str, ...]
    share: float  # with the ancestor before it; 1.0 for the root


class Weights:
    """What each mechanism weighs where n structures are known: rare says more than common."""

    def __init__(self, known: int, counts: list[int]) -> None:
        self.of = [by * (1 + math.log2((known + 1) / (count + 1))) for by, count in zip(FACTORS, counts, strict=True)]
        self._sums: dict[int, float] = {}
        self._ranked: dict[tuple[int, tuple[int, ...]], tuple[tuple[float, tuple[int, ...]], ...]] = {}

    def sum(self, mask: int) -> float:
        """The weight of a set."""
        found = self._sums.get(mask)
        if found is None:
            found, left = 0.0, mask
            while left:
                low = left & -left
                found += self.of[low.bit_length() - 1]
                left ^= low
            self._sums[mask] = found
        return found

    def share(self, a: int, b: int) -> float:
        """Weight of what both have / of what either has, even where they tie."""
        both = self.sum(a & b)
        either = self.sum(a) + self.sum(b) - both
        return round(both / either, EVEN) if either else 1.0

    def ranked(self, mine: int, masks: tuple[int, ...]) -> tuple[tuple[float, tuple[int, ...]], ...]:
        """(share, the sets that share so much with one), the most first; worked out once, as weights are shared."""
        if (mine, masks) not in self._ranked:
            tied: dict[float, list[int]] = {}
            for mask in masks:
                tied.setdefault(self.share(mine, mask), []).append(mask)
            self._ranked[mine, masks] = tuple((share, tuple(tied[share])) for share in sorted(tied, reverse=True))
        return self._ranked[mine, masks]


def entries(rows: Iterable[Any], spec_of: Callable[[str], Any]) -> list[Entry]:
    """The catalogue's rows that take part: dated and drawn; a variant only where its base is not drawn."""
    rows = list(rows)
    by_slug = {row.slug: row for row in rows}
    made_from: dict[str, list[Any]] = {}
    for row in rows:
        made_from.setdefault(row.variant_of or "", []).append(row)
    out: list[Entry] = []
    stood: set[str] = set()
    for row in rows:
        base = _base(row, by_slug)
        if not row.snapshot or (base and (base.snapshot or base.slug in stood)):
            continue
        says = base if base and base.date else row
        if not says.date:
            continue
        stands = base.slug if base else ""
        stood.add(stands)
        held, told, spec = facts_of(row.slug, spec_of(row.slug))
        first = earliest(row, made_from.get(row.slug, ()))
        out.append(Entry(row.slug, says.title, row.company, says.date, held, told, stands, spec, first))
    return out


def earliest(row: Any, variants: Iterable[Any]) -> tuple[str, str]:
    """(title, date) of a model's first drawn variant, where that is older than the model; ("", "") where none is."""
    mine = [one for one in variants if one.snapshot and one.date and row.date]
    older = sorted((one.date, one.title) for one in mine if one.date < row.date)
    return (older[0][1], older[0][0]) if older else ("", "")


_KNOWN: dict[str, tuple[tuple[str, ...], Facts, Any]] = {}


def facts_of(slug: str, spec: Any) -> tuple[tuple[str, ...], Facts, Any]:
    """(mechanisms, facts, the spec) of a model: worked out once, as long as its spec is the same one."""
    if slug not in _KNOWN or _KNOWN[slug][-1] is not spec:
        _KNOWN[slug] = (mechanisms(spec), frozenset(map(_shared, facts(spec))), spec)
    return _KNOWN[slug]


_FACTS: dict[str, tuple[str, Any]] = {}


def _shared(fact: tuple[str, Any]) -> tuple[str, Any]:
    """One object for all equal facts of the catalogue: 19,002 are 1,193 different ones."""
    return _FACTS.setdefault(repr(fact), fact)


def variants(rows: Iterable[Any]) -> dict[str, str]:
    """Packings and trainings -> the drawn model they are one of."""
    by_slug = {row.slug: row for row in rows}
    found = {slug: _base(row, by_slug) for slug, row in by_slug.items() if row.snapshot}
    return {slug: base.slug for slug, base in found.items() if base and base.snapshot}


def _base(row: Any, by_slug: Mapping[str, Any]) -> Any:
    """What a row is a packing or a training of: its base, or the model whose config it has (if not its own variant)."""
    lender = by_slug.get(row.config_of or "")
    if lender and lender.variant_of != row.slug and not row.variant_of:
        return lender
    return by_slug.get(row.variant_of or "")
