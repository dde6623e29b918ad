"""A block and what quantizing made of it -> codes, errors, levels as plain numbers; a NaN is the word "NaN"."""

from __future__ import annotations

import math

import numpy as np

from cutaway.explainers.blocks import codec


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


def levels(scheme: str, made: codec.Blocks) -> list[float]:
    """Every number a 4-bit element of this block can be, in order; of wider ones zero and the two ends."""
    if math.isnan(made.scale[0, 0]):
        return []
    if scheme in ("mxfp4", "nvfp4"):
        elements = np.arange(16, dtype=np.uint8).view(codec.E2M1).astype(np.float32)
    elif scheme == "nf4":
        elements = codec.NF4
    elif scheme == "q4_0" or scheme.startswith("int4"):
        zero = 8 if made.zero is None else int(made.zero[0, 0])
        elements = np.arange(16, dtype=np.float32) - np.float32(zero)
    else:
        reach = float(codec.MX.get(scheme, codec.MX["mxfp8_e4m3"]).largest * made.scale[0, 0])
        return [-reach, 0.0, reach]
    return sorted({float(v) for v in elements * made.scale[0, 0] + np.float32(0)})


def tile(x: np.ndarray) -> list[float | str]:
    """The largest magnitude of each 8x8 patch of a 128x128 tile, row by row."""
    patches = np.abs(x).reshape(16, 8, 16, 8).max(axis=(1, 3))
    return floats(patches.reshape(-1))


def plainly(value: float) -> float | str:
    """A number that JSON can carry."""
    return "NaN" if math.isnan(value) else float(value)


def floats(array: np.ndarray | list[float]) -> list[float | str]:
    return [plainly(v) for v in array]
