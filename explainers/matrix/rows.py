"""The schemes of the matrix page: those that *blocks* quantizes, and a few whose scale is shared otherwise."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.explainers.blocks.plain_rows import rounding_of
from cutaway.explainers.blocks.rows import FP8, INT4, PLAYED, Played
from cutaway.gallery.formats.schemes import SCHEMES, spell

SIDE = 1024  # rows and columns of the matrix


class Costed(NamedTuple):
    """A scheme on the page. Its constants are those of `played`, its bits those of gallery.formats.schemes."""

    name: str
    label: str
    played: Played
    rule: str = ""  # of MX: floor, rceil, even
    opens: str = "mxfp4"  # the scheme under which *blocks* opens a block of it
    mapped: str = ""  # the line above its map, if it has one

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns that are quantized at once; 0: all of them."""
        rows, columns = SCHEMES[self.played.name].block_shape or (0, 0)
        return rows, max(columns, self.played.n) if rows == 1 else columns

    @property
    def bits(self) -> float:
        """Bits of a weight with its share of all that is stored; a matrix of SIDE columns."""
        stored = SCHEMES[self.played.name].bits_per_weight
        return stored + 32 / SIDE if self.shape == (1, 0) else stored


def float_row(element: str, shape: tuple[int, ...]) -> Played:
    """FP4 or FP8 under one FP32 scale, which codec's kind "fp8" quantizes whatever the element."""
    beyond = {"float4_e2m1fn": 6.001, "float8_e4m3fn": FP8["beyond"]}[element]
    return Played(spell(element, shape, "float32"), "", "", "fp8", "float32", (), FP8 | {"beyond": beyond})


FP4, E4M3 = "float4_e2m1fn", "float8_e4m3fn"
GROUPS = Played(
    "int4_g128", "", "", "around_zero", "bfloat16", (), INT4 | {"half": 7.5, "empty": 2**-14},
    n=SCHEMES["int4_g128"].block_shape[1],
)  # fmt: skip

_COSTED = (
    Costed("fp4_tensor", "FP4, one scale", float_row(FP4, ()), mapped="one scale for all"),
    Costed("fp4_row", "FP4, one a row", float_row(FP4, (1, 0)), mapped="one scale a row"),
    Costed("fp4_128", "FP4 128×128", float_row(FP4, (128, 128)), mapped="128 × 128"),
    Costed("fp4_32", "FP4 1×32, FP32 scale", float_row(FP4, (1, 32))),
    Costed("mxfp4_floor", "MXFP4 floor", PLAYED["mxfp4"], "floor", mapped="1 × 32, MXFP4"),
    Costed("mxfp4_rceil", "MXFP4 rceil", PLAYED["mxfp4"], "rceil"),
    Costed("mxfp4_even", "MXFP4 even", PLAYED["mxfp4"], "even"),
    Costed("nvfp4", "NVFP4", PLAYED["nvfp4"], opens="nvfp4", mapped="1 × 16, NVFP4"),
    Costed("nvfp4_46", "NVFP4, Four over Six", PLAYED["nvfp4_46"], opens="nvfp4_46"),
    Costed("int4_g128", "INT4 g128", GROUPS, opens="int4_g32"),
    Costed("nf4", "NF4 g64", PLAYED["nf4"], opens="nf4"),
    Costed("q4_0", "Q4_0", PLAYED["q4_0"], opens="q4_0"),
    Costed("q4_k", "Q4_K", PLAYED["q4_k"], opens="q4_k", mapped="8 × 32 in 256, Q4_K"),
    Costed("iq4_nl", "IQ4_NL", PLAYED["iq4_nl"], opens="iq4_nl"),
    Costed("mxfp6", "MXFP6 E2M3", PLAYED["mxfp6_e2m3"], "floor", opens="mxfp6_e2m3"),
    Costed("q6_k", "Q6_K", PLAYED["q6_k"], opens="q6_k"),
    Costed("fp8_tensor", "FP8, one scale", float_row(E4M3, ()), opens="fp8_1x128"),
    Costed("fp8_128", "FP8 128×128", PLAYED["fp8_128x128"], opens="fp8_1x128"),
    Costed("mxfp8", "MXFP8 E4M3", PLAYED["mxfp8_e4m3"], "floor", opens="mxfp8_e4m3"),
    Costed("q8_0", "Q8_0", PLAYED["q8_0"], opens="q8_0"),
)
COSTED: dict[str, Costed] = {row.name: row for row in _COSTED}
MAPPED = tuple(row.name for row in _COSTED if row.mapped)  # one map each, MXFP4's under the rule that is chosen
RULES = ("floor", "rceil", "even")


def plain_rows() -> list[dict]:
    """The rows as the browser needs them: with the constants of codec.js, and the FP4 or FP8 grid they round to."""
    return [plain_row(row) for row in _COSTED]


def plain_row(row: Costed) -> dict:
    """One row, JSON-plain."""
    played = row.played
    return {
        **{key: getattr(row, key) for key in ("name", "label", "rule", "opens", "mapped", "bits")},
        "shape": list(row.shape),
        "kind": played.kind,
        "facts": played.facts,
        "books": list(played.books),
        "format": rounding_of(played.element),
        "scale_format": rounding_of(STORED_AS.get(played.stored, "")),
    }


# What codec.js rounds a scale to; FP32 is not rounded, E8M0 is a power of two.
STORED_AS = {
    "e4m3": "float8_e4m3fn", "float16": "float16", "bfloat16": "bfloat16", "uint6": "float16", "int8": "float16",
}  # fmt: skip
