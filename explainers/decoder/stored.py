"""Named matrices <-> the bytes of a weights file: every row as int8 with a scale of its own in bfloat16."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

Shapes = Mapping[str, tuple[int, ...]]


def rows_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """(rows, numbers in a row); a vector is one row."""
    return (1, shape[0]) if len(shape) == 1 else (shape[0], prod(shape[1:]))


def upwards(scales: np.ndarray) -> np.ndarray:
    """The next number of bfloat16, as its sixteen bits."""
    bits = np.asarray(scales, "<f4").view("<u4")
    return ((bits + 0xFFFF) >> 16).astype("<u2")


def widen_bfloat16(bits: np.ndarray) -> np.ndarray:
    """Sixteen bits of bfloat16 as a number."""
    return (bits.astype("<u4") << 16).view("<f4").astype(float)


def pack(tensors: Mapping[str, np.ndarray]) -> bytes:
    """All numbers first, tensor after tensor and row after row, then all scales in the same order."""
    numbers, scales = [], []
    for array in tensors.values():
        rows = np.asarray(array, float).reshape(rows_of(array.shape))
        bits = upwards(np.abs(rows).max(1) / 127 + 1e-30)
        numbers.append(np.rint(rows / widen_bfloat16(bits)[:, None]).astype(np.int8))
        scales.append(bits)
    return b"".join([one.tobytes() for one in numbers] + [one.tobytes() for one in scales])


def unpack(stored: bytes, shapes: Shapes) -> dict[str, np.ndarray]:
    """The tensors again, in float64."""
    sizes = [rows_of(shape) for shape in shapes.values()]
    count, rows = sum(prod(size) for size in sizes), sum(size[0] for size in sizes)
    if len(stored) != count + 2 * rows:
        raise ValueError(f"A weights file has {len(stored):,} bytes; {count + 2 * rows:,} were looked for.")
    numbers = np.frombuffer(stored, np.int8, count).astype(float)
    scales = widen_bfloat16(np.frombuffer(stored, "<u2", rows, count))
    found, at, row = {}, 0, 0
    for (name, shape), size in zip(shapes.items(), sizes, strict=True):
        made = numbers[at : at + prod(size)].reshape(size) * scales[row : row + size[0], None]
        found[name] = made.reshape(shape)
        at, row = at + prod(size), row + size[0]
    return found
