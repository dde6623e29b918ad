"""GGUF's blocks that search for their scale -> codes, by ggml's own steps: Q4_K, Q6_K, IQ4_NL, and NVFP4's UE4M3.

Every step is one float32 operation in ggml's order; sums run from the first number to the last, as its C loops do.
`nearest_int` of ggml adds 1.5 * 2^23, which rounds ties to even: np.rint.
"""

from __future__ import annotations

import numpy as np

from cutaway.explainers.blocks.elements import E2M1, E4M3, F32, Blocks, split


def added(terms: np.ndarray) -> np.ndarray:
    """The float32 sum of the last axis, from the first number to the last."""
    return np.add.accumulate(terms, axis=-1, dtype=F32)[..., -1:]


def stored16(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Float32 -> the FP16 that is stored, as bits and as float32."""
    half = x.astype(np.float16)
    return half.view(np.uint16), half.astype(F32)


def peak_of(x: np.ndarray) -> np.ndarray:
    """The number of the largest magnitude, with its sign, as a column; of equals the first."""
    return np.take_along_axis(x, np.argmax(np.abs(x), axis=-1)[..., None], axis=-1)


# ---------------------------------------------------------------- Q4_K: a scale and a minimum for every 32


def q4_k(x: np.ndarray, facts: dict) -> Blocks:
    """Eight sub-blocks: 6-bit scales and minimums under FP16 d and dmin; ggml's quantize_row_q4_K_ref."""
    sub, top, most = split(x, facts["sub"]), facts["top"], F32(facts["scale_top"])
    scales, lows, codes = search_between(sub, facts)
    at = []
    for found in (scales[..., 0], lows[..., 0]):
        largest = np.maximum(found.max(axis=-1, keepdims=True), F32(0))
        inverse = np.where(largest > 0, most / largest, F32(0))
        at.append((np.minimum(np.rint(inverse * found), most).astype(np.uint8), stored16(largest / most)))
    (scale_code, (_, d)), (low_code, (_, dmin)) = at
    scale, low = d * scale_code, dmin * low_code
    y = (sub + low[..., None]) / scale[..., None]
    nearest = np.rint(y)
    found = scale[..., None] != 0
    codes = np.where(found, np.clip(nearest, 0, top), codes).astype(np.uint8)
    values = codes * scale[..., None] - low[..., None]
    clipped = found & ((nearest < 0) | (nearest > top))
    flat = [part.reshape(x.shape) for part in (codes, codes.astype(F32), values, clipped)]
    return Blocks(scale, scale_code, *flat)._replace(zero=low_code, second=np.concatenate([d, dmin], axis=-1))


def search_between(x: np.ndarray, facts: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sub-blocks -> scale, how far the minimum lies below 0, codes: ggml's make_qkx2_quants.

    From the grid between minimum and maximum on, 21 grids are tried; each gives codes, the codes give the scale and the
    minimum of least squared error, and the best of all stays; its minimum is where the next grid begins. Large numbers
    count more.
    """
    top = F32(facts["top"])
    weight = np.sqrt(added(x * x) / F32(x.shape[-1])) + np.abs(x)
    low, high = np.minimum(x.min(axis=-1, keepdims=True), F32(0)), x.max(axis=-1, keepdims=True)
    flat = high == low
    sum_w, sum_x = added(weight), added(weight * x)
    inverse = top / (high - low)
    scale = F32(1) / inverse
    codes = np.clip(np.rint(inverse * (x - low)), 0, top)
    best = added(weight * (scale * codes + low - x) ** 2)
    for step in range(facts["tries"]):
        inverse = (F32(facts["first"]) + F32(facts["step"]) * F32(step) + top) / (high - low)
        tried = np.clip(np.rint(inverse * (x - low)), 0, top).astype(F32)
        sum_l, sum_l2, sum_xl = added(weight * tried), added(weight * tried * tried), added(weight * tried * x)
        divisor = sum_w * sum_l2 - sum_l * sum_l
        new_scale = (sum_w * sum_xl - sum_x * sum_l) / divisor
        new_low = (sum_l2 * sum_x - sum_l * sum_xl) / divisor
        new_scale = np.where(new_low > 0, sum_xl / sum_l2, new_scale)
        new_low = np.minimum(new_low, F32(0))
        error = added(weight * (new_scale * tried + new_low - x) ** 2)
        better = (divisor > 0) & (error < best)
        best, scale, low = (np.where(better, a, b) for a, b in ((error, best), (new_scale, scale), (new_low, low)))
        codes = np.where(better, tried, codes)
    return np.where(flat, F32(0), scale), -low, np.where(flat, 0, codes)


# ---------------------------------------------------------------- Q6_K: a scale for every 16


def q6_k(x: np.ndarray, facts: dict) -> Blocks:
    """Sixteen sub-blocks: INT8 scales under an FP16 d; ggml's quantize_row_q6_K_ref."""
    sub, half = split(x, facts["sub"]), facts["half"]
    scales, codes = search_around(sub, facts)
    scales = scales[..., 0]
    peak = peak_of(scales)
    lost = np.abs(peak) < F32(facts["empty"])
    inverse = F32(-facts["scale_half"]) / peak
    _, d = stored16(np.where(lost, F32(0), F32(1) / inverse))
    whole = np.where(lost, 0, np.minimum(np.rint(inverse * scales), facts["scale_half"] - 1)).astype(np.int8)
    scale = d * whole.astype(F32)
    nearest = np.rint(sub / scale[..., None])
    found = scale[..., None] != 0
    codes = np.where(found, np.clip(nearest, -half, half - 1) + half, np.where(lost[..., None], 0, codes))
    elements = (codes - half).astype(F32)
    clipped = found & ((nearest < -half) | (nearest > half - 1))
    flat = [p.reshape(x.shape) for p in (codes.astype(np.uint8), elements, scale[..., None] * elements, clipped)]
    return Blocks(scale, whole.view(np.uint8), *flat)._replace(second=d)


def search_around(x: np.ndarray, facts: dict) -> tuple[np.ndarray, np.ndarray]:
    """Sub-blocks -> scale, codes: ggml's make_qx_quants, which weighs each number by its square.

    The largest number becomes -32; then nine larger and nine smaller grids are tried for the least squared error.
    """
    half, tries = facts["half"], facts["tries"]
    peak = peak_of(x)
    weight = x * x

    def fitted(inverse: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q = np.clip(np.rint(inverse * x), -half, half - 1).astype(F32)
        return q, added(weight * x * q), added(weight * q * q)

    q, sum_xl, sum_l2 = fitted(F32(-half) / peak)
    scale = np.where(sum_l2 != 0, sum_xl / sum_l2, F32(0))
    best = scale * sum_xl
    for step in (*range(-tries, 0), *range(1, tries + 1)):
        tried, sum_xl, sum_l2 = fitted(-(F32(half) + F32(facts["step"]) * F32(step)) / peak)
        better = (sum_l2 > 0) & (sum_xl * sum_xl > best * sum_l2)
        scale = np.where(better, sum_xl / sum_l2, scale)
        best = np.where(better, scale * sum_xl, best)
        q = np.where(better, tried, q)
    lost = np.abs(peak) < F32(facts["empty"])
    return np.where(lost, F32(0), scale), np.where(lost, 0, q + half)


# ---------------------------------------------------------------- IQ4_NL: a table


def iq4_nl(x: np.ndarray, facts: dict, book: list[float]) -> Blocks:
    """32 indices into a table of 16 under an FP16 scale; ggml's quantize_iq4_nl without an importance matrix."""
    table, tries = np.array(book, F32), facts["tries"]
    peak = peak_of(x)
    weight = x * x

    def fitted(inverse: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q = table[nearest_entry(inverse * x, table)]
        return added(weight * q * x), added(weight * q * q)

    sum_qx, sum_q2 = fitted(F32(1) / (-peak / table[0]))
    scale = np.where(sum_q2 > 0, sum_qx / sum_q2, F32(0))
    best = scale * sum_qx
    for step in range(-tries, tries + 1):
        sum_qx, sum_q2 = fitted((F32(step) + table[0]) / peak)
        better = (sum_q2 > 0) & (sum_qx * sum_qx > best * sum_q2)
        scale = np.where(better, sum_qx / sum_q2, scale)
        best = np.where(better, scale * sum_qx, best)
    scale = np.where(np.abs(peak) < F32(facts["empty"]), F32(0), scale)
    y = np.where(scale == 0, F32(0), F32(1) / scale) * x
    codes = nearest_entry(y, table)
    code, stored = stored16(scale)
    beyond = (table[1] - table[0]) / 2, (table[-1] - table[-2]) / 2  # nearer to an entry that is not there
    clipped = (y < table[0] - beyond[0]) | (y > table[-1] + beyond[1])
    return Blocks(stored, code, codes.astype(np.uint8), table[codes], stored * table[codes], clipped)


def nearest_entry(y: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The index of the entry nearest to each number; of two equally near the upper one, as ggml's best_index_int8."""
    above = np.clip(np.searchsorted(table, y, side="right"), 1, len(table) - 1)
    below = y - table[above - 1] < table[above] - y
    return np.where(y <= table[0], 0, np.where(y >= table[-1], len(table) - 1, above - below))


# ---------------------------------------------------------------- NVFP4 as GGUF has it


def ue4m3(x: np.ndarray, facts: dict) -> Blocks:
    """64 FP4 elements, a UE4M3 scale for every 16 and no scale of the tensor; ggml's quantize_row_nvfp4_ref."""
    sub, most = split(x, facts["sub"]), F32(facts["most"])
    wanted = np.abs(sub).max(axis=-1) / F32(facts["target"])
    stored = half_up(np.minimum(wanted, most))
    scale = stored.view(E4M3).astype(F32)
    sizes = np.arange(16, dtype=np.uint8).view(E2M1).astype(F32)
    error = np.abs((F32(2) * sizes) * (scale / F32(2))[..., None, None] - sub[..., None])
    codes = np.argmin(error, axis=-1).astype(np.uint8)  # of equals the first: the smaller magnitude, and no -0
    elements = sizes[codes]
    clipped = (scale[..., None] != 0) & (np.abs(sub / scale[..., None]) > F32(facts["beyond"]))
    flat = [part.reshape(x.shape) for part in (codes, elements, elements * scale[..., None], clipped)]
    return Blocks(scale, stored, *flat)


def half_up(x: np.ndarray) -> np.ndarray:
    """The E4M3 code nearest to a number from 0 up to the largest, as ggml has it: halves go up, and what lies below the
    smallest normal number stays there, even where that is nearer."""
    _, exponent = np.frexp(x)  # x = fraction * 2**exponent, 0.5 <= fraction < 1
    step = np.ldexp(F32(1), np.maximum(exponent, -5) - 4).astype(F32)
    whole = np.floor(x / step + F32(0.5))
    return (np.where(exponent <= -6, np.minimum(whole, F32(7)), whole) * step).astype(E4M3).view(np.uint8)
