"""The tables behind the blocks page: schemes to play with, scale rules, packings. Facts are rows with a source."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.gallery.formats.codebooks import IQ4_NL_VALUES, dynamic8
from cutaway.gallery.formats.scalar import NF4_VALUES
from cutaway.gallery.formats.schemes import SCHEMES


class Played(NamedTuple):
    """A scheme on the page. Its element, ledger and source are its row of gallery.schemes."""

    name: str
    family: str  # the pill above its own
    label: str
    kind: str  # the function of codec.py and codec.js that quantizes it
    stored: str  # what the scale is stored as
    packings: tuple[str, ...]
    facts: dict[str, float]  # the constants of that function
    n: int = 0  # numbers in a block; 0: as many as share a scale
    shown: int = 0  # of which are drawn; 0: all
    books: tuple[str, ...] = ()  # tables that its codes look up
    note: str = ""

    @property
    def element(self) -> str:
        return SCHEMES[self.name].element


NVFP4 = {"ceiling": 448, "least": 2**-9, "empty": 1, "reach": 6 * 448}
SIXES = {"target": 6, "other": 4, "ceiling": 448, "least": 2**-6}
FP8 = {"empty": 2**-23, "power": 0, "beyond": 448.001}
INT4 = {"low": -8, "high": 7, "offset": 8, "slack": 0.001}
FITTED = "GPTQ and AWQ choose codes better than by rounding each number; grid and storage are the same."

_PLAYED = (
    Played(
        "mxfp4", "MX", "MXFP4", "mx", "e8m0", ("stream", "halves"), {},
        note="At a tie torchao rounds to even, ModelOpt and GGUF take the smaller magnitude; GGUF has no −0.",
    ),
    Played("mxfp8_e4m3", "MX", "MXFP8 E4M3", "mx", "e8m0", ("stream",), {}),
    Played("mxfp8_e5m2", "MX", "MXFP8 E5M2", "mx", "e8m0", ("stream",), {}),
    Played("mxfp6_e2m3", "MX", "MXFP6 E2M3", "mx", "e8m0", ("stream",), {}),
    Played("mxfp6_e3m2", "MX", "MXFP6 E3M2", "mx", "e8m0", ("stream",), {}),
    Played(
        "mxint8", "MX", "MXINT8", "mx", "e8m0", ("stream",), {},
        note="Whole numbers of 1/64, so the element ends just below 2. microxcaling leaves −128 unused, gfloat not.",
    ),
    Played(
        "nvfp4", "NVFP4", "NVFP4", "nvfp4", "e4m3", ("stream", "halves"), NVFP4,
        note="ModelOpt stores the tensor's scale to multiply by, compressed-tensors its reciprocal. The smallest block"
        " scale is 2⁻⁹ in ModelOpt and here, 2⁻⁶ in torchao; for a block of zeros ModelOpt stores 1, torchao 2⁻⁶.",
    ),
    Played(
        "nvfp4_46", "NVFP4", "Four over Six", "four_over_six", "e4m3", ("stream",), SIXES | {"reach": 6 * 256},
        note="The tensor's scale leaves block scales up to 256, so that one for 4 in place of 6 (1.5 times as large)"
        " still fits into E4M3.",
    ),
    Played(
        "nvfp4_46_448", "NVFP4", "Four over Six, 448", "four_over_six", "e4m3", ("stream",), SIXES | {"reach": 6 * 448},
        note="NVFP4's own tensor scale: in the block of the tensor's largest number the scale for 4 would exceed 448,"
        " E4M3's end, so that block keeps 6.",
    ),
    Played(
        "fp8_128x128", "FP8", "FP8 128×128", "fp8", "float32", ("stream",), FP8, shown=32,
        note="One large number anywhere in 16,384 sets the scale of all. weight_scale_inv multiplies.",
    ),
    Played(
        "fp8_128x128_ue8m0", "FP8", "FP8 128×128 UE8M0", "fp8", "e8m0", ("stream",), FP8 | {"power": 1}, shown=32,
        note="The FP32 scale of DeepSeek-V3, rounded up to a power of two (scale_fmt ue8m0).",
    ),
    Played(
        "fp8_1x128", "FP8", "FP8 1×128", "fp8", "float32", ("stream",), FP8,
        note="DeepSeek's activations; its kernel raises any smaller amax to 0.0001.",
    ),
    Played(
        "int8_channel", "INT", "INT8 per channel", "around_zero", "float32", ("stream",),
        {"low": -128, "high": 127, "half": 127.5, "offset": 0, "empty": 2**-23, "slack": 0.001}, n=1024, shown=32,
        note="One scale for a whole row of the matrix, here of 1,024 numbers; W8A8 in vLLM and SmoothQuant.",
    ),
    Played("int4_gptq", "INT", "INT4 GPTQ", "between_ends", "float16", ("stream",), INT4 | {"empty": 2**-10},
           note=FITTED),
    Played("int4_awq", "INT", "INT4 AWQ", "between_ends", "float16", ("columns",), INT4 | {"empty": 2**-10},
           note=FITTED),
    Played(
        "int4_g32", "INT", "INT4 g32", "around_zero", "bfloat16", ("stream",), INT4 | {"half": 7.5, "empty": 2**-7},
        note="Symmetric: no zero point; 15 steps around zero reach 8 down and 7 up. Kimi-K2's later weights.",
    ),
    Played(
        "int4_hqq", "INT", "INT4 HQQ", "hqq", "float32", ("paired",), {"top": 15, "flat": 1e-4, "most": 2e4},
        note="The zero point need not be whole. HQQ's optimizer then moves it to lower the error; shown is its start.",
    ),
    Played(
        "mlx_4bit", "INT", "MLX 4-bit", "mlx", "float32", ("stream",), {"top": 15, "empty": 1e-7},
        note="The end farther from zero is met exactly, and zero is a code. MLX stores scale and bias in the format of"
        " the weights: FP32 here, FP16 or BF16 in most models.",
    ),
    Played(
        "nf4", "NF4", "NF4", "nf4", "float32", ("high_first",), {"empty": 1e-38}, books=("nf4",),
        note="Sixteen quantiles of a bell curve. bitsandbytes' own “fp4” is not E2M1.",
    ),
    Played(
        "nf4_dq", "NF4", "NF4 double quant", "nf4_nested", "dynamic8", ("high_first",), {"sub": 64, "empty": 1e-38},
        n=64 * 256, shown=64, books=("nf4", "dynamic8"),
        note="256 scales, less their mean, are stored as indices into a table of 256 numbers, under one FP32.",
    ),
    Played(
        "q4_0", "GGUF", "Q4_0", "q4_0", "float16", ("halves",), {"peak": -8, "plus": 8.5, "top": 15, "beyond": 15.501},
        note="The largest magnitude becomes −8, with its sign; ties round up. The scale is stored as FP16.",
    ),
    Played(
        "q8_0", "GGUF", "Q8_0", "q8_0", "float16", ("stream",), {"low": -127, "high": 127, "half": 127, "offset": 0},
        note="Codes are found with the scale before it is rounded to FP16; halves go away from zero. −128 is unused.",
    ),
    Played(
        "q4_k", "GGUF", "Q4_K", "q4_k", "uint6", ("nibbles_64",),
        {"sub": 32, "top": 15, "scale_top": 63, "first": -1, "step": 0.1, "tries": 21},
        n=256, shown=64,
        note="ggml tries 21 grids for every 32 numbers and keeps the one of least weighted error; without an importance"
        " matrix, as here.",
    ),
    Played(
        "q6_k", "GGUF", "Q6_K", "q6_k", "int8", ("low_high",),
        {"sub": 16, "half": 32, "scale_half": 128, "step": 0.1, "tries": 9, "empty": 1e-15},
        n=256, shown=128,
        note="ggml tries 19 grids for every 16 numbers; each number's error is weighted by its square.",
    ),
    Played(
        "iq4_nl", "GGUF", "IQ4_NL", "iq4_nl", "float16", ("halves",), {"tries": 7, "empty": 1e-15}, books=("iq4_nl",),
        note="The table's steps are finer around zero, as NF4's. ggml tries 16 scales and keeps the best.",
    ),
    Played(
        "gguf_nvfp4", "GGUF", "GGUF NVFP4", "ue4m3", "ue4m3", ("halves_16",),
        {"sub": 16, "most": 448, "target": 6, "beyond": 6}, n=64,
        note="UE4M3 is E4M3 without a sign: the byte's highest bit stays 0. There is no scale of the tensor, so weights"
        " below 2⁻¹⁰ × 6 fall under the smallest block scale.",
    ),
)  # fmt: skip


def filled(row: Played) -> Played:
    """The row with n and shown, which its block says where the row does not."""
    shape = SCHEMES[row.name].block_shape
    n = row.n or shape[0] * shape[1]
    return row._replace(n=n, shown=row.shown or n)


PLAYED: dict[str, Played] = {row.name: filled(row) for row in _PLAYED}
BOOKS: dict[str, list[float]] = {"nf4": list(NF4_VALUES), "iq4_nl": list(IQ4_NL_VALUES), "dynamic8": dynamic8()}

PACKINGS = {
    "stream": "Low bits first: element 0 is in the lowest bits of byte 0.",
    "halves": "GGUF: the first half of the block in the low nibbles, the second half in the high ones.",
    "high_first": "bitsandbytes: element 0 in the high nibble of byte 0.",
    "nibbles_64": "Q4_K: of every 64 numbers the first 32 are low nibbles, the next 32 the high ones. Before them stand"
    " d, dmin and twelve bytes of 6-bit scales and minimums.",
    "low_high": "Q6_K: of every 128 numbers the low four bits in 64 bytes, then the high two bits in 32.",
    "halves_16": "GGUF: four scales, then for every 16 numbers 8 bytes: the first 8 low nibbles, the next 8 high ones.",
    "paired": "HQQ: a byte holds a number of this group in its high nibble, and one of a far group in the low one.",
    "columns": "AWQ: an int32 holds one input of eight output columns, in the order 0 2 4 6 1 3 5 7. A group runs"
    " across 128 words; shown is the one byte of each word that holds column 0, in its low nibble.",
}

HALVES = {"halves": 0, "nibbles_64": 64, "halves_16": 16}  # low nibbles first, of as many numbers; 0: of the block
WIDE = ("columns", "paired")  # a byte holds one number of the block, and others of elsewhere

RULES = (
    {
        "name": "floor",
        "formula": "exponent ⌊log₂ amax⌋ − emax",
        "who": "the OCP MX specification, GGUF, gfloat, microxcaling, and torchao’s to_mx by default",
        "source": "OCP MX v1.0 §6.3; measured: torchao 0.18.0, gguf 0.19.0, gfloat 0.5.2",
    },
    {
        "name": "ceil",
        "formula": "exponent ⌈log₂ amax⌉ − emax",
        "who": "torchao, as an option",
        "source": "torchao 0.18.0 ScaleCalculationMode.CEIL",
    },
    {
        "name": "rceil",
        "formula": "exponent ⌈log₂(amax ÷ largest)⌉",
        "who": "NVIDIA’s cvt instruction, ModelOpt, torchao’s configs, DeepSeek’s ue8m0, AMD aiter",
        "source": "measured: nvidia-modelopt 0.47.0, torchao 0.18.0, whose MXDynamicActivationMXWeightConfig and"
        " configs of training name it; DeepSeek-V3 inference/kernel.py; ROCm/aiter#3212",
    },
    {
        "name": "even",
        "formula": "as floor, amax rounded to the element's mantissa",
        "who": "compressed-tensors (llm-compressor), AMD Quark",
        "source": "measured: compressed-tensors 0.20.0 (for MXFP8 it rounds to 1 mantissa bit), torchao 0.18.0",
    },
)

SAMPLES = (
    {"value": "bell", "label": "a bell"},
    {"value": "heavy", "label": "heavy tails"},
    {"value": "ramp", "label": "a ramp"},
    {"value": "own", "label": "your own numbers"},
)

# What is stored as a scale -> its words, bytes, and the format it is rounded to like an element.
STORED = {
    "e8m0": ("one byte, a power of two", 1, ""),
    "e4m3": ("one byte, E4M3, times one FP32 for the whole tensor", 1, "float8_e4m3fn"),
    "ue4m3": ("one byte, UE4M3", 1, "float8_e4m3fn"),
    "float32": ("FP32", 4, ""),
    "float16": ("FP16", 2, "float16"),
    "bfloat16": ("BF16", 2, "bfloat16"),
    "dynamic8": ("one byte, an index into a table", 1, ""),
    "uint6": ("6 bits, times d", 1, "float16"),
    "int8": ("INT8, times d", 1, "float16"),
}


def bits_of_played(name: str) -> int:
    """How many bits an element of a played scheme has."""
    return SCHEMES[name].ledger[0].bits
