"""quantization_config of AMD Quark -> the row that each of its parts costs."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.formats.bits import format_name
from cutaway.gallery.formats.schemes import spell
from cutaway.gallery.reading.config_groups import block_sides, size_of
from cutaway.gallery.reading.quantized_tools import MOST, UNKNOWN, Read

QUARK = {"fp8_e4m3": "float8_e4m3fn", "fp8_e5m2": "float8_e5m2", "fp4": "float4_e2m1fn", "fp6_e2m3": "float6_e2m3fn",
         "fp6_e3m2": "float6_e3m2fn", "int8": "int8", "uint8": "uint8", "int4": "int4", "uint4": "uint4",
         "int2": "int2"}  # fmt: skip


def quark(raw: Mapping) -> Read:
    """AMD Quark: global_quant_config for all; layer_quant_config for names with wildcards, the first that fits."""
    said = raw.get("layer_quant_config")
    found = list(said.items())[:MOST] if isinstance(said, Mapping) else []
    overrides = tuple((str(name)[:200], quark_row(part)) for name, part in found if isinstance(part, Mapping))
    main = raw.get("global_quant_config")
    given = main.get("input_tensors") if isinstance(main, Mapping) else None
    how = "none" if not isinstance(given, Mapping) else "dynamic" if given.get("is_dynamic") else "static"
    says = ("layer_type_quant_config is no scheme known here.",) if raw.get("layer_type_quant_config") else ()
    return quark_row(main), {"activations": how, "overrides": overrides, "not_understood": says, "head": True}


def quark_row(part: object) -> str:
    """weight and weight_scale, with weight_zero_point where codes are asymmetric; input_scale where that is fixed."""
    weights = part.get("weight") if isinstance(part, Mapping) else None
    if isinstance(weights, list):
        return UNKNOWN  # quantized twice, one after the other
    if not isinstance(part, Mapping) or not isinstance(weights, Mapping):
        return ""
    element, scheme = QUARK.get(str(weights.get("dtype")), ""), weights.get("qscheme")
    group = size_of(weights)
    sides = {"per_tensor": (), "per_channel": (1, 0), "per_group": (1, group)}.get(str(scheme))
    if scheme == "per_block":
        sides = block_sides(weights.get("block_size"))
    if not element or sides is None or (scheme == "per_group" and not group):
        return UNKNOWN
    given = part.get("input_tensors")
    fixed = isinstance(given, Mapping) and given.get("is_dynamic") is False
    zero = int(element[-1]) if "int" in element and weights.get("symmetric") is False else 0
    return spell(element, sides, quark_scale(weights, scheme), zero=zero, each=32 if fixed else 0)


def quark_scale(weights: Mapping, scheme: object) -> str:
    """The format of a scale: E8M0 where it says so, FP32 for a tensor or a row, 16 bits for a group."""
    said = format_name(str(weights.get("scale_format") or weights.get("scale_type") or ""))
    if said in ("float8_e8m0fnu", "float32", "float16", "bfloat16", "float8_e4m3fn"):
        return said
    return "bfloat16" if scheme == "per_group" else "float32"
