"""quantization_config, key by key -> what each means; a key that is not known is called so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from cutaway.gallery.reading.text_part import short


class Meaning(NamedTuple):
    """One key of a quantization_config."""

    key: str
    value: str
    words: str
    known: bool = True


def blocks(value: object) -> str:
    if value is None:
        return "scales are not stored per block"
    sides = " × ".join(str(side) for side in value) if isinstance(value, list | tuple) else str(value)
    return f"each block of {sides} elements of a matrix shares one scale"


def scaling(value: object) -> str:
    if value == "static":
        return "activation scales are static: calibrated beforehand and stored"
    return "activation scales are dynamic: computed at run time from the largest value"


def say_list(value: object) -> str:
    many = len(value) if isinstance(value, list | tuple) else 0
    return f"{many:,} pattern{'s' * (many != 1)} of modules that are not quantized" if many else "no module is left out"


def say_groups(value: object) -> str:
    return f"{value} elements along the input dimension share one scale"


def say_flag(true: str, false: str) -> Callable[[object], str]:
    return lambda value: true if value else false


def say_cache(value: object) -> str:
    """The format of the cache, and its scales: self_attn.k_scale and .v_scale (compressed-tensors 0.20.0,
    lifecycle/initialize.py), or k_proj.k_scale and v_proj.v_scale (ModelOpt 0.47.0, export/quant_utils.py)."""
    if not value:
        return "the KV cache is not quantized"
    dynamic = isinstance(value, Mapping) and value.get("dynamic")
    scales = "computed at run time" if dynamic else "a k_scale and a v_scale per layer where stored, not counted here"
    return f"the storage format of the KV cache; its scales: {scales}"


def one_of(words: Mapping[str, str], otherwise: str) -> Callable[[object], str]:
    return lambda value: words.get(str(value).lower(), otherwise)


def groups(value: object) -> str:
    """config_groups of compressed-tensors: its groups in a sentence each."""
    found = [group for group in value.values() if isinstance(group, Mapping)] if isinstance(value, Mapping) else []
    return "; ".join(group_words(group) for group in found[:8]) or "no group of modules"


def group_words(group: Mapping) -> str:
    part, targets = group.get("weights"), group.get("targets")
    where = ", ".join(str(one)[:40] for one in targets[:3]) if isinstance(targets, list | tuple) else "modules"
    if not isinstance(part, Mapping):
        return f"{where}: weights not quantized"
    bits, kind, size = part.get("num_bits"), part.get("type"), part.get("group_size")
    width = f"weights in {bits} bits" if type(bits) is int else "weights, width not known"
    numbers = {"int": " (integer)", "float": " (floating point)"}.get(str(kind), "")
    otherwise = STRATEGIES.get(str(part.get("strategy")), "this key does not say how scales are shared")
    return f"{where}: {width}{numbers}, " + (
        f"one scale per {size} elements along the input" if type(size) is int else otherwise
    )


STRATEGIES = {"tensor": "one scale per tensor", "channel": "one scale per row",
              "block": "one scale per block", "token": "one scale per token"}  # fmt: skip
METHODS = {
    "fp8": "FP8 with stored scales, in DeepSeek-V3's layout", "mxfp4": "MXFP4, in gpt-oss's layout",
    "compressed-tensors": "written by llm-compressor, whose keys are below",
    "modelopt": "written by NVIDIA ModelOpt", "gptq": "GPTQ: grouped integers, rounded with second-order correction",
    "awq": "AWQ: grouped integers, with salient columns scaled up first",
    "bitsandbytes": "bitsandbytes: quantized on loading, or stored so",
    "fbgemm_fp8": "FP8 with a scale per row, for FBGEMM",
    "torchao": "written by torchao", "auto-round": "AutoRound, stored as GPTQ", "nvfp4": "NVFP4", "mxfp8": "MXFP8",
}  # fmt: skip
FORMATS = {
    "nvfp4-pack-quantized": "NVFP4, two values per byte", "mxfp4-pack-quantized": "MXFP4, two values per byte",
    "pack-quantized": "integers, packed into 32-bit words", "float-quantized": "FP8, one value per byte",
    "int-quantized": "INT8, one value per byte", "naive-quantized": "one value per byte",
}  # fmt: skip
ALGORITHMS = {
    "fp8": "FP8 E4M3, one scale per tensor",
    "nvfp4": "NVFP4: an FP8 scale per 16 elements, an FP32 scale per tensor",
    "mixed_precision": "each module has its own entry in quantized_layers", "fp8_pb_wo": "FP8 in 128 × 128 blocks",
    "mxfp8": "MXFP8: a power-of-two scale per 32 elements",
    "w4a16_awq": "AWQ, 4-bit weights, activations not quantized",
}  # fmt: skip
SAYS: dict[str, str | Callable[[object], str]] = {
    "quant_method": one_of(METHODS, "a tool that Cutaway does not know"),
    "fmt": one_of({"e4m3": "E4M3: four exponent and three mantissa bits",
                   "e5m2": "E5M2: five exponent and two mantissa bits"},
                  "the FP8 format"),
    "activation_scheme": scaling, "weight_block_size": blocks, "group_size": say_groups, "q_group_size": say_groups,
    "store_dtype": one_of({"fp8": "values are stored in 8 bits"}, "the format that values are stored in"),
    "scale_fmt": one_of({"ue8m0": "scales are rounded up to powers of two"}, "how scales are stored"),
    "modules_to_not_convert": say_list, "ignore": say_list, "ignored_layers": say_list, "exclude_modules": say_list,
    "llm_int8_skip_modules": say_list, "config_groups": groups,
    "format": one_of(FORMATS, "the packing of values"), "quantization_status": "the status of quantization when the "
    "file was saved",
    "kv_cache_scheme": say_cache, "kv_cache_quant_algo": say_cache,
    "quant_algo": one_of(ALGORITHMS, "the scheme of the weights"), "moe_quant_algo": "the scheme of the experts",
    "quantized_layers": "the scheme of each named module", "producer": "the tool and its version",
    "expert_dtype": one_of({"fp4": "routed experts are stored in FP4, a power-of-two scale per 32 elements"},
                           "the format of the routed experts"),
    "mode": one_of({"affine": "each group has a scale and a bias"}, "how MLX scales a group"),
    "bits": lambda value: f"weights have {value} bits", "w_bit": lambda value: f"weights have {value} bits",
    "sym": say_flag("symmetric around zero: no zero points", "each group stores its own zero point"),
    "zero_point": say_flag("each group stores its own zero point", "symmetric around zero: no zero points"),
    "desc_act": say_flag("columns were quantized in order of activation size, so each stores its group's index",
    "columns are quantized in order"),
    "damp_percent": "damping used by GPTQ; it does not affect how the file is read",
    "true_sequential": "the order in which GPTQ went through a layer",
    "checkpoint_format": one_of({"gptq": "zero points are stored minus one",
                                 "gptq_v2": "zero points are stored as they are"},
                                "how zero points are stored"),
    "version": "the layout of the kernel", "load_in_4bit": say_flag("4-bit weights", "not 4-bit"),
    "load_in_8bit": say_flag("8-bit weights", "not 8-bit"),
    "bnb_4bit_quant_type": one_of({"nf4": "NF4: 16 quantiles of a normal distribution", "fp4": "FP4"}, "the format"),
    "bnb_4bit_use_double_quant": say_flag("scales are quantized too, with an FP32 scale per 256", "scales are FP32"),
    "bnb_4bit_compute_dtype": "the format of matmuls", "bnb_4bit_quant_storage": "the type that values are packed into",
    "llm_int8_threshold": "outlier activations above it are multiplied in 16 bits",
    "activation_scale_ub": "the upper bound on activation scales", "quant_type": "torchao's class for the scheme",
    "global_compression_ratio": "the compression ratio that the tool reported",
    "sparsity_config": "which weights were pruned, if any",
    "transform_config": "rotations folded into the weights, if any", "dataset": "the calibration data",
}  # fmt: skip
MOST = 400  # letters of a sentence
OF_NO_WEIGHT = "this key does not affect how weights are stored"


def decode_keys(raw: object, silent: frozenset[str] | set[str]) -> list[Meaning]:
    """Every key, in the config's order; `silent` are those that reading passes over because they change nothing."""
    if not isinstance(raw, Mapping):
        return []
    return [meaning(str(key)[:60], value, silent) for key, value in list(raw.items())[:60]]


def meaning(key: str, value: object, silent: frozenset[str] | set[str]) -> Meaning:
    says = SAYS.get(key)
    words = says if isinstance(says, str) else says(value) if says else OF_NO_WEIGHT if key in silent else ""
    return Meaning(key, short_value(value), words[:MOST] or "a key that Cutaway does not know or use", bool(words))


def short_value(value: object) -> str:
    """A value that fits a line."""
    if isinstance(value, Mapping):
        return f"{len(value)} entr{'y' if len(value) == 1 else 'ies'}"
    if isinstance(value, list | tuple) and (len(value) > 4 or any(not isinstance(one, int | str) for one in value)):
        return f"{len(value):,} entries"
    return short(value, 60)
