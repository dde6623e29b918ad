"""The body of page.md -> rows: beats with their bets, the lab's goals, and the closing prose (manual: README.md).

    ::: beat {name: Sharing, figure: fan, state: {kv: 8}, controls: [kv], caption: "{bytes_per_token:bytes} per token"}
    ## Must every head keep its own?
    Let [eight heads share]{kv: 8}, or [one pair for all]{kv: 1, after: bet}.
    bet: {kind: bar, ask: "How large is it?", range: [0, 400000000000], answer: holds_bytes, format: bytes GB}
    :::
    ::: goal {test: fits_20_gb, words: "Fit it into 20 GB."}

What is wrong is a ValueError that names the file, the beat and the key. beats_html.py turns rows into the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

KINDS = ("bar", "line", "curve", "pick")
WORDS = 60


class Bet(NamedTuple):
    """What the reader is asked before the answer is shown. `answer` is a path: a value by its name."""

    kind: str
    ask: str
    answer: str | tuple[str, str]  # of a bar also [from, to]: then both its ends are dragged
    state: Mapping[str, Any] = MappingProxyType({})  # on top of the beat's: where the answer holds
    format: str = "int"  # how guess and answer are printed: a call of kit.fmt, "bytes GB 1"
    unit: str = ""  # a word after the number: "zeros"
    range: tuple[float, float] | None = None
    scale: str = "linear"  # or "log"
    step: float | None = None  # of the handle, on a linear scale
    values: tuple = ()  # all that can be bet, instead of a step
    ticks: tuple = ()  # numbers with a label; else about five, or one a decade
    marks: tuple = ()  # {at, label}: landmarks on a line
    beside: tuple = ()  # {label, value}: bars to compare with; the value is a number or a path
    label: str = ""  # of the bar, or of a curve's axis: a template
    note: str = ""  # below the axis
    says: str = ""  # after the verdict, from the answer's state: a template
    within: tuple = ()  # [from, to], two paths: guesses that are as good as the answer, as about a flat minimum
    by: str = ""  # "ratio" or "difference": how far off; else by the kind and scale
    along: str = ""  # curve: the state's key along x
    at: tuple = ()  # curve: its values; the last one is the question
    x: str = "{}"  # curve: how a value of x is written: "{} GPU(s)"
    options: tuple = ()  # pick: what there is to choose; `answer` is an index, or a number between `cuts`
    cuts: tuple = ()  # pick on an axis: where one option ends; {at, label}, `at` a number or a path


class Beat(NamedTuple):
    """One question, one figure."""

    n: int
    name: str
    title: str
    text: str  # Markdown, phrases and templates unresolved
    figure: str = ""
    state: Mapping[str, Any] = MappingProxyType({})
    controls: tuple = ()
    caption: str = ""  # a template, or the name of a function in `captions`
    before: str = ""  # the caption while the bet is open
    bet: Bet | None = None


class Goal(NamedTuple):
    """Something to reach in the lab; `test` names a function in `goals`."""

    test: str
    words: str
    reach: tuple = ()  # states of the lab that reach it, on top of the first: for tests, no page tells of them


class Told(NamedTuple):
    """A whole page."""

    beats: tuple[Beat, ...]
    goals: tuple[Goal, ...]
    prose: str


def parse(text: str, where: str) -> Told:
    """The body of a page.md; one without beats is all prose."""
    beats: list[Beat] = []
    goals: list[Goal] = []
    prose: list[str] = []
    lines = text.splitlines()
    while lines:
        line = lines.pop(0)
        found = re.match(r":::\s*(\w+)\s*(?=\{)", line)
        if not found:
            prose.append(line)
            continue
        place = f"{where}, {found[1]} {len(beats) + 1 if found[1] == 'beat' else len(goals) + 1}"
        row = _mapping(line[found.end() :], lines, place)
        if found[1] == "beat":
            beats.append(_beat(len(beats) + 1, row, _until_close(lines, place), place))
        elif found[1] == "goal":
            goals.append(_row(Goal, row, place))
        else:
            raise ValueError(f"{place}: there is no directive “{found[1]}”, only beat and goal.")
    return Told(tuple(beats), tuple(goals), "\n".join(prose).strip())


def from_yaml(text: str) -> Any:
    """What a text says; a ValueError where it is not YAML.

    Imported only when asked: where pages are drawn in a reader's browser, there is no PyYAML.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C, where PyYAML has it, is ten times as fast
    try:
        return yaml.load(text, loader)
    except yaml.YAMLError as wrong:
        raise ValueError(str(wrong)) from None


def _mapping(text: str, rest: list[str], place: str) -> dict[str, Any]:
    """A flow mapping that starts in `text` and may go on over the next lines."""
    while True:
        try:
            row = from_yaml(text)
            break
        except ValueError as wrong:
            if not rest or rest[0].strip() == ":::":
                raise ValueError(f"{place}: the mapping is not YAML: {wrong}.") from None
            text += "\n" + rest.pop(0)
    if not isinstance(row, dict):
        raise ValueError(f"{place}: expected a mapping {{key: value, ...}}.")
    return row


def _until_close(lines: list[str], place: str) -> list[str]:
    if ":::" not in (line.strip() for line in lines):
        raise ValueError(f"{place}: it is never closed by a line “:::”.")
    body = []
    while (line := lines.pop(0)).strip() != ":::":
        body.append(line)
    return body


def _beat(n: int, row: dict[str, Any], body: list[str], place: str) -> Beat:
    text, bet = [], None
    while body:
        line = body.pop(0)
        if line.startswith("bet:"):
            bet = _bet(_mapping(line[4:], body, f"{place}, bet"), f"{place}, bet")
        else:
            text.append(line)
    title, _, words = "\n".join(text).strip().partition("\n")
    if not title.startswith("## ") or not title.endswith(("?", "？")):
        raise ValueError(f"{place}: it opens with “## ”, a question and “?”.")
    extra = {"n": n, "title": title[3:], "text": words.strip(), "bet": bet}
    return _row(Beat, {**row, **extra}, place)


def _bet(row: dict[str, Any], place: str) -> Bet:
    bet = _row(Bet, row, place)
    needed = {"bar": ("range",), "line": ("range",), "curve": ("along", "at", "range"), "pick": ("options",)}
    if bet.kind not in KINDS:
        raise ValueError(f"{place}: kind is one of {', '.join(KINDS)}, not “{bet.kind}”.")
    for key in needed[bet.kind]:
        if not getattr(bet, key):
            raise ValueError(f"{place}: a {bet.kind} needs {key}.")
    if not isinstance(bet.answer, str) and not (bet.kind == "bar" and len(bet.answer) == 2):
        raise ValueError(f"{place}: answer is one path, or for a bar two, [from, to].")
    if len(bet.within) not in (0, 2):
        raise ValueError(f"{place}: within is two paths, [from, to].")
    if bet.scale not in ("linear", "log"):
        raise ValueError(f"{place}: scale is linear or log, not “{bet.scale}”.")
    if bet.range and not (len(bet.range) == 2 and bet.range[0] < bet.range[1]):
        raise ValueError(f"{place}: range is [low, high].")
    if bet.range and bet.scale == "log" and bet.range[0] <= 0:
        raise ValueError(f"{place}: a log scale starts above 0.")
    return bet


def _row(kind: type[Beat] | type[Bet] | type[Goal], row: dict[str, Any], place: str) -> Any:
    """A row of the kind, lists made tuples; a wrong or missing key is named."""
    row = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    unknown = sorted(set(row) - set(kind._fields))
    if unknown:
        raise ValueError(f"{place}: there is no key {', '.join(unknown)}; there is {', '.join(kind._fields)}.")
    missing = [key for key in kind._fields if key not in kind._field_defaults and key not in row]
    if missing:
        raise ValueError(f"{place}: lacks {', '.join(missing)}.")
    return kind(**row)
