"""Blocks of float32 -> scale, codes, dequantized values: one obvious function per kind of scheme.

Every array is (blocks, n) float32 and every step is one float32 operation, in the order of the library a row names.
Elements and scales are rounded by ml_dtypes, after clipping: what lies beyond the largest number saturates.
Scale rules of MX: floor is the OCP spec's; ceil, rceil and even are what other libraries ship.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cutaway.explainers.blocks import grids, rows, super_blocks
from cutaway.explainers.blocks.elements import E4M3, F32, Blocks, Element, amax_of, element_of, encode, encode_gguf

RULES = tuple(rule["name"] for rule in rows.RULES)
FLOATS = ("mx", "fp8", "nvfp4", "four_over_six")  # kinds whose elements are numbers of a format
ELEMENTS = {name: element_of(row.element) for name, row in rows.PLAYED.items() if row.kind in FLOATS}
MX = {name: ELEMENTS[name] for name, row in rows.PLAYED.items() if row.kind == "mx"}


def quantize(
    scheme: str, x: np.ndarray, rule: str = "floor", tensor_amax: np.ndarray | float = 0.0, gguf: bool = False
) -> Blocks:
    """Blocks under a scheme of rows.PLAYED; `rule` matters to MX, `tensor_amax` to NVFP4, `gguf` to MXFP4."""
    return quantize_row(rows.PLAYED[scheme], x, rule, tensor_amax, gguf)


def quantize_row(
    row: rows.Played, x: np.ndarray, rule: str = "floor", tensor_amax: np.ndarray | float = 0.0, gguf: bool = False
) -> Blocks:
    """The same for a row that is not on the page, such as one that shares its scale between more numbers."""
    x = np.asarray(x, F32)
    facts, books = row.facts, [rows.BOOKS[name] for name in row.books]
    with np.errstate(all="ignore"):
        if row.kind == "mx":
            return mx(element_of(row.element), x, rule, encode_gguf if gguf else encode)
        if row.kind in ("nvfp4", "four_over_six"):
            scaled = nvfp4 if row.kind == "nvfp4" else four_over_six
            return scaled(x, np.asarray(tensor_amax, F32), element_of(row.element), facts)
        if row.kind == "fp8":
            return fp8(x, element_of(row.element), facts)
        made: Callable[..., Blocks] = KINDS[row.kind]
        return made(x, facts, *([row.stored] if row.kind in STORING else []), *books)


STORING = ("between_ends", "around_zero")  # kinds whose scale several formats hold
KINDS: dict[str, Callable[..., Blocks]] = {
    one.__name__: one
    for one in (
        *(
            grids.between_ends,
            grids.around_zero,
            grids.q4_0,
            grids.q8_0,
            grids.mlx,
            grids.hqq,
            grids.nf4,
            grids.nf4_nested,
        ),
        *(super_blocks.q4_k, super_blocks.q6_k, super_blocks.iq4_nl, super_blocks.ue4m3),
    )
}


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


def nvfp4(x: np.ndarray, tensor_amax: np.ndarray, element: Element, facts: dict) -> Blocks:
    """16 elements, an E4M3 scale, an FP32 scale for the tensor; operations in ModelOpt's order."""
    tensor_scale = nvfp4_tensor_scale(tensor_amax, facts)
    block = amax_of(x) / (F32(element.largest) * tensor_scale)
    block = np.where(block == 0, F32(facts["empty"]), block)  # a block of zeros
    stored = np.clip(block, F32(facts["least"]), F32(facts["ceiling"])).astype(E4M3)
    scale = stored.astype(F32) * tensor_scale
    y = x / scale
    codes, elements = encode(y, element)
    return Blocks(scale, stored.view(np.uint8), codes, elements, elements * scale, np.abs(y) > element.largest)


def four_over_six(x: np.ndarray, tensor_amax: np.ndarray, element: Element, facts: dict) -> Blocks:
    """NVFP4 whose largest number becomes 6 or 4 in each block, whichever errs less; in fouroversix' order."""
    tensor_scale = nvfp4_tensor_scale(tensor_amax, facts)
    given = x / tensor_scale
    tried = []
    for target in (facts["target"], facts["other"]):
        stored = np.minimum(amax_of(given) / F32(target), F32(facts["ceiling"])).astype(E4M3)
        stored = np.maximum(stored.astype(F32), F32(facts["least"]))
        y = given / stored
        codes, elements = encode(y, element)
        error = np.add.accumulate(((elements * stored - given) ** 2).astype(float), axis=-1)[..., -1:]
        scale = stored * tensor_scale
        made = (
            scale,
            stored.astype(E4M3).view(np.uint8),
            codes,
            elements,
            elements * scale,
            np.abs(y) > element.largest,
        )
        tried.append((error, made))
    (error, made), (other, instead) = tried
    second = np.concatenate([error, other], axis=-1) * tensor_scale.astype(float) ** 2 / x.shape[-1]
    kept = (np.where(other < error, b, a) for a, b in zip(made, instead, strict=True))
    return Blocks(*kept)._replace(second=second.astype(F32))


def nvfp4_tensor_scale(tensor_amax: np.ndarray, facts: dict | None = None) -> np.ndarray:
    """The largest number of the tensor over the largest product of a block scale and an element."""
    return (tensor_amax / F32((facts or rows.PLAYED["nvfp4"].facts)["reach"])).astype(F32)


def fp8(x: np.ndarray, element: Element, facts: dict) -> Blocks:
    """E4M3 under one float scale, or under that scale rounded up to a power of two (ue8m0)."""
    scale = amax_of(x) / F32(element.largest)
    scale = np.where(scale == 0, F32(facts["empty"]), scale)
    code = scale.view(np.uint32)
    if facts["power"]:
        exponent = mx_exponent(element, amax_of(x), "rceil")
        scale, code = np.ldexp(F32(1), exponent).astype(F32), exponent + 127
    y = x / scale
    codes, elements = encode(y, element)
    return Blocks(scale, code, codes, elements, elements * scale, np.abs(y) > F32(facts["beyond"]))
