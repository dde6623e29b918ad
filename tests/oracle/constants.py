"""Golden logits of constants (constants.json, made by make_constants.py) against `gallery.run`; what they prove.

A row is a case of forward/ with its multipliers, scales, epsilons, bases, caps and limits at unusual values: shapes,
names and ties are the case's. python tests/oracle/constants.py prints a line each.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.forward import CASES, LIMIT, weights

ROWS = Path(__file__).resolve().parent / "constants.json"


@cache
def rows() -> list[dict]:
    """Every row, with the case it changes."""
    made = json.loads(ROWS.read_text(encoding="utf-8"))["rows"]
    cases = [json.loads((CASES / f"{row['case']}.json").read_text(encoding="utf-8")) for row in made]
    return [
        {**row, "whole": {**case, "salt": row["salt"], "config": {**case["config"], **row["set"]}}}
        for row, case in zip(made, cases, strict=True)
    ]


def difference(row: dict) -> float:
    """Of the last token's logits and of each token's mean, in standard deviations; inf where it does not run."""
    from cutaway.gallery import read, run

    case = row["whole"]
    try:
        logits = run(read(case["config"], as_class=True), weights(case), row["tokens"])[:, : len(row["last"])]
    except Exception:
        return float("inf")
    gaps = (np.abs(logits[-1] - row["last"]).max(), np.abs(logits.mean(axis=1) - row["mean"]).max())
    return float(max(gaps) / row["std"])


@cache
def differences() -> dict[str, float]:
    """Case -> its difference."""
    return {row["case"]: difference(row) for row in rows()}


def proved_constants(cases: list[dict]) -> dict[str, list[str]]:
    """family -> the constants that its rows, or these cases of forward/, have at unusual values."""
    from cutaway.gallery import read
    from cutaway.gallery.reading.class_defaults import CLASS_DEFAULTS
    from cutaway.gallery.reading.constants import is_unusual

    right = [row["whole"] for row in rows() if differences()[row["case"]] <= LIMIT]
    found: dict[str, set[str]] = {}
    for case in (*cases, *right):
        spec, defaults = read(case["config"]), CLASS_DEFAULTS.get(case["model_type"], {})
        names = {name for name, value in spec.constants if "." in name or is_unusual(name, value, defaults)}
        found.setdefault(spec.family, set()).update(names)
    return {family: sorted(names) for family, names in sorted(found.items())}


if __name__ == "__main__":
    for case, off in differences().items():
        print(f"{case:32} {off:10.2e}")
    good = sum(off <= LIMIT for off in differences().values())
    print(f"{good} of {len(rows())} within {LIMIT:g}")
