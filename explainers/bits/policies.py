"""What too large a number, an infinity and a NaN become: one row per library and format, because libraries differ.

`over` is a finite number past the largest one, `inf` is +infinity, `nan` is NaN; "max" is the format's largest number,
"" is what the source does not say. OCP leaves overflow to the implementer, so all of these are legal.
"""

from __future__ import annotations

from typing import NamedTuple

MEASURED = "measured: ml_dtypes 0.6.0, astype from float32"
TORCH = "measured: torch 2.13 CPU; pytorch#178817 made E4M3 saturate"
TORCH_OLD = "pytorch#178817, ao#1912, ao#4364: eager mode before 2.12"
ONNX = "ONNX docs, Float stored in 8 bits, section Cast"
CUDA = "CUDA Math API: converting constructors rely on __NV_SATFINITE"
PTX = "PTX ISA, cvt.rn.satfinite: the modifier is mandatory for these formats"
TORCH_NOW = "measured: torch 2.13 CPU"
XLA = "XLA operation semantics, ReducePrecision: ties to even, past the range infinity"
GFLOAT = "measured: gfloat 0.5.2 round_float"


class Policy(NamedTuple):
    """One cast of one library."""

    format: str
    library: str
    over: str
    inf: str
    nan: str
    source: str
    rest: str = ""  # what it does to other numbers, where that is not the nearest, ties to even


_IEEE = ("float16", "bfloat16", "float8_e4m3", "float8_e5m2", "float8_e3m4")
_FNUZ = ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz")
_FINITE = ("float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")

POLICIES = (
    *(Policy(name, "ml_dtypes 0.6.0", "inf", "inf", "NaN", MEASURED) for name in _IEEE),
    Policy("float8_e4m3fn", "ml_dtypes 0.6.0", "NaN", "NaN", "NaN", MEASURED),
    *(Policy(name, "ml_dtypes 0.6.0", "NaN", "NaN", "NaN", MEASURED) for name in _FNUZ),
    *(Policy(name, "ml_dtypes 0.6.0", "max", "max", "-0", MEASURED) for name in _FINITE),
    Policy("float8_e8m0fnu", "ml_dtypes 0.6.0", "NaN", "NaN", "NaN", MEASURED),
    Policy("int4", "ml_dtypes 0.6.0", "wraps modulo 16", "0", "0", MEASURED, "wraps"),
    Policy("float32", "numpy", "inf", "inf", "NaN", "measured: numpy 2, astype from float64"),
    Policy("float8_e4m3fn", "torch 2.12 and later", "max", "max", "NaN", TORCH),
    Policy("float8_e4m3fn", "torch before 2.12", "NaN", "NaN", "NaN", TORCH_OLD),
    *(Policy(name, "torch 2.13", "inf", "inf", "NaN", TORCH_NOW) for name in ("float16", "bfloat16", "float8_e5m2")),
    *(Policy(name, "torch 2.13", "NaN", "NaN", "NaN", TORCH_NOW) for name in ("float8_e4m3fnuz", "float8_e5m2fnuz")),
    Policy("tf32", "XLA ReducePrecision(8, 10)", "inf", "inf", "NaN", XLA),
    Policy("tf32", "PTX cvt.rn.satfinite.tf32", "max", "", "", "PTX ISA, cvt: satfinite clamps to the largest number"),
    *(Policy(name, "ONNX Cast, saturate=1", "max", "max", "NaN", ONNX) for name in ("float8_e4m3fn", "float8_e5m2")),
    Policy("float8_e4m3fn", "ONNX Cast, saturate=0", "NaN", "NaN", "NaN", ONNX),
    Policy("float8_e5m2", "ONNX Cast, saturate=0", "inf", "inf", "NaN", ONNX),
    *(Policy(name, "ONNX Cast, saturate=1", "max", "NaN", "NaN", ONNX) for name in _FNUZ if "b11" not in name),
    *(Policy(name, "ONNX Cast, saturate=0", "NaN", "NaN", "NaN", ONNX) for name in _FNUZ if "b11" not in name),
    Policy("float8_e4m3fn", "CUDA __nv_fp8_e4m3(x)", "max", "", "", CUDA),
    Policy("float8_e5m2", "CUDA __nv_fp8_e5m2(x)", "max", "", "", CUDA),
    *(Policy(name, "PTX cvt.rn.satfinite", "max", "", "", PTX) for name in ("float8_e4m3fn", "float8_e5m2", *_FINITE)),
    Policy("float8_e4m3fn", "gfloat 0.5.2, sat=False", "NaN", "NaN", "NaN", GFLOAT),
    Policy("float8_e4m3fn", "gfloat 0.5.2, sat=True", "max", "max", "NaN", GFLOAT),
    Policy("float8_e5m2", "gfloat 0.5.2, sat=False", "inf", "inf", "NaN", GFLOAT),
    Policy("float8_e5m2", "gfloat 0.5.2, sat=True", "max", "max", "NaN", GFLOAT),
    *(Policy(name, "gfloat 0.5.2, sat=False", "ValueError", "ValueError", "ValueError", GFLOAT) for name in _FINITE),
    Policy("float8_e8m0fnu", "torch 2.13", "NaN", "NaN", "NaN", f"{TORCH_NOW}; it drops the sign", "drops the sign"),
    *(
        Policy(name, "ONNX QuantizeLinear", "max", "", "", "ONNX QuantizeLinear: saturates")
        for name in ("int8", "int4")
    ),
    Policy("nf4", "bitsandbytes 0.50.2", "max", "", "", "nearest codebook entry; inputs are scaled to [-1, 1] first"),
)
