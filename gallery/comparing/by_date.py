"""Structures in the order of their dates -> those before or after a model, without looking at each of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from cutaway.gallery.comparing.entries import Entry, Structure, Weights
from cutaway.gallery.comparing.mechanisms import MECHANISMS

CLOSE = 16  # structures that share equally much, before only the nearest in time of each set are looked at


class DatedList:
    """Structures by date, as they were added."""

    __slots__ = ("dates", "rows")

    def __init__(self) -> None:
        self.rows: list[Structure] = []
        self.dates: list[str] = []

    def add(self, one: Structure) -> None:
        """The next one by date."""
        self.rows.append(one)
        self.dates.append(one.head.date)

    def same_day(self, entry: Entry, order: int) -> list[Structure]:
        """Structures of the entry's own house that came earlier on its day."""
        return self._same_day(bisect_left(self.dates, entry.date), entry, order)

    def _same_day(self, start: int, entry: Entry, order: int) -> list[Structure]:
        """The same, where the first of its day would stand at `start`."""
        if start == len(self.dates) or self.dates[start] != entry.date:
            return []
        end = bisect_right(self.dates, entry.date, start)
        return [one for one in self.rows[start:end] if one.head.company == entry.company and one.order < order]

    def before(self, entry: Entry, order: int, most: int = 0) -> list[Structure]:
        """What is earlier than an entry: all, or the latest so many."""
        end = bisect_left(self.dates, entry.date)
        return self.rows[max(0, end - most) if most else 0 : end] + self._same_day(end, entry, order)

    def after(self, date: str, most: int) -> list[Structure]:
        """The earliest so many after a day."""
        start = bisect_right(self.dates, date)
        return self.rows[start : start + most]

    def count_before(self, date: str) -> int:
        """How many are of earlier days."""
        return bisect_left(self.dates, date)


class StructuresByDate:
    """All structures, and those of each set of mechanisms, of each house, with each mechanism."""

    def __init__(self) -> None:
        self.all = DatedList()
        self.of_mask: dict[int, DatedList] = {}
        self.having = [DatedList() for _ in MECHANISMS]
        self.counts = [0] * len(MECHANISMS)
        self._houses: dict[str, dict[int, DatedList]] = {}
        self._weights: Weights | None = None

    def add(self, made: Structure) -> None:
        """The next one by date."""
        of_house = self.of_house(made.head.company).setdefault(made.mask, DatedList())
        for shelf in (self.all, self.of_mask.setdefault(made.mask, DatedList()), of_house):
            shelf.add(made)
        for place in range(made.mask.bit_length()):
            if made.mask >> place & 1:
                self.having[place].add(made)
                self.counts[place] += 1
        self._weights = None

    def of_house(self, company: str) -> dict[int, DatedList]:
        """A house's structures by their set."""
        return self._houses.setdefault(company, {})

    def weights(self) -> Weights:
        """What mechanisms weigh by all that is known."""
        if self._weights is None:
            self._weights = Weights(len(self.all.rows), self.counts)
        return self._weights

    def before(self, entry: Entry, order: int, masks: Iterable[int]) -> list[Structure]:
        """Earlier structures of some sets: the latest of each, and those of the entry's house."""
        near = [one for mask in masks for one in self.of_mask[mask].before(entry, order, CLOSE)]
        if len(near) >= CLOSE:
            near += [one for shelf in self._own(entry, masks) for one in shelf.before(entry, order, CLOSE)]
        return unique_structures(near)

    def after(self, day: str, masks: Iterable[int]) -> list[Structure]:
        """Later structures of some sets: the earliest of each."""
        return [one for mask in masks for one in self.of_mask[mask].after(day, CLOSE)]

    def latest(self, entry: Entry, masks: Iterable[int]) -> list[Structure]:
        """Structures of some sets: the latest of each, and those of the entry's house."""
        shelves = [*(self.of_mask[mask] for mask in masks), *self._own(entry, masks)]
        return unique_structures([one for shelf in shelves for one in shelf.rows[-CLOSE:]])

    def _own(self, entry: Entry, masks: Iterable[int]) -> list[DatedList]:
        held = self.of_house(entry.company)
        return [held[mask] for mask in masks if mask in held]


def unique_structures(found: list[Structure]) -> list[Structure]:
    """Each structure a single time."""
    return list({one.order: one for one in found}.values())
