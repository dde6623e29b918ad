"""Answers of the delta rule's beats, from its reference: the second route to what beats.js says.

The numbers are compute's, or the means over 300 random tapes (means.py).
"""

from __future__ import annotations

import numpy as np

from cutaway.explainers.delta_rule import reference

MEANS = reference.data()["means"]
FOUR = MEANS["last_four"]
TAPES = reference.tapes.offered_tapes()
BORDER_WAYS = ({"rule": "delta"}, {"rule": "gated", "decay": 0.9}, {"rule": "gated", "decay": 1, "gates": [8, 0]})


def at(state: dict, data: dict, rule: str) -> dict:
    """A state under one rule."""
    return reference.compute(state, data)["rules"][rule]


def least(errors: list[float]) -> int:
    """Where the least of them stands; those within rounding of it count as one."""
    return next(i for i, e in enumerate(errors) if e <= min(errors) + 1e-9)


def heard(state: dict, data: dict) -> int:
    """What the adding rule reads with A on the tape that writes it twice: 0 the old value, 1 the new, 2 their sum."""
    twice = TAPES["twice"]
    read = np.array(at({**reference.STATE, **twice}, data, "linear")["recall"][0])
    old, new = reference.value(twice["writes"][1]), reference.value(twice["writes"][-1])
    return least([float(np.linalg.norm(read - one)) for one in (old, new, old + new)])


def way(state: dict, data: dict) -> int:
    """Which of the three ways leaves both documents' keys nearest to what they should read."""
    start = {**reference.STATE, **TAPES["documents"]}
    found = [at({**start, **change}, data, change["rule"]) for change in BORDER_WAYS]
    return least([max(one["kept"], one["old"]) for one in found])


def flat() -> list[float]:
    """The α at which adding is within a point of its best."""
    best = min(FOUR["decay"])
    return [i / 100 for i, off in enumerate(FOUR["decay"]) if round(off - best, 6) <= 0.01]


def mean_of_all(rule: str, state: dict) -> float:
    """The mean error of as many keys as the step says, at least one and at most 24."""
    return MEANS["fits"][rule][int(np.clip(state["step"], 1, 24)) - 1]


def mean_of_four(rule: str, state: dict) -> float:
    """The mean error of the last four of 24 keys, at the state's α in hundredths."""
    return FOUR[rule][int(100 * state["decay"] + 0.5)]


answers = {
    "size": lambda state, data: np.size(at(state, data, "linear")["state"]),
    "letter": lambda state, data: reference.LETTERS[int(state["query"])],
    "heard": heard,
    "way": way,
    "fits": lambda state, data: mean_of_all("linear" if state["rule"] in ("linear", "decay") else "delta", state),
    "attention_fits": lambda state, data: mean_of_all("attention", state),
    "gentle_beta": lambda state, data: MEANS["gentle"]["beta"],
    "gentle_fits": lambda state, data: MEANS["gentle"]["off"],
    "best_matrix": lambda state, data: MEANS["solved"],
    "best_alpha": lambda state, data: least(FOUR["decay"]) / 100,
    "alpha_from": lambda state, data: flat()[0],
    "alpha_to": lambda state, data: flat()[-1],
    "least_adding": lambda state, data: min(FOUR["decay"]),
    "undecayed_adding": lambda state, data: FOUR["decay"][100],
    "undecayed_delta": lambda state, data: FOUR["gated"][100],
    "best_delta_alpha": lambda state, data: least(FOUR["gated"]) / 100,
    "least_delta": lambda state, data: min(FOUR["gated"]),
    "adding": lambda state, data: mean_of_four("decay", state),
    "deltas": lambda state, data: mean_of_four("gated", state),
    "tapes_measured": lambda state, data: MEANS["tapes"],
    "random_keys": lambda state, data: len(TAPES["random"]["writes"]) // 2,
    "attention_four": lambda state, data: MEANS["attention_last_four"],
    "a_adding": lambda state, data: at(state, data, "linear")["errors"][0] or 0.0,
    "a_delta": lambda state, data: at(state, data, "delta")["errors"][0] or 0.0,
    "kept": lambda state, data: at(state, data, state["rule"])["kept"],
    "old": lambda state, data: at(state, data, state["rule"])["old"],
    "label": lambda state, data: reference.rules.BY_NAME[state["rule"]]["label"],
}
