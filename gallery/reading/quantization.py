"""quantization_config -> Quantization: one record, whatever the tool that wrote it.

A row of schemes.SCHEMES says what a weight costs; counting/stored_bytes.py says which weights follow which row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutaway.gallery.counting.module_patterns import is_run, steps
from cutaway.gallery.counting.stored_bytes import Stored, list_stored, stored_bytes
from cutaway.gallery.formats.bits import BITS, format_name
from cutaway.gallery.formats.schemes import SCHEMES, spell
from cutaway.gallery.reading import config_groups
from cutaway.gallery.reading.config_groups import UNCOUNTED, block_sides, groups
from cutaway.gallery.reading.mlx import is_mlx, is_module, mlx
from cutaway.gallery.reading.modelopt import mixed_precision, modelopt
from cutaway.gallery.reading.quantized_tools import TOOLS, UNKNOWN, word
from cutaway.gallery.reading.quark import quark
from cutaway.gallery.reading.text_part import short
from cutaway.gallery.reading.torchao import torchao
from cutaway.gallery.spec import ConfigError, Quantization

__all__ = ["Stored", "list_stored", "normalise", "stored_bytes"]

WORDS = {  # key of SCHEMES -> the word of Quantization.scheme
    "fp8_tensor": "fp8", "fp8_channel": "fp8", "fp8_128x128": "fp8", "fp8_128x128_ue8m0": "fp8", "mxfp8_e4m3": "mxfp8",
    "fp8_1x128": "fp8", "mxfp4": "mxfp4", "nvfp4": "nvfp4", "int8_channel": "int8", "int4_gptq": "int4",
    "int4_awq": "int4", "int4_g32": "int4", "int4_g128": "int4", "nf4": "nf4", "nf4_dq": "nf4",
}  # fmt: skip
KEPT_KEYS = ("modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules", "llm_int8_skip_modules",
             "skip_modules", "exclude", "linear_weights_not_to_quantize")  # fmt: skip
SILENT = {
    *KEPT_KEYS,
    "quant_method", "fmt", "activation_scheme", "weight_block_size", "scale_fmt", "config_groups", "format",
    "kv_cache_scheme", "quant_algo", "kv_cache_quant_algo", "quantized_layers", "group_size", "bits", "sym",
    "desc_act", "zero_point", "version", "load_in_4bit", "load_in_8bit", "bnb_4bit_quant_type",
    "bnb_4bit_use_double_quant", "moe_quant_algo", "expert_dtype", "q_group_size", "w_bit", "producer",
    "quantization_status", "global_compression_ratio", "sparsity_config", "transform_config", "damp_percent",
    "true_sequential", "checkpoint_format", "batch_size", "block_name_to_quantize", "cache_block_outputs", "dataset",
    "exllama_config", "max_input_length", "model_seqlen", "pad_token_id", "tokenizer",
    "module_name_preceding_first_block", "modules_in_block_to_quantize", "use_cuda_fp16", "use_exllama", "backend",
    "do_fuse", "fuse_max_seq_len", "modules_to_fuse", "activation_scale_ub", "bnb_4bit_compute_dtype",
    "bnb_4bit_quant_storage", "llm_int8_threshold", "meta", "disable_exllama", "llm_int8_enable_fp32_cpu_offload",
    "llm_int8_has_fp16_weight", "_load_in_4bit", "_load_in_8bit", "dequantize", "weight_per_tensor", "act_per_tensor",
    "quant_type", "quant_type_kwargs", "store_dtype", "mode", "dynamic", "lm_head", "packing_format", "extra_config",
    "data_type", "quant_config", "weights", "linear_class", "quantization_mode", "in_group_size", "out_group_size",
    "nbits_per_codebook", "num_codebooks", "forward_dtype", "store_master_weights", "global_quant_config",
    "layer_quant_config", "layer_type_quant_config", "file_type",
}  # fmt: skip


# ---------------------------------------------------------------- one record from every tool

MODULES = 10  # a layer has about as many matrices
MOST_STEPS = 2 * 10**8  # less than a second; the slowest published file takes 6 * 10**6


def refuse_slow(found: Quantization, depth: int) -> None:
    """ConfigError where the patterns that name modules would take too long on all of them."""
    patterns = (*found.ignore, *(pattern for pattern, _ in found.overrides))
    if steps(patterns) * MODULES * max(depth, 100) > MOST_STEPS:
        raise ConfigError(
            f"quantization_config names modules by patterns ({len(patterns):,} entries) that are too many or too "
            f"involved for the modules of {depth:,} layers. Write plain names in place of wildcards and expressions."
        )


def normalise(
    raw: object,
    experts_as: object = None,
    sidecar: object = None,
    key: str = "quantization_config",
    rounded: bool = False,
) -> Quantization | None:
    """A Quantization from what `key` says, else from a sidecar hf_quant_config.json; None if there is neither.

    `rounded`: the family rounds scales to powers of two and stores them in FP32 all the same.
    """  # fmt: skip
    if raw is not None and not isinstance(raw, Mapping):
        return Quantization("unknown", "unknown", not_understood=(shapeless(key, raw),), counted=False)
    raw = from_sidecar(sidecar) if raw is None else raw
    if raw is None:
        return None
    method = str(raw.get("quant_method") or method_of(raw)).lower()[:40]
    row, more = READERS.get(method, unknown_method)(raw)
    if more.pop("nothing", False):
        return None
    if rounded and row == "fp8_128x128_ue8m0":
        row = "fp8_128x128"
    overrides, says = more.pop("overrides", ()), [*more.pop("not_understood", ())]
    strange = UNKNOWN in (row, *(other for _, other in overrides))
    row, overrides = known(row), tuple((name, known(other)) for name, other in overrides)
    says += uncounted(raw, key, says, strange or not (row or overrides))
    counted = all(BYTES_KNOWN in one for one in says) and not refused(raw, overrides, says, key)
    if experts_as == "fp4" and row.startswith("fp8") and not any(names_experts(name) for name, _ in overrides):
        overrides += (("re:.*experts\\.[0-9]+.*", "mxfp4"),)  # DeepSeek-V4: expert_dtype stands beside the fp8 config
    own = more.pop("ignore", ())  # what a tool leaves alone by keys of its own
    kv = kv_format(raw.get("kv_cache_scheme") or raw.get("kv_cache_quant_algo"), says)
    return Quantization(
        scheme=scheme_word(row, overrides), row=row, method=method, overrides=overrides,
        **{**description(row, more.get("group_size", 0)), **more}, kv_cache=kv,
        ignore=(*unquantized_patterns(raw), *own), unread=unread_keys(raw, method),
        not_understood=tuple(says), counted=counted,
    )  # fmt: skip


def from_sidecar(sidecar: object) -> Mapping | None:
    """What hf_quant_config.json says, as ModelOpt writes it into a config; None where it holds nothing."""
    said = sidecar.get("quantization", sidecar) if isinstance(sidecar, Mapping) else None
    return {"quant_method": "modelopt", **said} if isinstance(said, Mapping) else None


def uncounted(raw: Mapping, key: str, says: list[str], lost: bool) -> list[str]:
    """The sentence that bytes are unknown, where none of `says` tells it; `lost`: no rule here knows the scheme."""
    if not says and lost:
        return [f"{key}: quant_method {short(raw.get('quant_method'), 40)} with these settings is no scheme known "
                f"here; {UNCOUNTED}."]  # fmt: skip
    if says and not any(UNCOUNTED in one or BYTES_KNOWN in one for one in says):
        return [f"{key}: {UNCOUNTED}."]
    return []


def unread_keys(raw: Mapping, method: str) -> tuple[str, ...]:
    """Keys that nobody here reads, those inside config_groups too."""
    names = [name for name in raw if name not in SILENT and not (method == "mlx" and is_module(name, raw[name]))]
    return tuple(str(name)[:60] for name in (*names, *config_groups.unread(raw)))[:50]


def known(row: str) -> str:
    """A row, or "" for one that nobody here knows."""
    return "" if row == UNKNOWN else row


MOST_ASKED = 500  # expressions; more of them take too long
BYTES_KNOWN = "its bytes are counted like"


def refused(raw: Mapping, overrides: tuple[tuple[str, str], ...], says: list[str], key: str) -> bool:
    """Whether an expression that names modules is too involved to be run; a sentence says so."""
    patterns = dict.fromkeys((*unquantized_patterns(raw), *(name for name, _ in overrides)))
    asked = [one for one in patterns if "*" in one or one.startswith("re:")][:MOST_ASKED]
    found = next((one for one in asked if not is_run(one)), None)
    if found is not None:
        says.append(f"{key}: the expression {short(found, 60)} is not run here; {UNCOUNTED}.")
    return found is not None


def scheme_word(row: str, overrides: tuple[tuple[str, str], ...]) -> str:
    """The word of Quantization.scheme: of one format, whatever stays beside it, or "mixed"."""
    rows = {other for _, other in overrides if other} | ({row} if row else set())
    if len(rows) != 1 or (overrides and not row):
        return "mixed" if overrides else "unknown"
    return WORDS.get(row) or word_of(SCHEMES[row].element)


def word_of(element: str) -> str:
    """INT3 -> "int3", FP8 -> "fp8"."""
    return f"fp{BITS[element]}" if element.startswith("float") else element.removeprefix("u")


def shapeless(key: str, value: object) -> str:
    """The sentence for a key that holds no object."""
    return f"{key} is {short(value, 40)}; an object was looked for: {UNCOUNTED}."


def names_experts(name: str) -> bool:
    """Whether an entry is of routed experts: NVIDIA's packings of V4 leave expert_dtype as it was and repack them."""
    return "experts" in name.split(".")


def method_of(raw: Mapping) -> str:
    """Who wrote it, where no quant_method says so."""
    return "modelopt" if raw.get("quant_algo") else "mlx" if is_mlx(raw) else ""


def description(row: str, group: int) -> dict:
    """Element, block and scale of a row; a group the config states stands where the row has its own."""
    found = SCHEMES.get(row)
    if not found:
        return {"element": "unknown"}
    shape = found.block_shape
    if group and shape and shape[0] == 1 and shape[1] > 1:
        shape = (1, group)
    return {"element": found.element, "block_shape": shape, "scale": found.scale}


def unquantized_patterns(raw: Mapping) -> tuple[str, ...]:
    """Patterns of modules left alone, whichever key lists them."""
    for key in KEPT_KEYS:
        value = raw.get(key)
        if isinstance(value, list | tuple):
            return tuple(item[:200].removesuffix(".weight") for item in value[:50_000] if isinstance(item, str))
    return ()


CACHES = {(8, "float"): "float8_e4m3fn", (4, "float"): "float4_e2m1fn", (8, "int"): "int8"}


def kv_format(value: object, says: list[str], key: str = "quantization_config") -> str:
    """Element format of the KV cache, if the config fixes one; a sentence if no table knows it."""
    if not value:
        return ""
    name = format_name(value)[:40] if isinstance(value, str) else ""
    if isinstance(value, Mapping):
        bits = value.get("num_bits")
        name = CACHES.get((bits if isinstance(bits, int) else 0, word(value.get("type"))), "")
    if name not in BITS:
        says.append(f"{key}: {short(value, 40)} is no format of a KV cache known here.")
    return name


def fp8(raw: Mapping) -> tuple[str, dict]:
    """DeepSeek's and transformers' fp8: 128 x 128 blocks, or one scale per tensor."""
    if raw.get("quant_algo") == "MIXED_PRECISION":
        return mixed_precision(raw, block_fp8(raw))
    return block_fp8(raw), {"activations": word(raw.get("activation_scheme"))}


def block_fp8(raw: Mapping) -> str:
    """The row that fmt, weight_block_size and scale_fmt name."""
    block, element = raw.get("weight_block_size"), format_name(word(raw.get("fmt") or "e4m3"))
    if element not in ("float8_e4m3fn", "float8_e5m2"):
        return UNKNOWN
    if not block:
        return "fp8_tensor" if element == "float8_e4m3fn" else spell(element, (), "float32", each=static_bits(raw))
    sides = block_sides(block)
    if sides != (128, 128) or element != "float8_e4m3fn":
        scale = "float8_e8m0fnu" if raw.get("scale_fmt") == "ue8m0" else "float32"
        return spell(element, sides, scale, each=static_bits(raw)) if sides else ""
    return "fp8_128x128_ue8m0" if raw.get("scale_fmt") == "ue8m0" else "fp8_128x128"


def static_bits(raw: Mapping) -> int:
    """Bits of an activation's scale, where one is stored."""
    return 32 * (raw.get("activation_scheme") == "static")


def mxfp4(raw: Mapping) -> tuple[str, dict]:
    """gpt-oss: only the routed experts; block 32 and E8M0 are implied."""
    return "mxfp4", {"activations": "none", "only_experts": True}


def fixed_scheme(row: str, **more: object) -> Callable[[Mapping], tuple[str, dict]]:
    """A method that has only one scheme."""
    return lambda raw: (row, dict(more))


def gguf(raw: Mapping) -> tuple[str, dict]:
    """GGUF: nearly each tensor has a format of its own, which only the file's list of tensors tells."""
    return "", {"not_understood": (f"a GGUF file names the format of each tensor beside it: {UNCOUNTED}.",)}


def fbgemm(raw: Mapping) -> tuple[str, dict]:
    """FBGEMM's FP8 rows. Where the list of what stays names attention, all of it stays: the copy of Llama 3.1 405B's
    file at hand names the first layer's alone, and its published count of scales has none of any attention."""
    named = any("self_attn" in name for name in unquantized_patterns(raw))
    return "fp8_channel", {"activations": "dynamic", "ignore": ("self_attn",) if named else ()}


def unknown_method(raw: Mapping) -> tuple[str, dict]:
    """Nothing is claimed about a method nobody here knows."""
    return groups(raw) if raw.get("config_groups") else ("", {})


READERS: dict[str, Callable[[Mapping], tuple[str, dict]]] = {
    "fp8": fp8, "fbgemm_fp8": fbgemm, "mxfp4": mxfp4,
    "compressed-tensors": groups, "modelopt": modelopt, "mlx": mlx, "nvfp4": fixed_scheme("nvfp4"),
    "mxfp8": fixed_scheme("mxfp8_e4m3"), "quark": quark, "torchao": torchao, "gguf": gguf, **TOOLS,
}  # fmt: skip
