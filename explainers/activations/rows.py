"""What is stored in how many bits: weights and inputs of a layer under the quantizers of *blocks*. Facts as rows."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.explainers.blocks.plain_rows import rounding_of
from cutaway.explainers.blocks.rows import PLAYED, Played
from cutaway.explainers.matrix.rows import GROUPS, STORED_AS, float_row

INPUTS = 128
TENSOR = 0  # numbers under one scale: all


class Side(NamedTuple):
    """How one side of the product is stored."""

    played: Played
    share: int  # numbers along the inputs that are quantized at once


INT8, INT8_TENSOR = Side(PLAYED["int8_channel"], INPUTS), Side(PLAYED["int8_channel"], TENSOR)
INT4 = Side(GROUPS._replace(stored="float16"), INPUTS)
FP8 = Side(float_row("float8_e4m3fn", (1, 0)), INPUTS)
MXFP4, NVFP4 = Side(PLAYED["mxfp4"], 32), Side(PLAYED["nvfp4"], 16)


class Scheme(NamedTuple):
    """A way to store a layer; without `inputs` these stay in 16 bits, whose error is not counted."""

    name: str
    label: str
    weights: Side
    inputs: Side | None


_SCHEMES = (
    Scheme("w4a16", "W4A16, INT4", INT4, None),
    Scheme("w8a8_tensor", "W8A8, INT8, one scale", INT8, INT8_TENSOR),
    Scheme("w8a8_token", "W8A8, INT8, per token", INT8, INT8),
    Scheme("w8a8_fp8", "W8A8, FP8, per token", FP8, FP8),
    Scheme("w4a4_int4", "W4A4, INT4, per token", INT4, INT4),
    Scheme("w4a4_mxfp4", "W4A4, MXFP4", MXFP4, MXFP4),
    Scheme("w4a4_nvfp4", "W4A4, NVFP4", NVFP4, NVFP4),
)
SCHEMES: dict[str, Scheme] = {row.name: row for row in _SCHEMES}


def plain_side(side: Side | None) -> dict | None:
    """One side, JSON-plain: the constants that codec.js needs."""
    if side is None:
        return None
    row = side.played
    return {
        "share": side.share,
        "kind": row.kind,
        "facts": row.facts,
        "books": list(row.books),
        "format": rounding_of(row.element),
        "scale_format": rounding_of(STORED_AS.get(row.stored, "")),
    }


def plain_rows() -> list[dict]:
    """The rows as the browser needs them."""
    return [
        {"name": row.name, "label": row.label, "weights": plain_side(row.weights), "inputs": plain_side(row.inputs)}
        for row in _SCHEMES
    ]
