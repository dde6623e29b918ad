"""Block schemes, one row each: how a format, a scale and a block become the bits a weight costs.

A scheme is element + scale + block. `gallery.formats` says what one element can hold; a row here says how many share
a scale, what that scale is stored in, and every bit that is paid, so that `bits_per_weight` is a sum, not a claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from cutaway.gallery.formats.bits import BITS

OCP_MX = "OCP Microscaling Formats (MX) v1.0, table 1 and section 6.3"
NVFP4 = "NVIDIA, arXiv 2509.25149"
DEEPSEEK = "deepseek-ai/DeepSeek-V3 README_WEIGHTS.md and inference/kernel.py"
GGML = "ggml-org/llama.cpp ggml/src/ggml-common.h"
QLORA = "QLoRA, arXiv 2305.14314; bitsandbytes 0.50.2 functional.py"
FOUR_OVER_SIX = "Four over Six, arXiv 2512.02010; fouroversix 0.1.0 quantize/reference.py"
CT = "compressed-tensors 0.20.0 quantization/quant_scheme.py"

EVEN_LOW = "two per byte, even element in the low nibble"
FP6_BITS = "four in three bytes, low bits first (compressed-tensors; torchao spends a byte on each)"
WORDS = "eight per int32 along the group, element i in nibble i"
HALVES = "byte i of the block: element i low, element i + 16 high"


@dataclass(frozen=True, slots=True)
class Cost:
    """One line of the ledger: `bits` stored once for every `per` weights."""

    what: str
    bits: int
    per: int


@dataclass(frozen=True, slots=True)
class Scheme:
    """One way to store a weight matrix in fewer bits."""

    name: str  # the key of SCHEMES
    label: str  # as people write it
    element: str  # a name of formats.bits.BITS
    block_shape: tuple[int, ...]  # rows x columns sharing one scale; () = the whole tensor; 0 = the whole of that dim
    scale: str  # format of the stored scale, which dequantizing multiplies by; "" = none
    ledger: tuple[Cost, ...]  # everything stored, element first; per-tensor costs are left out (they vanish)
    source: str
    second: str = ""  # the scale of the scales, in words; "" = one level
    zero_point: str = ""  # what is subtracted before scaling; "" = symmetric
    packing: str = "one per byte"  # where an element's bits stand
    note: str = ""  # a surprise worth a line on a page
    zero_bits: int = 0  # of a packed zero point, where a block is a whole row or tensor
    each: int = 0  # bits that stand once with a matrix, whatever its size
    column: int = 0  # bits that stand with every column
    word: int = 0  # codes in a word of 32 bits, where some of its bits stay empty
    along: int = 0  # what a word's codes lie along: 0 a row, 1 the blocks, one code of each, 2 one block
    nested: int = 0  # scales that share an FP32 of their own
    pad: int = 0  # columns are filled up to a multiple of it

    @property
    def bits_per_weight(self) -> float:
        """Every stored bit, divided by the weights that share it."""
        return float(sum(Fraction(cost.bits, cost.per) for cost in self.ledger))


def _row(name, label, element, shape, scale, source, **more) -> Scheme:
    """A row with one element cost and one scale per block, which is what most schemes are."""
    costs = [Cost("element", BITS[element], 1)]
    if shape and 0 not in shape:
        costs.append(Cost("scale", BITS[scale], shape[0] * shape[1]))
    costs += more.pop("costs", ())
    return Scheme(name, label, element, shape, scale, tuple(costs), source, **more)


def _mx(name, label, element, **more) -> Scheme:
    """OCP microscaling: 32 elements, one power of two."""
    return _row(name, label, element, (1, 32), "float8_e8m0fnu", OCP_MX, **more)


def _int(name, label, group, source, *, zero="", element="int4", scale="float16", **more) -> Scheme:
    """Group-wise integers: a float scale per group along the input dim, a zero point if there is one."""
    costs = more.pop("costs", (Cost("zero point", BITS[zero], group),) if zero else ())
    return _row(name, label, element, (1, group), scale, source, zero_point=zero, costs=costs, **more)


def _ggml(name, label, element, block, costs, **more) -> Scheme:
    """A GGUF block: `costs` are the bytes of its C struct beside the elements."""
    size, more["source"] = block, more.get("source", GGML)
    ledger = (Cost("element", BITS[element], 1), *(Cost(what, cost_bits, per) for what, cost_bits, per in costs))
    return Scheme(name, label, element, (1, size), more.pop("scale", "float16"), ledger, **more)


_K4 = (("scale, 6 bits", 6, 32), ("minimum, 6 bits", 6, 32), ("d, FP16", 16, 256), ("dmin, FP16", 16, 256))
_K_SECOND = "FP16 d and dmin per 256"

_ROWS = (
    # ---- OCP microscaling
    _mx("mxfp8_e4m3", "MXFP8 E4M3", "float8_e4m3fn"),
    _mx("mxfp8_e5m2", "MXFP8 E5M2", "float8_e5m2"),
    _mx("mxfp6_e2m3", "MXFP6 E2M3", "float6_e2m3fn", packing=FP6_BITS),
    _mx("mxfp6_e3m2", "MXFP6 E3M2", "float6_e3m2fn", packing=FP6_BITS),
    _mx("mxfp4", "MXFP4", "float4_e2m1fn", packing=EVEN_LOW),
    _mx("mxint8", "MXINT8", "int8", note="the integer times 2^-6; microxcaling leaves -128 unused, gfloat does not"),
    # ---- NVIDIA
    _row(
        "nvfp4", "NVFP4", "float4_e2m1fn", (1, 16), "float8_e4m3fn", NVFP4,
        second="FP32 per tensor", packing=EVEN_LOW,
        note="ModelOpt stores the tensor scale as a multiplier, compressed-tensors as its reciprocal",
    ),
    _row(
        "nvfp4_46", "NVFP4, Four over Six", "float4_e2m1fn", (1, 16), "float8_e4m3fn", FOUR_OVER_SIX,
        second="FP32 per tensor", packing=EVEN_LOW,
        note="the largest number of a block becomes 6 or 4; block scales end at 256, so that the one for 4 fits",
    ),
    _row(
        "nvfp4_46_448", "NVFP4, Four over Six with 448", "float4_e2m1fn", (1, 16), "float8_e4m3fn", FOUR_OVER_SIX,
        second="FP32 per tensor", packing=EVEN_LOW, note="with NVFP4's own tensor scale",
    ),
    _row(
        "nvfp4_2d", "NVFP4 16x16", "float4_e2m1fn", (16, 16), "float8_e4m3fn", "pytorch/ao#3293",
        second="FP32 per tensor", packing=EVEN_LOW, note="training weights: the same scale forwards and backwards",
    ),
    # ---- FP8 with float scales
    _row("fp8_tensor", "FP8 per tensor", "float8_e4m3fn", (), "float32", CT),
    _row("fp8_channel", "FP8 per channel", "float8_e4m3fn", (1, 0), "float32", CT),
    _row(
        "fp8_128x128", "FP8 128x128", "float8_e4m3fn", (128, 128), "float32", DEEPSEEK,
        note="weight_scale_inv multiplies, despite its name",
    ),
    _row(
        "fp8_128x128_ue8m0", "FP8 128x128, UE8M0", "float8_e4m3fn", (128, 128), "float8_e8m0fnu", DEEPSEEK,
        note='scale_fmt "ue8m0": the scale is rounded up to a power of two',
    ),
    _row("fp8_1x128", "FP8 1x128", "float8_e4m3fn", (1, 128), "float32", DEEPSEEK, note="activations"),
    # ---- integers
    _row("int8_channel", "INT8 per channel", "int8", (1, 0), "float32", CT),
    _int(
        "int4_gptq", "INT4 g128 (GPTQ)", 128, "vllm-project/vllm#38966; AutoGPTQ qlinear modules", element="uint4",
        zero="uint4", packing=WORDS,
        note="GPTQ v1 checkpoints store zero - 1",
    ),
    _int(
        "int4_awq", "INT4 g128 (AWQ)", 128, "AutoAWQ 0.2.9 awq/utils/packing_utils.py", element="uint4",
        zero="uint4", packing="eight output columns per int32, nibbles hold columns 0 2 4 6 1 3 5 7",
    ),
    _int("int4_g32", "INT4 g32", 32, CT, scale="bfloat16", packing=WORDS),
    _int("int4_g128", "INT4 g128", 128, CT, scale="bfloat16", packing=WORDS),
    _int(
        "int4_hqq", "INT4 g64 (HQQ)", 64, "hqq 0.2.8 core/quantize.py", element="uint4", scale="float32",
        costs=(Cost("zero point, FP32", 32, 64),),
        packing="element i of two groups that are far apart in a byte, the earlier group high",
    ),
    _int(
        "mlx_4bit", "MLX 4-bit g64", 64, "MLX 0.32.4 mlx/backend/cpu/quantized.cpp", element="uint4", scale="float16",
        costs=(Cost("bias, FP16", 16, 64),), packing=WORDS,
        note="scale and bias have the format of the weights",
    ),
    # ---- codebooks
    _row(
        "nf4", "NF4", "nf4", (1, 64), "float32", QLORA,
        packing="two per byte, even element in the high nibble",
    ),
    _row(
        "nf4_dq", "NF4 double-quant", "nf4", (1, 64), "dynamic8", QLORA,
        second="FP32 per 256 scales, plus one FP32 offset per tensor",
        costs=(Cost("scale of scales", 32, 64 * 256),),
        packing="two per byte, even element in the high nibble",
    ),
    # ---- GGUF: the bytes of the C structs
    _ggml("q4_0", "Q4_0", "uint4", 32, (("d, FP16", 16, 32),), zero_point="8, fixed", packing=HALVES),
    _ggml(
        "q4_1", "Q4_1", "uint4", 32, (("d, FP16", 16, 32), ("m, FP16", 16, 32)),
        zero_point="minimum m, FP16, added", packing=HALVES,
    ),
    _ggml(
        "q5_0", "Q5_0", "uint5", 32, (("d, FP16", 16, 32),), zero_point="16, fixed",
        packing="low nibbles as Q4_0, the fifth bits in 4 bytes",
    ),
    _ggml("q8_0", "Q8_0", "int8", 32, (("d, FP16", 16, 32),)),
    _ggml(
        "q2_k", "Q2_K", "uint2", 16,
        (("scale, 4 bits", 4, 16), ("minimum, 4 bits", 4, 16), ("d, FP16", 16, 256), ("dmin, FP16", 16, 256)),
        scale="uint4", second=_K_SECOND, zero_point="minimum, 4 bits, subtracted", packing="four per byte, 32 apart",
    ),
    _ggml(
        "q3_k", "Q3_K", "uint3", 16, (("scale, 6 bits", 6, 16), ("d, FP16", 16, 256)), scale="int6",
        second="FP16 d per 256", zero_point="4, fixed", packing="low two bits four per byte, high bits apart",
    ),
    _ggml(
        "q4_k", "Q4_K", "uint4", 32, _K4, scale="uint6", second=_K_SECOND,
        zero_point="minimum, 6 bits, subtracted", packing="per 64: 32 bytes, low nibbles first half, high second",
    ),
    _ggml(
        "q5_k", "Q5_K", "uint5", 32, _K4, scale="uint6", second=_K_SECOND,
        zero_point="minimum, 6 bits, subtracted", packing="low nibbles as Q4_K, the fifth bits in 32 bytes",
    ),
    _ggml(
        "q6_k", "Q6_K", "uint6", 16, (("scale, INT8", 8, 16), ("d, FP16", 16, 256)), scale="int8",
        second="FP16 d per 256", zero_point="32, fixed", packing="low nibbles in 128 bytes, high two bits in 64",
    ),
    _ggml("iq4_nl", "IQ4_NL", "uint4", 32, (("d, FP16", 16, 32),), zero_point="a table of 16 numbers", packing=HALVES),
    _ggml(
        "gguf_mxfp4", "GGUF MXFP4", "float4_e2m1fn", 32, (("scale, E8M0", 8, 32),), scale="float8_e8m0fnu",
        packing=HALVES, note="17 bytes; ties go to the smaller magnitude",
    ),
    _ggml(
        "gguf_nvfp4", "GGUF NVFP4", "float4_e2m1fn", 16, (("scale, UE4M3", 8, 16),), scale="float8_e4m3fn",
        packing="four blocks together: 4 scales, then 4 times 8 bytes of halves", note="36 bytes per 64 weights",
    ),
)  # fmt: skip

LABELS = {"float8_e4m3fn": "FP8", "float8_e5m2": "FP8 E5M2", "float4_e2m1fn": "FP4", "float8_e8m0fnu": "E8M0"}
# (element, scale, block) -> label, of rows that a tool stores with something more
KNOWN: dict[tuple[str, str, tuple[int, ...]], str] = {
    ("float4_e2m1fn", "float8_e4m3fn", (1, 16)): "NVFP4", ("float4_e2m1fn", "float8_e8m0fnu", (1, 32)): "MXFP4",
}  # fmt: skip
MADE = "the tool's own tensors: gallery/reading/ says which"


def spell(element: str, shape: tuple[int, ...], scale: str = "", **more: int) -> str:
    """The key of a scheme that has no row: "uint3 1x128 float16 zero=3 column=32"."""
    sides = "x".join(map(str, shape)) or "tensor"
    return " ".join((element, sides, scale or "-", *(f"{key}={value}" for key, value in more.items() if value)))


SPELLED = re.compile(r"(tensor|\d{1,5}x\d{1,5}) \S+( [a-z]+=\d{1,15})*")  # what `spell` writes behind the element


@lru_cache(maxsize=1024)
def spelled_scheme(key: str) -> Scheme | None:
    """The scheme that `spell` spelled; None for any other word."""
    element, _, rest = key.partition(" ")
    if element not in BITS or not SPELLED.fullmatch(rest):
        return None
    words = rest.split(" ")
    more: dict = {name: int(value) for name, value in (word.split("=") for word in words[2:])}
    shape = () if words[0] == "tensor" else tuple(map(int, words[0].split("x")))
    scale = "" if words[1] == "-" else words[1]
    shared, zero, per = shape[0] * shape[1] if shape else 0, more.pop("zero", 0), more.pop("per", 1)
    costs = [Cost("element", BITS[element] * more.pop("codes", 1), per)]
    if more.pop("mask", 0):  # 2:4: half of the codes, and a bit for each that says where they stand
        costs = [Cost("element and mask", BITS[element] + 2, 2)]
    costs += [Cost("scale", BITS[scale], shared)] if shared and scale else []
    costs += [Cost("zero point", zero, shared)] if shared and zero else []
    label = KNOWN.get((element, scale, shape)) or (
        LABELS.get(element, element.removeprefix("u").upper()) + label_of_block(shape)
    )
    return Scheme(
        key, label, element, shape, scale, tuple(costs), MADE, zero_point="stored" if zero else "",
        zero_bits=zero, **more,
    )  # fmt: skip


def label_of_block(shape: tuple[int, ...]) -> str:
    """What follows the element's name: " g64", " per channel", " 64x64"."""
    if shape in ((), (0, 1)):
        return " per column" if shape else " per tensor"
    if shape[0] == 1:
        return f" g{shape[1]}" if shape[1] else " per channel"
    return f" {shape[0]}x{shape[1]}"


class Schemes(dict[str, Scheme]):
    """Rows by name; a key that `spell` made is answered, too, and never listed."""

    def __missing__(self, key: str) -> Scheme:
        found = spelled_scheme(key)
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or (isinstance(key, str) and spelled_scheme(key) is not None)

    def get(self, key, default=None):
        """As a dict's own, for spelled keys, too."""
        return super().get(key) or spelled_scheme(key) or default


SCHEMES = Schemes({row.name: row for row in _ROWS})
