"""Blocks on grids of whole numbers, and on tables: INT4, INT8, Q4_0, MLX, HQQ, NF4. `facts`: a scheme's constants."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from cutaway.explainers.blocks.elements import F32, Blocks, amax_of, split
from cutaway.explainers.blocks.super_blocks import peak_of, stored16

STORED = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": F32}
BITS = {2: np.uint16, 4: np.uint32}


def between_ends(x: np.ndarray, facts: dict, stored: str) -> Blocks:
    """Groups between their own minimum and maximum; operations in compressed-tensors' order."""
    bottom, top = F32(facts["low"]), F32(facts["high"])
    low = np.minimum(np.min(x, axis=-1, keepdims=True), F32(0))
    high = np.maximum(np.max(x, axis=-1, keepdims=True), F32(0))
    step = (high - low) / (top - bottom)
    zero = np.rint(np.clip(bottom - low / step, bottom, top))
    zero = np.where(step == 0, bottom, zero).astype(F32)
    return _whole(x, facts, *_kept(step, facts, stored), zero)


def around_zero(x: np.ndarray, facts: dict, stored: str) -> Blocks:
    """Groups around zero: half of all steps on either side."""
    blocks = _whole(x, facts, *_kept(amax_of(x) / F32(facts["half"]), facts, stored), np.zeros(1, F32))
    return blocks._replace(zero=None)


def _kept(scale: np.ndarray, facts: dict, stored: str) -> tuple[np.ndarray, np.ndarray]:
    """A scale as it is stored, and its bits; a block of zeros has one, too."""
    kept = scale.astype(STORED[stored])
    kept = np.where(kept == 0, STORED[stored](facts["empty"]), kept)
    return kept.astype(F32), kept.view(BITS[kept.itemsize])


def _whole(x: np.ndarray, facts: dict, scale: np.ndarray, scale_code: np.ndarray, zero: np.ndarray) -> Blocks:
    low, high, offset = F32(facts["low"]), F32(facts["high"]), facts["offset"]
    y = x / scale + zero
    q = np.rint(np.clip(y, low, high))
    elements = q - zero
    clipped = (y < low - F32(facts["slack"])) | (y > high + F32(facts["slack"]))
    codes = (q.astype(np.int16) + offset).astype(np.uint8)  # stored unsigned, or as two's complement
    stored_zero = np.broadcast_to(zero + offset, scale.shape).astype(np.uint8)
    return Blocks(scale, scale_code, codes, elements, elements * scale, clipped, stored_zero)


def q4_0(x: np.ndarray, facts: dict) -> Blocks:
    """GGUF: the largest magnitude, with its sign, becomes -8; codes are offset by 8, halves go up."""
    d = peak_of(x) / F32(facts["peak"])
    inverse = np.where(d == 0, F32(0), F32(1) / d)
    y = x * inverse + F32(facts["plus"])
    codes = np.minimum(np.trunc(y), F32(facts["top"])).astype(np.uint8)
    code, scale = stored16(d)
    elements = codes.astype(F32) + F32(facts["peak"])
    return Blocks(scale, code, codes, elements, elements * scale, y > F32(facts["beyond"]))


def q8_0(x: np.ndarray, facts: dict) -> Blocks:
    """GGUF: INT8 under an FP16 scale; codes are found with the scale before it is rounded, halves go away from zero."""
    d = amax_of(x) / F32(facts["high"])
    y = x * np.where(d == 0, F32(0), F32(1) / d)
    whole = np.floor(np.abs(y))
    elements = np.copysign(whole + (np.abs(y) - whole >= F32(0.5)), y).astype(F32) + F32(0)
    code, scale = stored16(d)
    return Blocks(scale, code, elements.astype(np.int8).view(np.uint8), elements, elements * scale, y != y)


# ---------------------------------------------------------------- a bias or a zero point that is a float


def mlx(x: np.ndarray, facts: dict) -> Blocks:
    """MLX: a scale and a bias; the end that is farther from zero stands on the grid exactly, and so does zero."""
    low, high = np.min(x, axis=-1, keepdims=True), np.max(x, axis=-1, keepdims=True)
    below = np.abs(low) > np.abs(high)
    step = np.maximum((high - low) / F32(facts["top"]), F32(facts["empty"]))
    step, end = np.where(below, step, -step), np.where(below, low, high)
    first = np.rint(end / step)
    scale = np.where(first != 0, end / first, step).astype(F32)
    bias = np.where(first != 0, end, F32(0)).astype(F32)
    nearest = np.rint((x - bias) / scale)
    q = np.clip(nearest, F32(0), F32(facts["top"])) + F32(0)  # no -0
    clipped = (nearest < 0) | (nearest > facts["top"])
    return Blocks(scale, scale.view(np.uint32), q.astype(np.uint8), q, q * scale + bias, clipped, second=bias)


def hqq(x: np.ndarray, facts: dict) -> Blocks:
    """HQQ before its optimizer: the whole range in 15 steps, and a zero point that need not be whole."""
    low, high = np.min(x, axis=-1, keepdims=True), np.max(x, axis=-1, keepdims=True)
    inverse = np.where(
        high - low <= F32(facts["flat"]), F32(1), F32(1) / (high - low) * F32(facts["top"])
    )  # torch's order
    inverse = np.minimum(inverse, F32(facts["most"])).astype(F32)
    zero = (-low * inverse).astype(F32)
    nearest = np.rint(x * inverse + zero)
    q = np.clip(nearest, F32(0), F32(facts["top"])) + F32(0)  # no -0
    scale = F32(1) / inverse
    clipped = (nearest < 0) | (nearest > facts["top"])
    elements = q - zero
    return Blocks(scale, scale.view(np.uint32), q.astype(np.uint8), elements, elements * scale, clipped, second=zero)


# ---------------------------------------------------------------- a table


def middles(table: np.ndarray) -> np.ndarray:
    """Where the nearest entry of a sorted table changes, in float32."""
    return ((table[:-1] + table[1:]) / F32(2)).astype(F32)


def looked_up(x: np.ndarray, absmax: np.ndarray, table: np.ndarray, facts: dict) -> np.ndarray:
    """bitsandbytes: divide by the largest magnitude, take the nearest entry; ties go to the smaller code."""
    y = np.clip(x * (F32(1) / np.maximum(absmax, F32(facts["empty"]))), F32(-1), F32(1))
    return np.searchsorted(middles(table), y, side="left").astype(np.uint8)


def nf4(x: np.ndarray, facts: dict, book: list[float]) -> Blocks:
    """64 indices into a table under the largest magnitude, in FP32."""
    table, absmax = np.array(book, F32), amax_of(x)
    codes = looked_up(x, absmax, table, facts)
    values = table[codes] * absmax
    return Blocks(absmax, absmax.view(np.uint32), codes, table[codes], values, np.zeros(x.shape, bool))


def nf4_nested(x: np.ndarray, facts: dict, book: list[float], scales: list[float]) -> Blocks:
    """NF4 whose scales, less their mean, are quantized in turn: 256 of them under one FP32.

    bitsandbytes takes the mean over the tensor; here the tensor is the 256 blocks.
    """
    table, second = np.array(book, F32), np.array(scales, F32)
    sub = split(x, facts["sub"])
    absmax = np.abs(sub).max(axis=-1)
    mean = (np.add.accumulate(absmax.astype(float), axis=-1)[..., -1:] / absmax.shape[-1]).astype(F32)
    less = absmax - mean
    most = amax_of(less)
    scale_code = looked_up(less, most, second, facts)
    scale = second[scale_code] * most + mean
    codes = looked_up(sub, absmax[..., None], table, facts)
    values = table[codes] * scale[..., None]
    flat = [part.reshape(x.shape) for part in (codes, table[codes], values, np.zeros(sub.shape, bool))]
    return Blocks(scale, scale_code, *flat)._replace(second=np.concatenate([mean, most], axis=-1))
