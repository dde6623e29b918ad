"""A tool and a row of SCHEMES -> the tensors that a checkpoint has for one weight: names, shapes, dtypes, direction.

Dtypes are those of safetensors. `does` says what a tensor does when the weight is read back. Shapes are those of a
matrix of O rows and I columns; stacked experts have the expert's number in front of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cutaway.gallery.formats.bits import BITS
from cutaway.gallery.formats.schemes import SCHEMES, Scheme

Shape = tuple[int, ...]
MULTIPLIES, DIVIDES = "multiplied by", "divided by"


class Expected(NamedTuple):
    """One tensor that stands for a weight, or beside it."""

    name: str
    shape: Shape
    dtype: str
    does: str
    note: str = ""


class Matrix(NamedTuple):
    """What a layout below is asked for."""

    name: str  # of the weight, with ".weight" where the checkpoint has it
    lead: Shape  # of stacked experts
    rows: int
    columns: int
    scheme: Scheme
    group: int
    static: bool  # activations have a stored scale

    @property
    def stem(self) -> str:
        return self.name.removesuffix(".weight")

    @property
    def blocks(self) -> Shape:
        """How many scales: rows of blocks, columns of blocks."""
        high, wide = self.scheme.block_shape or (self.rows, self.columns)
        wide = self.group or wide if high == 1 and wide > 1 else wide
        return (-(-self.rows // (high or self.rows)), -(-self.columns // (wide or self.columns)))


def pack_codes(m: Matrix) -> Shape:
    """Two codes to a byte where they are four bits wide."""
    return (*m.lead, m.rows, m.columns * BITS[m.scheme.element] // 8)


def float8(m: Matrix) -> list[Expected]:
    """DeepSeek's and transformers' fp8: one scale a block, or one a tensor; V4's own files call it `.scale`."""
    dtype = "F8_E8M0" if m.scheme.scale == "float8_e8m0fnu" else "F32"
    shape = (*m.lead, *m.blocks) if m.scheme.block_shape else m.lead
    out = [Expected(m.name, (*m.lead, m.rows, m.columns), "F8_E4M3", "quantized values")]
    note = "named inverse because it is the inverse of the factor used in quantizing"
    scale = Expected(m.stem + ".weight_scale_inv", shape, dtype, MULTIPLIES, note)
    out.append(scale._replace(name=m.stem + ".scale", note="") if m.name.startswith("layers.") else scale)
    return out + ([Expected(m.stem + ".activation_scale", m.lead, "F32", "scale of the input activations")] * m.static)


def microscaled_tensors(m: Matrix) -> list[Expected]:
    """DeepSeek-V4's experts: FP4 codes, a power of two for each 32."""
    out = [Expected(m.name, pack_codes(m), "I8", "quantized values, two per byte")]
    return [*out, Expected(m.stem + ".scale", (*m.lead, *m.blocks), "F8_E8M0", MULTIPLIES, "a power of two")]


def gpt_oss(m: Matrix) -> list[Expected]:
    """gpt-oss: blocks of 16 bytes, and the exponents of their scales."""
    blocks = (*m.lead, *m.blocks)
    out = [Expected(m.stem + "_blocks", (*blocks, 16), "U8", "32 quantized values, two per byte")]
    return [*out, Expected(m.stem + "_scales", blocks, "U8", MULTIPLIES, "2 to the power of the value minus 127")]


def compressed_tensors(m: Matrix) -> list[Expected]:
    """compressed-tensors, by how the codes are packed."""
    scales, row = (*m.lead, *m.blocks), m.scheme
    if row.name in ("nvfp4", "mxfp4"):
        dtype = "F8_E4M3" if row.name == "nvfp4" else "U8"
        note = "" if row.name == "nvfp4" else "2 to the power of the value minus 127"
        out = [Expected(m.stem + ".weight_packed", pack_codes(m), "U8", "quantized values, two per byte"),
               Expected(m.stem + ".weight_scale", scales, dtype, MULTIPLIES, note)]  # fmt: skip
        if row.name == "nvfp4":
            note = "the inverse of ModelOpt's weight_scale_2"
            out.append(Expected(m.stem + ".weight_global_scale", (*m.lead, 1), "F32", DIVIDES, note))
        return out
    if row.element == "int4":
        shape = (*m.lead, m.rows, m.columns // 8)
        return [Expected(m.stem + ".weight_packed", shape, "I32", "quantized values, eight per word"),
                Expected(m.stem + ".weight_scale", scales, "BF16", MULTIPLIES),
                Expected(m.stem + ".weight_shape", (*m.lead, 2), "I64",
                "the original shape, for unpacking")]  # fmt: skip
    codes = "I8" if row.element == "int8" else "F8_E4M3"
    shape = scales if row.block_shape else (*m.lead, 1)
    out = [Expected(m.name, (*m.lead, m.rows, m.columns), codes, "quantized values"),
           Expected(m.stem + ".weight_scale", shape, "the model’s, or F32", MULTIPLIES)]  # fmt: skip
    return out + [Expected(m.stem + ".input_scale", (*m.lead, 1), "F32", "scale of the input activations")] * m.static


def modelopt(m: Matrix) -> list[Expected]:
    """NVIDIA ModelOpt: a tensor's scale multiplies, the block's too."""
    codes = Expected(m.name, pack_codes(m), "U8", "quantized values, two per byte")
    if BITS[m.scheme.element] == 8:
        codes = codes._replace(dtype="F8_E4M3", does="quantized values")
    shape = (*m.lead, *m.blocks) if m.scheme.block_shape else m.lead
    dtype = {"nvfp4": "F8_E4M3", "mxfp8_e4m3": "U8", "mxfp4": "U8"}.get(m.scheme.name, "F32")
    out = [codes, Expected(m.stem + ".weight_scale", shape, dtype, MULTIPLIES)]
    if m.scheme.name == "nvfp4":
        note = "compressed-tensors stores the inverse of this factor"
        out.append(Expected(m.stem + ".weight_scale_2", m.lead, "F32", MULTIPLIES, note))
    return out + [Expected(m.stem + ".input_scale", m.lead, "F32", "scale of the input activations")] * m.static


def words_of_rows(m: Matrix) -> list[Expected]:
    """GPTQ: codes packed along the input, transposed."""
    groups = m.blocks[1]
    words = "quantized values, eight per word along the input"
    return [Expected(m.stem + ".qweight", (m.columns // 8, m.rows), "I32", words),
            Expected(m.stem + ".qzeros", (groups, m.rows // 8), "I32", "subtracted first",
            "v1 stores the value minus one"),
            Expected(m.stem + ".scales", (groups, m.rows), "F16", MULTIPLIES),
            Expected(m.stem + ".g_idx", (m.columns,), "I32", "the group of each column")]  # fmt: skip


def words_of_columns(m: Matrix) -> list[Expected]:
    """AWQ: codes packed along the output, in the order 0 2 4 6 1 3 5 7."""
    groups = m.blocks[1]
    words = "quantized values, eight per word along the output"
    return [Expected(m.stem + ".qweight", (m.columns, m.rows // 8), "I32", words),
            Expected(m.stem + ".qzeros", (groups, m.rows // 8), "I32", "subtracted first"),
            Expected(m.stem + ".scales", (groups, m.rows), "F16", MULTIPLIES)]  # fmt: skip


def bitsandbytes(m: Matrix) -> list[Expected]:
    """bitsandbytes: codes in one column, the largest of each block beside them."""
    count = m.rows * m.columns
    if m.scheme.element == "int8":
        return [Expected(m.name, (m.rows, m.columns), "I8", "quantized values"),
                Expected(m.stem + ".SCB", (m.rows,), "F32", MULTIPLIES, "after a division by 127")]  # fmt: skip
    out = [Expected(m.name, (-(-count // 2), 1), "U8", "quantized values, two per byte")]
    blocks, twice = -(-count // 64), m.scheme.name == "nf4_dq"
    out.append(Expected(m.name + ".absmax", (blocks,), "U8" if twice else "F32", MULTIPLIES))
    out.append(Expected(m.name + ".quant_map", (16,), "F32", "the value of each code"))
    if twice:
        out.append(Expected(m.name + ".nested_absmax", (-(-blocks // 256),), "F32", "multiplied with the scales"))
        out.append(Expected(m.name + ".nested_quant_map", (256,), "F32", "the value of each code of a scale"))
    return out


def rows_of_eight(m: Matrix) -> list[Expected]:
    """fbgemm: one scale a row."""
    return [Expected(m.name, (*m.lead, m.rows, m.columns), "F8_E4M3", "quantized values"),
            Expected(m.stem + ".weight_scale", (*m.lead, m.rows, 1), "F32", MULTIPLIES)]  # fmt: skip


LAYOUTS: dict[str, tuple[Callable[[Matrix], list[Expected]], str]] = {
    "fp8": (float8, "transformers 5.23.0 integrations/finegrained_fp8.py; DeepSeek-V3 README_WEIGHTS"),
    "mxfp4": (gpt_oss, "openai/gpt-oss-120b; transformers 5.23.0 integrations/mxfp4.py"),
    "compressed-tensors": (compressed_tensors, "compressed-tensors 0.20.0 compressors"),
    "modelopt": (modelopt, "nvidia-modelopt 0.47.0 export"),
    "gptq": (words_of_rows, "AutoGPTQ qlinear modules"),
    "awq": (words_of_columns, "AutoAWQ 0.2.9 awq/utils/packing_utils.py"),
    "bitsandbytes": (bitsandbytes, "bitsandbytes 0.50.2 functional.py"),
    "fbgemm_fp8": (rows_of_eight, "transformers 5.23.0 integrations/fbgemm_fp8.py"),
}
NAMED = frozenset(SCHEMES)  # rows that stand in the table; of one that a tool spells, bytes are known and names are not
V4_EXPERTS = (microscaled_tensors, "transformers 5.23.0 quantizers/quantizer_finegrained_fp8.py: .scale")


def expected_tensors(
    method: str, row: str, name: str, shape: Shape, group: int = 0, static: bool = False
) -> tuple[list[Expected], str]:
    """(the tensors of one weight, where that is said); nothing for a tool or a row that is not known here."""
    layout = V4_EXPERTS if (method, row) == ("fp8", "mxfp4") else LAYOUTS.get(method)
    if layout is None or row not in NAMED or len(shape) < 2:
        return [], ""
    matrix = Matrix(name, shape[:-2], shape[-2], shape[-1], SCHEMES[row], group, static)
    return layout[0](matrix), layout[1]
