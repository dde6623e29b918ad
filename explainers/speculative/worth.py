"""What was measured of a drafter, and what its drafts are worth: tokens a step and the speed-up, by the formulas."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

from cutaway.explainers.speculative import speculate

MOST = 8  # drafts a step
BATCHES = tuple(2**power for power in range(11))


@cache
def measured() -> dict[str, Any]:
    """What measure.py counted."""
    return json.loads((speculate.HERE / "measured.json").read_text("utf-8"))


def measured_of(state: dict[str, Any]) -> dict[str, Any]:
    """What was measured on held-out text with this drafter and temperature, and how the formula compares.

    `alpha` is the share of steps whose first draft is accepted, `rate` that of the checked drafts, both at one draft;
    `empty` is the share of steps without a draft. `formula` is a dash where it is fitted or does not apply.
    """
    rows = [
        row
        for row in measured()["rows"]
        if row["drafter"] == state["drafter"] and row["temperature"] == state["temperature"]
    ]
    one = rows[0]
    alpha = one["accepted"] / one["steps"]
    table = [
        {
            "k": row["k"],
            "steps": row["steps"],
            "per_step": row["tokens"] / row["steps"],
            "expected": speculate.expected(alpha, row["k"]),
            "formula": speculate.expected(alpha, row["k"]) if state["drafter"] == "model" and row["k"] > 1 else "–",
        }
        for row in rows
    ]
    counted = {
        "checked": one["tried"],
        "rate": one["accepted"] / one["tried"],
        "empty": 1 - one["tried"] / one["steps"],
    }
    return {"alpha": alpha, **counted, "rows": table}


def worth(state: dict[str, Any], alpha: float, ridge: float) -> dict[str, Any]:
    """Tokens a step and the speed-up by the formulas, over numbers of drafts and over batches."""
    cost, batch = state["cost"] if state["drafter"] == "model" else 0.0, state["batch"]
    speeds = [
        {
            "k": k,
            "expected": speculate.expected(alpha, k),
            "speedup": speculate.speedup(alpha, k, cost, batch, ridge),
        }
        for k in range(1, MOST + 1)
    ]
    best = max(speeds, key=lambda row: row["speedup"])
    sizes = [{"batch": b, "speedup": speculate.speedup(alpha, state["k"], cost, b, ridge)} for b in BATCHES]
    slower = next(
        (b for b in range(1, BATCHES[-1] + 1) if speculate.speedup(alpha, state["k"], cost, b, ridge) <= 1), 0
    )
    return {
        "cost": cost,
        "now": speeds[state["k"] - 1],
        "alone": speculate.speedup(alpha, state["k"], cost),
        "rows": speeds,
        "best": best,
        "sizes": sizes,
        "slower": slower,
        "each": state["k"] + 1,
        "full": math.ceil(ridge / (state["k"] + 1)),
    }
