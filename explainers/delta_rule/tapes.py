"""A seed -> 24 keys of length 1 in any direction and 24 values: the random tapes; and the tapes one can load.

The generator is mulberry32, because it is the same eight lines in JavaScript.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

D, KEYS = 8, 24
TAPE = 64  # the seed of the random tape the page starts with
MASK = 2**32 - 1


def uniform(seed: int) -> Iterator[float]:
    """Numbers from 0 to below 1."""
    at = seed
    while True:
        at = (at + 0x6D2B79F5) & MASK
        t = ((at ^ (at >> 15)) * (at | 1)) & MASK
        t = (t ^ (t + (((t ^ (t >> 7)) * (t | 61)) & MASK))) & MASK
        yield (t ^ (t >> 14)) / 2**32


def random_tape(seed: int) -> tuple[np.ndarray, list[int]]:
    """(24 unit keys, each direction as likely as any; 24 values as eight bits)."""
    draw = uniform(seed)
    keys = []
    for _ in range(KEYS):
        key: list[float] = []
        for _ in range(D // 2):
            far, turn = math.sqrt(-2 * math.log(1 - next(draw))), 2 * math.pi * next(draw)
            key += [far * math.cos(turn), far * math.sin(turn)]
        keys.append(np.array(key) / math.sqrt(sum(x * x for x in key)))
    return np.array(keys), [int(256 * next(draw)) for _ in range(KEYS)]


def writes(bits: list[int]) -> list[int]:
    """Each key once, in order."""
    return [n for key, value in enumerate(bits) for n in (key, value)]


def offered_tapes() -> dict[str, dict]:
    """The tapes one can load: A twice, 24 random keys, two documents."""
    plain = {"seed": 0, "border": 0, "wanted": [], "gates": [], "channels": [], "query": 0}
    two = [0, 15, 1, 51, 2, 85, 3, 240, 4, 60, 5, 165, 6, 195, 7, 90, 0, 105, 1, 142, 2, 23, 3, 178]
    return {
        "twice": {**plain, "writes": [0, 15, 1, 51, 2, 85, 3, 240, 0, 105], "step": 5},
        "random": {**plain, "writes": writes(random_tape(TAPE)[1]), "step": KEYS, "seed": TAPE},
        "documents": {**plain, "writes": two, "step": 12, "border": 8},
    }
