"""Answers of rounding's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from math import sqrt

from cutaway.explainers.rounding import reference


def goes_up(state: dict, data: dict) -> int:
    """Which of the two neighbours rounding up keeps; 0 where there are none."""
    now = reference.compute(state, data)
    return int(now["between"])


def mean_error(state: dict, data: dict) -> float:
    """The mean error of the mode over all remainders of a cast, in steps, in closed form."""
    many = 2 ** state["cut"]
    cut = (1 - 1 / many) / 2
    return {"even": 0.0, "away": 1 / (2 * many), "zero": -cut, "up": cut, "down": -cut, "stochastic": 0.0}[
        state["mode"]
    ]


def _expected(state: dict, data: dict) -> tuple[float, float]:
    share, draws = reference.compute(state, data)["share"], state["draws"]
    return draws * share, 2 * sqrt(draws * share * (1 - share))


def fewest(state: dict, data: dict) -> float:
    """Two standard deviations fewer draws go up than expected."""
    middle, off = _expected(state, data)
    return middle - off


def most(state: dict, data: dict) -> float:
    """And two more."""
    return sum(_expected(state, data))


def twice(state: dict, data: dict) -> int:
    """Whether FP32 on the way changes what is kept: 0 it does, 2 it does not."""
    typed, _, single = (one["keeps"] for one in reference.compute(state, data)["steps"])
    return 2 if typed == single else 0


def lost(state: dict, data: dict) -> float:
    """What the chosen sum lacks."""
    sums = reference.compute(state, data)["sums"]
    return sums["exact"] - sums["chosen"]["total"]


def least(state: dict, data: dict) -> float:
    """The lower end of the interval of the mean of stochastic sums."""
    chosen = reference.compute(state, data)["sums"]["chosen"]
    return chosen["mean"] - chosen["half"]


def greatest(state: dict, data: dict) -> float:
    """And the upper one."""
    chosen = reference.compute(state, data)["sums"]["chosen"]
    return chosen["mean"] + chosen["half"]


answers = {"goes_up": goes_up, "mean_error": mean_error, "fewest": fewest, "most": most, "twice": twice, "lost": lost,
           "least": least, "greatest": greatest}  # fmt: skip
