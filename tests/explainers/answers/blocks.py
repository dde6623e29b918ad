"""Answers of the blocks page's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.explainers.blocks import reference, rows
from cutaway.explainers.blocks.results import results
from cutaway.gallery.formats.schemes import SCHEMES


def following(state: dict, data: dict) -> dict:
    """The sixteen numbers after the first sixteen, under NVFP4 and the same tensor's scale."""
    x = reference.given(state, 32)[16:].astype(np.float32)
    most = max(state["tensor_amax"], np.nan_to_num(np.abs(reference.values(state)).max()))
    made = reference.quantize_block({**state, "scheme": "nvfp4", "tensor_amax": most}, x, "floor")[0]
    return {"values": x.tolist(), "scale": float(made.scale[0, 0]), **results(x, made, 16)}


def least(state: dict, data: dict) -> float:
    """The smallest number above zero that a code can say."""
    return min((v for v in reference.compute(state, data)["levels"] if v > 0), default=0.0)


def least_rule(state: dict, data: dict) -> int:
    """Which of floor, rceil and even errs least under MXFP4; a NaN errs in all alike."""
    lab = {row["rule"]: row["mse"] for row in reference.compute({**state, "scheme": "mxfp4"}, data)["lab"]}
    errors = [lab[rule] if lab[rule] != "NaN" else 0 for rule in ("floor", "rceil", "even")]
    return errors.index(min(errors))


def chosen(key: str, none: Any) -> Callable[[dict, dict], Any]:
    """What the rule's own row says; `none` under a scheme that has no rules."""

    def answer(state: dict, data: dict) -> Any:
        return {row["rule"]: row[key] for row in reference.compute(state, data)["lab"]}.get(state["rule"], none)

    return answer


def many(rule: str) -> Callable[[dict, dict], float]:
    """The mean squared error of a rule over many blocks of a bell in MXFP4."""
    return lambda state, data: data["survey"]["mxfp4"]["bell"][rule][1]


def beside_bits(state: dict, data: dict) -> float:
    """What is stored with one block's codes, in bits."""
    n = reference.SIZE[state["scheme"]]
    return sum(cost.bits * n / cost.per for cost in SCHEMES[state["scheme"]].ledger[1:])


answers = {
    "label": lambda state, data: rows.PLAYED[state["scheme"]].label,
    "least": least,
    "half": lambda state, data: least(state, data) / 2,
    "next_zeros": lambda state, data: following(state, data)["zeros"],
    "next_scale": lambda state, data: following(state, data)["scale"],
    "least_rule": least_rule,
    "rule_kept": chosen("kept", ""),
    "rule_clips": chosen("clipped_count", 0),
    "rule_mse": chosen("mse", 0.0),
    "rule_often": chosen("often", ""),
    "rule_who": lambda state, data: {row["name"]: row["who"] for row in rows.RULES}[state["rule"]],
    "many_floor": many("floor"),
    "many_rceil": many("rceil"),
    "many_even": many("even"),
    "element_bits": lambda state, data: SCHEMES[state["scheme"]].ledger[0].bits,
    "beside_bits": beside_bits,
    "terms": lambda state, data: "; ".join(reference.compute(state, data)["cost"]["terms"]),
}
