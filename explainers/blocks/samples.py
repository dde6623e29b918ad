"""A kind and a seed -> numbers to quantize: hashed integers and plain arithmetic, so a browser makes the same ones."""

from __future__ import annotations

import numpy as np

TILE = 128


def noise(seed: int, index: np.ndarray, lane: int) -> np.ndarray:
    """32 random bits for every index: murmur3's finalizer, which JavaScript can do exactly."""
    with np.errstate(over="ignore"):
        h = index.astype(np.uint32) * np.uint32(8) + np.uint32(lane) + np.uint32(seed) * np.uint32(0x9E3779B9)
        h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return h ^ (h >> np.uint32(16))


def sample(kind: str, seed: int, n: int) -> np.ndarray:
    """n numbers to two decimals: eight uniform numbers make a bell; a ninth under it makes the tails heavy."""
    i = np.arange(n)
    if kind == "ramp":
        wide = min(n, TILE)
        raw = 6 * (i % wide) / (wide - 1) - 3
    else:
        lanes = [noise(seed, i, lane) for lane in range(4)]
        total = sum((h >> np.uint32(16)).astype(float) + (h & np.uint32(0xFFFF)).astype(float) for h in lanes)
        raw = (total - 262140) / 53510  # their mean and standard deviation
        if kind == "heavy":  # falls like x^-4, as Student's t with 4 degrees of freedom
            under = ((noise(seed, i, 4) >> np.uint32(16)).astype(float) + 1) / 65536
            raw = 0.8 * raw / np.sqrt(np.sqrt(under))
    return np.floor(raw * 100 + 0.5) / 100
