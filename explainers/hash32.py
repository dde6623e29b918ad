"""A whole number -> 32 bits well stirred, the same in both languages, for what a page draws from a seed (kit.mixed)."""

from __future__ import annotations

import numpy as np

WORD = 0xFFFFFFFF


def hash32(x: np.ndarray) -> np.ndarray:
    """Two rounds of shift and product on each number, of any shape."""
    x = x.astype(np.uint64) & WORD
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x ^= x >> shift
        x = x * factor & WORD
    return x ^ x >> 16
