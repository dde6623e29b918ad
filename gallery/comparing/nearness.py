"""What decides which model is the nearest: what mechanisms weigh, and ties, between structures and within one."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from cutaway.gallery.comparing.entries import Entry, Structure, Weights
from cutaway.gallery.comparing.facts import differing_fields


@lru_cache(4096)
def weights_of(known: int, counts: tuple[int, ...]) -> Weights:
    """What each mechanism weighs; sums that were asked for stay known from one lineage to the next."""
    return Weights(known, list(counts))


class Tie:
    """What decides between structures that are equally close, looked up only where two are."""

    __slots__ = ("entry", "last", "one")

    def __init__(self, entry: Entry, one: Structure, last: bool) -> None:
        self.entry, self.one, self.last = entry, one, last

    def __lt__(self, other: Tie) -> bool:
        return self.order < other.order

    @property
    def order(self) -> tuple[int, int, int]:
        """Fewest differing fields first, then the latest or the earliest, then by place."""
        head = self.one.head
        day = date.fromisoformat(head.date).toordinal()
        apart = len(differing_fields(self.entry.facts, head.facts))
        return apart, -day if self.last else day, self.one.order


def nearest_member(entry: Entry, one: Structure, latest: bool = False) -> Entry:
    """The near-clone that is nearest in size to a model, of those before it; the head where none is."""
    members = [member for member in one.members if member is one.head or not entry.date or member.date < entry.date]
    return min(members[::-1] if latest else members, key=lambda member: abs(member.size - entry.size))
