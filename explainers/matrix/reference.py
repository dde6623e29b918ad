"""A matrix, a scheme and how loud one input is -> signal to noise, zeros, bits; over five other matrices, too.

The numbers are those of results.json, which measure.py makes with the quantizers of *blocks*; here they are only put
together. In the lab the browser quantizes the matrix itself, for the maps.
"""

from __future__ import annotations

import json
from math import log10
from typing import Any

from cutaway.explainers.beats import Beat
from cutaway.explainers.blocks.rows import BOOKS
from cutaway.explainers.matrix import measure, rows, weights

SEEDS = (measure.FIRST, *measure.OTHERS)
LOUD = (1, 3, 10, 30)
SHOWN = ("error", "zeros", "scales", "values")

# Beats with maps: of which schemes, and whether of the rotated matrix, too
MAPS_IN = {1: (rows.MAPPED, 1), 4: (("fp4_tensor", "mxfp4_floor", "nvfp4", "q4_k"), 2)}
ENDS = {  # of the colour scale: of weights, and of a drawing
    "weights": {"error": list(measure.ENDS), "zeros": [0.0, 1.0], "scales": [0.001, 0.5], "values": [0.005, 0.2]},
    "drawing": {"error": [0.005, 0.5], "zeros": [0.0, 1.0], "scales": [0.005, 0.5], "values": [-1.0, 1.0]},
}

STATE = {
    "seed": measure.FIRST,
    "drawn": False,  # a drawing in place of the weights
    "scheme": "mxfp4_floor",  # the one that is picked
    "loud": 1,  # how many times as large as the others input 300 is
    "rule": "floor",  # the scale rule of the MXFP4 map
    "shown": "error",
    "row": 512,  # of the weight that is looked at; a smaller matrix shows its last
    "column": 288,
}
ROUNDED = 1e-9  # logarithms of two languages differ in the last bit


def data() -> dict:
    """The rows of schemes, what was measured, and the constants from which the browser makes the same matrix."""
    found = json.loads(measure.FILE.read_text("utf-8"))
    return {
        "schemes": rows.plain_rows(),
        "mapped": list(rows.MAPPED),
        "books": {name: BOOKS[name] for name in ("nf4", "iq4_nl")},
        "sources": found["sources"],
        "maps": found["maps"],
        "cells": list(measure.CELLS),
        "ends": ENDS,
        "seeds": list(SEEDS),
        "loud": list(LOUD),
        "made": {
            "side": rows.SIDE, "drawn": weights.DRAWN, "turned": weights.TURNED, "signs": weights.SIGNS,
            "sigma": weights.SIGMA, "row_spread": weights.ROW_SPREAD, "column_spread": weights.COLUMN_SPREAD,
            "outlier": weights.OUTLIER, "times": weights.TIMES,
        },
    }  # fmt: skip


def lab_data(data: dict) -> dict:
    """What an embedded lab plays: it makes all maps itself, the first ones too."""
    return data | {"maps": None}


def beat_data(data: dict, beat: Beat) -> dict:
    """What one beat shows: one has maps, one those of a few schemes and of the rotated matrix, too."""
    names, sides = MAPS_IN.get(beat.n, ((), 0))
    return data | {"maps": {name: data["maps"][name][:sides] for name in names} or None}


def check(state: dict) -> str:
    """The sentence that says what is legal, or ""."""
    if isinstance(state["seed"], bool) or state["seed"] not in SEEDS:
        return f"The seed is a whole number from {SEEDS[0]} to {SEEDS[-1]}."
    if state["scheme"] not in rows.COSTED:
        return f"No scheme here is called “{state['scheme']}”; choose one from the table."
    if isinstance(state["loud"], bool) or state["loud"] not in LOUD:
        return f"Input 300 is {', '.join(map(str, LOUD[:-1]))} or {LOUD[-1]} times as large as the others."
    if state["drawn"] and state["loud"] != 1:
        return "A drawing has no inputs: they stay equally large."
    if state["rule"] not in rows.RULES:
        return f"The rule is {', '.join(rows.RULES[:-1])} or {rows.RULES[-1]}."
    if state["shown"] not in SHOWN:
        return f"A map shows {', '.join(SHOWN[:-1])} or {SHOWN[-1]}."
    for key in ("row", "column"):
        if isinstance(state[key], bool) or not isinstance(state[key], int) or not 0 <= state[key] < rows.SIDE:
            return f"The {key} is a whole number from 0 to {rows.SIDE - 1}."
    return ""


# ---------------------------------------------------------------- decibels


def decibels(source: dict, name: str, loud: int, turned: bool = False) -> float:
    """10 log10 of signal over error in what comes out: inputs are independent, one of them `loud` times as large."""
    extra = loud * loud - 1
    (signal, column), found = source["signal"], source[name]
    error, error_column = found[2:4] if turned else found[:2]
    return 10 * log10((signal + extra * column) / (error + extra * error_column))


def spread(values: list[float]) -> dict:
    """The mean of some values, the lowest and the highest."""
    return {"mean": sum(values) / len(values), "low": min(values), "high": max(values)}


def row_of(name: str, source: dict, loud: int) -> dict:
    """What one matrix makes of a scheme; a gain is that of the rotation."""
    scheme = rows.COSTED[name]
    made = {
        "weights": decibels(source, name, 1),
        "rotated": decibels(source, name, 1, turned=True),
        "out": decibels(source, name, loud),
        "out_rotated": decibels(source, name, loud, turned=True),
        "zeros": source[name][4],
    }
    gain = made["out_rotated"] - made["out"]
    return {"name": name, "label": scheme.label, "bits": scheme.bits, **made, "gain": gain}


def of_seeds(data: dict, value: Any) -> dict:
    """`value` of every other matrix."""
    return spread([value(data["sources"][str(seed)]) for seed in measure.OTHERS])


def gap(name: str, under: str, source: dict, loud: int, data: dict) -> dict:
    """By how much one scheme is better than another: here, and over the other matrices."""

    def between(one: dict) -> float:
        return decibels(one, name, loud) - decibels(one, under, loud)

    return {"here": between(source), **of_seeds(data, between)}


def turn(name: str, source: dict, loud: int, data: dict) -> dict:
    """What the rotation gains: here, and over the other matrices."""

    def gain(one: dict) -> float:
        return decibels(one, name, loud, turned=True) - decibels(one, name, loud)

    return {"here": gain(source), **of_seeds(data, gain)}


def ends(state: dict, data: dict) -> list[float]:
    """The two ends of the colour scale; a loud input makes room for larger errors."""
    low, high = data["ends"]["drawing" if state["drawn"] else "weights"][state["shown"]]
    return [low, high * max(1.0, state["loud"] / 4) if state["shown"] == "error" else high]


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    loud = state["loud"]
    source = data["sources"]["picture" if state["drawn"] else str(state["seed"])]
    found = {name: row_of(name, source, loud) for name in rows.COSTED}
    mapped = [f"mxfp4_{state['rule']}" if name.startswith("mxfp4") else name for name in rows.MAPPED]
    over = "mxfp4_floor"
    return {
        "rows": list(found.values()),
        "maps": [{**found[name], "mapped": rows.COSTED[rows.MAPPED[i]].mapped} for i, name in enumerate(mapped)],
        "now": found[state["scheme"]],
        "ends": ends(state, data),
        "many": {
            "out": of_seeds(data, lambda one: decibels(one, state["scheme"], loud)),
            "zeros": of_seeds(data, lambda one: one[state["scheme"]][4]),
            "gain": turn(state["scheme"], source, loud, data),
        },
        "gaps": {
            "q4_k": gap("q4_k", over, source, loud, data),
            "rceil": gap("mxfp4_rceil", over, source, loud, data),
            "fp32": gap("fp4_32", over, source, loud, data),
            "fp8": gap("fp8_128", "fp8_tensor", source, loud, data),
            "fp4": gap("fp4_128", "fp4_tensor", source, loud, data),
            "nvfp4": gap("nvfp4", over, source, loud, data),
        },
        "turns": {name: turn(name, source, loud, data) for name in rows.MAPPED},
        "bit": (found["q6_k"]["weights"] - found["q4_k"]["weights"]) / (found["q6_k"]["bits"] - found["q4_k"]["bits"]),
    }


def cases() -> list[dict]:
    """Every scheme, seed, loudness and rule, with the drawing; a few states are illegal."""
    made: list[dict] = [{"scheme": name, "loud": LOUD[i % 4]} for i, name in enumerate(rows.COSTED)]
    made += [{"seed": seed, "loud": loud} for seed in SEEDS for loud in LOUD]
    made += [{"rule": rule, "shown": shown} for rule in rows.RULES for shown in SHOWN]
    made += [{"drawn": True, "scheme": name, "row": 9, "column": 255} for name in rows.COSTED]
    return made


def bad_cases() -> list[dict]:
    """A drawing with a loud input, and places that are none."""
    return [{"drawn": True, "loud": 30}, {"seed": 26}, {"row": 1024}, {"column": 0.5}, {"loud": 2}, {"seed": True}]
