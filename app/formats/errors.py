"""Made-up weight matrices of six seeds -> the error of each format, errors.json, by the blocks page's quantizers.

python -m cutaway.app.formats.errors    a minute, nearly all of it Q4_K's search
"""

from __future__ import annotations

import json
from functools import cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cutaway.explainers.blocks import codec

KEPT = Path(__file__).with_name("errors.json")
SIDE = 1024
SEEDS = (20, 21, 22, 23, 24, 25)
T95 = 2.571  # Student's t: 95 of 100, 5 degrees of freedom
WHOLE = SIDE * SIDE
# format -> (scheme of the blocks page, numbers that share a scale). GPTQ and AWQ would need inputs as well.
QUANTIZERS = {
    "nvfp4": ("nvfp4", 16), "mxfp4": ("mxfp4", 32), "mxfp8": ("mxfp8_e4m3", 32), "fp8_tensor": ("fp8_1x128", WHOLE),
    "fp8_channel": ("fp8_1x128", SIDE), "fp8_128x128": ("fp8_128x128", 128 * 128),
    "int8_channel": ("int8_channel", SIDE),
    "int4_g128": ("int4_g32", 128), "q4_k": ("q4_k", 256), "nf4": ("nf4", 64),
}  # fmt: skip


class Error(NamedTuple):
    """Mean over the seeds, and the half width of its 95 % interval, in dB."""

    mean: float
    half: float


def matrix(seed: int) -> np.ndarray:
    """1,024 x 1,024 float32: normal, sigma 0.02, rows and columns of lognormal size, column 300 twenty times larger."""
    rng = np.random.default_rng(seed)
    made = rng.standard_normal((SIDE, SIDE)) * 0.02
    made *= np.exp(0.35 * rng.standard_normal((SIDE, 1))) * np.exp(0.25 * rng.standard_normal((1, SIDE)))
    made[:, 300] *= 20
    return made.astype(np.float32)


def quantized(key: str, x: np.ndarray) -> np.ndarray:
    """The matrix as the format gives it back."""
    scheme, n = QUANTIZERS[key]
    if key == "fp8_128x128":
        tiles = SIDE // 128
        x = x.reshape(tiles, 128, tiles, 128).swapaxes(1, 2)
    back = codec.quantize(scheme, x.reshape(-1, n), tensor_amax=np.abs(x).max()).values
    if key == "fp8_128x128":
        back = back.reshape(x.shape).swapaxes(1, 2)
    return back.reshape(SIDE, SIDE)


def decibels(x: np.ndarray, back: np.ndarray) -> float:
    """Signal to quantization noise, in dB."""
    noise = ((x.astype(float) - back) ** 2).sum()
    return float(10 * np.log10((x.astype(float) ** 2).sum() / noise))


@cache
def measured() -> dict[str, Error]:
    """What is kept in errors.json, per format."""
    rows: dict[str, list[float]] = json.loads(KEPT.read_text("utf-8"))["decibels"]
    return {
        key: Error(float(np.mean(row)), T95 * float(np.std(row, ddof=1)) / sqrt(len(row))) for key, row in rows.items()
    }


def as_kept(rows: dict[str, list[float]]) -> str:
    """The text of errors.json."""
    return json.dumps({"seeds": SEEDS, "decibels": rows}, indent=1) + "\n"


def main() -> None:
    """Measure all, and keep it."""
    rows: dict[str, list[float]] = {key: [] for key in QUANTIZERS}
    for seed in SEEDS:
        x = matrix(seed)
        for key, row in rows.items():
            row.append(round(decibels(x, quantized(key, x)), 3))
    KEPT.write_text(as_kept(rows), "utf-8")


if __name__ == "__main__":
    main()
