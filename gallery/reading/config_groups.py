"""config_groups of compressed-tensors -> rows of schemes.SCHEMES: bits, type, strategy, group size and scale decide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cutaway.gallery.formats.bits import BITS, format_name
from cutaway.gallery.formats.schemes import SCHEMES, spell

UNCOUNTED = "how many bytes the weights take is unknown, and a plan counts them unquantized"
GROUP_KEYS = {"weights", "input_activations", "output_activations", "targets", "format"}
PART_KEYS = {  # read below, or of no weight in a count
    "num_bits", "type", "strategy", "group_size", "block_structure", "scale_dtype", "symmetric", "dynamic",
    "actorder", "zp_dtype", "observer", "observer_kwargs",
}  # fmt: skip
FP4 = {"float8_e4m3fn": ("nvfp4", 16), "float8_e8m0fnu": ("mxfp4", 32)}  # format of the scale -> (row, its block)
USUAL_SCALE = {16: "float8_e4m3fn", 32: "float8_e8m0fnu"}  # where no key states it: what the two schemes imply
BYTE = "uint8"  # how compressed-tensors writes E8M0 scales


def groups(raw: Mapping) -> tuple[str, dict]:
    """(row, what else): the first group stands for all, others that differ override it."""
    said = raw.get("config_groups")
    found = [group for group in said.values() if isinstance(group, Mapping)] if isinstance(said, Mapping) else []
    if not found:
        return no_groups(raw)
    sentences: list[str] = []
    rows = [(group, group_row(group.get("weights"), packing(group, raw), sentences, is_loose(raw))) for group in found]
    rows = [(group, beside_inputs(group, row)) for group, row in rows]
    rows = [(group, halved(row, raw, sentences)) for group, row in rows]
    classes = [(group, other) for group, other in rows if names_class(group)]
    first, row = classes[0] if classes else rows[0]
    if any("Embedding" in targets(group) for group in found):
        sentences.append(f"config_groups: embeddings are no linear layers; {UNCOUNTED}.")
    how = inputs_of(first)
    rows = [(group, with_own_inputs(other, inputs_of(group) == "static", how == "static")) for group, other in rows]
    size = size_of(first.get("weights"))
    named = {
        str(target)[:200]: row_of_size(other, size_of(group.get("weights")), row, size)
        for group, other in rows
        for target in targets(group)
        if target not in CLASSES
    }
    overrides = tuple((target, named[target]) for target in sorted(named, key=precedence))
    says = tuple(dict.fromkeys(sentences))[:8]
    alone = len(rows) == 1 and not any(target in CLASSES for target in targets(first))
    return row, {
        "activations": how, "overrides": overrides, "group_size": size, "not_understood": says,
        "only_named": not classes and (bool(overrides) or alone),
    }  # fmt: skip


def inputs_of(group: Mapping) -> str:
    """How a group's activations get their scales: "none" | "dynamic" | "static", which alone are stored."""
    given = group.get("input_activations")
    return "none" if not isinstance(given, Mapping) else "dynamic" if given.get("dynamic") else "static"


SCALED = ("fp8_tensor", "fp8_channel", "fp8_1x128", "fp8_128x128", "int8_channel")  # rows with one input_scale a matrix


def with_own_inputs(row: str, fixed: bool, usual: bool) -> str:
    """A row spelled out with its own input_scale, or none, where the first group's activations are otherwise."""
    if fixed == usual or row not in SCALED:
        return row
    return spell(SCHEMES[row].element, SCHEMES[row].block_shape, "bfloat16", each=16 * fixed)


def precedence(target: str) -> tuple[bool, str]:
    """Which of a module's targets wins: names before expressions, then by the alphabet (utils/match.py)."""
    return "re:" in target, target


CLASSES = ("Linear", "torch.nn.Linear")  # targets that mean every matrix, after those that name some


def names_class(group: Mapping) -> bool:
    """Whether a group is for all matrices; one without targets is."""
    return not targets(group) or any(target in CLASSES for target in targets(group))


def row_of_size(row: str, size: int, main: str, usual: int) -> str:
    """A row with its group spelled out, where the group is neither the row's own nor the main one's."""
    found = SCHEMES.get(row)
    if not found or not size or (row == main and size == usual):
        return row
    if len(found.block_shape) != 2 or found.block_shape[0] != 1 or found.block_shape[1] in (0, size):
        return row
    return spell(found.element, (1, size), found.scale, each=128 if row.startswith("int4") else 0)


BITMASK, MARLIN = "sparse-24-bitmask", "marlin-24"  # layouts of 2:4 sparse matrices, of releases up to 0.9
DENSE = ("", "dense", "None")


def sparse_format(raw: Mapping) -> str:
    """How zeros are left out of the file; "" where they are not."""
    said = raw.get("sparsity_config")
    inner = said.get("format") if isinstance(said, Mapping) else None
    names = [str(one)[:40] for one in (raw.get("format"), inner) if isinstance(one, str)]
    return next((one for one in names if one.startswith("sparse") or one == MARLIN), "")


def no_groups(raw: Mapping) -> tuple[str, dict]:
    """No group: 2:4 sparse weights in the model's dtype, or nothing is quantized where an empty list says so."""
    how, said = sparse_format(raw), raw.get("config_groups")
    if how == BITMASK:
        return spell("bfloat16", (), "", each=128, mask=1), {"activations": "none", "ignore": sparse_ignore(raw)}
    if how:
        return "", {"not_understood": (SPARSE.format(how),)}
    plain = isinstance(said, Mapping) and not said and str(raw.get("format") or "") in DENSE
    return "", {"activations": "none", "nothing": True} if plain else {}


SPARSE = "{} leaves out zeros; that is no scheme known here."


def sparse_ignore(raw: Mapping) -> tuple[str, ...]:
    """Modules that sparsity_config leaves dense."""
    said = raw.get("sparsity_config")
    names = said.get("ignore") if isinstance(said, Mapping) else None
    return tuple(str(name)[:200] for name in names[:50_000]) if isinstance(names, list | tuple) else ()


def halved(row: str, raw: Mapping, says: list[str]) -> str:
    """A row with half of its codes and a bit for each weight, where the file leaves out 2:4 zeros."""
    how, found = sparse_format(raw), SCHEMES.get(row)
    if not how or not found:
        return row
    if how == MARLIN and found.element in ("int4", "int8") and not found.zero_point:
        return spell(found.element, found.block_shape, "float16", mask=1)
    if how == BITMASK and found.element.startswith("float8") and found.block_shape in ((), (1, 0)):
        return spell(found.element, found.block_shape, "bfloat16", each=128, mask=1)
    says.append(SPARSE.format(how))
    return row


def targets(group: Mapping) -> tuple:
    """Patterns of the modules a group is for."""
    value = group.get("targets")
    return tuple(value) if isinstance(value, list | tuple) else ()


def packing(group: Mapping, raw: Mapping) -> str:
    """The name of the packed layout, which may say the scheme: "mxfp4-pack-quantized"."""
    return next((str(part["format"])[:80] for part in (group, raw) if isinstance(part.get("format"), str)), "")


def size_of(weights_part: object) -> int:
    """group_size, if it is a believable one."""
    size = weights_part.get("group_size") if isinstance(weights_part, Mapping) else None
    return size if isinstance(size, int) and not isinstance(size, bool) and 0 < size <= 65536 else 0


DENSE_FROM = (0, 18)  # pack_to_int32 leaves no bit of a word empty; before, a word has so many whole codes


def is_loose(raw: Mapping) -> bool:
    """Whether the file was written by a release whose words of 3, 5, 6 and 7 bits have empty bits."""
    said = re.match(r"(\d{1,4})\.(\d{1,4})", str(raw.get("version") or "")[:20])
    return said is not None and (int(said[1]), int(said[2])) < DENSE_FROM


def beside_inputs(group: Mapping, row: str) -> str:
    """A spelled row with input_scale in 16 bits, and a byte of input_zero_point, where activations have fixed ones."""
    given = group.get("input_activations")
    if not isinstance(given, Mapping) or given.get("dynamic") is not False or len(row.split(" ")) < 3:
        return row
    asymmetric = given.get("symmetric") is False
    each = re.search(r" each=(\d+)", row)
    bits = 16 + 8 * asymmetric + int(each[1] if each else 0)
    return f"{row.replace(each[0], '') if each else row} each={bits}"


def group_row(part: object, packed: str, says: list[str], loose: bool = False) -> str:
    """The row of one group's weights; "" and a sentence where none fits."""
    if not isinstance(part, Mapping):
        return ""
    bits, kind, strategy, size = part.get("num_bits"), part.get("type"), part.get("strategy"), size_of(part)
    row = ""
    if (bits, kind) == (4, "float"):
        return fp4_row(part, packed, size, says)
    if (bits, kind) == (8, "float"):
        row = fp8_row(str(strategy or "tensor"), part.get("block_structure"), size)
        row = "mxfp8_e4m3" if size == 32 and has_mx_scales(part, packed) else row
    if (bits, kind, size) == (6, "float", 32):
        row = "mxfp6_e2m3"
    if kind == "int" and type(bits) is int and 1 < bits <= 8:
        row = integer_row(part, bits, size, packed, loose)
    if not row:
        shown = f"{shown_number(bits)}-bit {str(kind)[:20]} weights, strategy {str(strategy)[:20]}, group size {size}"
        says.append(f"config_groups: no scheme known here fits {shown}; {UNCOUNTED}.")
    return row


def has_mx_scales(part: Mapping, packed: str) -> bool:
    """Whether scales are powers of two: the file says so, or says nothing of scales and packing."""
    stated = part.get("scale_dtype")
    return packed.startswith("mx") or format_name(str(stated)) in (BYTE, "float8_e8m0fnu") or not (stated or packed)


def integer_row(part: Mapping, bits: int, size: int, packed: str, loose: bool) -> str:
    """Integers: packed into words of 32 bits with the matrix's shape beside them, or one a byte."""
    strategy, plain = part.get("strategy"), part.get("symmetric", True) is not False
    sides = {"tensor": (), "channel": (1, 0), "group": (1, size)}.get(str(strategy or ("group" if size else "channel")))
    if strategy == "block":
        sides = block_sides(part.get("block_structure"))
    if sides is None or (strategy == "group" and not size):
        return ""
    ordered = part.get("actorder") in ("group", True)
    words = packed == PACKED or (bits < 8 and packed not in ONE_A_BYTE)
    if plain and not ordered and sides == (1, 0) and bits == 8 and not words:
        return "int8_channel"
    if plain and not ordered and bits == 4 and size and words:
        return "int4_g32" if size == 32 else "int4_g128"
    width, column = bits if words else 8, 32 if ordered else 0
    zero = 0 if plain else width if sides and sides[0] == 1 else 8  # zeros of rows and groups alone are packed
    if not words:
        return spell("int8", sides, "bfloat16", zero=zero, column=column)
    codes = 32 // bits if loose and 32 % bits else 0
    element = f"int{bits}" if f"int{bits}" in BITS else "int8"
    return spell(element, sides, "bfloat16", zero=zero, column=column, each=128, word=codes)


PACKED = "pack-quantized"
ONE_A_BYTE = ("int-quantized", "naive-quantized")


def block_sides(block: object) -> tuple[int, int] | None:
    """Rows and columns of a block, if they are believable."""
    if not isinstance(block, list | tuple) or len(block) != 2:
        return None
    if all(type(side) is int and 0 < side <= 65536 for side in block):
        return int(block[0]), int(block[1])
    return None


def shown_number(value: object) -> str:
    """A small whole number, or a question mark."""
    return str(value) if isinstance(value, int) and 0 <= value <= 64 else "?"


def fp8_row(strategy: str, block: object, size: int = 0) -> str:
    """FP8 with one scale per block, per group, per output channel or per tensor."""
    if strategy == "block" and block not in (None, [128, 128]):
        sides = block_sides(block)
        return spell("float8_e4m3fn", sides, "bfloat16") if sides else ""
    if strategy == "group" and size != 128:
        return spell("float8_e4m3fn", (1, size), "bfloat16") if size else ""
    rows = {"block": "fp8_128x128", "group": "fp8_1x128", "channel": "fp8_channel", "tensor": "fp8_tensor"}
    return rows.get(strategy, "")


def fp4_row(part: Mapping, packed: str, size: int, says: list[str]) -> str:
    """FP4: E4M3 scales on groups of 16 are NVFP4, E8M0 scales on groups of 32 are MXFP4; others lean on one of them."""
    stated = part.get("scale_dtype")
    scale = format_name(stated) if isinstance(stated, str) else USUAL_SCALE.get(size, "")
    if scale == BYTE or (not stated and packed.startswith("mxfp4")):
        scale = "float8_e8m0fnu"
    row, usual = FP4.get(scale, ("", 0))
    how = f"FP4 in groups of {size or 'unknown size'} with {scale[:20] or 'unknown'} scales"
    if not row:
        says.append(f"{how} is no scheme known here; {UNCOUNTED}.")
    elif size != usual:
        both = "neither NVFP4 (E4M3 scales on 16) nor MXFP4 (E8M0 scales on 32)"
        says.append(f"{how} is {both}; its bytes are counted like {row.upper()}'s, with the group it states.")
    return row


def unread(raw: Mapping) -> Iterator[str]:
    """Keys inside config_groups that nobody here knows, and groups that are no groups, by their place."""
    said = raw.get("config_groups")
    for name, group in said.items() if isinstance(said, Mapping) else ():
        place = f"config_groups.{str(name)[:40]}"
        if not isinstance(group, Mapping):
            yield place
            continue
        for key, part in group.items():
            if key not in GROUP_KEYS:
                yield f"{place}.{str(key)[:40]}"
            elif isinstance(part, Mapping):
                yield from (f"{place}.{key}.{str(inner)[:40]}" for inner in part if inner not in PART_KEYS)
