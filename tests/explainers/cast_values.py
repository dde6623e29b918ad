"""Doubles where one rounding and two part: beside ties by 2^-23 to 2^-53 of them, subnormal, at every end."""

from __future__ import annotations

import numpy as np

from tests.explainers import bits_oracle as oracle

exact = oracle.exact
FORMATS = oracle.FORMATS
HAIRS = (23, 24, 25, 26, 30, 40, 45, 51, 52)
# Where FP32 and FP64 end, and zeros, infinities and NaN.
ENDS = (
    *(2.0**-127 * m for m in (1, 1 + 2**-40, 1 + 2**-22, 1.25, 1.375, 1.5, 1.75, 2 - 2**-23, 2 - 2**-30, 2)),
    *(2.0**-149, 2.0**-150, 2.0**-150 * (1 + 2**-52), 2.0**-140, 1e-60, 5e-324),
    *((2 - 2.0**-23) * 2.0**127, (2 - 2.0**-24) * 2.0**127, (2 - 2.0**-24 - 2.0**-52) * 2.0**127, 1e30, 1e39, 1e300),
    *(0.0, float("inf"), float("nan")),
)  # fmt: skip
ISSUE = (1.0625000000010625, float.fromhex("0x1.6p-127"), 65519.9999)


def line(name: str) -> np.ndarray:
    """Values of a format, all of a small one, and one step past either end, as float64."""
    row = FORMATS[name]
    low, high = exact.ranks(row)
    rng = np.random.default_rng(26)
    places = np.arange(low, high + 1) if row.bits <= 8 else np.unique(rng.integers(low, high, 200))
    places = np.unique(np.concatenate([places, [low, low + 1, high - 1, high], places[places < high] + 1]))
    values = np.array([float(exact.decode(row, exact.at_rank(row, int(place))).value) for place in places])
    return np.concatenate([[2 * values[0] - values[1]], values, [2 * values[-1] - values[-2]]])


def adversarial(name: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` doubles of a format (values, ties, what lies beside them) or plain, and all ends; both signs of each."""
    values = line(name)
    middle = (values[1:] + values[:-1]) / 2
    hairs = np.array([sign * 2.0**-k for k in HAIRS for sign in (-1, 1)])
    beside = (middle[:, None] * (1 + hairs)).ravel()
    plain = rng.standard_normal(64) * 10.0 ** rng.uniform(-8, 6, 64)
    made = np.concatenate([values, middle, beside, plain])
    some = rng.choice(made, min(count, len(made)), replace=False)
    with np.errstate(over="ignore"):
        made = np.concatenate([ISSUE, ENDS, some])
    return np.unique(np.concatenate([made, -made])) if name != "nf4" else np.unique(np.clip(made, -1, 1))
