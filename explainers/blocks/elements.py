"""What a block's numbers are rounded to, and what quantizing a block gives: the pieces every codec function shares."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import ml_dtypes
import numpy as np

from cutaway.gallery.formats.codes import floor_log2
from cutaway.gallery.formats.codes import largest as largest_of
from cutaway.gallery.formats.scalar import FORMATS

F32 = np.float32
E4M3, E2M1 = ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn


class Element(NamedTuple):
    """What a block's numbers are rounded to: largest number, its power of two, mantissa bits."""

    dtype: type
    bits: int
    largest: float
    emax: int
    mantissa_bits: int
    unit: int = 0  # whole numbers of 1/unit, where it is no float (MXINT8: 64)


@cache
def element_of(name: str) -> Element:
    """A row of gallery.formats, for numpy; INT8 as MXINT8 has it, in steps of 2^-6."""
    f = FORMATS[name]
    largest = largest_of(f)
    if f.specials == "int":
        unit = 2 ** (f.bits - 2)
        return Element(np.int8, f.bits, float(largest / unit), 0, f.bits - 2, unit)
    return Element(getattr(ml_dtypes, name), f.bits, float(largest), floor_log2(largest), f.mantissa_bits)


class Blocks(NamedTuple):
    """Quantized blocks: per sub-block a scale (and its stored code, and a zero point), per element a code and a value.

    Most schemes have one sub-block, the block itself: scale, scale_code and zero are then (blocks, 1).
    """

    scale: np.ndarray  # float32, (blocks, sub-blocks): what a decoded element is multiplied by
    scale_code: np.ndarray  # the stored bits
    codes: np.ndarray  # (blocks, n): the stored element bits
    elements: np.ndarray  # the decoded codes, before scaling
    values: np.ndarray  # float32: dequantized
    clipped: np.ndarray  # bool: lay beyond the element's largest number, by more than a float scale's own rounding
    zero: np.ndarray | None = None  # the stored zero point or minimum
    second: np.ndarray | None = (
        None  # float32, (blocks, k): scales of scales and offsets; of Four over Six the two errors
    )


def encode(y: np.ndarray, element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Float32 -> codes and the numbers they mean: nearest, ties to even, saturating."""
    if element.unit:
        whole = np.rint(np.clip(y * F32(element.unit), F32(-2 * element.unit), F32(2 * element.unit - 1)))
        return whole.astype(np.int8).view(np.uint8), (whole + F32(0)) / F32(element.unit)  # an integer has no -0
    low = np.clip(y, F32(-element.largest), F32(element.largest)).astype(element.dtype)
    return low.view(np.uint8) & np.uint8(2**element.bits - 1), low.astype(F32)


def encode_gguf(y: np.ndarray, element: Element) -> tuple[np.ndarray, np.ndarray]:
    """FP4 as gguf writes it: the smaller magnitude at a tie, and no -0."""
    sizes = np.arange(8, dtype=np.uint8).view(E2M1).astype(F32)
    code = np.searchsorted((sizes[:-1] + sizes[1:]) / F32(2), np.abs(y), side="left").astype(np.uint8)
    minus = (y < 0) & (code > 0)
    return code + np.uint8(8) * minus, np.where(minus, -sizes[code], sizes[code])


def amax_of(x: np.ndarray) -> np.ndarray:
    """The largest magnitude of each block, as a column."""
    return np.max(np.abs(x), axis=-1, keepdims=True)


def split(x: np.ndarray, size: int) -> np.ndarray:
    """Blocks (b, n) -> their sub-blocks (b, n / size, size)."""
    return x.reshape(len(x), -1, size)
