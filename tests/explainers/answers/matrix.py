"""Answers of matrix's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.matrix import reference


def fp8_gain(state: dict, data: dict) -> int:
    """What tiles add to FP8: 0 nothing to speak of, 1 a few dB, 2 more than ten."""
    found = {row["name"]: row["out"] for row in reference.compute(state, data)["rows"]}
    gain = found["fp8_128"] - found["fp8_tensor"]
    return 0 if gain < 0.5 else 1 if gain < 10 else 2


def loses(state: dict, data: dict) -> int:
    """The first of four schemes that a rotation makes worse; -1 where none is."""
    found = {row["name"]: row["gain"] for row in reference.compute(state, data)["rows"]}
    gains = [found[name] for name in ("fp4_tensor", "mxfp4_floor", "nvfp4", "q4_k")]
    return next((i for i, gain in enumerate(gains) if gain < 0), -1)


answers = {"fp8_gain": fp8_gain, "loses": loses}
