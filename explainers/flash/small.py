"""Eight queries, keys and values, small enough to redo by hand -> scores, softmax in tiles, and a walk over the tiles.

A score is the product of a query's two numbers with a key's; 1 / √d is inside the queries already. A value is one
number. The second number of key 5 is what the page lets a reader change: a large one arrives late in row 7.
"""

from __future__ import annotations

from math import exp, inf

import numpy as np

SIZE = 8
ROW, HALF = 7, 4  # the row that is told in two tiles of four keys
QUERIES = ((2, 0), (-1, 2), (1, -1), (0, 2), (1, 1), (-1, 1), (1, 0), (0, 1))
KEYS = ((0.5, 1), (2.5, 0.5), (0, 2), (1, 0), (1.5, 1.5), (0, 4), (1, 0.5), (0.5, 1))
VALUES = (2, -1, 1, 3, 0, 5, -2, 1)
NONE = "–"  # where there is no number: a score that is masked, a row that has met no key yet


def keys_with(fifth: float) -> list[list[float]]:
    """The keys; the second number of key 5 is the score it has with row 7."""
    return [[0, fifth] if i == 5 else list(key) for i, key in enumerate(KEYS)]


def scores_of(fifth: float) -> np.ndarray:
    """Every query with every key."""
    return np.array(QUERIES, float) @ np.array(keys_with(fifth), float).T


def sees_key(reach: int) -> np.ndarray:
    """Which key a query sees: none after it, and of those before it the last `reach`."""
    ago = np.arange(SIZE)[:, None] - np.arange(SIZE)[None, :]
    return (ago >= 0) & (ago < reach)


def plain_attention(scores: np.ndarray, values: np.ndarray) -> float:
    """One row in one go: weights relative to the largest score, divided by their sum, times the values."""
    weights = np.exp(scores - scores.max())
    return float(weights @ values / weights.sum())


def online(scores: np.ndarray, values: np.ndarray, wide: int) -> list[dict]:
    """The same row tile by tile: only max, sum and output are carried from one tile to the next.

    `factor` is what sum and output of earlier tiles are multiplied by; a masked score is minus infinity.
    """
    top, total, out, steps = -inf, 0.0, 0.0, []
    for at in range(0, len(scores), wide):
        tile = scores[at : at + wide]
        new = max(top, float(tile.max()))
        factor = exp(top - new) if top > -inf else 0.0
        weights = np.exp(tile - new) if new > -inf else np.zeros(len(tile))
        fresh_sum, fresh_out = float(weights.sum()), float(weights @ values[at : at + wide])
        top, total, out = new, total * factor + fresh_sum, out * factor + fresh_out
        steps.append({"max": top, "sum": total, "out": out, "factor": factor, "weights": [float(w) for w in weights],
                      "fresh_sum": fresh_sum, "fresh_out": fresh_out})  # fmt: skip
    return steps


def row(fifth: float) -> dict:
    """Row 7 in two tiles."""
    scores, values = scores_of(fifth)[ROW], np.array(VALUES, float)
    first, second = online(scores, values, HALF)
    return {
        "query": ROW,
        "scores": [float(x) for x in scores],
        "values": list(VALUES),
        "weights": first["weights"] + second["weights"],
        "first": {key: first[key] for key in ("max", "sum", "out")},
        "second": {key: second[key] for key in ("max", "sum", "out")},
        "factor": second["factor"],
        "fresh_sum": second["fresh_sum"],
        "fresh_out": second["fresh_out"],
        "tiled": second["out"] / second["sum"],
        "plain": plain_attention(scores, values),
    }


def sizes(tile: str) -> tuple[int, int]:
    """2x4 -> (2 queries, 4 keys)."""
    tall, wide = tile.split("x")
    return int(tall), int(wide)


def cut_tiles(tile: str, reach: int) -> dict:
    """The square in tiles: which are computed, in order, and which are left out."""
    (tall, wide), needed = sizes(tile), sees_key(reach)
    corners = [[r, k] for r in range(0, SIZE, tall) for k in range(0, SIZE, wide)]
    order = [[r, k] for r, k in corners if needed[r : r + tall, k : k + wide].any()]
    return {
        "size": SIZE,
        "scores": SIZE * SIZE,
        "tall": tall,
        "wide": wide,
        "tiles": len(corners),
        "computed": len(order),
        "left": len(corners) - len(order),
        "needed": int(needed.sum()),
        "needed_share": float(needed.mean()),
        "share": len(order) / len(corners),
        "order": order,
        "skipped": [one for one in corners if one not in order],
    }


def walk(small: dict, step: int, reach: int, fifth: float) -> dict:
    """What is on the chip while one tile is computed, and what its rows carry after it."""
    step = min(step, small["computed"])
    (r, k), tall, wide = small["order"][step - 1], small["tall"], small["wide"]
    scores = np.where(sees_key(reach), scores_of(fifth), -inf)
    last = step == small["computed"] or small["order"][step][0] != r
    rows = [carry_row(scores[q], k // wide, wide, last) | {"query": q} for q in range(r, r + tall)]
    cells = scores[r : r + tall, k : k + wide]
    return {
        "step": step,
        "steps": small["computed"],
        "row": r,
        "row_to": r + tall - 1,
        "key": k,
        "key_to": k + wide - 1,
        "scores": tall * wide,
        "queries": [list(QUERIES[q]) for q in range(r, r + tall)],
        "keys": keys_with(fifth)[k : k + wide],
        "values": list(VALUES[k : k + wide]),
        "cells": [[number(x) for x in line] for line in cells],
        "rows": rows,
    }


def carry_row(scores: np.ndarray, tile: int, wide: int, last: bool) -> dict:
    """Max, sum and output of one row after a tile; behind its last tile also what is written."""
    one = online(scores, np.array(VALUES, float), wide)[tile]
    met = one["sum"] > 0
    return {
        "max": number(one["max"]),
        "sum": one["sum"] if met else NONE,
        "out": one["out"] if met else NONE,
        "written": one["out"] / one["sum"] if last else NONE,
    }


def number(x: float) -> float | str:
    """A number, or what stands for none."""
    return NONE if x == -inf else float(x)
