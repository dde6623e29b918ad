"""The name of a number format -> the bits that one stored number takes.

The one table of widths: formats that scalar.py can decode, integers of any width, and the spellings that configs use.
A name that is not here has no width; whoever reads it from a config says so (`reading.read.read_dtype`).
"""

from __future__ import annotations

from cutaway.gallery.formats.scalar import FORMATS

BITS: dict[str, int] = {
    **{name: row.bits for name, row in FORMATS.items()},
    "tf32": 32,  # 19 bits that travel in 32
    "float64": 64,
    **{f"{sign}int{bits}": bits for sign in ("", "u") for bits in (2, 3, 4, 5, 6, 8, 16, 32, 64)},
    "dynamic8": 8,  # bitsandbytes' code book for scales of scales
}

SPELLINGS = {  # as people write it -> the name above
    "half": "float16", "fp16": "float16", "f16": "float16", "float": "float32", "fp32": "float32", "f32": "float32",
    "double": "float64", "fp64": "float64", "bf16": "bfloat16", "fp8": "float8_e4m3fn", "f8_e4m3": "float8_e4m3fn",
    "fp8_e4m3": "float8_e4m3fn", "e4m3": "float8_e4m3fn", "f8_e5m2": "float8_e5m2", "fp8_e5m2": "float8_e5m2",
    "e5m2": "float8_e5m2", "fp4": "float4_e2m1fn", "nvfp4": "float4_e2m1fn", "float4_e2m1fn_x2": "float4_e2m1fn",
    "e8m0": "float8_e8m0fnu",
}  # fmt: skip


def format_name(word: str) -> str:
    """The table's name for what a config wrote: torch.bfloat16, BF16 and bfloat16 are one; others stay as written."""
    plain = word.strip().removeprefix("torch.")
    name = SPELLINGS.get(plain.lower(), plain.lower())
    return name if name in BITS else plain


def stored_bits(name: str) -> int:
    """Bits of one stored number; 16 for a name that nobody knows, which reading has told the reader."""
    return BITS.get(name, 16)
