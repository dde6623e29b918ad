"""JavaScript -> the same without comments, with short names for what is declared inside a top-level statement.

One name becomes one other name throughout its statement, so what shadows what stays. Keys, properties, strings and
names of the top level keep their letters; `{ node }` becomes `{ node: a }`. Like shake.py it relies on how the files
here are written: a top-level statement begins at the left edge, and there is no `switch`, `class` or label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import count, pairwise, product
from string import ascii_letters
from types import MappingProxyType

from explainers.javascript import CLOSES, OPENS, WORDS, Token, is_space, pairs, tokens

START = re.compile(r"^(?=[a-zA-Z(])", re.M)
UNKNOWN = frozenset(("switch", "class", "case"))
BUILT_IN = re.compile(r"[A-Z][a-z]|JSON$|URL$|CSS$|NaN$")  # Math, Float64Array, ...
# what a browser calls by a name that a script could give, too
BROWSERS = frozenset((
    "addEventListener", "close", "closed", "confirm", "crypto", "document", "event", "external", "fetch",
    "find", "focus", "frames", "history", "innerWidth", "isNaN", "length", "location", "matchMedia", "name",
    "navigator", "open", "origin", "parent", "performance", "print", "prompt", "removeEventListener",
    "requestAnimationFrame", "screen", "scroll", "scrollTo", "self", "setTimeout", "status", "stop",
    "structuredClone", "top", "window",
))  # fmt: skip


def top_names(solid: Sequence[Token]) -> set[str]:
    """The names that a statement gives to the top level."""
    found, declares = set(), any(one.text in ("const", "let", "var", "function") for one in solid[:3])
    for one in solid:
        if (one.text == "=" and one.depth == 0) or (one.text == "(" and one.depth == 1):
            break
        if declares and one.role:
            found.add(one.text)
    behind = {b.text for a, b in pairwise(solid) if a.text == "," and a.depth == 0 and b.role}
    return found | behind


def given(solid: Sequence[Token]) -> set[str]:
    """Names that a statement gives: to what it declares, to parameters, in patterns."""
    ends = pairs(solid)
    starts = {end: start for start, end in ends.items()}
    found: set[str] = set()
    for place, one in enumerate(solid):
        after = solid[place + 1] if place + 1 < len(solid) else Token("")
        if one.text in ("const", "let", "var"):
            found |= declarators(solid, place, ends)
        elif one.text == "function" and after.role:
            found.add(after.text)
        elif after.text == "=>" and one.role == "name":
            found.add(one.text)
        elif one.text == ")" and (after.text == "=>" or (after.text == "{" and takes(solid, starts[place]))):
            found |= pattern(solid[starts[place] + 1 : place])
    return found


def takes(solid: Sequence[Token], start: int) -> bool:
    """Whether a bracket before a block has parameters in it: of a function, of a method, of `catch`."""
    before = solid[start - 1] if start else Token("")
    return bool(before.role) or before.text in ("function", "catch")


def declarators(solid: Sequence[Token], place: int, ends: dict[int, int]) -> set[str]:
    """What stands behind `const`, up to the end of its statement: names and patterns in front of `=`."""
    found, depth, fresh, place = set(), solid[place].depth, True, place + 1
    while place < len(solid) and solid[place].depth >= depth and solid[place].text not in (";", "of", "in"):
        one = solid[place]
        if fresh and one.text in OPENS:
            found |= pattern(solid[place + 1 : ends.get(place, len(solid))])
            place = ends.get(place, len(solid))
        elif fresh and one.role:
            found.add(one.text)
        fresh = one.text == "," and one.depth == depth
        place += 1
    return found


def pattern(inside: Sequence[Token]) -> set[str]:
    """Names in the brackets of a pattern or of parameters; not those of values that stand for what is missing."""
    found: set[str] = set()
    default = None  # how deep the value stands that is skipped just now
    for one in inside:
        if default is not None and (one.depth < default or (one.depth == default and one.text == ",")):
            default = None
        if default is None and one.text == "=":
            default = one.depth
        elif default is None and one.role in ("name", "short"):
            found.add(one.text)
    return found


def short_names(taken: Set[str]) -> Iterator[str]:
    """a, b, ... Z, aa, ab, ...; none of those that are taken."""
    for size in count(1):
        for letters in product(ascii_letters, repeat=size):
            name = "".join(letters)
            if name not in taken and name not in WORDS:
                yield name


@cache
def pieces(script: str) -> tuple[Token, ...]:
    """All pieces of a statement."""
    return tuple(tokens(script))


@cache
def solid_of(script: str) -> tuple[Token, ...]:
    """The pieces of a statement without spaces and comments."""
    return tuple(one for one in pieces(script) if not is_space(one.text))


@cache
def own_names(script: str) -> frozenset[str]:
    """What a statement declares inside, and nobody else can mean."""
    solid = solid_of(script)
    opened = sum(one.text in OPENS or one.text.endswith("${") for one in solid) - sum(
        one.text in CLOSES or one.text.startswith("}") for one in solid
    )
    if opened or any(one.text in UNKNOWN and after.text not in (":", ",") for one, after in pairwise(solid)):
        return frozenset()  # the head of a function whose body is other statements gives its names to all of them
    return frozenset(name for name in given(solid) - top_names(solid) - BROWSERS if not BUILT_IN.match(name))


def met(script: str) -> dict[str, None]:
    """The names of a statement, in the order in which they stand."""
    return dict.fromkeys(one.text for one in solid_of(script) if one.role in ("name", "short"))


def into(script: str, outer: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """name -> short name, of one top-level statement. `outer`: those of the top level; a statement that gives such a
    name to something of its own keeps it, for it may mean both."""
    free, every = own_names(script) - outer.keys(), met(script)
    names = short_names(every.keys() - free)
    found = {name: next(names) for name in every if name in free}
    return found | {name: outer[name] for name in every if name in outer and name not in own_names(script)}


@cache
def statement(script: str, outer: tuple[tuple[str, str], ...] = ()) -> str:
    """One top-level statement with its short names, without comments."""
    names = into(script, dict(outer))
    return "".join(written(one, names) for one in pieces(script))


def written(one: Token, names: Mapping[str, str]) -> str:
    """A piece as it stands there; where a comment was, a line ends."""
    if is_space(one.text):
        return one.text if one.text.isspace() else "\n"
    if one.role == "short" and one.text in names:
        return f"{one.text}: {names[one.text]}"
    return names.get(one.text, one.text) if one.role == "name" else one.text


def of_top(parts: list[str], keep: str) -> dict[str, str]:
    """Short names for what a whole script declares; what it exports, or is called by elsewhere, keeps its name."""
    found = {}
    for part in parts:
        solid = solid_of(part)
        if solid and solid[0].text != "export":
            found |= dict.fromkeys(sorted(top_names(solid)))  # a set has no order
    shadowed = {name for part in parts for name in own_names(part)}
    names = (f"${name}" for name in short_names(set()))
    return {name: next(names) for name in found if name not in shadowed and name not in keep.split()}


def renamed(script: str, keep: str = "") -> str:
    """All statements of a script. With `keep`, names that are called from elsewhere, those of its top level, too."""
    parts = START.split(script)
    top = of_top(parts, keep) if keep else {name: name for part in parts for name in top_names(solid_of(part))}
    out = []
    for part in parts:
        used = tuple((name, top[name]) for name in met(part) if name in top)
        out.append(statement(part, used) if part.strip() else part)
    return "".join(out)
