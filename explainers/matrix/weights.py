"""A seed -> a weight matrix; its rotation; what a scheme makes of it. Errors are float64, weights float32.

The matrix is numpy's default_rng(seed): normal numbers of standard deviation 0.02, times a lognormal spread of the rows
and of the columns; column 300, an outlier channel, is 20 times as large.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from cutaway.explainers.blocks import codec
from cutaway.explainers.matrix.rows import COSTED, SIDE, Costed

F32 = np.float32
SIGMA, ROW_SPREAD, COLUMN_SPREAD = 0.02, 0.35, 0.25
OUTLIER, TIMES = 300, 20
TURNED = 32  # inputs that one Hadamard matrix mixes
SIGNS = 7  # the seed of the signs before it
DRAWN = 256  # rows and columns of the drawn picture
PARTS = 2**20  # numbers that are quantized at a time


class Weights(NamedTuple):
    """A matrix, and the column whose input may be louder than the others."""

    plain: np.ndarray  # float32, (rows, columns)
    loud: int


class Stored(NamedTuple):
    """What a scheme made of a matrix: the numbers that come back, and the scale each of them had."""

    values: np.ndarray  # float32, (rows, columns)
    scale: np.ndarray  # float32, the same shape


@cache
def signs(columns: int) -> np.ndarray:
    """The signs before the Hadamard matrix: 1 or -1 for each input, from SIGNS; the first of one draw of SIDE."""
    return np.random.default_rng(SIGNS).choice([-1, 1], SIDE)[:columns].astype(float)


def matrix(seed: int) -> Weights:
    """The matrix of a seed: (1024, 1024)."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((SIDE, SIDE))
    rows, columns = rng.standard_normal((SIDE, 1)), rng.standard_normal((1, SIDE))
    made = SIGMA * normal * np.exp(ROW_SPREAD * rows) * np.exp(COLUMN_SPREAD * columns)
    made[:, OUTLIER] *= TIMES
    return Weights(made.astype(F32), OUTLIER)


def picture() -> Weights:
    """A drawing as weights, from -1 (black) to 1 (white): two gradients, discs and stripes that get finer."""
    y, x = np.mgrid[0:DRAWN, 0:DRAWN].astype(float) / DRAWN
    made = np.where(y < 0.5, 2 * x - 1, 1.6 * (x - 0.5) * (1.5 - y))
    for cx, cy, radius, light in ((0.25, 0.3, 0.16, 0.9), (0.72, 0.26, 0.12, -0.85), (0.5, 0.72, 0.2, 0.4)):
        far = ((x - cx) ** 2 + (y - cy) ** 2) / radius**2
        made = np.where(far < 1, light * (1 - far) + 0.1 * light, made)
    fine = np.floor(x * x * 48) % 2
    made = np.where(y > 0.93, np.where(fine == 1, 0.06, -0.06), made)
    return Weights(made.astype(F32), 0)


def turn(x: np.ndarray) -> np.ndarray:
    """Each 32 numbers of a row times the Hadamard matrix of 32, over its square root: float64, its own inverse."""
    out = x.astype(float).reshape(-1, TURNED)
    half = 1
    while half < TURNED:
        pairs = out.reshape(-1, 2, half)
        out = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1, TURNED)
        half *= 2
    return (out / np.sqrt(float(TURNED))).reshape(x.shape)


def rotated(x: np.ndarray) -> np.ndarray:
    """Signs, then the Hadamard matrix along the inputs: float32."""
    return turn(x * signs(x.shape[1])).astype(F32)


def turned_back(error: np.ndarray) -> np.ndarray:
    """The error of rotated weights as the error of the weights themselves: float64."""
    return turn(error) * signs(error.shape[1])


# ---------------------------------------------------------------- a scheme


def blocked(x: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A matrix as blocks: (blocks, numbers), row by row. 0 rows or columns: all of them."""
    rows, columns = shape[0] or x.shape[0], min(shape[1] or x.shape[1], x.shape[1])
    parts = x.reshape(x.shape[0] // rows, rows, x.shape[1] // columns, columns)
    return parts.transpose(0, 2, 1, 3).reshape(-1, rows * columns)


def unblocked(blocks: np.ndarray, shape: tuple[int, int], like: np.ndarray) -> np.ndarray:
    """The matrix of such blocks."""
    rows, columns = shape[0] or like.shape[0], min(shape[1] or like.shape[1], like.shape[1])
    parts = blocks.reshape(like.shape[0] // rows, like.shape[1] // columns, rows, columns)
    return parts.transpose(0, 2, 1, 3).reshape(like.shape)


def store(scheme: Costed, x: np.ndarray) -> Stored:
    """A float32 matrix under a scheme; the tensor is the matrix."""
    blocks = blocked(x, scheme.shape)
    most = np.abs(x).max()
    made = codec.quantize_row(scheme.played, blocks, scheme.rule or "floor", most)
    scale = np.repeat(made.scale, blocks.shape[1] // made.scale.shape[1], axis=1)
    return Stored(unblocked(made.values, scheme.shape, x), unblocked(scale, scheme.shape, x))


def errors(name: str, x: np.ndarray, turned: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(error of each weight, weights that became zero, the scale of each) under a scheme, rotated first or not."""
    given = rotated(x) if turned else x
    made = store(COSTED[name], given)
    error = made.values.astype(float) - given
    return turned_back(error) if turned else error, (made.values == 0) & (given != 0), made.scale
