"""ModelSpec -> the bytes of every weight as it is stored: which weights follow which row of schemes.SCHEMES.

Matrices are quantized unless a pattern leaves them; embeddings, norms, routers, convolutions and biases stay. Checked
against the number of scales in published checkpoints.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from cutaway.gallery.counting.module_patterns import Matcher, tail
from cutaway.gallery.counting.weights import Weight, mtp, weights
from cutaway.gallery.formats.bits import BITS, stored_bits
from cutaway.gallery.formats.schemes import SCHEMES, Scheme
from cutaway.gallery.spec import ModelSpec, Quantization


class Stored(NamedTuple):
    """One weight as it is stored."""

    name: str
    row: str  # key of SCHEMES; "" = left in the model's dtype
    bytes: int  # with its scales
    scales: int  # how many scale numbers stand beside it


UNCONVERTED = (  # ends of matrices that published FP8 checkpoints keep in 16 bits
    "indexer.weights_proj.weight",  # no scales for it are published
    "compressor.wkv.weight",  # DeepSeek-V4's inference/model.py: "wkv and wgate in the checkpoint is stored in bf16";
    "compressor.wgate.weight",  # the indexer's compressor is of the same class
)
MATRICES = frozenset(("attention", "indexer", "linear", "ssm", "conv", "dense", "experts", "shared", "head"))

TABLES = frozenset(("embedding", "head", "router"))


def is_matrix(weight: Weight) -> bool:
    """Whether a tool that converts linear layers would take this weight: matrices, no convolutions, no biases."""
    shape = weight.shape
    if weight.part not in MATRICES or len(shape) < 2 or shape[-1] < 2 or shape[-2] < 2:
        return False
    if weight.name.endswith(UNCONVERTED):
        return False
    stacked = weight.part == "experts" and len(shape) == 3
    return (
        (weight.name.endswith((".weight", "_proj")) or stacked)
        and (len(shape) == 2 or stacked)
        and "conv" not in weight.name
    )


def is_table(weight: Weight) -> bool:
    """Embeddings, heads and routers, which MLX takes as well."""
    return len(weight.shape) == 2 and weight.part in TABLES and weight.name.endswith(".weight")


def list_stored(spec: ModelSpec, listed: tuple[Weight, ...] | None = None) -> tuple[Stored, ...]:
    """Every weight of `listed` (by default the language model's) with the bytes it takes."""
    listed = weights(spec) if listed is None else listed
    quant = spec.quantization
    plain = stored_bits(spec.dtype)
    if not quant:
        return tuple(Stored(weight.name, "", prod(weight.shape) * plain // 8, 0) for weight in listed)
    choice, turned, out, costs = Choice(quant), transposed_names(spec), [], {}
    for weight in listed:
        row = choice.row(weight)
        if row:
            key = (weight.shape, row, bool(turned) and any(name in weight.name for name in turned))
            if key not in costs:
                group, fixed = quant.group_size if row == quant.row else 0, quant.activations == "static"
                costs[key] = cost(weight.shape, row, group, key[2], quant.method, fixed)
            size, scales = costs[key]
            out.append(Stored(weight.name, row, size, scales))
        else:
            out.append(Stored(weight.name, "", prod(weight.shape) * plain // 8, 0))
    return tuple(out)


def transposed_names(spec: ModelSpec) -> tuple[str, ...]:
    """Names of tensors that the checkpoint stores transposed: their blocks still run along the input."""
    return tuple(rule[1].split(" ", 1)[1] for rule in spec.names if rule[1].startswith("T"))


# tools whose plain names are of one module each, and win over expressions: utils/match.py; torchao's FqnToConfig
WHOLE_NAMES = ("compressed-tensors", "torchao")


class Choice:
    """Which row each weight follows."""

    def __init__(self, quant: Quantization) -> None:
        self.quant = quant
        self.strict = quant.method in WHOLE_NAMES
        self.stays = Matcher(quant.ignore, quant.method == CT)
        self.rest = "" if quant.only_named else quant.row
        patterns = [pair for pair in quant.overrides if "*" in pair[0] or ":" in pair[0]]
        self.named = [(Matcher((pattern,)), row) for pattern, row in patterns]
        self.exact = {tail(pattern): row for pattern, row in quant.overrides}

    def row(self, weight: Weight) -> str:
        """A key of SCHEMES; "" = it stays as it is."""
        quant = self.quant
        if not (is_matrix(weight) or (quant.tables and is_table(weight))):
            return ""
        if quant.only_experts and weight.part != "experts":
            return ""
        if weight.part == "head" and not (quant.head or quant.method in ("modelopt", "compressed-tensors")):
            return ""
        module = weight.name.removesuffix(".weight").replace("{expert}", "0")
        if self.stays.hits(module):
            return ""
        if self.strict and (found := self.exact.get(tail(module))) is not None:
            return found
        for matcher, row in self.named:
            if matcher.hits(module):
                return row
        words = tail(module).split(".") if self.exact and not self.strict else ()
        for size in range(len(words), 0, -1):
            found = self.exact.get(".".join(words[:size]))
            if found is not None:
                return found
        return self.rest


class Beside(NamedTuple):
    """What a tool stores otherwise than the row says."""

    scale: int = 0  # bits of a scale; 0 = the row's own
    each: int = 0  # bits that stand once with a matrix
    static: int = 0  # further ones where activations have a scale that is stored
    column: int = 0  # bits that stand with every column


CT, SHAPE = "compressed-tensors", 128  # weight_shape: two I64
BESIDE = {  # (tool, row) -> what its checkpoints have: the tensors of formats/stored_tensors.py
    # scales are in the model's dtype, input_scale's, too
    **{(CT, row): Beside(scale=16, static=16) for row in ("fp8_tensor", "fp8_channel", "fp8_1x128", "fp8_128x128")},
    (CT, "int8_channel"): Beside(scale=16, static=16),
    **{("fp8", row): Beside(static=32) for row in ("fp8_tensor", "fp8_128x128", "fp8_128x128_ue8m0")},  # F32
    (CT, "int4_g32"): Beside(each=SHAPE), (CT, "int4_g128"): Beside(each=SHAPE),
    (CT, "nvfp4"): Beside(each=64),  # weight_global_scale and input_global_scale, F32; as the oracle's cases count,
    # of weights alone too, where the library (0.12.2, 0.20.1) writes the first only: 4 bytes a matrix less
    ("modelopt", "nvfp4"): Beside(each=64),  # weight_scale_2 and input_scale, F32
    ("modelopt", "fp8_tensor"): Beside(each=32),  # input_scale, F32
    ("modelopt", "int4_awq"): Beside(scale=16, column=16),  # no zeros; pre_quant_scale for each column
    ("modelopt", "int8_channel"): Beside(each=32, column=16),  # input_scale, and pre_quant_scale
    ("gptq", "int4_gptq"): Beside(column=32),  # g_idx, I32
}  # fmt: skip
AS_ROW = Beside()


def cost(
    shape: tuple[int, ...], row: str, group: int, turned: bool, method: str = "", static: bool = False
) -> tuple[int, int]:
    """(bytes with scales, scale numbers) of one weight under a row, as `method` stores it."""
    scheme = SCHEMES[row]
    count, rows, columns = prod(shape), *(shape[:-3:-1] if turned else shape[-2:])
    stack, beside = count // (rows * columns), BESIDE.get((method, row), AS_ROW)
    columns = -(-columns // scheme.pad) * scheme.pad if scheme.pad else columns
    blocks = blocks_of(scheme.block_shape, rows, columns, group)
    codes, scales = stack * code_bits(scheme, rows, columns, blocks), stack * blocks
    shared = prod(scheme.block_shape) if scheme.block_shape else 0  # how many weights the row's own block has
    per_scale = sum(part.bits * shared / part.per for part in scheme.ledger[1:])
    if not shared:
        per_scale = BITS.get(scheme.scale, 0) + scheme.zero_bits
    if beside.scale:
        per_scale = beside.scale
    once = stack * (scheme.each + beside.each + beside.static * static + columns * (scheme.column + beside.column))
    once += 32 * -(-scales // scheme.nested) if scheme.nested else 0
    return -(-int(codes + scales * per_scale + once) // 8), scales


def code_bits(scheme: Scheme, rows: int, columns: int, blocks: int) -> int:
    """Bits of a matrix's codes: side by side, or so many to a word of 32 bits, whose last one may be emptier."""
    if not scheme.word:
        return scheme.ledger[0].bits * rows * columns // scheme.ledger[0].per
    lines = (rows, rows * columns // blocks, blocks)[scheme.along]
    return 32 * lines * -(-rows * columns // (lines * scheme.word))


def blocks_of(block: tuple[int, ...], rows: int, columns: int, group: int) -> int:
    """How many blocks a matrix has; 0 is the whole of a side."""
    if not block:
        return 1
    high = rows if block[0] == 0 else block[0]
    wide = columns if block[1] == 0 else group if group and block[0] == 1 else block[1]
    return -(-rows // high) * -(-columns // wide)


def unknown_weights(spec: ModelSpec, listed: tuple[Weight, ...]) -> frozenset[str]:
    """Names of the matrices, where no rule here says how all of them are stored."""
    if spec.quantization is None or spec.quantization.counted:
        return frozenset()
    return frozenset(weight.name for weight in listed if is_matrix(weight))


def stored_mtp_bytes(spec: ModelSpec) -> int | None:
    """Bytes of the MTP layers in a model's files, by the same rules; in no other count."""
    if spec.quantization and not spec.quantization.counted:
        return None
    return sum(item.bytes for item in list_stored(spec, mtp(spec)))


def stored_bytes(spec: ModelSpec) -> int | None:
    """Bytes of the language model's weights as they are stored; None where no rule here says how they are."""
    if spec.quantization and not spec.quantization.counted:
        return None
    return sum(item.bytes for item in list_stored(spec))
