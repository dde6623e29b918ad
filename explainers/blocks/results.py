"""A block and what quantizing made of it -> codes, errors, levels as plain numbers; a NaN is the word "NaN"."""

from __future__ import annotations

import math

import numpy as np

from cutaway.explainers.blocks import codec, rows
from cutaway.explainers.blocks.elements import E2M1


def results(x: np.ndarray, made: codec.Blocks, shown: int) -> dict:
    """Codes and values of the shown elements; errors over the whole block, summed in order, in float64."""
    errors = [float(q) - float(v) for q, v in zip(made.values[0], x, strict=True)]
    relative = [abs(e / float(v)) if v else 0.0 for e, v in zip(errors, x, strict=True)]
    total = off = 0.0
    for error, share in zip(errors, relative, strict=True):
        total += error * error
        off += share
    return {
        "codes": made.codes[0, :shown].tolist(),
        "elements": floats(made.elements[0, :shown]),
        "dequantized": floats(made.values[0, :shown]),
        "errors": floats(errors[:shown]),
        "relative": floats(relative[:shown]),  # each error as a share of its number
        "clipped": [i for i in range(shown) if made.clipped[0, i]],
        "clipped_count": int(made.clipped.sum()),
        "zeros": sum(1 for q, v in zip(made.values[0], x, strict=True) if q == 0 and v != 0),
        "mse": plainly(total / len(x)),
        "rms": plainly(math.sqrt(total / len(x))),
        "worst": plainly(total if math.isnan(total) else max(abs(error) for error in errors)),
        "off": plainly(off / max(1, int((x != 0).sum()))),
    }


def levels(scheme: str, made: codec.Blocks, sub: int) -> list[float]:
    """Every number a 4-bit element of this sub-block can be, in order; of wider ones zero and the two ends."""
    row = rows.PLAYED[scheme]
    scale = made.scale[0, sub]
    if math.isnan(scale):
        return []
    values = possible(row, made) * scale + shift(row, made, sub)
    return sorted({float(v) for v in values + np.float32(0)})


def possible(row: rows.Played, made: codec.Blocks) -> np.ndarray:
    """What an element can be before scaling: all of 16 numbers, or the ends of more and zero."""
    facts = row.facts
    if row.books:
        return np.array(rows.BOOKS[row.books[0]], np.float32)
    if row.kind in codec.FLOATS or row.kind == "ue4m3":
        if rows.bits_of_played(row.name) == 4:
            return np.arange(16, dtype=np.uint8).view(E2M1).astype(np.float32)
        return codec.ELEMENTS[row.name].largest * np.array([-1, 0, 1], np.float32)
    if rows.bits_of_played(row.name) > 4:
        low, high = (-facts["half"], facts["half"] - 1) if row.kind == "q6_k" else (facts["low"], facts["high"])
        return np.array([low, 0, high], np.float32)
    return np.arange(16, dtype=np.float32) - np.float32(zero_of(row, made))


def zero_of(row: rows.Played, made: codec.Blocks) -> float:
    """The code of a 4-bit integer that means zero, before a minimum or a bias shifts it."""
    if row.kind == "hqq":
        assert made.second is not None
        return made.second[0, 0]
    if row.kind in ("q4_k", "mlx"):
        return 0
    return 8 if made.zero is None else int(made.zero[0, 0])


def shift(row: rows.Played, made: codec.Blocks, sub: int) -> np.float32:
    """What is added to a scaled element."""
    if row.kind == "q4_k":
        assert made.second is not None
        assert made.zero is not None
        return -made.second[0, 1] * made.zero[0, sub]
    if row.kind == "mlx":
        assert made.second is not None
        return made.second[0, 0]
    return np.float32(0)


def tile(x: np.ndarray) -> list[float | str]:
    """The largest magnitude of each 8x8 patch of a 128x128 tile, row by row."""
    patches = np.abs(x).reshape(16, 8, 16, 8).max(axis=(1, 3))
    return floats(patches.reshape(-1))


def plainly(value: float) -> float | str:
    """A number that JSON can carry."""
    return "NaN" if math.isnan(value) else float(value)


def floats(array: np.ndarray | list[float]) -> list[float | str]:
    return [plainly(v) for v in array]
