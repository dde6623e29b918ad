"""Dated models as sets of mechanisms -> structures, each with its nearest earlier relative, and how a model came about.

A structure is a stack of near-clones; the earliest stands for all in every distance. A set is one number, a bit per
mechanism, so that equal sets are looked at once: the cost of one more model grows with how many sets there are. Of many
structures that share equally much, the nearest in time and those of its house are held against a model (shelves.CLOSE).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from heapq import heappop, heappush
from itertools import islice

from cutaway.gallery.comparing.by_date import StructuresByDate
from cutaway.gallery.comparing.entries import HOUSE, Entry, Link, Step, Structure, Weights, closeness
from cutaway.gallery.comparing.facts import only_light
from cutaway.gallery.comparing.mechanisms import bits, keys_of, place_of
from cutaway.gallery.comparing.nearness import Tie, nearest_member, weights_of

CLONE_DAYS = 75
NEAREST = 2  # of so many it is kept: of all models a page asks for the closest, /compare/ for two


def _days(a: str, b: str) -> int:
    return abs((date.fromisoformat(b) - date.fromisoformat(a)).days)


class Lineage:
    """All structures by date, and which one a model belongs to."""

    def __init__(self) -> None:
        self.structures: list[Structure] = []
        self.of: dict[str, Structure] = {}
        self.entries: dict[str, Entry] = {}
        self.variants: dict[str, str] = {}  # slug of a packing or training -> slug of its drawn base
        self._order: dict[str, int] = {}
        self._weights: dict[str, Weights] = {}  # by date: what was known before it
        self._houses: dict[str, tuple[str, int | None, int]] = {}  # company -> (last day, mechanisms before it, on it)
        self._house_had: dict[str, int | None] = {}  # slug -> what its company's models of earlier days have
        self._held, self._had = 0, dict[str, int]()  # what the structures have; what those before a day had
        self._shelves = StructuresByDate()
        self._nearest: dict[str, list[Link]] = {}  # what was asked since the last one was added

    # ------------------------------------------------------------ growing

    def add(self, entry: Entry) -> None:
        """The next entry by date."""
        self._nearest.clear()
        self._order[entry.slug] = len(self._order)
        self.entries[entry.slug] = entry
        if entry.date not in self._weights:
            self._had[entry.date] = self._held
            self._weights[entry.date] = weights_of(len(self.structures), tuple(self._shelves.counts))
        mask = bits(entry.mechanisms)
        self._add_to_house(entry, mask)
        stack = self._stack(entry, mask)
        if stack:
            stack.members.append(entry)
            self.of[entry.slug] = stack
            return
        made = Structure(entry, self._order[entry.slug], mask, [entry], self._nearest_one, self._first_here)
        self.of[entry.slug] = made
        self.structures.append(made)
        self._held |= mask
        self._shelves.add(made)

    def _add_to_house(self, entry: Entry, mask: int) -> None:
        """Keep what the models of its company had before its day; None where it has none, or no company is known."""
        day, had, during = self._houses.get(entry.company, (entry.date, None, 0))
        if day != entry.date:
            had, during = (had or 0) | during, 0
        self._house_had[entry.slug] = had if entry.company else None
        self._houses[entry.company] = (entry.date, had, during | mask)

    def _stack(self, entry: Entry, mask: int) -> Structure | None:
        """The structure that it is a near-clone of."""
        shelf = self._shelves.of_house(entry.company).get(mask)
        for one in shelf.rows if shelf else ():
            if one.head.encoders is not entry.encoders:
                continue
            if _days(one.head.date, entry.date) <= CLONE_DAYS or only_light(one.head.facts, entry.facts):
                return one
        return None

    def _first_here(self, entry: Entry) -> tuple[str, ...]:
        """Mechanisms that nothing of earlier dates has, nor the same house's models of the same day."""
        held = self._had[entry.date]
        for one in self._shelves.all.same_day(entry, self._order[entry.slug]):
            held |= one.mask
        return keys_of(bits(entry.mechanisms) & ~held)

    def _nearest_one(self, slug: str) -> Link | None:
        return next(iter(self.nearest(slug, 1)), None)

    # ------------------------------------------------------------ asking

    def nearest(self, slug: str, many: int = 3) -> list[Link]:
        """The closest earlier structures; ties: fewest differing fields, date, order."""
        if many > NEAREST:
            return list(islice(self.nearly(slug), many))
        if slug not in self._nearest:
            self._nearest[slug] = list(islice(self.nearly(slug), NEAREST))
        return self._nearest[slug][:many]

    def nearly(self, slug: str, house: str = "") -> Iterator[Link]:
        """The same one by one, as long as they are asked for; of one house, where it is named."""
        entry, order = self.entries[slug], self._order[slug]

        def taken(masks: Iterable[int]) -> list[Structure]:
            found = self._shelves.before(entry, order, masks)
            return [one for one in found if one.head.company == house] if house else found

        masks = self._shelves.of_house(house) if house else self._shelves.of_mask
        for share, one in self._ranked(entry, self._weights[entry.date], masks, taken, True):
            yield self._link(entry, one, share, False)

    def later(self, slug: str, many: int = 2) -> list[Link]:
        """The later structures that share most with it, weighed by the whole catalogue."""
        entry, mine, held = self.entries[slug], self.of[slug], self._shelves

        def taken(masks: Iterable[int]) -> list[Structure]:
            return [one for one in held.after(entry.date, masks) if one is not mine]

        ranked = self._ranked(entry, held.weights(), held.of_mask, taken, False)
        return [self._link(entry, one, share, True) for share, one in islice(ranked, many)]

    def closest(self, entry: Entry, many: int) -> list[Structure]:
        """Those that share most with an entry that is none of ours, whenever they were made."""
        held = self._shelves
        ranked = self._ranked(entry, held.weights(), held.of_mask, lambda masks: held.latest(entry, masks), True)
        return [one for _, one in islice(ranked, many)]

    def _ranked(
        self,
        entry: Entry,
        weights: Weights,
        masks: Iterable[int],
        taken: Callable[[Iterable[int]], list[Structure]],
        last: bool,
    ) -> Iterator[tuple[float, Structure]]:
        """Structures, the closest first; `taken` gives those of some sets that share equally much."""
        waiting: list[tuple[float, Tie, float, Structure]] = []
        for share, tied in weights.ranked(bits(entry.mechanisms), tuple(masks)):
            while waiting and -waiting[0][0] > share + HOUSE:  # nothing that shares less comes nearer
                yield heappop(waiting)[2:]
            for one in taken(tied):
                heappush(
                    waiting,
                    (-closeness(share, entry, nearest_member(entry, one)), Tie(entry, one, last), share, one),
                )
        while waiting:
            yield heappop(waiting)[2:]

    def _link(self, entry: Entry, one: Structure, share: float, later: bool) -> Link:
        head, mine = one.head, bits(entry.mechanisms)
        own, theirs = keys_of(mine & ~one.mask), keys_of(one.mask & ~mine)
        gained, lost = (theirs, own) if later else (own, theirs)
        same = head.company == entry.company
        return Link(head.slug, head.title, head.company, head.date, share, gained, lost, same)

    def nearest_in_size(self, entry: Entry, link: Link) -> Link:
        """The same relative as the near-clone of it that is nearest in size: of a house's own the latest of equals."""
        best = nearest_member(entry, self.of[link.slug], link.same_company)
        return replace(link, slug=best.slug, title=best.title, date=best.date)

    def earlier_with(self, key: str, slug: str) -> list[Structure]:
        """Structures before a model that have a mechanism, the first one first."""
        return self._shelves.having[place_of(key)].before(self.entries[slug], self._order[slug])

    def new_for_house(self, slug: str) -> tuple[str, ...]:
        """Mechanisms that no model of the same company and an earlier day has; none where it is the company's first."""
        had = self._house_had[slug]
        return () if had is None else keys_of(bits(self.entries[slug].mechanisms) & ~had)

    def of_the_day(self, key: str, mine: Entry) -> list[Structure]:
        """Other houses' structures of a model's own day that have a mechanism: none of them is the first alone."""
        found = [one for one in self.having(key) if one.head.date == mine.date]
        return [one for one in found if one.head.company != mine.company]

    def having(self, key: str) -> list[Structure]:
        """All structures that have a mechanism, the first one first."""
        return self._shelves.having[place_of(key)].rows

    def known_before(self, slug: str) -> int:
        """How many structures are of earlier days than a model."""
        return self._shelves.all.count_before(self.entries[slug].date)

    def descent(self, slug: str) -> list[Step]:
        """From the root to this model, each with what it added that is still there; empty steps are skipped."""
        path, link = [(self.entries[slug], 1.0)], self._parent(slug)
        while link:
            path[-1] = (path[-1][0], link.share)
            path.append((self.entries[link.slug], 1.0))
            link = self._parent(link.slug)
        path.reverse()
        end, steps, before = bits(path[-1][0].mechanisms), [], 0
        still = self._still([bits(entry.mechanisms) for entry, _ in path])
        for (entry, share), kept in zip(path, still, strict=True):
            added = keys_of(kept & end)
            if added or not before or entry.slug == slug:
                steps.append(Step(entry.slug, entry.title, entry.date, added, share))
            before = bits(entry.mechanisms)
        return steps

    def _parent(self, slug: str) -> Link | None:
        """The nearest earlier relative: of a near-clone, mostly its head."""
        mine = self.of[slug]
        if mine.head.slug == slug:
            return mine.parent
        return self._nearest_one(slug)

    @staticmethod
    def _still(masks: list[int]) -> list[int]:
        """What each step of a path added and no later step dropped."""
        out, before = [], 0
        for place, mask in enumerate(masks):
            kept = mask & ~before
            for later in masks[place + 1 :]:
                kept &= later
            out.append(kept)
            before = mask
        return out

    def weights(self, slug: str) -> Weights:
        """What mechanisms weighed when a model came."""
        return self._weights[self.entries[slug].date]

    def share(self, a: Iterable[str], b: Iterable[str]) -> float:
        """The share of two sets of mechanisms, weighed by the whole catalogue."""
        return self.overall().share(bits(a), bits(b))

    def overall(self) -> Weights:
        """What mechanisms weigh in the whole catalogue."""
        return self._shelves.weights()


def lineage(found: Iterable[Entry], packed: Mapping[str, str] | None = None) -> Lineage:
    """Structures by date, each with its nearest earlier relative; entries of one day keep their order."""
    known = Lineage()
    for entry in sorted(found, key=lambda one: one.date):
        known.add(entry)
    known.variants = {slug: base for slug, base in (packed or {}).items() if base in known.of}
    return known
