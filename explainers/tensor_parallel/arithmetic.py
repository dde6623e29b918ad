"""Matrix product, exponential, softmax and norm whose every bit is the same in numpy and in JavaScript.

Sums run in one written order and exp is made of + and *, so the widget can be held to the reference exactly.
"""

from __future__ import annotations

import numpy as np

LN2 = 0.6931471805599453
HIGH, LOW = 0.6931471803691238, 1.9082149292705877e-10  # ln 2 in two parts, so that k * HIGH is exact


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b, summed over k = 0, 1, 2, ... in that order."""
    out = np.zeros((len(a), b.shape[1]))
    for k in range(len(b)):
        out = out + a[:, k : k + 1] * b[k : k + 1, :]
    return out


def exp(x: np.ndarray) -> np.ndarray:
    """e**x: 2**k times a Taylor polynomial of the rest, which is at most ln(2) / 2; 0 where x is minus infinity."""
    hidden, x = np.isneginf(x), np.where(np.isneginf(x), 0.0, x)
    k = np.floor(x / LN2 + 0.5)
    rest = (x - k * HIGH) - k * LOW
    out = np.ones_like(x)
    for n in range(14, 0, -1):
        out = 1 + rest / n * out
    return np.where(hidden, 0.0, np.ldexp(out, k.astype(int)))


def total(columns: np.ndarray) -> np.ndarray:
    """The sum over the last axis, first to last."""
    out = np.zeros(columns.shape[:-1])
    for k in range(columns.shape[-1]):
        out = out + columns[..., k]
    return out


def softmax(rows: np.ndarray) -> np.ndarray:
    """exp of every row over its sum, the largest taken off first; minus infinity is a place that is not seen."""
    e = exp(rows - rows.max(-1, keepdims=True))
    return e / total(e)[..., None]


def silu(x: np.ndarray) -> np.ndarray:
    """x / (1 + e**-x)."""
    return x / (1 + exp(-x))


def rms_norm(x: np.ndarray) -> np.ndarray:
    """Every row over its root mean square; the learned weight is 1."""
    return x / np.sqrt(total(x * x) / x.shape[1] + 1e-6)[:, None]


def numbers(seed: int, rows: int, columns: int) -> np.ndarray:
    """A matrix of numbers in (-0.5, 0.5) from a small generator that fits both languages: x <- 75 x + 74 mod 65537."""
    out, x = [], seed
    for _ in range(rows * columns):
        x = (75 * x + 74) % 65537
        out.append(x / 65537 - 0.5)
    return np.array(out).reshape(rows, columns)
