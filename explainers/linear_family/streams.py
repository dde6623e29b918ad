"""A task and a seed -> the stream that all rules read: which key each token writes, with which value, and what counts.

Eight keys, A to H. A separator is a token with a key of zeros: it writes nothing, and only gates react to it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cutaway.explainers.hash32 import hash32

D = 8
SEPARATOR = -1


class Task(NamedTuple):
    """First writes, separators or not, later writes; keys that read nothing after separators unless written again."""

    name: str
    label: str
    first: tuple[int, ...]
    separated: bool
    then: tuple[int, ...]
    dropped: tuple[int, ...]  # also the channels that a gate per channel closes at a separator
    words: str  # what is written, and what should be read


ALL = tuple(range(D))
TASKS: tuple[Task, ...] = (
    Task("recall", "recall all", ALL, False, (), (), "Eight keys are written once. Each should read its value."),
    Task("overwrite", "overwrite A–D", ALL, False, (0, 1, 2, 3), (),
         "Eight keys are written, then A to D again with other values. Each should read its newest value."),
    Task("forget", "forget a document", ALL, True, (0, 1, 2, 3), ALL,
         "A document writes A to H. After the separator a new one writes A to D; E to H should read nothing."),
    Task("keep", "keep a prompt", ALL, True, (4, 5), (4, 5, 6, 7),
         "A prompt writes A to D, a document E to H. After the separator a new document writes E and F; G and H should "
         "read nothing, and A to D their values."),
)  # fmt: skip
BY_NAME = {task.name: task for task in TASKS}


def tokens(task: Task, pause: int) -> list[int]:
    """The key of each token, SEPARATOR for a separator."""
    return [*task.first, *([SEPARATOR] * pause if task.separated else []), *task.then]


def fractions(start: int, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers from -1 to 1, the same in both languages."""
    count = int(np.prod(shape))
    return (hash32(np.arange(start, start + count)).astype(float) / 2**31 - 1).reshape(shape)


def keys(kind: str, seed: int) -> np.ndarray:
    """[8, 8] unit keys: the axes, or eight random directions."""
    if kind == "axes":
        return np.eye(D)
    drawn = fractions(4096 * seed, (D, D))
    return drawn / np.sqrt((drawn * drawn).sum(axis=1, keepdims=True))


def values(seed: int, many: int) -> np.ndarray:
    """[tokens, 8] signs."""
    return np.where(fractions(4096 * seed + 1024, (many, D)) < 0, -1.0, 1.0)


def vectors(task: Task, pause: int, kind: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(all keys [8, 8]; the key and the value of each token, zeros for a separator)."""
    each, written = keys(kind, seed), tokens(task, pause)
    signs = values(seed, len(written))
    there = np.array([[float(key != SEPARATOR)] for key in written])
    return each, each[written] * there, signs * there


def targets(task: Task, pause: int, written: np.ndarray, step: int) -> list[np.ndarray | None]:
    """What each key should read after `step` tokens: its last value, zeros, or None where it counts for nothing yet."""
    found: list[np.ndarray | None] = [None] * D
    for t, key in enumerate(tokens(task, pause)[:step]):
        if key != SEPARATOR:
            found[key] = written[t]
        else:
            found = [np.zeros(D) if key in task.dropped else one for key, one in enumerate(found)]
    return found


def recall_error(reads: np.ndarray, target: np.ndarray) -> np.ndarray:
    """|read - wanted| / |a value|, over the last axis."""
    return np.sqrt(((reads - target) ** 2).sum(axis=-1)) / math.sqrt(D)
