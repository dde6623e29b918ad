"""Answers of the collectives page's beats, from its reference: the second route to what beats.js says.

Steps and chunks are counted in the runs, where beats.js asks their formulas.
"""

from __future__ import annotations

from cutaway.explainers.collectives import reference


def counted(state: dict, algorithm: str) -> dict:
    """What a run of an algorithm counts on one node, in steps and chunks."""
    return reference.compute({**state, "algorithm": algorithm, "per_node": 16})["counted"]


def steps(state: dict, algorithm: str) -> int:
    return counted(state, algorithm)["steps"]


def arrays(state: dict, algorithm: str) -> float:
    """How many whole arrays go one after the other."""
    return counted(state, algorithm)["serial"] / state["ranks"]


def times_straight(state: dict, algorithm: str) -> float:
    """How many times what the busiest rank sends where every chunk goes straight."""
    return counted(state, algorithm)["busiest"] / counted(state, "direct")["busiest"]


def round_about(state: dict, data: dict) -> int:
    """Ring against straight: 0 as many chunks, 1 about twice as many, 2 more."""
    ratio = times_straight(state, "ring")
    return 0 if ratio < 1.5 else 1 if ratio < 3 else 2


answers = {
    "half": lambda state, data: steps(state, "ring") // 2,
    "array": lambda state, data: 2 ** state["message"],
    "twice": lambda state, data: 2 * 2 ** state["message"],
    "ring_steps": lambda state, data: steps(state, "ring"),
    "tree_steps": lambda state, data: steps(state, "tree"),
    "later": lambda state, data: steps(state, "ring") - steps(state, "tree"),
    "ring_arrays": lambda state, data: arrays(state, "ring"),
    "tree_arrays": lambda state, data: arrays(state, "tree"),
    "straight": lambda state, data: counted(state, "direct")["busiest"],
    "times_straight": lambda state, data: times_straight(state, state["algorithm"]),
    "round_about": round_about,
}
