"""GPTQ's error feedback: weights are stored one input after the other, and each error is moved into later inputs.

arXiv 2210.17323, algorithm 1, without its blocks: they change the order of work, not the result. The grid is INT4
of a whole row and is not changed; DAMP of the mean diagonal is added to the Hessian.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cutaway.explainers.activations.layer import decibels, layer, product
from cutaway.explainers.activations.rows import INPUTS, INT4
from cutaway.explainers.blocks import codec

DAMP = 0.01


class Stored(NamedTuple):
    """Weights as stored, and the weights of row 0 after each step: (steps + 1, inputs)."""

    weights: np.ndarray
    row: np.ndarray


def grid(weights: np.ndarray) -> np.ndarray:
    """The step of each row's INT4 grid: (outputs, 1), float64."""
    return codec.quantize_row(INT4.played, weights).scale.astype(float)


def hessian(calibration: np.ndarray) -> np.ndarray:
    """X^T X of the calibration tokens, undamped."""
    x = calibration.astype(float)
    return x.T @ x


def factor(h: np.ndarray) -> np.ndarray:
    """The upper Cholesky factor of the inverse of the damped Hessian: row j says where the error of input j goes."""
    damped = h + DAMP * np.diag(h).mean() * np.eye(INPUTS)
    return np.linalg.cholesky(np.linalg.inv(damped)).T


def stored(weights: np.ndarray, upper: np.ndarray | None) -> Stored:
    """Input by input onto the grid; without `upper` each weight is rounded by itself."""
    step, now = grid(weights), weights.astype(float)
    rows = [now[0].copy()]
    for j in range(INPUTS):
        kept = np.clip(np.rint(now[:, j : j + 1] / step), -8, 7) * step
        if upper is not None:
            now[:, j + 1 :] -= (now[:, j : j + 1] - kept) / upper[j, j] * upper[j, j + 1 :]
        now[:, j : j + 1] = kept
        rows.append(now[0].copy())
    return Stored(now, np.array(rows))


@lru_cache(maxsize=64)
def both(seed: int, loud: int, shared: float) -> dict:
    """Rounding to nearest and GPTQ on a layer: dB of weights and outputs; of row 0 its error after each step."""
    one = layer(seed, loud, shared)
    h, true = hessian(one.calibration), product(one.tokens, one.weights)
    found = {}
    for name, upper in (("nearest", None), ("gptq", factor(h))):
        made = stored(one.weights, upper)
        error = made.row - one.weights[0].astype(float)
        found[name] = {
            "weights": decibels(one.weights, made.weights),
            "outputs": decibels(true, product(one.tokens, made.weights)),
            "calibrated": decibels(product(one.calibration, one.weights), product(one.calibration, made.weights)),
            "error": error,
            "line": np.sqrt(np.maximum(((error @ h) * error).sum(axis=1) / signal(one.weights[0], h), 0)),
        }
    return found


def signal(row: np.ndarray, h: np.ndarray) -> float:
    """The sum of squares of a row's outputs over the calibration tokens."""
    w = row.astype(float)
    return float(w @ h @ w)
