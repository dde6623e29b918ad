"""quantization_config of the tools that store integers, code books or words of their own -> the row that it costs.

Each function says which tensors its tool's files hold for a matrix. Where no row of schemes.SCHEMES has just those,
`spell` makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutaway.gallery.formats.schemes import spell
from cutaway.gallery.reading.config_groups import size_of
from cutaway.gallery.reading.text_part import short

Read = tuple[str, dict]
WIDTHS = (2, 3, 4, 8)  # bits that GPTQ's packing knows: AutoGPTQ and GPTQModel, nn_modules/qlinear
UNKNOWN = "?"  # stands for a row where no rule here says how the weights are stored; "" is a module that stays
MOST = 50_000  # entries of a list that are read


def whole_number(value: object) -> int:
    """A whole number, or 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def word(value: object) -> str:
    """A short word or ""."""
    return value[:20] if isinstance(value, str) else ""


def keeps_no_head(raw: Mapping, key: str) -> bool:
    """Whether a list of what stays leaves the head out: transformers keeps the head only where there is no list."""
    said = raw.get(key)
    return isinstance(said, list | tuple) and not any("lm_head" in str(one) for one in said)


def own_group(size: object) -> tuple[int, int]:
    """(1, group); (1, 0) is a whole row, which -1 and nothing mean."""
    return 1, size_of({"group_size": size})


# ---------------------------------------------------------------- integers in groups


def packed_row(bits: int, size: object, order: bool = True) -> str:
    """qweight, qzeros, scales and g_idx: words of codes, a zero of as many bits and an FP16 scale for each group."""
    if bits not in WIDTHS:
        return UNKNOWN
    group = size_of({"group_size": size})
    return spell(f"uint{bits}", (1, group), "float16", zero=bits, column=32 if order else 0)


def gptq(raw: Mapping) -> Read:
    """GPTQ: bits, a group (-1 for a whole row), and `dynamic`, whose expressions have other ones or stay ("-:")."""
    bits, size = whole_number(raw.get("bits")), raw.get("group_size")
    group, only = size_of(raw), inside_blocks(raw)
    if str(raw.get("checkpoint_format") or raw.get("format") or "gptq") not in ("gptq", "gptq_v2", "None"):
        return UNKNOWN, {"activations": "none"}  # Marlin's and others' own layouts
    if raw.get("is_marlin_format"):
        return UNKNOWN, {"activations": "none"}
    row = "int4_gptq" if bits == 4 and group else packed_row(bits, size)
    said = raw.get("dynamic")
    found = list(said.items())[:MOST] if isinstance(said, Mapping) else []
    overrides = tuple((f"re:{str(name)[:200].lstrip('+-:')}", gptq_part(str(name), part, raw)) for name, part in found)
    head = raw.get("lm_head") is True
    overrides += tuple((name, row) for name in only)
    more = {"overrides": overrides, "head": head, "only_named": bool(only)}
    return row, {"activations": "none", "group_size": group, **more}


def inside_blocks(raw: Mapping) -> tuple[str, ...]:
    """modules_in_block_to_quantize: the modules of a layer that are quantized, in lists; () = all of them."""
    said = raw.get("modules_in_block_to_quantize")
    lists = said if isinstance(said, list | tuple) else ()
    names = [name for one in lists for name in (one if isinstance(one, list | tuple) else (one,))]
    return tuple(f"*.{name[:200]}" for name in names[:MOST] if isinstance(name, str))


def gptq_part(name: str, part: object, raw: Mapping) -> str:
    """What an entry of `dynamic` stores; "" = as it is."""
    if name.startswith("-:") or not isinstance(part, Mapping):
        return ""
    return packed_row(whole_number(part.get("bits", raw.get("bits"))), part.get("group_size", raw.get("group_size")))


def auto_round(raw: Mapping) -> Read:
    """AutoRound: GPTQ's or AWQ's tensors (packing_format says which); extra_config has modules with bits of their own,
    16 for those that stay. Its own packing has no g_idx (auto-round 0.16.1, qlinear_torch.py)."""
    row, said = auto_round_part({}, raw), raw.get("extra_config")
    found = list(said.items())[:MOST] if isinstance(said, Mapping) else []
    overrides = tuple((as_pattern(str(name)[:200]), auto_round_part(part, raw)) for name, part in found
                      if isinstance(part, Mapping))  # fmt: skip
    return row, {"activations": "none", "group_size": size_of(raw), "overrides": overrides}


def as_pattern(name: str) -> str:
    """A module's name, or an expression where it has the signs of one."""
    return f"re:{name}" if any(sign in name for sign in "*\\^$[(") else name


def auto_round_part(part: Mapping, raw: Mapping) -> str:
    """What one module stores."""
    said = {**raw, **part}
    bits, size, how = whole_number(said.get("bits")), said.get("group_size"), str(raw.get("packing_format"))
    kind = str(said.get("data_type") or "int")[:40]
    if bits >= 16:
        return ""
    if kind != "int":
        return auto_round_float(kind, bits, size)
    if "awq" in how:
        return spell("uint4", own_group(size), "float16", zero=4) if bits == 4 else UNKNOWN
    if "fp" in how or "llm_compressor" in how:
        return UNKNOWN
    return packed_row(bits, size, order=how == "auto_gptq" or raw.get("quant_method") == "gptq")


def auto_round_float(kind: str, bits: int, size: object) -> str:
    """auto-round 0.16.1, experimental/qmodules: MX has codes and E8M0 scales; NVFP4 two global scales more."""
    if kind.startswith("mx_fp") and bits in (4, 8) and size in (32, None):
        return spell("float4_e2m1fn" if bits == 4 else "float8_e4m3fn", (1, 32), "float8_e8m0fnu")
    if kind.startswith("nv_fp") and bits == 4 and size in (16, None):
        return spell("float4_e2m1fn", (1, 16), "float8_e4m3fn", each=64)
    return UNKNOWN


AWQ_ZEROS = {"gemm": 4, "gemv": 4, "exllama": 4, "gemv_fast": 16, "llm-awq": 16, "marlin": 0}  # layout -> their bits


def awq(raw: Mapping) -> Read:
    """AWQ, in the new spelling (bits, group_size) or the old (w_bit, q_group_size); AutoAWQ 0.2.9, modules/linear."""
    bits = raw.get("bits", raw.get("w_bit"))
    group = size_of({"group_size": raw.get("group_size", raw.get("q_group_size"))})
    more, zero = {"activations": "none", "group_size": group}, AWQ_ZEROS.get(layout_of_awq(raw), -1)
    if bits != 4 or zero < 0:
        return (UNKNOWN if bits == 4 else ""), more
    return ("int4_awq" if group and zero == 4 else spell("uint4", (1, group), "float16", zero=zero)), more


def layout_of_awq(raw: Mapping) -> str:
    """The word of `version`, or of `format` or `backend`; GEMM where there is none."""
    if str(raw.get("backend")) == "llm-awq":
        return "llm-awq"
    return str(raw.get("version") or raw.get("format") or "gemm").lower()[:40]


def hqq(raw: Mapping) -> Read:
    """HQQ: W_q packed, and a scale and a zero in the compute dtype for each group; one entry of `quant_config` for all,
    or one for each kind of module ("self_attn.q_proj")."""
    said = raw.get("quant_config")
    said = said if isinstance(said, Mapping) else raw
    if isinstance(said.get("weight_quant_params"), Mapping):
        return hqq_row(said), {"activations": "none"}
    parts = [(f"*.{str(name)[:200]}", part) for name, part in said.items() if isinstance(part, Mapping)][:MOST]
    overrides = tuple((name, hqq_row(part)) for name, part in parts if "weight_quant_params" in part)
    return "", {"activations": "none", "overrides": overrides}


def hqq_row(part: Mapping) -> str:
    """HQQ 0.2.8, quantize.py and bitpack.py: groups lie along `axis`; ten codes of 3 bits are a word, one from each of
    ten groups, along axis 0 all of one."""
    weights = part.get("weight_quant_params")
    if not isinstance(weights, Mapping) or part.get("scale_quant_params") or part.get("zero_quant_params"):
        return UNKNOWN
    bits, size = whole_number(weights.get("nbits")), weights.get("group_size")
    if bits not in (2, 3, 4, 8):
        return UNKNOWN
    sides, first = own_group(size), weights.get("axis", 0) == 0
    if first and sides == (1, 0):
        sides = (0, 1)  # a group is a whole column
    words = {"word": 10, "along": 2 if first else 1} if bits == 3 else {}
    return spell(f"uint{bits}", sides, "bfloat16", zero=16, **words)


# ---------------------------------------------------------------- one scale for a row, or for all


def bitsandbytes(raw: Mapping) -> Read:
    """bitsandbytes: NF4 or FP4 (which its class assumes) in blocks of 64 (never written down), or LLM.int8()."""
    head = keeps_no_head(raw, "llm_int8_skip_modules")
    if raw.get("load_in_4bit") or raw.get("_load_in_4bit"):
        kind, twice = raw.get("bnb_4bit_quant_type", "fp4"), raw.get("bnb_4bit_use_double_quant")
        if kind == "fp4":
            row = spell("float4_e2m1fn", (1, 64), "dynamic8" if twice else "float32", nested=256 if twice else 0)
            return row, {"activations": "none", "head": head}
        if kind != "nf4":
            says = f"bitsandbytes' codes {short(kind, 20)} are no scheme known here."
            return "", {"activations": "none", "not_understood": (says,)}
        return ("nf4_dq" if twice else "nf4"), {"activations": "none", "head": head}
    row = "int8_channel" if raw.get("load_in_8bit") or raw.get("_load_in_8bit") else ""
    return row, {"activations": "dynamic", "head": head}


def quanto(raw: Mapping) -> Read:
    """optimum-quanto, tensor/weights: one scale for each row, or a scale and a shift for each 128 of int4 and int2."""
    word = str(raw.get("weights"))[:20]
    rows = {
        "int8": spell("int8", (1, 0), "bfloat16"), "float8": spell("float8_e4m3fn", (1, 0), "bfloat16"),
        "int4": spell("uint4", (1, 128), "bfloat16", zero=16), "int2": spell("uint2", (1, 128), "bfloat16", zero=16),
    }  # fmt: skip
    more = {"head": keeps_no_head(raw, "modules_to_not_convert")}
    return rows.get(word, ""), {"activations": "none" if not raw.get("activations") else "static", **more}


def eetq(raw: Mapping) -> Read:
    """EETQ: int8 codes, an FP16 scale for each row (transformers integrations/eetq.py)."""
    row = spell("int8", (1, 0), "float16") if raw.get("weights", "int8") == "int8" else ""
    return row, {"activations": "none", "head": keeps_no_head(raw, "modules_to_not_convert")}


def bitnet(raw: Mapping) -> Read:
    """BitNet: four codes of -1, 0, 1 a byte and one weight_scale (transformers integrations/bitnet.py); the class that
    quantizes online keeps 16 bits."""
    if raw.get("linear_class") == "autobitlinear" and raw.get("quantization_mode", "offline") == "online":
        return "", {"not_understood": ("BitNet's online mode stores 16 bits; that is no scheme known here.",)}
    head = keeps_no_head(raw, "modules_to_not_convert")
    return spell("uint2", (), "bfloat16"), {"activations": "dynamic", "head": head}


# ---------------------------------------------------------------- code books and blocks


def aqlm(raw: Mapping) -> Read:
    """AQLM, inference.py: codes for each group of weights, a matrix's code books in 16 bits, a scale for each row."""
    sides = (whole_number(raw.get("out_group_size", 1)), whole_number(raw.get("in_group_size", 8)))
    books, bits = whole_number(raw.get("num_codebooks", 1)), whole_number(raw.get("nbits_per_codebook", 16))
    if min(*sides, books) < 1 or not 0 < bits <= 16 or max(*sides, books) > 4096:
        return "", {"activations": "none"}
    together = sides[0] * sides[1]
    element, table = "uint8" if bits <= 8 else "uint16", books * 2**bits * together * 16
    row = spell(element, (sides[0], 0), "bfloat16", per=together, codes=books, each=table)
    return row, {"activations": "none"}


def fp_quant(raw: Mapping) -> Read:
    """FP-Quant 0.3.2, module/linear.py: codes, block scales, a scale each for weights and activations in 16 bits, and
    two rotations; master weights and pseudo-quantized ones stay in 16 bits."""
    name = str(raw.get("forward_dtype", "nvfp4"))
    sides, scale, usual = {"mxfp4": ((1, 32), "float8_e8m0fnu", 32)}.get(name, ((1, 16), "float8_e4m3fn", 16))
    size = size_of({"group_size": raw.get("hadamard_group_size")}) or usual
    row = spell("float4_e2m1fn", sides, scale, each=2 * 16 * (1 + size * size))
    kept = raw.get("store_master_weights") or raw.get("pseudoquantization") or size > 128
    return UNKNOWN if kept or name not in ("mxfp4", "nvfp4") else row, {"activations": "dynamic"}


TOOLS: dict[str, Callable[[Mapping], Read]] = {
    "gptq": gptq, "awq": awq, "auto-round": auto_round, "bitsandbytes": bitsandbytes, "hqq": hqq,
    "quanto": quanto, "eetq": eetq, "bitnet": bitnet, "aqlm": aqlm, "fp_quant": fp_quant,
    "auto_gptq": gptq, "intel/auto-round": auto_round,
}  # fmt: skip
