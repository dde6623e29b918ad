"""Experts and GPUs -> which expert stands in which slot, which copy of it a token goes to, and who finds no room.

Twin of placing.js.
"""

from __future__ import annotations

from math import ceil

import numpy as np

PER_NODE = 8


def slots(load: np.ndarray, nodes: int, spare: int) -> list[int]:
    """The expert in every slot, GPU after GPU. Spare slots take further copies of what is busiest on their node."""
    experts = len(load) // nodes
    if not spare:
        return list(range(len(load)))
    return [
        one + node * experts
        for node in range(nodes)
        for one in pack_experts([int(x) for x in load[node * experts : (node + 1) * experts]], spare)
    ]


def pack_experts(load: list[int], spare: int) -> list[int]:
    """One node: the busiest gets a further copy, as often as there are spare slots; then the heaviest copies first,
    each onto the GPU that has least to do and a slot left."""
    copies = [1] * len(load)
    for _ in range(spare * PER_NODE):
        copies[max(range(len(load)), key=lambda e: (load[e] / copies[e], -e))] += 1
    room = sum(copies) // PER_NODE
    heaviest = sorted(((load[e] / copies[e], e) for e in range(len(load)) for _ in range(copies[e])),
                      key=lambda one: (-one[0], one[1]))  # fmt: skip
    gpus: list[list[int]] = [[] for _ in range(PER_NODE)]
    work = [0.0] * PER_NODE
    for weight, e in heaviest:
        gpu = min((g for g in range(PER_NODE) if len(gpus[g]) < room), key=lambda g: (work[g], g))
        gpus[gpu].append(e)
        work[gpu] += weight
    return [e for gpu in gpus for e in gpu]


def room(capacity: float, tokens: int, k: int, experts: int) -> int:
    """How many tokens a slot takes; 0 = as many as come."""
    return ceil(capacity * tokens * k / experts)


def choose_slots(choice: np.ndarray, slots: list[int], limit: int) -> tuple[np.ndarray, np.ndarray]:
    """[tokens, k] the slot of each choice: copies of an expert take turns; and whether there is room left in it."""
    of: dict[int, list[int]] = {}
    for slot, expert in enumerate(slots):
        of.setdefault(expert, []).append(slot)
    seen, filled = [0] * len(of), [0] * len(slots)
    where, fits = np.zeros(choice.shape, int), np.zeros(choice.shape, bool)
    for token, row in enumerate(choice.tolist()):
        for place, expert in enumerate(row):
            slot = of[expert][seen[expert] % len(of[expert])]
            seen[expert] += 1
            filled[slot] += 1
            where[token, place] = slot
            fits[token, place] = not limit or filled[slot] <= limit
    return where, fits
