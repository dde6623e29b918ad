"""quantization_config of NVIDIA's ModelOpt -> the row of each of its algorithms."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.formats.schemes import spell
from cutaway.gallery.reading.config_groups import UNCOUNTED, groups, size_of
from cutaway.gallery.reading.quantized_tools import MOST, Read, word

ALGORITHMS = {  # quant_algo -> key of SCHEMES
    "FP8": "fp8_tensor", "FP8_PB_WO": "fp8_128x128", "FP8_PB_REAL": "fp8_128x128",
    "FP8_PER_CHANNEL_PER_TOKEN": "fp8_channel", "NVFP4": "nvfp4",
    "W4A8_NVFP4_FP8": "nvfp4", "NVFP4_AWQ": spell("float4_e2m1fn", (1, 16), "float8_e4m3fn", each=64, column=16),
    "W4A16_NVFP4": spell("float4_e2m1fn", (1, 16), "float8_e4m3fn", each=32),
    "W8A16": spell("int8", (1, 0), "float32"),
    "W4A8_MXFP4_FP8": spell("float4_e2m1fn", (1, 32), "float8_e8m0fnu", each=32),
    "MXFP8": "mxfp8_e4m3", "MXFP4": "mxfp4",
    "W4A16_AWQ": "int4_awq", "INT4_AWQ": "int4_awq", "W8A8_SQ_PER_CHANNEL": "int8_channel", "INT8_SQ": "int8_channel",
}  # fmt: skip


def modelopt(raw: Mapping) -> Read:
    """NVIDIA ModelOpt: quant_algo, or quantized_layers where every layer may differ."""
    algorithm = str(raw.get("quant_algo") or "").upper()
    if algorithm == "MIXED_PRECISION":
        return mixed_precision(raw, "")
    if algorithm in ALGORITHMS:
        alone = "none" if "A16" in algorithm else "static"
        row, how = algorithm_row(algorithm, raw), groups(raw)[1].get("activations", alone)
        return row, {"activations": how, "group_size": size_of(raw)}
    row, beside = groups(raw)
    return row, {**beside, "activations": beside.get("activations", "static"), "group_size": size_of(raw)}


def algorithm_row(algorithm: str, part: Mapping) -> str:
    """The row of a quant_algo; AWQ's groups may have another size than 128."""
    row, size = ALGORITHMS[algorithm], size_of(part)
    return spell("int4", (1, size), "bfloat16", column=16) if row == "int4_awq" and size not in (0, 128) else row


def mixed_precision(raw: Mapping, base: str) -> Read:
    """quantized_layers names modules one by one; what it does not name follows `base`."""
    layers = raw.get("quantized_layers")
    layers = layers if isinstance(layers, Mapping) else {}
    parts = [(str(name)[:200], part) for name, part in list(layers.items())[:MOST] if isinstance(part, Mapping)]
    named = [(name, str(part.get("quant_algo", "")).upper(), part) for name, part in parts]
    strange = sorted({algorithm[:40] for _, algorithm, _ in named if algorithm not in ALGORITHMS})[:8]
    says = tuple(f"quantized_layers: quant_algo {name!r} is no scheme known here; {UNCOUNTED}."
                 for name in strange)  # fmt: skip
    return base, {
        "overrides": tuple((name, algorithm_row(algorithm, part) if algorithm in ALGORITHMS else "")
                           for name, algorithm, part in named),
        "activations": word(raw.get("activation_scheme")), "not_understood": says,
    }  # fmt: skip
