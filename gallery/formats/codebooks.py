"""Tables of numbers that the codes of a scheme look up, and where each comes from. NF4's stands in scalar.py."""

from __future__ import annotations

import struct
from itertools import pairwise

# ggml-org/llama.cpp ggml/src/ggml-common.h, kvalues_iq4nl
IQ4_NL_VALUES = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


def dynamic8() -> list[float]:
    """bitsandbytes' table of 256 numbers for scales of scales: 0, 1, and on either side seven decades.

    Decade i, from the smallest, has 2^i numbers: the middles of equal parts of 0.1 to 1, times 10^(i-6). bitsandbytes
    0.50.2 functional.create_dynamic_map computes in float32, and so do we.
    """
    found = [0.0, 1.0]
    for i in range(7):
        ends = spaced(2**i + 1)
        for low, high in pairwise(ends):
            middle = float32(float32(10.0 ** (i - 6)) * float32(float32(low + high) / 2))
            found += [middle, -middle]
    return sorted(found)


def spaced(n: int) -> list[float]:
    """n float32 numbers from 0.1 to 1, counted from the nearer end as torch.linspace does, each rounded once (FMA)."""
    first, last = float32(0.1), 1.0
    step = float32(float32(last - first) / (n - 1))
    return [float32(first + step * at if at < n // 2 else last - step * (n - 1 - at)) for at in range(n)]


def float32(value: float) -> float:
    """The nearest float32."""
    return struct.unpack("f", struct.pack("f", value))[0]
