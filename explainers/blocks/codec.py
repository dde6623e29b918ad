"""Blocks of float32 -> scale, codes, dequantized values: one obvious function per family of schemes.

Every array is (blocks, n) float32 and every step is one float32 operation, in the order of the library a row names.
Elements and scales are rounded by ml_dtypes, after clipping: what lies beyond the largest number saturates.
Scale rules of MX: floor is the OCP spec's; ceil, rceil and even are what other libraries ship.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import ml_dtypes
import numpy as np

from cutaway.gallery.formats.codes import floor_log2
from cutaway.gallery.formats.codes import largest as largest_of
from cutaway.gallery.formats.scalar import FORMATS, NF4_VALUES
from cutaway.gallery.formats.schemes import SCHEMES

F32 = np.float32
E4M3, E2M1 = ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn
RULES = ("floor", "ceil", "rceil", "even")


class Element(NamedTuple):
    """What a block's numbers are rounded to: largest number, its power of two, mantissa bits."""

    dtype: type
    bits: int
    largest: float
    emax: int
    mantissa_bits: int


def element_of(name: str) -> Element:
    """A row of gallery.formats, for numpy."""
    f = FORMATS[name]
    largest = largest_of(f)
    return Element(getattr(ml_dtypes, name), f.bits, float(largest), floor_log2(largest), f.mantissa_bits)


MX_NAMES = ("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4")
MX = {name: element_of(SCHEMES[name].element) for name in MX_NAMES}
NF4 = np.array(NF4_VALUES, F32)
NF4_MIDDLES = ((NF4[:-1] + NF4[1:]) / F32(2)).astype(F32)


class Blocks(NamedTuple):
    """Quantized blocks: per block a scale (and its stored code, and a zero point), per element a code and a value."""

    scale: np.ndarray  # float32, what a decoded element is multiplied by
    scale_code: np.ndarray  # the stored bits
    codes: np.ndarray  # the stored element bits
    elements: np.ndarray  # the decoded codes, before scaling
    values: np.ndarray  # float32: dequantized
    clipped: np.ndarray  # bool: lay beyond the element's largest number, by more than a float scale's own rounding
    zero: np.ndarray | None = None  # the stored zero point


def quantize(
    scheme: str, x: np.ndarray, rule: str = "floor", tensor_amax: np.ndarray | float = 0.0, gguf: bool = False
) -> Blocks:
    """Blocks under a scheme of gallery.schemes; `rule` matters to MX, `tensor_amax` to NVFP4, `gguf` to MXFP4."""
    x = np.asarray(x, F32)
    with np.errstate(all="ignore"):
        if scheme in MX:
            return mx(MX[scheme], x, rule, encode_gguf if gguf else encode)
        if scheme == "nvfp4":
            return nvfp4(x, np.asarray(tensor_amax, F32))
        if scheme.startswith("fp8_"):
            return fp8(x, power_of_two=scheme.endswith("ue8m0"))
        if scheme in ("int4_gptq", "int4_awq"):
            return int4_asymmetric(x)
        return {"int4_g32": int4_symmetric, "nf4": nf4, "q4_0": q4_0}[scheme](x)


# ---------------------------------------------------------------- elements


def encode(y: np.ndarray, element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Float32 -> codes and the numbers they mean: nearest, ties to even, saturating."""
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


# ---------------------------------------------------------------- OCP microscaling


def mx_exponent(element: Element, amax: np.ndarray, rule: str) -> np.ndarray:
    """The scale's exponent under a rule, clamped to what E8M0 stores; 0 has the smallest."""
    if rule == "rceil":  # exact, as cvt.rp.ue8m0x2 rounds; torchao's and ModelOpt's float32 log2 can miss one up
        wanted, emax = amax / F32(element.largest), 0
    else:
        wanted, emax = amax, element.emax
    fraction, exponent = np.frexp(wanted)  # wanted = fraction * 2**exponent, 0.5 <= fraction < 1
    power = exponent - 1
    if rule in ("ceil", "rceil"):
        power = power + (fraction > 0.5)
    if rule == "even":  # round to the element's mantissa, half up: the carry is all that is kept
        power = power + (2 * fraction >= 2 - 2.0 ** -(element.mantissa_bits + 1))
    return np.where(wanted == 0, -127, np.clip(power - emax, -127, 127))


def mx(element: Element, x: np.ndarray, rule: str, encoded: Callable = encode) -> Blocks:
    """32 elements and a power of two; a NaN among them makes the scale NaN, and so the whole block."""
    amax = amax_of(x)
    lost = np.isnan(amax)
    exponent = mx_exponent(element, np.where(lost, F32(0), amax), rule)
    scale = np.where(lost, F32(np.nan), np.ldexp(F32(1), exponent).astype(F32))
    y = np.where(lost, F32(0), x / scale)
    codes, elements = encoded(y, element)
    return Blocks(
        scale, np.where(lost, 255, exponent + 127), codes, elements, elements * scale, abs(y) > element.largest
    )


# ---------------------------------------------------------------- floats as scales


def nvfp4(x: np.ndarray, tensor_amax: np.ndarray) -> Blocks:
    """16 elements, an E4M3 scale, an FP32 scale for the tensor; operations in ModelOpt's order."""
    tensor_scale = nvfp4_tensor_scale(tensor_amax)
    block = amax_of(x) / (F32(6) * tensor_scale)
    block = np.where(block == 0, F32(1), block)  # a block of zeros: ModelOpt stores 1
    stored = np.clip(block, F32(2**-9), F32(448)).astype(E4M3)
    scale = stored.astype(F32) * tensor_scale
    y = x / scale
    codes, elements = encode(y, MX["mxfp4"])
    return Blocks(scale, stored.view(np.uint8), codes, elements, elements * scale, np.abs(y) > 6)


def nvfp4_tensor_scale(tensor_amax: np.ndarray) -> np.ndarray:
    """The largest number of the tensor over the largest product of a block scale and an element."""
    return (tensor_amax / F32(6 * 448)).astype(F32)


def fp8(x: np.ndarray, power_of_two: bool) -> Blocks:
    """E4M3 under one float scale, or under that scale rounded up to a power of two (ue8m0)."""
    element = MX["mxfp8_e4m3"]
    scale = amax_of(x) / F32(448)
    scale = np.where(scale == 0, F32(2**-23), scale)  # compressed-tensors: eps for a block of zeros
    code = scale.view(np.uint32)
    if power_of_two:
        exponent = mx_exponent(element, amax_of(x), "rceil")
        scale, code = np.ldexp(F32(1), exponent).astype(F32), exponent + 127
    y = x / scale
    codes, elements = encode(y, element)
    return Blocks(scale, code, codes, elements, elements * scale, np.abs(y) > F32(448.001))


# ---------------------------------------------------------------- integers


def int4_asymmetric(x: np.ndarray) -> Blocks:
    """Groups between their own minimum and maximum; operations in compressed-tensors' order, scale stored FP16."""
    low = np.minimum(np.min(x, axis=-1, keepdims=True), F32(0))
    high = np.maximum(np.max(x, axis=-1, keepdims=True), F32(0))
    step = (high - low) / F32(15)
    zero = np.rint(np.clip(F32(-8) - low / step, F32(-8), F32(7)))
    zero = np.where(step == 0, F32(-8), zero)
    stored = step.astype(np.float16)
    stored = np.where(stored == 0, np.float16(2**-10), stored)
    return _int4(x, stored.astype(F32), stored.view(np.uint16), zero.astype(F32))


def int4_symmetric(x: np.ndarray) -> Blocks:
    """Groups around zero: half of 15 steps on either side, scale stored BF16."""
    stored = (amax_of(x) / F32(7.5)).astype(ml_dtypes.bfloat16)
    stored = np.where(stored == 0, ml_dtypes.bfloat16(2**-7), stored)
    blocks = _int4(x, stored.astype(F32), stored.view(np.uint16), np.zeros(1, F32))
    return blocks._replace(zero=None)


def _int4(x: np.ndarray, scale: np.ndarray, scale_code: np.ndarray, zero: np.ndarray) -> Blocks:
    y = x / scale + zero
    q = np.rint(np.clip(y, F32(-8), F32(7)))
    elements = q - zero
    clipped = (y < F32(-8.001)) | (y > F32(7.001))
    codes = (q + 8).astype(np.uint8)  # stored unsigned
    stored_zero = np.broadcast_to(zero + 8, scale.shape).astype(np.uint8)
    return Blocks(scale, scale_code, codes, elements, elements * scale, clipped, stored_zero)


def q4_0(x: np.ndarray) -> Blocks:
    """GGUF: the largest magnitude, with its sign, becomes -8; codes are offset by 8, halves go up."""
    peak = np.take_along_axis(x, np.argmax(np.abs(x), axis=-1)[..., None], axis=-1)
    d = peak / F32(-8)
    inverse = np.where(d == 0, F32(0), F32(1) / d)
    y = x * inverse + F32(8.5)
    codes = np.minimum(np.trunc(y), F32(15)).astype(np.uint8)
    stored = d.astype(np.float16)
    scale, elements = stored.astype(F32), codes.astype(F32) - F32(8)
    return Blocks(scale, stored.view(np.uint16), codes, elements, elements * scale, y > F32(15.501))


# ---------------------------------------------------------------- a codebook


def nf4(x: np.ndarray) -> Blocks:
    """bitsandbytes: divide by the largest magnitude, take the nearest of 16 numbers; ties go to the smaller code."""
    absmax = amax_of(x)
    inverse = F32(1) / np.maximum(absmax, F32(1e-38))
    y = np.clip(x * inverse, F32(-1), F32(1))
    codes = np.searchsorted(NF4_MIDDLES, y, side="left").astype(np.uint8)
    elements = NF4[codes]
    return Blocks(absmax, absmax.view(np.uint32), codes, elements, elements * absmax, np.zeros(x.shape, bool))
