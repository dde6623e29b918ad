"""What may be chosen on this page, and the sentence that says so. Twin of legal.js."""

from __future__ import annotations

from cutaway.explainers.blocks import codec, rows
from cutaway.explainers.blocks.samples import TILE
from cutaway.explainers.legal_numbers import is_between, is_integer

LIMIT = 10_000.0  # of a typed value: FP16 scales still hold
OWN = 256  # how many numbers a reader may paste


def check(state: dict) -> str:
    """ "" or the sentence that says what is legal."""
    samples = [row["value"] for row in rows.SAMPLES]
    for what, key, known in (
        ("scheme", "scheme", rows.PLAYED),
        ("scale rule", "rule", codec.RULES),
        ("sample", "sample", samples),
        ("packing", "packing", rows.PACKINGS),
    ):
        if state[key] not in known:
            return f"There is no {what} “{state[key]}”. There are: {', '.join(known)}."
    if not own_is_legal(state):
        return "Your own numbers are 1 to 256 numbers from -10,000 to 10,000."
    if not is_integer(state["seed"], 0, 9999):
        return "The seed is a whole number from 0 to 9,999."
    if not is_integer(state["picked"], 0, 127):
        return "The picked element is a whole number from 0 to 127."
    if not is_between(state["outlier"], 1, 1024):
        return "The outlier is a number from 1 to 1,024: how many times its size."
    if not is_between(state["tensor_amax"], 0.0001, 1e6):
        return "The tensor's largest value is a number from 0.0001 to 1,000,000."
    for key, value in state["edits"].items():
        if key not in _KEYS or not (value in ("-0", "NaN") or is_between(value, -LIMIT, LIMIT)):  # JSON has neither
            return "A changed value is a number from -10,000 to 10,000, or NaN, at an element from 0 to 127."
    if state["scheme"] not in codec.MX and "NaN" in state["edits"].values():
        return "NaN is supported here only for the MX schemes: choose one, or remove the NaN."
    return ""


_KEYS = {str(i) for i in range(TILE)}


def own_is_legal(state: dict) -> bool:
    """Whether the pasted numbers are numbers, and there are some where they are asked for."""
    own = state["own"]
    least = 1 if state["sample"] == "own" else 0
    return isinstance(own, list) and least <= len(own) <= OWN and all(is_between(v, -LIMIT, LIMIT) for v in own)
