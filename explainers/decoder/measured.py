"""Logits at every key of the evaluation streams -> how often a decoder is right: in all, by distance, by live keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from cutaway.explainers.decoder import task

FAR = ((2, 11), (14, 23), (26, 35), (38, 47), (50, 71), (74, 116))  # tokens back to the write, from and to
SAMPLE = 3  # streams that the tests measure again
LIVE = ((1, 4), (5, 8), (9, 12), (13, 16))
SEEDS = (0, 1, 2)  # of trainings: the first is shipped, the others tell how much a figure depends on the seed
RETRAINED = {  # what most bets ask of a decoder
    "linear": "again", "delta": "again", "window": "said_far", "full8": "crowded", "delta8": "crowded",
}  # fmt: skip


def collect_reads(logits: np.ndarray, streams: np.ndarray) -> list[tuple[task.Read, bool]]:
    """Every read of the streams, and whether the largest of [streams, units, values] is right there."""
    best = logits.argmax(-1)
    return [(one, best[i, one.at // 3] == one.value) for i, tokens in enumerate(streams) for one in task.reads(tokens)]


def share(found: Iterable[tuple[task.Read, bool]], where: Callable[[task.Read], bool]) -> list[int]:
    """[right, asked] of the reads that are meant."""
    right = [good for one, good in found if where(one)]
    return [int(sum(right)), len(right)]


def is_within(number: int, ends: tuple[int, int]) -> bool:
    return ends[0] <= number <= ends[1]


def lies_within(live: tuple[int, int], written: tuple[int, int]) -> Callable[[task.Read], bool]:
    """With so many live keys, and written so many tokens back."""
    return lambda one: is_within(one.live, live) and is_within(one.written, written)


def is_said(back: int) -> Callable[[task.Read], bool]:
    """Last mentioned so many tokens back."""
    return lambda one: one.said == back


def table(logits: np.ndarray, streams: np.ndarray) -> dict:
    """All that a page says of a decoder's answers: each a pair, [right, asked]."""
    found = collect_reads(logits, streams)
    kept = [row for row in found if empties_nothing(row[0])]
    return {
        "all": share(found, lambda one: True),
        "once": share(found, lambda one: not one.again),
        "again": share(found, lambda one: one.again),
        "near": share(found, lambda one: one.written <= 23),
        "middle": share(found, lambda one: 23 < one.written <= 47),
        "far": share(found, lambda one: one.written > 47),
        "said_near": share(found, lambda one: one.said <= 23),
        "said_26": share(found, lambda one: one.said == 26),
        "said_far": share(found, lambda one: one.said >= 26),
        "crowded": share(found, lambda one: one.live >= 9),
        "cells": [
            [share(kept, lies_within(live, written)) for written in FAR] for live in LIVE
        ],
        "said": {
            str(back): share(found, is_said(back)) for back in range(2, 103, 3)
        },
    }  # fmt: skip


def with_resets(logits: np.ndarray, streams: np.ndarray) -> dict:
    """What is said beside that of a decoder that knows resets; `old`: last mentioned more than 46 tokens back."""
    found = collect_reads(logits, streams)
    return {
        "all": share(found, lambda one: True),
        "held": share(found, empties_nothing),
        "empty": share(found, lambda one: one.empty),
        "old": share(found, lambda one: one.said > 46),
        "old_held": share(found, lambda one: one.said > 46 and empties_nothing(one)),
        "old_empty": share(found, lambda one: one.said > 46 and one.empty),
    }


def empties_nothing(one: task.Read) -> bool:
    """No reset emptied the key."""
    return not one.empty


def percent(pair: list[int]) -> float:
    return 100 * pair[0] / max(pair[1], 1)


# name -> (what of the table, at least, at most), in percent: what decoder.md measured, with room for another machine
BARS: dict[str, tuple[tuple[str, float, float], ...]] = {
    "full": (("all", 99, 100),),
    "mqa": (("all", 99, 100),),
    "mla": (("all", 99, 100),),
    "window": (("all", 77, 81), ("said_near", 99.5, 100), ("said_far", 0, 10)),
    "linear": (("all", 79, 88), ("once", 98.5, 100), ("again", 40, 60)),
    "decay": (("all", 92, 97),),
    "delta": (("all", 98, 100),),
    "gated": (("all", 98.5, 100),),
    "full8": (("all", 99, 100),),
    "delta8": (("all", 80, 96),),
    "decay-x": (("all", 90, 97),),
    "delta-x": (("all", 98, 100),),
    "gated-x": (("all", 98.5, 100),),
}
# what of the long streams with resets -> gated is better than delta by at least so many points: `old` was last
# mentioned more than 46 tokens back
GAPS = {"all": 1.5, "old": 3.0}


def missed_bars(name: str, found: dict) -> list[str]:
    """The bars that are not reached, as sentences."""
    return [
        f"{what} is {percent(found[what]):.1f}, not {low} to {high}"
        for what, low, high in BARS[name]
        if not low <= percent(found[what]) <= high
    ]


def too_near(gated: dict, delta: dict) -> list[str]:
    """Where the gate pays less than it should."""
    by = {what: percent(gated["long"][what]) - percent(delta["long"][what]) for what in GAPS}
    return [f"gated − delta, {what}: {by[what]:.1f}, not {least}" for what, least in GAPS.items() if by[what] < least]
