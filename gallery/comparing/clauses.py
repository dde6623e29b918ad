"""Rows of a comparison -> the clauses of its verdict: half the heads, 384 experts instead of 256, no MTP layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gallery.comparing.kinds import NO
from gallery.comparing.words import listed, number, per_cent

if TYPE_CHECKING:
    from gallery.comparing.differences import Comparison, Row

MOST = 6
HEAVY, AT_WORK = 0.005, 0.02  # what a row must move to stand in bold: of all parameters; of those at work, or the cache
TIMES = {2: "twice", 3: "three times", 4: "four times", 8: "eight times"}
PARTS_OF = {2: "half", 3: "a third of", 4: "a quarter of", 8: "an eighth of"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a verdict."""

    words: str
    heavy: bool  # in bold
    number: int  # the disc of the row that it is said of; 0 = none


def clauses(found: Comparison, most: int = MOST) -> tuple[tuple[Clause, ...], int]:
    """(those that are said, how many are not). What moves most is said, and what b has that a lacks; heavy ones stand
    first, each group in the order of the table: mechanisms before sizes."""
    drawn = [one for one in found.rows if one.number] or list(found.rows)
    told = [(group, words) for group in together(drawn) if (words := said_together(group))]
    weigh = [sum(moves(one, found) for one in group) + 0.5 * any(gained(one) for one in group) for group, _ in told]
    order = sorted(range(len(told)), key=lambda i: -weigh[i])
    kept = sorted(order[:most], key=lambda i: (not heavy(told[i][0], found), i))
    out = tuple(Clause(told[i][1], heavy(told[i][0], found), told[i][0][0].number) for i in kept)
    return out, len(told) - len(kept)


def together(rows: list[Row]) -> list[list[Row]]:
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


def said_together(group: list[Row]) -> str:
    """CSA, HCA and window instead of MLA."""
    if len(group) == 1:
        return said(group[0])
    was, becomes = {one.values[0] for one in group}, {one.values[1] for one in group}
    if was & becomes:
        return f"another mix of {listed(sorted(was | becomes))}"
    words = [one.values[1] for one in group if one.values[1] != NO]
    return f"{listed(words)} instead of {group[0].values[0]}" if words else said(group[0])


def moves(one: Row, found: Comparison) -> float:
    """The largest share that a row moves: of the parameters, of those at work, of the cache."""
    pairs = ((one.parameters, found.parameters), (one.active, found.active), (one.cache, found.cache))
    return max(min(abs(moved) / (total[0] or max(total) or 1), 1.0) for moved, total in pairs)


def heavy(group: list[Row], found: Comparison) -> bool:
    """What stands in bold."""
    parameters, active, cache = (sum(getattr(one, name) for one in group) for name in ("parameters", "active", "cache"))
    return (
        abs(parameters) >= HEAVY * found.parameters[0]
        or abs(active) >= AT_WORK * found.active[0]
        or bool(cache and abs(cache) >= AT_WORK * found.cache[0])
        or any(gained(one) for one in group)
    )


def gained(one: Row) -> bool:
    """Whether b has a mechanism there that a lacks."""
    if one.what.startswith("kind of"):
        return NO not in one.values
    if one.what == "residual streams":
        return one.b != "1"
    return one.row is not None and (one.row.style == "flag" and one.only == "b" and one.part == "mixer")


def said(one: Row) -> str:
    """A row in a few words; "" where the table alone says it."""
    if one.what in WORDS:
        return WORDS[one.what](one)
    if one.what.startswith("kind of"):
        return replaced(one)
    row = one.row
    if row is None or (not row.one and row.style != "kind"):
        return plain(one)
    return STYLES[row.style](one)


def replaced(one: Row) -> str:
    """Gated DeltaNet instead of GQA in 36 layers."""
    n = one.b.partition(" × ")[0]
    was, becomes = one.values
    if becomes == NO:
        return f"{n} layers without {'a mixer' if one.part == 'mixer' else 'an MLP'} of their own"
    if was == NO:
        return f"{becomes} in {n} more layers"
    before = one.a.partition(" × ")[0]
    where = "" if n == before else f" in {number(int(n.replace(',', '')))} layer{'s' if n != '1' else ''}"
    return f"{becomes} instead of {was}{where}"


def plain(one: Row) -> str:
    """What has no words of its own."""
    if not one.a or not one.b:
        return f"{one.what}: {one.b or 'none'}"
    return f"{one.what} {one.b} instead of {one.a}"


def value(one: Row, side: int) -> int:
    """The first of the values, a number where it is one."""
    held = one.values[side]
    held = held[0] if isinstance(held, tuple) and held else held
    return held if isinstance(held, int) else 0


def count(one: Row) -> str:
    """Half the heads; 384 experts instead of 256; no shared expert."""
    row, a, b = one.row, value(one, 0), value(one, 1)
    assert row is not None
    if not b:
        return f"no {row.one if a == 1 else row.many}"
    if not a:
        return f"{number(b)} {row.one if b == 1 else row.many}"
    if a == b:
        return plain(one)
    ratio = times(a, b)
    if ratio and max(a, b) > 4:
        return f"{ratio} the {row.many}"
    return f"{number(b)} {row.one if b == 1 else row.many} instead of {number(a)}"


def times(a: int, b: int) -> str:
    """Twice, half; "" where it is no round ratio."""
    if b > a:
        return TIMES.get(b // a, "") if b % a == 0 else ""
    return PARTS_OF.get(a // b, "") if a % b == 0 else ""


def measure(one: Row) -> str:
    """A larger window; no window; twice the latent."""
    row, a, b = one.row, value(one, 0), value(one, 1)
    assert row is not None
    if not b:
        return f"no {row.one}"
    if not a:
        return f"a {row.one} of {one.b}"
    return size(row.one, a, b) if a != b else plain(one)


def size(noun: str, a: int, b: int) -> str:
    """Twice the width; a larger vocabulary."""
    ratio = times(a, b)
    return f"{ratio} the {noun}" if ratio else f"a {'larger' if b > a else 'smaller'} {noun}"


def flag(one: Row) -> str:
    """An indexer; no indexer; another kind of it."""
    row = one.row
    assert row is not None
    if not one.b:
        return f"no {row.one}"
    if not one.a:
        words = row.one if row.many == row.one else row.many if row.many in ("biases", "sinks") else article(row.one)
        return words
    return f"{row.one} {one.b} instead of {one.a}"


def article(noun: str) -> str:
    """a window, an indexer."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def kind(one: Row) -> str:
    """GELU instead of SwiGLU."""
    if not one.a or not one.b:
        return plain(one)
    noun = f" {one.row.one}" if one.row and one.row.one else ""
    return f"{one.b} instead of {one.a}{noun}" if not noun else f"a {one.b}{noun} instead of {one.a}"


def groups(one: Row) -> str:
    """No routing groups; eight routing groups."""
    b = one.values[1][0]
    return "no routing groups" if b <= 1 else f"{number(b)} routing groups"


STYLES = {"count": count, "size": measure, "flag": flag, "kind": kind, "value": plain, "groups": groups}


def dense(one: Row) -> str:
    """One dense layer instead of three."""
    a, b = int(one.a.replace(",", "")), int(one.b.replace(",", ""))
    many = "dense layer" if b == 1 else "dense layers"
    return f"{number(b)} {many} instead of {number(a)}" if a else f"{number(b)} {many} in front"


def depth(one: Row) -> str:
    """17 more layers."""
    a, b = one.values
    ratio, by = times(a, b), abs(b - a)
    if ratio:
        return f"{ratio} the layers"
    return f"{number(by)} {'more' if b > a else 'fewer'} layer{'s' if by > 1 else ''}"


def mtp(one: Row) -> str:
    """No MTP layer; one MTP layer."""
    a, b = int(one.a), int(one.b)
    return f"{number(b)} MTP layer{'s' if b != 1 and not (b == 0 and a == 1) else ''}"


def norms(a: str, b: str) -> str:
    """RMSNorm instead of LayerNorm; norms around each half; one norm a layer."""
    (how_a, _, place_a), (how_b, _, place_b) = a.partition(", "), b.partition(", ")
    (n_a, _, kind_a), (n_b, _, kind_b) = how_a.partition(" "), how_b.partition(" ")
    if kind_a != kind_b:
        return f"{kind_b or 'no norms'} instead of {kind_a or 'no norms'}"
    if place_a != place_b:
        return f"norms {place_b}"
    return f"{number(int(n_b))} norm{'s' if n_b != '1' else ''} a layer instead of {number(int(n_a))}"


def context(one: Row) -> str:
    """A shorter context."""
    a, b = (held or 0 for held in one.values)
    return f"a {'longer' if b > a else 'shorter'} context" if a and b else plain(one)


def indexer(one: Row) -> str:
    """An indexer that picks 2,048 tokens."""
    style, _, n = (one.b or one.a).partition(", ")
    what = f"an indexer that picks {n} {'entries' if style == 'CSA' else 'tokens'}"
    return what if one.b else "no indexer"


WORDS = {
    "indexer": indexer,
    "dense layers first": dense,
    "layers": depth,
    "MTP layers": mtp,
    "context": context,
    "vocabulary": lambda one: size("vocabulary", *one.values),
    "width": lambda one: size("width", *one.values) if one.row is None else measure(one),
    "residual streams": lambda one: f"{one.b.split(',')[0]} residual streams" if one.b[:1].isdigit() else plain(one),
    "norms of a layer": lambda one: norms(one.a, one.b),
    "head is the embedding": lambda one: "a tied head" if one.b else "an untied head",
    "passes through the stack": lambda one: f"{one.b} passes through its stack",
    "halves side by side": lambda one: "halves side by side" if one.b else "halves one after the other",
    "other towers": lambda one: f"{one.b} beside it" if one.b else "no other tower",
}


# ---------------------------------------------------------------- the end of the sentence


def ending(found: Comparison) -> str:
    """53 % more parameters, 12 % fewer at work on a token, and the same cache."""
    words = [f"{compared(*found.parameters, 'parameters')}"]
    if found.parameters != found.active:
        words.append(compared(*found.active, "at work on a token"))
    return f"{', '.join(words)}{',' if len(words) > 1 else ''} and {cache(*found.cache)}."


def compared(a: float, b: float, what: str) -> str:
    """53 % more parameters; 4.2 times as many parameters; as many parameters."""
    noun = "" if what != "parameters" else " parameters"
    tail = "" if noun else f" {what}"
    if a == b:
        return f"as many{noun}{tail}"
    if a and b / a >= 2:
        return f"{b / a:.2g} times as many{noun}{tail}" if b / a < 10 else f"{b / a:,.0f} times as many{noun}{tail}"
    points = abs(per_cent(a, b))
    word = "more" if b > a else "fewer"
    return f"{points} % {word}{noun}{tail}" if points else f"slightly {word}{noun}{tail}"


def cache(a: float, b: float) -> str:
    """The same cache; 20 % more cache per token."""
    if a == b:
        return "the same cache" if a else "no cache that grows either"
    if not b:
        return "no cache that grows"
    if not a:
        return "a cache that grows"
    if b / a >= 2:
        return f"{b / a:.2g} times the cache per token" if b / a < 10 else f"{b / a:,.0f} times the cache per token"
    return f"{abs(per_cent(a, b))} % {'more' if b > a else 'less'} cache per token"
