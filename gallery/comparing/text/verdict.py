"""A comparison -> the clauses of its verdict, in at most 40 words: QK-norm instead of sinks and biases, half the heads.

Structure first: mechanisms that b gained, replaced or dropped (slots.py says which take each other's place), then its
shape (shape.py), then bytes. What finds no room is in the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.comparing.comparison import Comparison
from cutaway.gallery.comparing.shape import shape_clauses, shape_of
from cutaway.gallery.comparing.slots import SLOTS, Slot, without_echoes
from cutaway.gallery.comparing.text.number import percent_change
from cutaway.gallery.comparing.text.row import say_row
from cutaway.gallery.comparing.text.slot import say_in_slot

Spec = s.ModelSpec | None
MOST_WORDS = 40  # of a whole verdict
AND = 1  # the word before the last clause
FAR_FEWER = 20  # times as few, from which a ratio says more than per cent
FIRST = -1.0  # the rank of what is always said
FEW = 2  # clauses of rows of the table, where neither mechanisms nor shape differ


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a verdict."""

    words: str
    heavy: bool  # in bold
    number: int  # the disc of the row that it is said of; 0 = none


class Ranked(NamedTuple):
    """A clause before it is known whether there is room for it."""

    rank: float
    words: str
    heavy: bool = False
    rows: tuple[str, ...] = ()  # of the table of differences: the first of them that differs has the clause's disc
    keys: tuple[str, ...] = ()  # of MECHANISMS: what b gained

    @property
    def length(self) -> int:
        """Its words."""
        return len(self.words.split())

    @property
    def order(self) -> tuple[int, float]:
        """The mixer, what else b adds, what it has in place of another, what it lacks, and then sizes."""
        kind = 2 if self.words.startswith("no ") else int(" instead of " in self.words and self.rank > 0)
        return (3 if not self.heavy else kind, self.rank)


def choose_clauses(
    a: s.ModelSpec, b: s.ModelSpec, found: Comparison, room: int, totals: bool = True
) -> tuple[tuple[Clause, ...], str]:
    """(what is said of b beside a, what it comes to) in so many words."""
    given = differences(a, b, *found.mechanisms)
    sums = say_totals(found) if totals else []
    said = fitting([*given, *sums], room)
    clauses = [Clause(one.words, one.heavy, disc(found, one.rows)) for one in in_order(said) if one in given]
    return tuple(clauses or plain_clauses(found)), ", ".join(one.words for one in sums if one in said)


def fitting(given: list[Ranked], room: int) -> list[Ranked]:
    """Those that fit into so many words with the last one's "and", highest ranks first."""
    said, room = [], room - AND
    for one in sorted(given, key=lambda one: one.rank):
        if one.length <= room:
            said.append(one)
            room -= one.length
    return said


def in_order(said: list[Ranked]) -> list[Ranked]:
    """As a sentence has them."""
    return sorted(said, key=lambda one: one.order)


def differences(a: Spec, b: Spec, had: Iterable[str], has: Iterable[str]) -> list[Ranked]:
    """Everything that may be said of b beside a: a clause per slot with other mechanisms, and those of shape."""
    mechanisms = mechanism_clauses(a, b, tuple(had), tuple(has))
    if a is None or b is None:
        return mechanisms
    shapes = shape_clauses(shape_of(a), shape_of(b))
    return [*mechanisms, *(Ranked(rank, words, False, (row,)) for rank, words, row in shapes)]


def mechanism_clauses(a: Spec, b: Spec, had: tuple[str, ...], has: tuple[str, ...]) -> list[Ranked]:
    """One clause per slot in which the two have other mechanisms; without numbers where a spec is not known."""
    gained, lost = ([key for key in one if key not in other] for one, other in ((has, had), (had, has)))
    out = []
    for slot in SLOTS:
        new, old = in_slot(slot, gained), in_slot(slot, lost)
        words = say_in_slot(slot, a, b, new, old) if new or old else ""
        out += [Ranked(slot.rank, words, True, slot.rows, tuple(new))] if words else []
    return out


def in_slot(slot: Slot, keys: list[str]) -> list[str]:
    """Those of a slot that are worth saying beside the others."""
    return [key for key in without_echoes(keys) if key in slot.keys]


def disc(found: Comparison, whats: tuple[str, ...]) -> int:
    """The number of the first row of these, 0 where none of them differs."""
    numbers = {one.what.split(",")[0]: one.number for one in reversed(found.rows) if one.number}
    return next((numbers[name] for what in whats if (name := what.split(",")[0]) in numbers), 0)


def plain_clauses(found: Comparison) -> list[Clause]:
    """Rows of the table in words, where nothing greater differs."""
    told = [(one, say_row(one)) for one in found.rows if one.a != one.b]
    return [Clause(words, False, one.number) for one, words in told if words][:FEW]


# ---------------------------------------------------------------- what it comes to


def say_totals(found: Comparison) -> list[Ranked]:
    """53 % more parameters; 13 % fewer active; the same cache: each with its rank among the clauses."""
    if all(one == other for one, other in (found.parameters, found.active, found.cache)):
        return [Ranked(FIRST, "the same parameters and cache")]
    told = [(FIRST, say_ratio(*found.parameters, "parameters"))]
    if found.partial:
        told.append((2.9 if far(*found.active) else 6, say_ratio(*found.active, "active")))
    told.append((2.5 if far(*found.cache) else 6.5, cache(*found.cache, found.full_at[1])))
    return [Ranked(rank, words) for rank, words in told]


def far(a: float, b: float) -> bool:
    """Whether one is at least half as much again as the other."""
    return max(a, b) >= 1.5 * min(a, b)


def say_ratio(a: float, b: float, what: str) -> str:
    """53 % more parameters; 4.2 times as many parameters; as many parameters."""
    if a == b:
        return f"as many {what}"
    if a and b / a >= 2:
        return f"{ratio_words(b / a)} as many {what}"
    if b and a / b >= FAR_FEWER:
        return f"{ratio_words(a / b)} fewer {what}"
    points = abs(percent_change(a, b))
    word = "more" if b > a else "fewer"
    return f"{points} % {word} {what}" if points else f"slightly {word} {what}"


def ratio_words(ratio: float) -> str:
    """4.2 times; 61 times."""
    return f"{ratio:.2g} times" if ratio < 10 else f"{ratio:,.0f} times"


def cache(a: float, b: float, full_at: int = 0) -> str:
    """The same cache; 20 % more cache per token; a cache that stops growing, where all its layers have windows."""
    if not b and full_at:
        return f"a cache that stops growing at {full_at:,} tokens"
    if a == b:
        return "the same cache" if a else "no cache that grows either"
    if not b:
        return "no cache that grows"
    if not a:
        return "a cache that keeps growing"
    if b / a >= 2:
        return f"{ratio_words(b / a)} the cache"
    if a / b >= FAR_FEWER:
        return f"{ratio_words(a / b)} less cache"
    return f"{abs(percent_change(a, b))} % {'more' if b > a else 'less'} cache"
