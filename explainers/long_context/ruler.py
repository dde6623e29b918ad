"""A kind of layer and a length -> the zoom ruler: which tokens back from now are read, scored and kept, on three bars.

Which entries an indexer picks is drawn from a seed, more of them near than far: as many as it picks, no two alike.
Twin of ruler.js.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor, sqrt
from typing import Any

import numpy as np

from cutaway.explainers import hash32
from cutaway.explainers.long_context import counting

SPANS = (8192, 256)  # tokens: the nearer bars, behind the whole past
MOST, TICK, UNITS = 112, 2, 1000  # ticks of a bar at most; how wide one is at least, of how many units
SPREAD = 8  # neighbours among which a pick may wander


def spans(tokens: int) -> list[int]:
    """How many tokens each bar shows."""
    return [tokens, *(min(tokens, span) for span in SPANS)]


@lru_cache(64)
def picks(entries: int, count: int) -> list[int]:
    """Which entries are picked, counted back from the newest: `count` of them, rising."""
    if count >= entries:
        return list(range(entries))
    draws = hash32.hash32(np.arange(count, dtype=np.uint64) + 1).tolist()
    places = sorted((j + SPREAD * (draw / 2**32)) / (count + SPREAD) for j, draw in enumerate(draws))
    found, last = [], -1
    for j, x in enumerate(places):
        last = min(entries - count + j, max(last + 1, floor(entries * x * x * sqrt(x))))
        found.append(last)
    return found


def run(low: int, high: int, cell: int) -> list[int]:
    """A run of tokens back from now, in cells of so many tokens."""
    return [low, high, cell]


def parts(rows: list, tokens: int) -> dict[str, Any]:
    """All runs of a layer: read whole, scored by an indexer, kept; and what is picked."""
    found: dict[str, Any] = {"read": [], "scored": [], "kept": [], "chosen": None}
    for row in rows:
        if row[counting.FIXED]:
            continue
        every, count = row[counting.EVERY], counting.entries(row, tokens)
        rest = tokens % every
        whole = run(rest, rest + count * every, every)
        if not row[counting.LENT]:
            found["kept"].append(whole)
        if row[counting.KIND] == "index":
            found["scored"].append(whole)
        elif row[counting.TOP] > 0 and row[counting.TOP] < count:
            found["chosen"] = [rest, every, picks(count, row[counting.TOP])]
        else:
            found["read"].append(run(rest, rest + counting.count_read(row, tokens) * every, every))
    return found


def clipped(runs: list, span: int) -> list:
    """Of runs, what a bar shows."""
    return [[low, min(high, span), cell] for low, high, cell in runs if low < span and high > low]


def bar(found: dict, span: int) -> dict[str, Any]:
    """One bar: its runs; of what is picked so many ticks as can be told apart, and how much too wide each is."""
    made: dict[str, Any] = {key: clipped(found[key], span) for key in ("read", "scored", "kept")}
    made |= {"ticks": [], "cell": 1, "one_in": 1, "wide": 1.0, "seen": 0}
    if found["chosen"]:
        rest, every, places = found["chosen"]
        inside = [rest + every * place for place in places if rest + every * place < span]
        thin = -(-len(inside) // MOST)
        wide = max(1.0, span * TICK / UNITS / every)
        made |= {"ticks": inside[::thin] if inside else [], "cell": every, "one_in": max(thin, 1), "wide": wide}
        made["seen"] = len(inside)
    return made


def bars(rows: list, tokens: int) -> list[dict]:
    """A kind of layer on the ruler."""
    found = parts(rows, tokens)
    return [bar(found, span) for span in spans(tokens)]
