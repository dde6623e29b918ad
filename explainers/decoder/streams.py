"""A stream as it is written -> its tokens, what is right at each unit, how hard the read under the cursor is.

"e12.a7.e.e~9.!": units apart by points, a key and a value are a write, a key alone is a read, "!" empties every key.
After a read what is right is fed, or, after a "~", what the decoder said.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cutaway.explainers.decoder import measured, task

UNIT = re.compile(r"([a-z@#%+=&])(?:(~?)([1-9]\d?))?|!")
NAMES = ("W", "R", *task.KEYS, *(str(number) for number in range(1, task.VALUES + 1)), "∅", "X")
EMPTY = NAMES[task.NONE]


class Unit(NamedTuple):
    """One unit as it is written: no key is a reset, no value a read."""

    key: str
    value: int
    said: int  # after a read, where not what is right is fed; else 0


def as_unit(part: str) -> Unit | None:
    """A unit, or None where nothing is one."""
    found = UNIT.fullmatch(part)
    if not found or int(found[3] or 0) > task.VALUES:
        return None
    number = int(found[3] or 0)
    return Unit(found[1] or "", 0, number) if found[2] else Unit(found[1] or "", number, 0)


def units(text: str) -> list[Unit]:
    """The units of a stream."""
    return [one for one in map(as_unit, text.split(".")) if one]


def stream(text: str) -> dict:
    """The stream as tokens, and of every unit what is right there: the last value under its key."""
    held: dict[str, int] = {}
    tokens, listed = [], []
    for key, value, said in units(text):
        if not key:
            held = {}
            tokens += [task.RESET] * 3
            listed.append({"word": "X", "reads": False, "key": "", "value": "", "said": 0})
            continue
        if value:
            held[key] = value
        right = held.get(key, EMPTY)
        tokens += [0 if value else 1, NAMES.index(key), NAMES.index(str(said or right))]
        listed.append({"word": "W" if value else "R", "reads": not value, "key": key, "value": right, "said": said})
    return {"tokens": tokens, "units": listed}


def read_at_cursor(tokens: list[int], unit: int) -> dict:
    """The read under the cursor: how far back its value stands, and how hard it is; 0 where a write is."""
    ask = next((one for one in task.reads(tokens[: 3 * unit + 3]) if one.at == 3 * unit + 1), None)
    resets = [i for i in range(unit + 1) if tokens[3 * i] == task.RESET]
    since = range(resets[-1] if resets else 0, unit + 1)
    live = len({tokens[3 * i + 1] for i in since if tokens[3 * i] == task.WRITE})
    found = {"token": 3 * unit + 1, "key": NAMES[tokens[3 * unit + 1]], "truth": NAMES[tokens[3 * unit + 2]]}
    if ask is None:
        return {**found, "reads": False, "written": 0, "said": 0, "live": live, "again": False, "empty": False,
                "far": -1, "crowd": -1}  # fmt: skip
    far = next((i for i, ends in enumerate(measured.FAR) if measured.is_within(ask.written, ends)), -1)
    crowd = next((i for i, ends in enumerate(measured.LIVE) if measured.is_within(ask.live, ends)), -1)
    far, crowd = (-1, -1) if ask.empty else (far, crowd)
    found |= {"truth": NAMES[task.FIRST_VALUE + ask.value]}
    return {**found, "reads": True, "written": ask.written, "said": ask.said, "live": live, "again": ask.again,
            "empty": ask.empty, "far": far, "crowd": crowd}  # fmt: skip


def write_tokens(tokens) -> str:
    """Tokens as a stream is written."""
    rows = zip(tokens[0::3], tokens[1::3], tokens[2::3], strict=True)
    return ".".join(
        "!" if kind == task.RESET else NAMES[key] + (NAMES[value] if kind == task.WRITE else "")
        for kind, key, value in rows
    )
