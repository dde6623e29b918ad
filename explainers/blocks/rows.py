"""The tables behind the blocks page: schemes to play with, scale rules, packings. Facts are rows with a source."""

from __future__ import annotations

from cutaway.gallery.formats import codes
from cutaway.gallery.formats.scalar import FORMATS
from cutaway.gallery.formats.schemes import SCHEMES

# name -> (label on the pill, elements sharing a scale, shown, what is stored as the scale, ways to pack)
PLAYED = {
    "mxfp8_e4m3": ("MXFP8 E4M3", 32, 32, "e8m0", ("stream",)),
    "mxfp8_e5m2": ("MXFP8 E5M2", 32, 32, "e8m0", ("stream",)),
    "mxfp6_e2m3": ("MXFP6 E2M3", 32, 32, "e8m0", ("stream",)),
    "mxfp6_e3m2": ("MXFP6 E3M2", 32, 32, "e8m0", ("stream",)),
    "mxfp4": ("MXFP4", 32, 32, "e8m0", ("stream", "halves")),
    "nvfp4": ("NVFP4", 16, 16, "e4m3", ("stream", "halves")),
    "fp8_128x128": ("FP8 128×128", 16384, 32, "float32", ("stream",)),
    "fp8_128x128_ue8m0": ("FP8 128×128 UE8M0", 16384, 32, "e8m0", ("stream",)),
    "fp8_1x128": ("FP8 1×128", 128, 128, "float32", ("stream",)),
    "int4_gptq": ("INT4 GPTQ", 128, 128, "float16", ("stream",)),
    "int4_awq": ("INT4 AWQ", 128, 128, "float16", ("columns",)),
    "int4_g32": ("INT4 g32", 32, 32, "bfloat16", ("stream",)),
    "nf4": ("NF4", 64, 64, "float32", ("high_first",)),
    "q4_0": ("Q4_0", 32, 32, "float16", ("halves",)),
}

PACKINGS = {
    "stream": "Low bits first: element 0 is in the lowest bits of byte 0.",
    "halves": "GGUF: the first half of the block in the low nibbles, the second half in the high ones.",
    "high_first": "bitsandbytes: element 0 in the high nibble of byte 0.",
    "columns": "AWQ: an int32 holds one input of eight output columns, in the order 0 2 4 6 1 3 5 7. A group runs"
    " across 128 words; shown is the one byte of each word that holds column 0, in its low nibble.",
}

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

NOTES = {
    "e8m0": "one byte, a power of two",
    "e4m3": "one byte, E4M3, times one FP32 for the whole tensor",
    "float32": "FP32",
    "float16": "FP16",
    "bfloat16": "BF16",
}
SAMPLES = (
    {"value": "bell", "label": "a bell"},
    {"value": "heavy", "label": "heavy tails"},
    {"value": "ramp", "label": "a ramp"},
)

ROUNDING = {
    "int4_gptq": "GPTQ and AWQ choose codes better than by rounding each number; grid and storage are the same.",
    "int4_awq": "GPTQ and AWQ choose codes better than by rounding each number; grid and storage are the same.",
    "int4_g32": "Symmetric: no zero point; 15 steps around zero reach 8 down and 7 up. Kimi-K2's later weights.",
    "fp8_128x128": "One large number anywhere in 16,384 sets the scale of all. weight_scale_inv multiplies.",
    "fp8_128x128_ue8m0": "The FP32 scale of DeepSeek-V3, rounded up to a power of two (scale_fmt ue8m0).",
    "fp8_1x128": "DeepSeek's activations; its kernel raises any smaller amax to 0.0001.",
    "nvfp4": "ModelOpt stores the tensor's scale to multiply by, compressed-tensors its reciprocal. The smallest block"
    " scale is 2⁻⁹ in ModelOpt and here, 2⁻⁶ in torchao; for a block of zeros ModelOpt stores 1, torchao 2⁻⁶.",
    "nf4": "Sixteen quantiles of a bell curve. bitsandbytes' own “fp4” is not E2M1.",
    "q4_0": "The largest magnitude becomes −8, with its sign; ties round up. The scale is stored as FP16.",
    "mxfp4": "At a tie torchao rounds to even, ModelOpt and GGUF take the smaller magnitude; GGUF has no −0.",
}


SCALES = {"e4m3": "float8_e4m3fn", "float16": "float16", "bfloat16": "bfloat16"}  # that are rounded like an element


def rounding_of(name: str) -> dict | None:
    """What rounding to a format needs to know of it; None where nothing is rounded so (integers, code books)."""
    f = FORMATS.get(name)
    if f is None or not f.exponent_bits:
        return None
    largest = codes.largest(f)
    facts = {"bits": f.bits, "mantissa_bits": f.mantissa_bits, "emin": 1 - f.bias, "emax": codes.floor_log2(largest)}
    sizes = [float(codes.decode(f, code).magnitude) for code in range(8)] if f.bits == 4 else []
    return facts | {"largest": float(largest), "sizes": sizes}


def bits_of_played(name: str) -> int:
    """How many bits an element of a played scheme has."""
    return SCHEMES[name].ledger[0].bits


def played_schemes() -> list[dict]:
    """The rows of the schemes on the page, JSON-plain."""
    made = []
    for name, (label, n, shown, stored, packings) in PLAYED.items():
        row = SCHEMES[name]
        made.append(
            {
                "name": name,
                "label": label,
                "n": n,
                "shown": shown,
                "stored": stored,
                "element": row.element,
                "bits": row.ledger[0].bits,
                "format": rounding_of(row.element),
                "scale_format": rounding_of(SCALES.get(stored, "")),
                "stored_words": NOTES[stored],
                "packings": list(packings),
                "note": ROUNDING.get(name, ""),
            }
        )
    return made


def ledger() -> list[dict]:
    """Every scheme of gallery.schemes with what one weight costs, cheapest first."""
    rows = [
        {
            "name": row.name,
            "label": row.label,
            "bits": row.bits_per_weight,
            "costs": [[c.what, c.bits, c.per] for c in row.ledger],
            "second": row.second,
            "source": row.source,
        }
        for row in SCHEMES.values()
    ]
    return sorted(rows, key=lambda row: (row["bits"], row["label"]))
