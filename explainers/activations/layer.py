"""A seed -> a small layer and its inputs; scales moved between them; what a scheme makes of the outputs, in dB.

Numbers are float32, products and errors float64. Scales come from calibration tokens, errors from other tokens.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cutaway.explainers.activations.rows import INPUTS, SCHEMES, Side
from cutaway.explainers.blocks import codec

F32 = np.float32
OUTPUTS, TOKENS, CALIBRATED = 64, 32, 256
SIGMA = 0.02  # standard deviation of the weights
COMMON = 8  # hidden causes that inputs share
LOUD = (20, 90)  # the outlier channels
METHODS = ("none", "smooth", "awq")


class Layer(NamedTuple):
    """A linear layer with the tokens that it is judged by, and those that it is calibrated with."""

    weights: np.ndarray  # float32, (outputs, inputs)
    tokens: np.ndarray  # float32, (tokens, inputs)
    calibration: np.ndarray  # float32, (calibrated, inputs)


@lru_cache(maxsize=64)
def layer(seed: int, loud: int, shared: float) -> Layer:
    """Normal weights and inputs; `shared` of the variance is common to all inputs, LOUD are `loud` times as large."""
    rng = np.random.default_rng(seed)
    weights = SIGMA * rng.standard_normal((OUTPUTS, INPUTS))
    own = rng.standard_normal((TOKENS + CALIBRATED, INPUTS))
    causes = rng.standard_normal((TOKENS + CALIBRATED, COMMON))
    mix = rng.standard_normal((COMMON, INPUTS))
    common = np.zeros(own.shape)
    for i in range(COMMON):
        common += causes[:, i : i + 1] * mix[i]
    inputs = np.sqrt(1 - shared) * own + np.sqrt(shared / COMMON) * common
    inputs[:, list(LOUD)] *= loud
    made = inputs.astype(F32)
    return Layer(weights.astype(F32), made[:TOKENS], made[TOKENS:])


def scales(one: Layer, method: str, alpha: float) -> np.ndarray:
    """What inputs are divided by, and weights multiplied: SmoothQuant's equation 4, AWQ's equation 5; float32."""
    size = np.abs(one.calibration.astype(float))
    if method == "smooth":
        largest = np.abs(one.weights.astype(float)).max(axis=0)
        return (size.max(axis=0) ** alpha / largest ** (1 - alpha)).astype(F32)
    if method == "awq":
        return ((np.add.accumulate(size, axis=0)[-1] / CALIBRATED) ** alpha).astype(F32)
    return np.ones(INPUTS, F32)


def scaled(one: Layer, method: str, alpha: float) -> Layer:
    """The same layer with the scales moved: its outputs stay what they were, but for float32."""
    s = scales(one, method, alpha)
    return Layer(one.weights * s, one.tokens / s, one.calibration / s)


def store(side: Side, x: np.ndarray) -> np.ndarray:
    """What comes back of float32 numbers."""
    blocks = x.reshape(-1, side.share or x.size)
    return codec.quantize_row(side.played, blocks, "floor", np.abs(x).max()).values.reshape(x.shape)


def product(tokens: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The outputs, float64: (tokens, outputs)."""
    return tokens.astype(float) @ weights.astype(float).T


def decibels(true: np.ndarray, found: np.ndarray) -> float:
    """10 log10 of signal over error."""
    return float(10 * np.log10((true.astype(float) ** 2).sum() / ((found - true.astype(float)) ** 2).sum()))


def quality(name: str, one: Layer, method: str, alpha: float) -> float:
    """Signal over error of the outputs under a scheme, in dB."""
    scheme, moved = SCHEMES[name], scaled(one, method, alpha)
    tokens = moved.tokens if scheme.inputs is None else store(scheme.inputs, moved.tokens)
    return decibels(product(one.tokens, one.weights), product(tokens, store(scheme.weights, moved.weights)))


def zeros(side: Side, x: np.ndarray) -> float:
    """The share of numbers outside the outlier channels that become zero."""
    rest = [i for i in range(INPUTS) if i not in LOUD]
    return float((store(side, x)[:, rest] == 0).mean())
