"""A random generator -> streams of the dictionary task, as tokens; a stream -> what each read asks, how hard it is.

A stream is 40 units of three tokens: W k v writes a value under a key, R k v reads
the value that was written last under k.
Tokens: 0 is W, 1 is R, then 32 keys, then 32 values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

KEYS = "abcdefghijklmnopqrstuvwxyz@#%+=&"
VALUES = 32
WRITE, READ, FIRST_KEY, FIRST_VALUE = 0, 1, 2, 2 + len(KEYS)
VOCABULARY = FIRST_VALUE + VALUES
UNITS = 40
LENGTH = 3 * UNITS
MOST_LIVE = 16  # keys of one stream
READS, AGAIN = 0.45, 0.45  # shares: of reads among units, and of writes to a key that has a value already
TRAINING_SEED, EVALUATION_SEED, EVALUATED = 0, 600, 600


class Read(NamedTuple):
    """One read: the token that asks, what is right, how far back it was written and last said, how many keys live."""

    at: int  # place of the key's token
    value: int  # 0..31
    written: int  # tokens back to the value as it was written
    said: int  # tokens back to the value as it was last said: by its write, or by a read since
    live: int
    again: bool  # the key held another value before


def stream(rng: np.random.Generator) -> np.ndarray:
    """One stream as it is trained on and measured."""
    draws, picks = rng.random((UNITS, 2)), rng.integers(0, 2**31, (UNITS, 2))
    fresh = list(rng.permutation(len(KEYS)))
    held: dict[int, int] = {}
    tokens = np.zeros((UNITS, 3), np.int64)
    for unit in range(UNITS):
        live = list(held)
        reads = bool(live) and draws[unit, 0] < READS
        if reads or (live and (draws[unit, 1] < AGAIN or len(live) == MOST_LIVE)):
            key = live[picks[unit, 0] % len(live)]
        else:
            key = int(fresh.pop())
        if not reads:
            held[key] = int(picks[unit, 1] % VALUES)
        tokens[unit] = READ if reads else WRITE, FIRST_KEY + key, FIRST_VALUE + held[key]
    return tokens.reshape(-1)


def streams(seed: int, count: int) -> np.ndarray:
    """So many streams, always the same for a seed."""
    rng = np.random.default_rng(seed)
    return np.stack([stream(rng) for _ in range(count)])


def reads(tokens) -> list[Read]:
    """Every read of a stream whose key was written before, in order."""
    written: dict[int, tuple[int, int]] = {}  # key -> (value, place of its token)
    said, again, found = {}, set(), []
    for at in range(0, len(tokens) - 1, 3):
        kind, key = int(tokens[at]), int(tokens[at + 1])
        if kind == WRITE and at + 2 < len(tokens):
            value = int(tokens[at + 2]) - FIRST_VALUE
            again |= {key} if key in written else set()
            written[key], said[key] = (value, at + 2), at + 2
        elif kind == READ and key in written:
            value, place = written[key]
            found.append(Read(at + 1, value, at + 1 - place, at + 1 - said[key], len(written), key in again))
            said[key] = at + 2
    return found
