"""Dated models as sets of mechanisms -> structures, each with its nearest earlier relative, and how a model came about.

A structure is a stack of near-clones; the earliest stands for all. The rules: weight of a mechanism, share of two
sets, ties, near-clones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

FOUNDER = 0.25  # a share below: too far apart to be superposed, a dotted line in the lineage


@dataclass(frozen=True, slots=True)
class Entry:
    """One model as far as its relatives are concerned."""

    slug: str  # its page
    title: str
    company: str
    date: str  # ISO
    mechanisms: tuple[str, ...]  # keys, in the order of MECHANISMS
    facts: frozenset = frozenset()  # (field, value) of everything structural: ties and near-clones
    stands_for: str = ""  # the base that is not drawn: title and date are the base's
    spec: Any = None


@dataclass(frozen=True, slots=True)
class Link:
    """A model and one of its relatives."""

    slug: str  # the relative
    title: str
    company: str
    date: str
    share: float  # 0 to 1: weight of what both have / of what either has
    apart: int  # mechanisms that one of both lacks; 0 = sizes only
    gained: tuple[str, ...]  # mechanisms that the later of both has alone
    lost: tuple[str, ...]
    same_company: bool

    @property
    def words(self) -> str:
        """5 mechanisms apart; sizes only; 1 apart, same house."""
        raise NotImplementedError

    @property
    def founder(self) -> bool:
        """Whether the later of both is too far from the earlier to be called its child."""
        return self.share < FOUNDER


@dataclass(slots=True)
class Structure:
    """Near-clones: the earliest stands for all in every distance."""

    head: Entry
    members: list[Entry] = field(default_factory=list)  # with the head, by date
    new: tuple[str, ...] = ()  # mechanisms that no earlier structure has: first here
    parent: Link | None = None


@dataclass(slots=True)
class Lineage:
    """All structures by date, and which one a model belongs to."""

    structures: list[Structure]
    of: dict[str, Structure]  # slug -> its structure

    def nearest(self, slug: str, many: int = 3) -> list[Link]:
        """The earlier structures that share most, nearest first (ties by rule)."""
        raise NotImplementedError

    def later(self, slug: str, many: int = 2) -> list[Link]:
        """The later structures that share most with it."""
        raise NotImplementedError

    def earlier_with(self, key: str, slug: str) -> list[Structure]:
        """Structures before a model that have a mechanism, the first one first."""
        raise NotImplementedError

    def descent(self, slug: str) -> list[Step]:
        """From the root to this model, each with what it added that is still there; empty steps skipped."""
        raise NotImplementedError

    def share(self, a: Iterable[str], b: Iterable[str]) -> float:
        """The share of two sets of mechanisms, weighed by the whole catalogue."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Step:
    """One ancestor: what it added that the model still has."""

    slug: str
    title: str
    date: str
    added: tuple[str, ...]
    share: float  # with the ancestor before it


def entries(rows: Iterable[Any], spec_of: Callable[[str], Any]) -> list[Entry]:
    """The catalogue's rows that take part: dated and drawn; a variant only where its base is not drawn."""
    raise NotImplementedError


def lineage(found: Iterable[Entry]) -> Lineage:
    """Structures by date, each with its nearest earlier relative."""
    raise NotImplementedError
