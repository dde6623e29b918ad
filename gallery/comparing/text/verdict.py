"""Rows of a comparison -> the clauses of its verdict: half the heads, 384 experts instead of 256, no MTP layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutaway.gallery.comparing.comparison import Comparison, Row
from cutaway.gallery.comparing.kinds import NO
from cutaway.gallery.comparing.text.number import percent_change
from cutaway.gallery.comparing.text.row import say_row
from cutaway.gallery.joined import join_words

MOST = 6
HEAVY, ACTIVE = 0.005, 0.02  # what a row must move to stand in bold: of all parameters; of active ones, or the cache


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a verdict."""

    words: str
    heavy: bool  # in bold
    number: int  # the disc of the row that it is said of; 0 = none


def choose_clauses(found: Comparison, most: int = MOST) -> tuple[tuple[Clause, ...], int]:
    """(those that are said, how many are not). What moves most is said, and what b has that a lacks; heavy ones stand
    first, each group in the order of the table: mechanisms before sizes."""
    differing = [one for one in found.rows if one.a != one.b]  # the others cost, since other layers have them
    drawn = [one for one in differing if one.number] or differing
    told = [(group, words) for group in group_replacements(drawn) if (words := say_group(group))]
    weigh = [
        sum(largest_share(one, found) for one in group) + 0.5 * any(is_gain(one) for one in group) for group, _ in told
    ]
    order = sorted(range(len(told)), key=lambda i: -weigh[i])
    kept = sorted(order[:most], key=lambda i: (not is_heavy(told[i][0], found), i))
    out = tuple(Clause(told[i][1], is_heavy(told[i][0], found), told[i][0][0].number) for i in kept)
    return out, len(told) - len(kept)


def group_replacements(rows: list[Row]) -> list[list[Row]]:
    """Kinds that replace the same kind are one clause."""
    groups: dict[Any, list[Row]] = {}
    for place, one in enumerate(rows):
        if not one.what.startswith("kind of"):
            groups[place] = [one]
            continue
        key, back = ((one.what, value) for value in one.values)
        swapped = any(other.values[1] == one.values[0] for other in groups.get(back, ()))
        groups.setdefault(back if swapped else key, []).append(one)
    return list(groups.values())


def say_group(group: list[Row]) -> str:
    """CSA, HCA and window instead of MLA."""
    if len(group) == 1:
        return say_row(group[0])
    was, becomes = {one.values[0] for one in group}, {one.values[1] for one in group}
    if was & becomes:
        return f"another mix of {join_words(sorted(was | becomes))}"
    words = [one.values[1] for one in group if one.values[1] != NO]
    return f"{join_words(words)} instead of {group[0].values[0]}" if words else say_row(group[0])


def largest_share(one: Row, found: Comparison) -> float:
    """The largest share that a row moves: of all parameters, of active ones, of the cache."""
    pairs = ((one.parameters, found.parameters), (one.active, found.active), (one.cache, found.cache))
    return max(min(abs(moved) / (total[0] or max(total) or 1), 1.0) for moved, total in pairs)


def is_heavy(group: list[Row], found: Comparison) -> bool:
    """What stands in bold."""
    parameters, active, cache = (sum(getattr(one, name) for one in group) for name in ("parameters", "active", "cache"))
    return (
        abs(parameters) >= HEAVY * found.parameters[0]
        or abs(active) >= ACTIVE * found.active[0]
        or bool(cache and abs(cache) >= ACTIVE * found.cache[0])
        or any(is_gain(one) for one in group)
    )


def is_gain(one: Row) -> bool:
    """Whether b has a mechanism there that a lacks."""
    if one.what.startswith("kind of"):
        return NO not in one.values
    if one.what == "residual streams":
        return one.b != "1"
    return one.row is not None and (one.row.style == "flag" and one.only == "b" and one.part == "mixer")


# ---------------------------------------------------------------- the end of the sentence


def say_totals(found: Comparison) -> str:
    """53 % more parameters, 13 % fewer active, and the same cache."""
    words = [say_ratio(*found.parameters, "parameters")]
    if found.partial:
        words.append(say_ratio(*found.active, "active"))
    return f"{', '.join(words)}{',' if len(words) > 1 else ''} and {cache(*found.cache, found.full_at[1])}."


def say_ratio(a: float, b: float, what: str) -> str:
    """53 % more parameters; 4.2 times as many parameters; as many parameters."""
    if a == b:
        return f"as many {what}"
    if a and b / a >= 2:
        return f"{ratio_words(b / a)} as many {what}"
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
        return "a cache that grows"
    if b / a >= 2:
        return f"{ratio_words(b / a)} the cache per token"
    return f"{abs(percent_change(a, b))} % {'more' if b > a else 'less'} cache per token"
