"""A row and a column -> a number near a bell curve, the same in both languages, each drawn without the others.

A number is the sum of four even draws, the halves of two hashes. Its mean is 0, its deviation 1 to four digits, and
nothing is beyond 3.47; all steps are whole, so nothing is rounded. Twin of draw.js.
"""

from __future__ import annotations

import numpy as np

from cutaway.explainers.hash32 import hash32

UNIT = 37_837  # the deviation of a sum of four even draws from 0 to 65,535
MIDDLE = 2 * 65_535


def normal(rows: np.ndarray, columns: int) -> np.ndarray:
    """[rows, columns] numbers; a row's are its own, however many are drawn."""
    base = hash32(np.asarray(rows) + 1)[:, None]
    at = 2 * np.arange(columns, dtype=np.uint64)[None]
    one, other = hash32(base + at), hash32(base + at + 1)
    summed = (one & 0xFFFF) + (one >> 16) + (other & 0xFFFF) + (other >> 16)
    return (summed.astype(np.int64) - MIDDLE) / UNIT
