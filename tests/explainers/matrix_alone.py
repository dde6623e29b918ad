"""The matrix page's numbers a second time, from nothing of ours: numpy, ml_dtypes and each format's definition."""

from __future__ import annotations

import ml_dtypes
import numpy as np

F32 = np.float32
FP4, FP8 = ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e4m3fn
NF4 = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
    -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
)  # fmt: skip


def drawn(seed: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of the picture, and 256 inputs from the same generator."""
    rng = np.random.default_rng(seed)
    w = 0.02 * rng.standard_normal((1024, 1024)) * np.exp(0.35 * rng.standard_normal((1024, 1)))
    w = w * np.exp(0.25 * rng.standard_normal((1, 1024)))
    w[:, 300] *= 20
    return w.astype(F32).astype(float), rng.standard_normal((1024, 256))


def hadamard(n: int) -> np.ndarray:
    """Sylvester's matrix, orthogonal."""
    one = np.ones((1, 1))
    while len(one) < n:
        one = np.block([[one, one], [one, -one]])
    return one / np.sqrt(n)


def turned(x: np.ndarray, back: bool = False) -> np.ndarray:
    """Signs and Hadamard 32 along the inputs, or back."""
    signs = np.random.default_rng(7).choice([-1, 1], 1024)
    mixed = ((x if back else x * signs).reshape(1024, 32, 32) @ hadamard(32)).reshape(1024, 1024)
    return mixed * signs if back else mixed


def cast(y: np.ndarray, kind: type) -> np.ndarray:
    """The nearest number of a format, saturating."""
    most = float(ml_dtypes.finfo(kind).max)
    return np.clip(y, -most, most).astype(kind).astype(float)


def split(x: np.ndarray, n: int) -> np.ndarray:
    return x.reshape(-1, n)


def over(x: np.ndarray, scale: np.ndarray, kind: type) -> np.ndarray:
    """x on the grid of a format times a scale."""
    return cast(x / scale, kind) * scale


def tiles(x: np.ndarray) -> np.ndarray:
    """The largest magnitude of each 128 x 128 tile, at each of its places."""
    most = np.abs(x).reshape(8, 128, 8, 128).max(axis=(1, 3))
    return most.repeat(128, 0).repeat(128, 1)


def mx(x: np.ndarray, kind: type, rule: str) -> np.ndarray:
    """A power of two for every 32 by one of three rules; of even, amax first rounded to a mantissa of one bit."""
    blocks = split(x, 32)
    amax = np.abs(blocks).max(axis=1, keepdims=True)
    most = float(ml_dtypes.finfo(kind).max)
    emax = np.floor(np.log2(most))
    if rule == "even":
        step = 2 ** (np.floor(np.log2(amax)) - ml_dtypes.finfo(kind).nmant)
        amax = np.floor(amax / step + 0.5) * step
    power = np.ceil(np.log2(amax / most)) if rule == "rceil" else np.floor(np.log2(amax)) - emax
    return over(blocks, 2.0**power, kind).reshape(x.shape)


def nvfp4(x: np.ndarray, reach: int = 448, targets: tuple[int, ...] = (6,)) -> np.ndarray:
    """E4M3 scales for every 16 under one of the tensor; of several targets the one that errs less."""
    blocks = split(x, 16)
    tensor = np.abs(x).max() / (6 * reach)
    tried = []
    for target in targets:
        scale = cast(np.abs(blocks).max(axis=1, keepdims=True) / target / tensor, FP8) * tensor
        tried.append(over(blocks, scale, FP4))
    errors = [((one - blocks) ** 2).sum(axis=1) for one in tried]
    return np.choose(np.argmin(errors, axis=0)[:, None], tried).reshape(x.shape)


def int4(x: np.ndarray) -> np.ndarray:
    """15 steps around zero for every 128, BF16 scales."""
    blocks = split(x, 128)
    scale = (np.abs(blocks).max(axis=1, keepdims=True) / 7.5).astype(ml_dtypes.bfloat16).astype(float)
    return (np.clip(np.rint(blocks / scale), -8, 7) * scale).reshape(x.shape)


def nf4(x: np.ndarray) -> np.ndarray:
    """The nearest of sixteen quantiles, times the largest of 64."""
    blocks, table = split(x, 64), np.array(NF4)
    most = np.abs(blocks).max(axis=1, keepdims=True)
    return (table[np.abs((blocks / most)[..., None] - table).argmin(axis=-1)] * most).reshape(x.shape)


def q4_0(x: np.ndarray) -> np.ndarray:
    """The largest of 32 becomes -8, with its sign."""
    blocks = split(x, 32)
    peak = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1)[:, None], axis=1)
    codes = np.minimum(np.floor(blocks * (-8 / peak) + 8.5), 15) - 8
    return (codes * (peak / -8).astype(np.float16).astype(float)).reshape(x.shape)


def q8_0(x: np.ndarray) -> np.ndarray:
    """The largest of 32 becomes 127 or -127."""
    blocks = split(x, 32)
    d = np.abs(blocks).max(axis=1, keepdims=True) / 127
    return (np.rint(blocks / d) * d.astype(np.float16).astype(float)).reshape(x.shape)


def rows_max(x: np.ndarray, n: int) -> np.ndarray:
    """The largest magnitude of every n numbers of a row, at each of their places."""
    return np.abs(split(x, n)).max(axis=1, keepdims=True).repeat(n, axis=1).reshape(x.shape)


SCHEMES = {
    "fp4_tensor": lambda x: over(x, np.abs(x).max() / 6, FP4),
    "fp4_row": lambda x: over(x, rows_max(x, 1024) / 6, FP4),
    "fp4_128": lambda x: over(x, tiles(x) / 6, FP4),
    "fp4_32": lambda x: over(x, rows_max(x, 32) / 6, FP4),
    "mxfp4_floor": lambda x: mx(x, FP4, "floor"),
    "mxfp4_rceil": lambda x: mx(x, FP4, "rceil"),
    "mxfp4_even": lambda x: mx(x, FP4, "even"),
    "nvfp4": nvfp4,
    "nvfp4_46": lambda x: nvfp4(x, 256, (6, 4)),
    "int4_g128": int4,
    "nf4": nf4,
    "q4_0": q4_0,
    "mxfp6": lambda x: mx(x, ml_dtypes.float6_e2m3fn, "floor"),
    "fp8_tensor": lambda x: over(x, np.abs(x).max() / 448, FP8),
    "fp8_128": lambda x: over(x, tiles(x) / 448, FP8),
    "mxfp8": lambda x: mx(x, FP8, "floor"),
    "q8_0": q8_0,
}


def decibels(signal: np.ndarray, error: np.ndarray) -> float:
    return float(10 * np.log10((signal**2).sum() / (error**2).sum()))
