"""quantization_config of torchao -> the row that each of its classes costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutaway.gallery.formats.schemes import spell
from cutaway.gallery.reading.config_groups import size_of
from cutaway.gallery.reading.quantized_tools import MOST, UNKNOWN, Read, keeps_no_head, own_group


def torchao(raw: Mapping) -> Read:
    """torchao: quant_type is a word with quant_type_kwargs beside it, or names a class with its data, or modules."""
    said = raw.get("quant_type")
    whole_type = said.get("default", said) if isinstance(said, Mapping) else said
    data = class_data(whole_type)
    modules = data.get("module_fqn_to_config") or data.get("fqn_to_config")
    activations = {"activations": "dynamic" if "dynamic" in str(said)[:2000].lower() else "none"}
    if raw.get("include_input_output_embeddings"):
        return UNKNOWN, activations  # embedding and head are quantized too, each by its own rule
    if isinstance(modules, Mapping):
        rest = torchao_row(modules["_default"]) if modules.get("_default") else ""
        overrides = tuple((whole(str(name)[:200]), torchao_row(part) if part else "") for name, part in modules.items()
                          if name != "_default")[:MOST]  # fmt: skip
        return rest, {**activations, "overrides": overrides, "only_named": not rest}
    if "float8" in str(said)[:2000].lower():
        activations = {"activations": "dynamic"}
    kwargs = raw.get("quant_type_kwargs")
    row = torchao_row(whole_type, kwargs if isinstance(kwargs, Mapping) else {})
    return row, {**activations, "head": keeps_no_head(raw, "modules_to_not_convert")}


def whole(name: str) -> str:
    """A module's name without ".weight", or an expression that has to match all of it (re.fullmatch)."""
    return f"re:(?:{name[3:]})$" if name.startswith("re:") else name.removesuffix(".weight")


def class_data(value: object) -> Mapping:
    """The data of a serialized class."""
    data = value.get("_data") if isinstance(value, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def data_word(value: object) -> str:
    """A serialized enum, dtype or class as a small word: {"_type": "torch.dtype", "_data": "int4"} -> "int4"."""
    data = value.get("_data") if isinstance(value, Mapping) else value
    return str(value.get("_type") if isinstance(value, Mapping) and isinstance(data, Mapping) else data)[:60].lower()


def is_first(kind: object) -> bool:
    """Whether the tensors are those of torchao's first version of a class, as those of words without a class are."""
    return not isinstance(kind, Mapping) or kind.get("_version") == 1


LAYOUT_KEYS = ("int4_packing_format", "intx_packing_format", "packing_format", "layout")
TILES = ("tile_packed_to_4d", "tensorcoretiledlayout")  # columns are filled up to a multiple of 1,024
PLAIN_WORDS = (*TILES, "plain", "plain_int32", "unpacked_to_int8", "plainlayout", "int4cpulayout", "none")


def torchao_row(kind: object, kwargs: Mapping | None = None) -> str:
    """The tensors of each class, by torchao 0.18.0 (quantization/quantize_/workflows, prototype/mx_formats), and by
    0.12.0 for the first version of a class and for words."""
    name = str(kind.get("_type") if isinstance(kind, Mapping) else kind)[:200].lower().replace("_", "")
    data = {**class_data(kind), **(kwargs or {})}
    layout = (data_word(data[key]) for key in LAYOUT_KEYS if key in data)
    if any(word not in PLAIN_WORDS for word in layout):
        return UNKNOWN
    data["first"] = is_first(kind)
    return next((row(name, data) for sign, row in TORCHAO if sign in name), UNKNOWN)


def torchao_sides(data: Mapping, usual: tuple[int, ...]) -> tuple[int, ...]:
    """Which weights share a scale: the granularity of weights, or the older group_size."""
    said = data.get("weight_granularity", data.get("granularity"))
    said = said[-1] if isinstance(said, list | tuple) and said else said
    word = str(said.get("_type") if isinstance(said, Mapping) else said)[:200].lower()
    if "pergroup" in word:
        return own_group(class_data(said).get("group_size"))
    if "perrow" in word or "peraxis" in word:
        return 1, 0
    if "pertensor" in word:
        return ()
    return own_group(data["group_size"]) if data.get("group_size") is not None else usual


def torchao_int4(name: str, data: Mapping) -> str:
    """Int4Tensor: codes, and a scale and a zero in 16 bits for each group."""
    tiles = any(data_word(data.get(key)) in TILES for key in LAYOUT_KEYS)
    return spell("int4", (1, size_of(data) or 128), "bfloat16", zero=16, pad=1024 if tiles else 0)


def torchao_8da4w(name: str, data: Mapping) -> str:
    """A byte for each code of four bits, and a scale and a zero in 16 bits; the newer class packs for one CPU."""
    if not data["first"] or (name.endswith("config") and "layout" not in data):
        return UNKNOWN
    return spell("int8", (1, size_of(data) or 32), "bfloat16", zero=16)


def torchao_intx(name: str, data: Mapping) -> str:
    """IntxUnpackedToInt8Tensor: a byte for each code, whatever its width; a scale and a byte of zero for each group."""
    usual = (1, 32) if "dynamic" in name else (1, 0)
    return spell("int8", torchao_sides(data, usual), "bfloat16", zero=8)


def torchao_int8(name: str, data: Mapping) -> str:
    """Int8Tensor: FP32 scales and INT8 zeros; before, 16-bit scales, and I64 zeros where activations stay. All zeros
    are zero."""
    if data["first"]:
        return spell("int8", torchao_sides(data, (1, 0)), "bfloat16", zero=0 if "dynamic" in name else 64)
    return spell("int8", torchao_sides(data, (1, 0)), "float32", zero=8)


def torchao_float8(name: str, data: Mapping) -> str:
    """Float8Tensor: FP32 scales; rows where only weights are quantized, else the tensor, unless a key says more."""
    sides = torchao_sides(data, (1, 0) if "weightonly" in name and "config" in name else ())
    sides = (1, 0) if "perrow" in name else sides
    return {(): "fp8_tensor", (1, 0): "fp8_channel"}.get(sides) or spell("float8_e4m3fn", sides, "float32")


def torchao_nvfp4(name: str, data: Mapping) -> str:
    """NVFP4Tensor: codes, E4M3 scales, and an FP32 scale of the tensor unless that is switched off."""
    return spell("float4_e2m1fn", (1, 16), "float8_e4m3fn", each=32 * (data.get("use_dynamic_per_tensor_scale", True)
                 is not False))  # fmt: skip


def torchao_mx(name: str, data: Mapping) -> str:
    """MXTensor: FP8 or FP4 codes, a power of two for each block."""
    word = data_word(data.get("weight_dtype", "float8_e4m3fn"))
    element = {"float8_e4m3fn": "float8_e4m3fn", "float8_e5m2": "float8_e5m2", "float4_e2m1fn_x2": "float4_e2m1fn"}
    size = size_of({"group_size": data.get("block_size", 32)})
    return spell(element[word], (1, size), "float8_e8m0fnu") if word in element and size else UNKNOWN


def torchao_unknown(name: str, data: Mapping) -> str:
    """Layouts that only a device knows."""
    return UNKNOWN


TORCHAO: tuple[tuple[str, Callable[[str, Mapping], str]], ...] = (  # a sign in the class's name -> its tensors
    ("uintx", torchao_unknown), ("sparse", torchao_unknown), ("int8dynamicactivationint4", torchao_8da4w),
    ("activationint4", torchao_unknown), ("intx", torchao_intx), ("nvfp4", torchao_nvfp4), ("mxdynamic", torchao_mx),
    ("mxfp", torchao_mx), ("float8", torchao_float8), ("int8", torchao_int8), ("int4", torchao_int4),
)  # fmt: skip
