"""quantization_config, key by key -> what each means in plain English; a key that nobody here knows is named so."""

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
    sides = " × ".join(str(side) for side in value) if isinstance(value, list | tuple) else str(value)
    return f"each block of {sides} numbers of a matrix shares one scale"


def scaling(value: object) -> str:
    if value == "static":
        return "activations are scaled by a number that was measured beforehand and is stored"
    return "activations are scaled as they come, by their own largest value"


def say_list(value: object) -> str:
    many = len(value) if isinstance(value, list | tuple) else 0
    return f"{many:,} pattern{'s' * (many != 1)} of modules that stay in the model's dtype" if many else "nothing stays"


def say_groups(value: object) -> str:
    return f"{value} numbers along the input share one scale"


def say_flag(true: str, false: str) -> Callable[[object], str]:
    return lambda value: true if value else false


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
        return f"{where}: weights as they are"
    bits, kind, size = part.get("num_bits"), part.get("type"), part.get("group_size")
    width = f"weights in {bits} bits" if type(bits) is int else "weights in bits as stated"
    numbers = {"int": " (whole numbers)", "float": " (floating point)"}.get(str(kind), "")
    otherwise = STRATEGIES.get(str(part.get("strategy")), "scales as stated")
    return f"{where}: {width}{numbers}, " + (
        f"one scale for each {size} along the input" if type(size) is int else otherwise
    )


STRATEGIES = {"tensor": "one scale for a whole tensor", "channel": "one scale for each row",
              "block": "one scale for each block", "token": "one scale for each token"}  # fmt: skip
METHODS = {
    "fp8": "codes of eight bits with stored scales, as DeepSeek-V3 has them", "mxfp4": "MXFP4, as gpt-oss has it",
    "compressed-tensors": "written by llm-compressor; what follows is its vocabulary",
    "modelopt": "written by NVIDIA ModelOpt", "gptq": "GPTQ: integers in groups, found by second-order correction",
    "awq": "AWQ: integers in groups, with columns that matter scaled up first",
    "bitsandbytes": "bitsandbytes: quantized as it is loaded, or stored so", "fbgemm_fp8": "FP8 by rows, for FBGEMM",
    "torchao": "written by torchao", "auto-round": "AutoRound, stored as GPTQ", "nvfp4": "NVFP4", "mxfp8": "MXFP8",
}  # fmt: skip
FORMATS = {
    "nvfp4-pack-quantized": "NVFP4, two codes a byte", "mxfp4-pack-quantized": "MXFP4, two codes a byte",
    "pack-quantized": "integers, eight codes to a 32-bit word", "float-quantized": "FP8, one code a byte",
    "int-quantized": "INT8, one code a byte", "naive-quantized": "one code a byte",
}  # fmt: skip
ALGORITHMS = {
    "fp8": "FP8 E4M3, one scale for a whole tensor",
    "nvfp4": "NVFP4: 16 codes share an FP8 scale, a tensor one in FP32",
    "mixed_precision": "every module by its own entry of quantized_layers", "fp8_pb_wo": "FP8 in 128 × 128 blocks",
    "mxfp8": "MXFP8: 32 codes share a power of two", "w4a16_awq": "AWQ, four bits, activations as they are",
}  # fmt: skip
SAYS: dict[str, str | Callable[[object], str]] = {
    "quant_method": one_of(METHODS, "a tool that is not known here"),
    "fmt": one_of({"e4m3": "codes have four exponent and three mantissa bits", "e5m2": "codes have five exponent bits"},
                  "how the bits of a code are split"),
    "activation_scheme": scaling, "weight_block_size": blocks, "group_size": say_groups, "q_group_size": say_groups,
    "store_dtype": one_of({"fp8": "codes are stored in eight bits"}, "the format that codes are stored in"),
    "scale_fmt": one_of({"ue8m0": "scales are rounded up to powers of two"}, "how scales are stored"),
    "modules_to_not_convert": say_list, "ignore": say_list, "ignored_layers": say_list, "exclude_modules": say_list,
    "llm_int8_skip_modules": say_list, "config_groups": groups,
    "format": one_of(FORMATS, "how codes are laid out"), "quantization_status": "how far the tool has come: stored so",
    "kv_cache_scheme": say_flag("how the cache of keys and values is stored while decoding",
    "the cache is left as it is"),
    "kv_cache_quant_algo": say_flag("the format of the cache while decoding", "the cache is left as it is"),
    "quant_algo": one_of(ALGORITHMS, "which scheme weights follow"), "moe_quant_algo": "which scheme experts follow",
    "quantized_layers": "which scheme each named module follows", "producer": "the tool and its version",
    "expert_dtype": one_of({"fp4": "routed experts are stored in FP4, 32 codes to a power of two"},
                           "the format of the routed experts"),
    "mode": one_of({"affine": "each group has a scale and a bias"}, "how MLX scales a group"),
    "bits": lambda value: f"each number is a code of {value} bits", "w_bit": lambda value: f"codes of {value} bits",
    "sym": say_flag("codes are symmetric around zero", "each group stores its own zero point"),
    "zero_point": say_flag("each group stores its own zero point", "codes are symmetric around zero"),
    "desc_act": say_flag("columns were quantized by size, so that a column needs its group's index",
    "columns in order"),
    "damp_percent": "GPTQ's damping; of no weight for reading", "true_sequential": "how GPTQ went through a layer",
    "checkpoint_format": one_of({"gptq": "zero points are stored less one", "gptq_v2": "zero points as they are"},
                                "how zero points are stored"),
    "version": "the kernel's layout", "load_in_4bit": say_flag("codes of four bits", "not in four bits"),
    "load_in_8bit": say_flag("codes of eight bits", "not in eight bits"),
    "bnb_4bit_quant_type": one_of({"nf4": "NF4: 16 values spaced as a normal distribution", "fp4": "FP4"}, "the codes"),
    "bnb_4bit_use_double_quant": say_flag("the scales are quantized too, 256 to an FP32", "scales stay in FP32"),
    "bnb_4bit_compute_dtype": "the format of products", "bnb_4bit_quant_storage": "the type codes are packed into",
    "llm_int8_threshold": "activations above it are multiplied in 16 bits",
    "activation_scale_ub": "no activation's scale may be larger", "quant_type": "torchao's own class of the scheme",
    "global_compression_ratio": "what the tool reported", "sparsity_config": "which zeros were pruned, if any",
    "transform_config": "rotations that were folded into the weights, if any", "dataset": "what it was calibrated on",
}  # fmt: skip
MOST = 400  # letters of a sentence
OF_NO_WEIGHT = "of no weight for how the numbers are stored"


def decode_keys(raw: object, silent: frozenset[str] | set[str]) -> list[Meaning]:
    """Every key, in the config's order; `silent` are those that reading passes over because they change nothing."""
    if not isinstance(raw, Mapping):
        return []
    return [meaning(str(key)[:60], value, silent) for key, value in list(raw.items())[:60]]


def meaning(key: str, value: object, silent: frozenset[str] | set[str]) -> Meaning:
    says = SAYS.get(key)
    words = says if isinstance(says, str) else says(value) if says else OF_NO_WEIGHT if key in silent else ""
    return Meaning(key, short_value(value), words[:MOST] or "not known here: nothing is concluded from it", bool(words))


def short_value(value: object) -> str:
    """A value that fits a line."""
    if isinstance(value, Mapping):
        return f"{len(value)} entr{'y' if len(value) == 1 else 'ies'}"
    if isinstance(value, list | tuple) and (len(value) > 4 or any(not isinstance(one, int | str) for one in value)):
        return f"{len(value):,} entries"
    return short(value, 60)
