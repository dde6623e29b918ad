"""A workload's name -> its requests: when each arrives, how long its prompt and its answer are, what it continues.

A row is [arrival, own prompt tokens, answer tokens, parent]. With a parent, it is the next turn of a conversation: its
prompt begins with all of the parent's text, and it arrives so many steps after the parent's answer.
"""

from __future__ import annotations

import re

import numpy as np

from cutaway.explainers.hash32 import hash32

NONE = -1
LIMIT = 256  # max_model_len: prompt and answer of a request together
COUNT = 12  # requests of a workload drawn from a seed
OWN = 40  # the most tokens of its own prompt, and of its answer

WORKLOADS: dict[str, dict] = {
    "chat": {
        "label": "chat, 12 requests",
        "rows": [
            [0, 35, 60, NONE], [0, 20, 12, NONE], [0, 52, 25, NONE], [0, 12, 76, NONE],
            [2, 44, 18, NONE], [4, 25, 40, NONE], [6, 60, 9, NONE], [8, 18, 64, NONE],
            [12, 30, 30, NONE], [16, 48, 14, NONE], [20, 22, 50, NONE], [24, 40, 20, NONE],
        ],
    },
    "burst": {"label": "8 at once", "rows": [[0, 20, 40, NONE]] * 8},
    "long": {
        "label": "long prompts among short ones",
        "rows": [
            [0, 12, 60, NONE], [0, 10, 48, NONE], [0, 16, 52, NONE], [4, 150, 8, NONE],
            [8, 14, 40, NONE], [12, 140, 8, NONE], [14, 12, 44, NONE], [20, 146, 8, NONE],
        ],
    },
    "turns": {
        "label": "conversations of three turns",
        "rows": [
            [0, 20, 24, NONE], [0, 26, 18, NONE], [1, 16, 30, NONE], [2, 30, 20, NONE],
            [6, 12, 20, 0], [4, 14, 22, 1], [8, 10, 16, 2], [5, 12, 18, 3],
            [6, 10, 18, 4], [7, 12, 14, 5], [4, 14, 12, 6], [6, 10, 16, 7],
        ],
    },
}  # fmt: skip


def drawn(seed: int) -> list[list[int]]:
    """Twelve requests from a seed: a third of them continue an earlier one."""
    every = np.arange(COUNT, dtype=np.uint64)
    at = lambda column: hash32(every + np.uint64(COUNT * column + 64 * COUNT * seed)).tolist()  # noqa: E731
    gaps, prompts, answers, parents = (at(column) for column in range(4))
    rows: list[list[int]] = []
    for i in range(COUNT):
        parent = parents[i] // 3 % i if i and not parents[i] % 3 else NONE
        if parent != NONE and rows[parent][3] != NONE:
            parent = NONE
        arrival = gaps[i] % 8 if parent != NONE else gaps[i] % 24
        rows.append([arrival, 1 + prompts[i] % OWN, 1 + answers[i] % OWN, parent])
    return rows


ROW = re.compile(r" *([0-9]{1,3}) +([0-9]{1,3}) +([0-9]{1,3}) *")
TYPED = f"Type up to {COUNT} requests, as “0 40 30, 5 100 20”: arrival, prompt and answer, at most 160 tokens together."


def typed(text: str) -> list[list[int]]:
    """The rows of "0 40 30, 5 100 20": arrival, prompt and answer of each request; [] where it says something else."""
    found = [ROW.fullmatch(part) for part in text.split(",")]
    rows = [[*map(int, one.groups()), NONE] for one in found if one]
    legal = all(prompt and answer and prompt + answer <= 160 and arrival <= 200 for arrival, prompt, answer, _ in rows)
    return rows if len(rows) == len(found) <= COUNT and legal else []


def requests(state: dict, rows: dict[str, dict]) -> list[list[int]]:
    """The rows of the workload that a state names."""
    if state["workload"] == "own":
        return typed(state["own"])
    return drawn(state["seed"]) if state["workload"] == "seeded" else rows[state["workload"]]["rows"]
