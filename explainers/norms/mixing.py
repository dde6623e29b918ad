"""A place in a stack and some Sinkhorn rounds -> how four residual streams mix there, and what many mixes do together.

A drawn matrix near the identity is taken as it is (0 rounds), or made nearly doubly stochastic as hyper-connections do.
Twin of mixing.js.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cutaway.explainers.experts.draw import normal

STREAMS, EPS = 4, 1e-6
SPREAD, SHARP, FIRST = 0.1, 3, 1_000_000  # how far from the identity; before the softmax; the first number of its draws


@lru_cache(maxsize=1024)
def raw(place: int) -> np.ndarray:
    """[from, to] the identity and a small draw."""
    drawn = normal(np.array([FIRST + place]), STREAMS * STREAMS)[0].reshape(STREAMS, STREAMS)
    return np.eye(STREAMS) + SPREAD * drawn


@lru_cache(maxsize=1024)
def shares(place: int) -> tuple[np.ndarray, np.ndarray]:
    """How much a half reads of each stream, and how much of its answer each gets: σ and 2σ of a draw."""
    drawn = normal(np.array([2 * FIRST + place]), 2 * STREAMS)[0]
    return 1 / (1 + np.exp(-drawn[:STREAMS])) + EPS, 2 / (1 + np.exp(-drawn[STREAMS:]))


def sinkhorn(logits: np.ndarray, rounds: int) -> np.ndarray:
    """Softmax of each row, then columns and rows divided by their sums in turn; columns last."""
    e = np.exp(logits - logits.max(1, keepdims=True))
    made = e / e.sum(1, keepdims=True) + EPS
    made = made / (made.sum(0, keepdims=True) + EPS)
    for _ in range(rounds - 1):
        made = made / (made.sum(1, keepdims=True) + EPS)
        made = made / (made.sum(0, keepdims=True) + EPS)
    return made


@lru_cache(maxsize=8192)
def mix(place: int, rounds: int) -> np.ndarray:
    """[from, to] how streams mix at a place."""
    return sinkhorn(SHARP * raw(place), rounds) if rounds else raw(place)


def gain(made: np.ndarray) -> float:
    """How loud a stream can become: the largest sum of a column, or of a row on the way back."""
    return float(max(np.abs(made).sum(0).max(), np.abs(made).sum(1).max()))


@lru_cache(maxsize=64)
def chain(places: int, rounds: int) -> tuple[list[float], list[list[float]]]:
    """(gain after each place, all mixes together)."""
    made, gains = np.eye(STREAMS), [1.0]
    for place in range(places):
        made = made @ mix(place, rounds)
        gains.append(gain(made))
    return gains, made.tolist()


def summary(state: dict) -> dict:
    """Every half of the stack mixes once."""
    places = 2 * state["layers"]
    gains, made = chain(places, state["rounds"])
    free, _ = chain(places, 0)
    one = mix(0, state["rounds"])
    return {
        "places": places, "rounds": state["rounds"], "gains": gains, "free": free, "all": made, "one": one.tolist(),
        "gain": gains[-1], "free_gain": free[-1],
        "off": float(max(abs(one.sum(0) - 1).max(), abs(one.sum(1) - 1).max())),
    }  # fmt: skip
