"""How a config stores weights, and whether activations follow -> the format that products with weights run in.

Two answers, by purpose: `runs` is what the config says, which model pages and /learn/roofline/ draw; `fastest` is the
fastest that an engine is known to run such weights in, which a plan takes, since its seconds are bounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.spec import Quantization

PLAIN = "bfloat16"  # products of what is not quantised
ORDER = (PLAIN, "fp8", "fp4")  # the slowest first; a device's peaks have these names
ALONE, TOO, IN_FP8 = "alone", "too", "fp8"  # activations: in 16 bits, in the weights' format, in FP8


class Way(NamedTuple):
    """How weights of one element meet their activations; formats are those of a device's peaks."""

    element: str  # its family: what stands before the first _
    activations: str
    runs: str
    fastest: str
    says: str  # why a plan takes `fastest`
    source: str


OSS = (
    "TensorRT-LLM, examples/models/core/gpt_oss/README.md: MXFP8 by MXFP4 on Blackwell; FlashInfer, megamoe: on Hopper"
)
CUTLASS = "NVIDIA/cutlass at 19fc8b0, media/docs/cpp/blackwell_functionality.md: kind::mxf8f6f4 is as fast as FP8"
SHEETS = "NVIDIA's data sheets of H100, L40S and B200: INT8 as fast as FP8"
MARLIN = "IST-DASLab/marlin, and vLLM's Marlin kernels: 4-bit codes become FP16 or BF16 before they are multiplied"
DEEPSEEK_V4 = "deepseek-ai/DeepSeek-V4-Flash, inference/kernel.py"
WAYS = (
    Way("float4", TOO, "fp4", "fp4", "weights and activations are FP4", CUTLASS),
    Way("float4", IN_FP8, "fp8", "fp8", "FP4 weights meet FP8 activations", DEEPSEEK_V4),
    Way("float4", ALONE, PLAIN, "fp8", "of FP4 weights alone engines make FP8 products at best", f"{OSS}; {CUTLASS}"),
    Way("float8", TOO, "fp8", "fp8", "weights and activations are FP8", "deepseek-ai/DeepSeek-V3, inference/kernel.py"),
    Way("float8", ALONE, PLAIN, "fp8", "of FP8 weights alone engines make FP8 products at best",
        "vLLM, quantization=fp8: activations are quantised as they come"),
    Way("int8", TOO, "fp8", "fp8", "weights and activations are INT8, as fast as FP8", SHEETS),
    Way("int8", ALONE, PLAIN, "fp8", "of INT8 weights alone engines make INT8 products at best, as fast as FP8",
        f"LLM.int8(), arXiv 2208.07339; {SHEETS}"),
)  # fmt: skip
CODES = Way("", ALONE, PLAIN, PLAIN, "integers and codebooks of few bits are unpacked to 16 bits", MARLIN)
STORED = Way("", ALONE, PLAIN, PLAIN, "weights of 16 bits", "")
ASKED = {"fp8": "fp8", "int8": "fp8", "fp4": "fp4"}  # format of weights that a plan is given -> of products; else PLAIN
UNSAID = {  # tools that quantise activations where the config does not say so
    "modelopt": "quantized_layers names algorithms of both: NVFP4, FP8",
    "fp8": "transformers, FineGrainedFP8Config: activation_scheme is dynamic unless another is named",
}


def is_weight_only(quant: Quantization | None) -> bool:
    """Whether weights are quantised and activations are not."""
    said = quant.activations if quant else TOO
    return said == "none" or (said == "" and quant is not None and quant.method not in UNSAID)


def way(quant: Quantization, row: str) -> Way:
    """Of the weights that follow a row of SCHEMES."""
    element = SCHEMES[row].element.partition("_")[0]
    beside = quant.element.startswith("float8") and row == "mxfp4"  # DeepSeek-V4's experts in an FP8 config
    activations = ALONE if is_weight_only(quant) else IN_FP8 if beside else TOO
    return next((one for one in WAYS if (one.element, one.activations) == (element, activations)), CODES)


def runs(quant: Quantization | None, row: str) -> str:
    """The format of products with weights that follow a row ("": left as they are), as the config says."""
    return way(quant, row).runs if quant and row else PLAIN


def fastest_way(quant: Quantization | None, rows: Iterable[str]) -> Way:
    """Of all rows that a model's weights follow, or that its config names, the one that engines multiply fastest."""
    named = (*rows, *(row for _, row in quant.overrides)) if quant else ()
    found = [way(quant, row) for row in dict.fromkeys(named) if row] if quant else []
    return max(found, key=lambda one: ORDER.index(one.fastest), default=STORED)
