"""States for reference and widget alike: overwrites, overlaps, random keys, gates, borders; and refused ones."""

from __future__ import annotations

import numpy as np

EIGHT = [0.5, 1, 0, 0.9, 1, 0.25, 1, 1]
BAD: list[dict] = [
    {"writes": [0]}, {"writes": [8, 1]}, {"writes": [24, 1], "seed": 1}, {"writes": [0, 256]}, {"writes": [0, 1] * 33},
    {"step": 6}, {"step": 1.5}, {"border": 6}, {"border": -1}, {"seed": 1000}, {"seed": 0.5}, {"overlap": 0.95},
    {"beta": -0.1}, {"beta": 2.1}, {"decay": 2}, {"chunk": 3}, {"query": 8}, {"query": 24, "seed": 3}, {"rule": "x"},
    {"writes": [True, 1]}, {"gates": [0]}, {"gates": [0.5, 1]}, {"gates": [32, 1]}, {"gates": [0, 1.5]},
    {"channels": [1, 1]}, {"channels": [2] * 8}, {"wanted": [8]}, {"wanted": [1, 1]}, {"wanted": [0.5]},
]  # fmt: skip


def cases(first: dict, chunks: tuple, tapes: dict) -> list[dict]:
    """Whole states: the odd ends, the tapes that are offered, and random ones for every length and chunk."""
    rng = np.random.default_rng(5)
    made: list[dict] = [
        {}, {"writes": [], "step": 0}, {"step": 0}, {"decay": 0.0}, {"beta": 0.0}, {"beta": 2.0}, {"channels": EIGHT},
        {"gates": [4, 0]}, {"gates": [0, 0.5, 4, 0.5], "channels": EIGHT}, {"wanted": [0]}, {"wanted": [7]},
        {"border": 4}, {"border": 5}, *tapes.values(), {**tapes["random"], "wanted": [20, 21, 22, 23], "decay": 0.7},
        {**tapes["documents"], "gates": [8, 0], "decay": 1.0}, {**tapes["documents"], "gates": [9, 0], "decay": 1.0},
    ]  # fmt: skip
    for n in (1, 2, 3, 7, 16, 31, 32):
        for chunk in chunks:
            made.append({"step": int(rng.integers(0, n + 1)), "chunk": chunk, **tape(rng, n)})
    return [{**first, **case} for case in made]


def tape(rng: np.random.Generator, n: int) -> dict:
    """n random writes with everything else at random, half of them with random keys."""
    seed = int(rng.integers(1, 1000)) * int(rng.integers(0, 2))
    many = 24 if seed else 8
    writes = [int(x) for _ in range(n) for x in (rng.integers(0, many), rng.integers(0, 256))]
    some = rng.permutation(many)[: rng.integers(0, many)].tolist()
    scaled = {key: round(float(rng.uniform(0, most)), 3) for key, most in (("overlap", 0.9), ("beta", 2), ("decay", 1))}
    return {
        "writes": writes, "seed": seed, "wanted": some, "border": int(rng.integers(0, n + 1)), **scaled,
        "gates": [x for t in rng.permutation(n)[:3].tolist() for x in (t, round(float(rng.uniform(0, 1)), 2))],
        "channels": rng.uniform(0, 1, 8).round(2).tolist() if rng.integers(0, 2) else [],
        "rule": str(rng.choice(["linear", "decay", "delta", "gated", "kda"])), "query": int(rng.integers(0, many)),
    }  # fmt: skip
