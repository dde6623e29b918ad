"""Outlier channels of a layer's inputs, and how scales are moved -> signal over error of the outputs.

Everything is computed for the layers of all seeds; the layer of `seed` is the one that is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import product

import numpy as np

from cutaway.explainers.activations import feedback, layer, rows

SEEDS = (1, 2, 3, 4, 5, 6, 7, 8)
SHARED = (0, 0.3, 0.5, 0.7)
LOUDEST = 100
ALPHAS = tuple(i / 10 for i in range(11))
FLAT = 0.5  # dB: what is as good as the best alpha
SMOOTHED, WEIGHTED = "w8a8_tensor", "w4a16"  # the schemes of the two curves

STATE = {
    "seed": 1,  # the layer that is drawn
    "loud": 10,  # how many times as large as the others the outlier channels are
    "shared": 0.7,  # of each input's variance, what all channels have in common
    "method": "none",  # how scales are moved: none, smooth, awq
    "alpha": 0.5,
    "stored": 64,  # inputs that GPTQ has already stored in the drawing
}
ROUNDED = 1e-9  # sums in another order


def data() -> dict:
    """The rows of schemes, and the constants from which the browser makes the same layers."""
    return {
        "schemes": rows.plain_rows(),
        "seeds": list(SEEDS),
        "shared": list(SHARED),
        "alphas": list(ALPHAS),
        "loudest": LOUDEST,
        "flat": FLAT,
        "made": {
            "inputs": rows.INPUTS, "outputs": layer.OUTPUTS, "tokens": layer.TOKENS, "calibrated": layer.CALIBRATED,
            "sigma": layer.SIGMA, "common": layer.COMMON, "loud": list(layer.LOUD), "damp": feedback.DAMP,
        },
    }  # fmt: skip


def check(state: dict) -> str:
    """The sentence that says what is legal, or ""."""
    if isinstance(state["seed"], bool) or state["seed"] not in SEEDS:
        return f"The seed is a whole number from {SEEDS[0]} to {SEEDS[-1]}."
    if not is_number(state["loud"], 1, LOUDEST) or state["loud"] != int(state["loud"]):
        return f"Outlier channels are 1 to {LOUDEST} times as large as the others."
    if isinstance(state["shared"], bool) or state["shared"] not in SHARED:
        return f"The share in common is {', '.join(map(str, SHARED[:-1]))} or {SHARED[-1]}."
    if state["method"] not in layer.METHODS:
        return f"Scales are moved by {', '.join(layer.METHODS[:-1])} or {layer.METHODS[-1]}."
    if not is_number(state["alpha"], 0, 1):
        return "Alpha is a number from 0 to 1."
    if not is_number(state["stored"], 0, rows.INPUTS) or state["stored"] != int(state["stored"]):
        return f"GPTQ has stored 0 to {rows.INPUTS} inputs."
    return ""


def is_number(value: object, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


# ---------------------------------------------------------------- over all layers


def spread(values: Iterable[float]) -> dict:
    """The mean of eight layers, the lowest and the highest."""
    found = [float(v) for v in values]
    return {"mean": sum(found) / len(found), "low": min(found), "high": max(found)}


@lru_cache(maxsize=2048)
def qualities(name: str, loud: int, shared: float, method: str, alpha: float) -> tuple[float, ...]:
    """The dB of a scheme on each layer."""
    return tuple(layer.quality(name, layer.layer(seed, loud, shared), method, alpha) for seed in SEEDS)


def curve(name: str, loud: int, shared: float, method: str) -> dict:
    """A scheme under each alpha; the best, what it gains on nothing moved, and the alphas that are as good."""
    every = [qualities(name, loud, shared, method, alpha) for alpha in ALPHAS]
    plain = qualities(name, loud, shared, "none", 0.5)
    points = [{"alpha": alpha, **spread(one)} for alpha, one in zip(ALPHAS, every, strict=True)]
    best = int(np.argmax([point["mean"] for point in points]))
    good = [point["alpha"] for point in points if point["mean"] >= points[best]["mean"] - FLAT]
    return {
        "points": points,
        "plain": spread(plain),
        "best": points[best],
        "gain": spread(now - before for now, before in zip(every[best], plain, strict=True)),
        "last": spread(now - before for now, before in zip(every[-1], plain, strict=True)),
        "from": good[0],
        "to": good[-1],
    }


# ---------------------------------------------------------------- the page's contract


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    inputs = (int(state["loud"]), state["shared"])
    moved = (state["method"], float(state["alpha"]))
    every = [layer.scaled(layer.layer(seed, *inputs), *moved) for seed in SEEDS]
    found = {name: qualities(name, *inputs, *moved) for name in rows.SCHEMES}
    return {
        **channels(every[SEEDS.index(state["seed"])]),
        "zeros": {
            "inputs": spread(layer.zeros(rows.INT8_TENSOR, one.tokens) for one in every),
            "weights": spread(layer.zeros(rows.INT8_TENSOR, one.weights) for one in every),
        },
        "rows": [{"name": name, "label": rows.SCHEMES[name].label, **spread(found[name])} for name in rows.SCHEMES],
        "gaps": {
            name: spread(b - a for a, b in zip(found["w4a16"], found[name], strict=True)) for name in rows.SCHEMES
        },
        "smooth": curve(SMOOTHED, *inputs, "smooth"),
        "awq": curve(WEIGHTED, *inputs, "awq"),
        "feedback": fed_back(state, *inputs),
    }


def channels(one: layer.Layer) -> dict:
    """The largest magnitude of each channel over the median channel's: of inputs, and of weights; and INT8's step."""
    made = {}
    for name, x in (("inputs", one.tokens), ("weights", one.weights)):
        size = np.abs(x.astype(float)).max(axis=0)
        made[name] = {
            "sizes": (size / np.median(size)).tolist(),
            "largest": float(size.max() / np.median(size)),
            "step": float(size.max() / 127.5 / np.median(size)),
        }
    return {"channels": made}


def fed_back(state: dict, loud: int, shared: float) -> dict:
    """Rounding to nearest and GPTQ: dB over all layers; of the drawn layer's first output what was changed so far."""
    every = [feedback.both(seed, loud, shared) for seed in SEEDS]
    drawn, at = every[SEEDS.index(state["seed"])], int(state["stored"])

    def between(key: str) -> Callable[[dict], float]:
        return lambda one: one["gptq"][key] - one["nearest"][key]

    return {
        **{
            name: {key: spread(one[name][key] for one in every) for key in ("weights", "outputs", "calibrated")}
            for name in ("nearest", "gptq")
        },
        "gain": {key: spread(map(between(key), every)) for key in ("weights", "outputs", "calibrated")},
        "lines": {name: drawn[name]["line"].tolist() for name in ("nearest", "gptq")},
        "here": {name: float(drawn[name]["line"][at]) for name in ("nearest", "gptq")},
        "changed": drawn["gptq"]["error"][at].tolist(),
        "step": float(feedback.grid(layer.layer(state["seed"], loud, shared).weights)[0, 0]),
    }


def cases() -> list[dict]:
    """Three kinds of inputs, each with every method and alphas between the curve's points; then what is not legal."""
    made: list[dict] = []
    for i, ((loud, shared), method) in enumerate(product(((10, 0.7), (60, 0.7), (1, 0)), layer.METHODS)):
        for alpha in (0, 0.5, 0.85, 1):
            made.append({"loud": loud, "shared": shared, "method": method, "alpha": alpha, "seed": 1 + i % 8,
                         "stored": (0, 37, 127, 128)[i % 4]})  # fmt: skip
    return made


def bad_cases() -> list[dict]:
    """Numbers just outside, of the wrong kind, and words that are none."""
    return [{"seed": 9}, {"seed": True}, {"loud": 0.5}, {"loud": 101}, {"loud": 2.5}, {"shared": 0.6}, {"shared": "0"},
            {"method": "gptq"}, {"alpha": -0.1}, {"alpha": 1.1}, {"stored": 129}, {"stored": 1.5}]  # fmt: skip
