"""UFUNCS: how the gradient of what a numpy ufunc gives leads back to what it was given, one row each."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

Array = np.ndarray
Rule = Callable[..., tuple[Array | float | None, ...]]  # (what was given ..., what came out, its gradient) -> gradients


def sum_to_shape(gradient: Array, shape: tuple[int, ...]) -> Array:
    """A gradient of a value that was broadcast, summed back to the value's own shape."""
    gradient = np.asarray(gradient)
    if gradient.ndim > len(shape):
        gradient = gradient.sum(tuple(range(gradient.ndim - len(shape))))
    wide = tuple(axis for axis, size in enumerate(shape) if size == 1 and gradient.shape[axis] != 1)
    return gradient.sum(wide, keepdims=True) if wide else gradient


def matmul(a: Array, b: Array, out: Array, g: Array) -> tuple[Array, Array]:
    """Of matrices, or of stacks of vectors times one vector."""
    if b.ndim == 1:
        return g[..., None] * b, np.tensordot(g, a, g.ndim)
    return g @ np.swapaxes(b, -1, -2), np.swapaxes(a, -1, -2) @ g


def power(a: Array, p: Any, out: Array, g: Array) -> tuple[Array, None]:
    """Of a fixed exponent."""
    return g * p * np.power(a, p - 1), None


UFUNCS: dict[str, Rule | None] = {
    "add": lambda a, b, out, g: (g, g),
    "subtract": lambda a, b, out, g: (g, -g),
    "multiply": lambda a, b, out, g: (g * b, g * a),
    "divide": lambda a, b, out, g: (g / b, -g * out / b),
    "negative": lambda a, out, g: (-g,),
    "power": power,
    "square": lambda a, out, g: (2 * a * g,),
    "matmul": matmul,
    "exp": lambda a, out, g: (g * out,),
    "expm1": lambda a, out, g: (g * (out + 1),),
    "log": lambda a, out, g: (g / a,),
    "cos": lambda a, out, g: (-g * np.sin(a),),
    "sin": lambda a, out, g: (g * np.cos(a),),
    "tanh": lambda a, out, g: (g * (1 - out * out),),
    "sqrt": lambda a, out, g: (g / (2 * out),),
    "absolute": lambda a, out, g: (g * np.sign(a),),
    "logaddexp": lambda a, b, out, g: (g * np.exp(a - out), g * np.exp(b - out)),
    "maximum": lambda a, b, out, g: (g * ((a > b) + 0.5 * (a == b)), g * ((b > a) + 0.5 * (a == b))),
    "minimum": lambda a, b, out, g: (g * ((a < b) + 0.5 * (a == b)), g * ((b < a) + 0.5 * (a == b))),
    "erf": lambda a, out, g: (g * 2 / np.sqrt(pi) * np.exp(-a * a),),
    "sign": None,
    "greater": None,
    "greater_equal": None,
    "less": None,
    "less_equal": None,
    "equal": None,
    "not_equal": None,
    "isfinite": None,
    "floor": None,
}
