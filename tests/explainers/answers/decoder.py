"""Answers of the decoder page's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cutaway.explainers.decoder import reference

OPTIONS = ["12", "8", "2", "30"]  # of the first bet
Answer = Callable[[dict, dict], int | float]


def find(name: str, data: dict) -> dict:
    return next(row for row in data["mixers"] if row["name"] == name)


def right(name: str, key: str) -> Answer:
    """The share that a mixer gets right of some reads."""
    return lambda state, data: find(name, data)["right"][key]


def held(state: dict, data: dict) -> int:
    """Which option is the value that was written last under the key of the read."""
    truth = reference.compute(state, data)["here"]["truth"]
    return OPTIONS.index(truth) if truth in OPTIONS else -1


def cliff(state: dict, data: dict) -> float:
    """The share that the window of 24 gets right where the value was last said 26 tokens back or more."""
    measured = reference.measures["window"]
    near = [sum(pair[i] for back, pair in measured["said"].items() if int(back) < 26) for i in (0, 1)]
    right, asked = (whole - part for whole, part in zip(measured["all"], near, strict=True))
    return round(right / asked, 5)


def equal_after(state: dict, data: dict) -> int:
    """After how many tokens a full cache is as large as the state."""
    row, fixed = find("full", data)["keeps"]["row"], find("delta", data)["keeps"]["fixed"]
    return next(tokens for tokens in range(1, fixed + 1) if tokens * row >= fixed)


def looks(state: dict, data: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """([heads, units] of looks, which units have the key under the cursor, which of these write)."""
    now = reference.compute(state, data)
    rows = np.array(now["live"]["looks"])
    units = now["stream"]["units"][: rows.shape[1]]
    own = np.array([unit["key"] == now["here"]["key"] for unit in units])
    return rows, own, own & np.array([unit["word"] == "W" for unit in units])


def look(which: int) -> Answer:
    """The mean over heads of the look on the first write of the key, or on the last."""

    def share(state: dict, data: dict) -> float:
        rows, _, writes = looks(state, data)
        return float(rows[:, writes].mean(0)[which]) if writes.any() else 0.0

    return share


def after_look(state: dict, data: dict) -> float:
    """The mean over heads of the look on the unit after the last write of the key."""
    rows, _, writes = looks(state, data)
    after = np.flatnonzero(writes)[-1:] + 1
    return float(rows[:, after[after < rows.shape[1]]].sum(1).mean())


def lit(state: dict, data: dict) -> int:
    """0 the first write alone, 1 the last alone, 2 both: a write is looked at with a fifth or more."""
    first, last = (look(which)(state, data) >= 0.2 for which in (0, -1))
    return 2 if first and last else int(last)


def astray(state: dict, data: dict) -> int:
    """The head that looks most at a unit of another key that does not follow the key; the first of them."""
    rows, own, _ = looks(state, data)
    near = own | np.append(False, own[:-1])
    return int(np.where(near, 0.0, rows).max(1).argmax())


def after_many(name: str = "") -> Answer:
    """The bytes that a mixer keeps after a thousand tokens; without a name, the chosen one."""
    return lambda state, data: reference.cache_after(find(name or state["m"], data), reference.MANY)["bytes"]


answers: dict[str, Answer] = {
    "held": held, "cliff": cliff, "overwritten": right("linear", "again"), "equal_after": equal_after, "lit": lit,
    "crowded_full": right("full8", "crowded"), "crowded_delta": right("delta8", "crowded"), "first_look": look(0),
    "last_look": look(-1), "after_look": after_look, "blind": lambda state, data: 1 / 32,
    "old_delta": right("delta-x", "long_old"), "old_gated": right("gated-x", "long_old"),
    "again_delta": right("delta", "again"), "astray": astray, "after_many": after_many(),
    "full_after_many": after_many("full"),
}  # fmt: skip
