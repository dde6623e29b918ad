"""What a reader may choose where a cache is weighed, and what the formats and devices are called."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.counting import cache_growth
from cutaway.gallery.counting.cache_growth import Sheet


class Cache(NamedTuple):
    """A format of cache entries as an address, a button and the counting name it."""

    word: str
    label: str
    dtype: str
    packed: bool = False  # offered where it differs from eight bits a number


CACHES = (
    Cache("bf16", "BF16", "bfloat16"),
    Cache("fp8", "FP8", "float8_e4m3fn"),
    Cache("fp4", "FP4", "float4_e2m1fn"),
    Cache("packed", "FP8 packed", "fp8_ds_mla", True),
    Cache("v4", "V4’s own", "fp8_bf16rope_fp4index", True),
)
DTYPES = {one.word: one.dtype for one in CACHES}
MOST_BATCH, MOST_GPUS = 4096, 4096


class State(NamedTuple):
    """What a reader chose; these are the defaults that an address leaves out."""

    ctx: int = 2**17
    batch: int = 1
    kv: str = "bf16"
    gpu: str = "h100_sxm"
    gpus: int = 8

    @property
    def choice(self) -> tuple[int, str, int]:
        """As the functions of growth take it."""
        return self.ctx, DTYPES[self.kv], self.batch


def offered(told: Sheet) -> list[Cache]:
    """The formats that make a difference to a model."""
    packs = any(row[cache_growth.PACKED] for _, kept in told["kinds"] for row in kept
                if set(row[cache_growth.PACKED].values())
                != {row[cache_growth.BITS] + 8 * row[cache_growth.NUMBERS]})  # fmt: skip
    return [one for one in CACHES if packs or not one.packed]


def device_words(name: str) -> str:
    return name.replace("_", " ").upper()
