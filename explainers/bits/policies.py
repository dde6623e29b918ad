"""How each library casts: what it rounds to on the way, and what too large a number, an infinity and a NaN become.

One row per library and format, because libraries differ. A number reaches a cast as FP64, which is what Python and C
make of the text; `via` is "float32" where the cast then rounds to FP32 first, and so rounds twice. `over` is a finite
number past the largest one, `inf` is +infinity, `nan` is NaN; "max" is the format's largest number, "" is what the
source does not say. OCP leaves overflow to the implementer, so all of these are legal.

tests/explainers/make_golden_casts.py ran every row whose source says "measured".
"""

from __future__ import annotations

from typing import NamedTuple

FP32 = "float32"
MEASURED = "measured: ml_dtypes 0.6.0, astype from float64; the constructor rounds once"
BFLOAT16 = "measured: ml_dtypes 0.6.0, astype from float64"
SCALES = f"{MEASURED}; FP32 subnormals above 2⁻¹²⁷ go up to 2⁻¹²⁶"
NUMPY = "measured: numpy 2, astype from float64"
WRAPS = "measured: ml_dtypes 0.6.0 on x86-64, astype from float64: cut to C's int, then to 4 bits"
TORCH = "measured: torch 2.13 CPU, to() from float64; pytorch#178817 made E4M3 saturate"
TORCH_OLD = "pytorch#178817, ao#1912, ao#4364: eager mode before 2.12; taken from its source code: c10 casts from float"
TORCH_NOW = "measured: torch 2.13 CPU, to() from float64"
TORCH_SCALES = f"{TORCH_NOW}; it drops the sign; FP32 subnormals above 2⁻¹²⁷ go up to 2⁻¹²⁶"
ONNX = "measured: onnx 1.23.2's reference evaluator, Cast from double"
ONNX_FNUZ = f"{ONNX}; the documentation's table has infinity become NaN"
ONNX_INTEGERS = "measured: onnxruntime 1.32 CPU, scale 1, from float: double is no legal input"
CUDA = "measured: cuda_fp8.hpp 13.5 compiled for the CPU, the constructor from double"
PTX = "PTX ISA, cvt: from .f32, satfinite mandatory for these formats"
PTX_TF32 = "PTX ISA, cvt: from .f32, satfinite clamps to the largest number"
XLA = "measured: JAX 0.10.2 CPU, reduce_precision of float32; of float64 it rounds once and flushes subnormals"
GFLOAT = "measured: gfloat 0.5.2 round_float"
BITSANDBYTES = "measured: bitsandbytes 0.50.2 CPU; compares with midpoints in FP32; inputs are scaled to [-1, 1] first"


class Policy(NamedTuple):
    """One cast of one library."""

    format: str
    library: str
    over: str
    inf: str
    nan: str
    source: str
    via: str = ""  # the format it rounds to before this one, after FP64
    rest: str = ""  # what it does to other numbers, where that is not the nearest, ties to even


_IEEE = ("float8_e4m3", "float8_e5m2", "float8_e3m4")
_FNUZ = ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz")
_ONNX_FNUZ = ("float8_e4m3fnuz", "float8_e5m2fnuz")
_FINITE = ("float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")
_ML = "ml_dtypes 0.6.0"

POLICIES = (
    Policy("float16", "numpy", "inf", "inf", "NaN", NUMPY),
    Policy("bfloat16", _ML, "inf", "inf", "NaN", BFLOAT16, FP32),
    *(Policy(name, _ML, "inf", "inf", "NaN", MEASURED, FP32) for name in _IEEE),
    Policy("float8_e4m3fn", _ML, "NaN", "NaN", "NaN", MEASURED, FP32),
    *(Policy(name, _ML, "NaN", "NaN", "NaN", MEASURED, FP32) for name in _FNUZ),
    *(Policy(name, _ML, "max", "max", "-0", MEASURED, FP32) for name in _FINITE),
    Policy("float8_e8m0fnu", _ML, "NaN", "NaN", "NaN", SCALES, FP32, "subnormals up"),
    Policy("int4", _ML, "wraps modulo 16", "0", "0", WRAPS, "", "wraps"),
    Policy("float32", "numpy", "inf", "inf", "NaN", NUMPY),
    Policy("float8_e4m3fn", "torch 2.12 and later", "max", "max", "NaN", TORCH, FP32),
    Policy("float8_e4m3fn", "torch before 2.12", "NaN", "NaN", "NaN", TORCH_OLD, FP32),
    *(
        Policy(name, "torch 2.13", "inf", "inf", "NaN", TORCH_NOW, FP32)
        for name in ("float16", "bfloat16", "float8_e5m2")
    ),
    *(
        Policy(name, "torch 2.13", "NaN", "NaN", "NaN", TORCH_NOW, FP32)
        for name in ("float8_e4m3fnuz", "float8_e5m2fnuz")
    ),
    Policy("tf32", "XLA ReducePrecision(8, 10)", "inf", "inf", "NaN", XLA, FP32),
    Policy("tf32", "PTX cvt.rn.satfinite.tf32", "max", "max", "NaN", PTX_TF32, FP32),
    *(
        Policy(name, "ONNX Cast, saturate=1", "max", "max", "NaN", ONNX, FP32)
        for name in ("float8_e4m3fn", "float8_e5m2")
    ),
    Policy("float8_e4m3fn", "ONNX Cast, saturate=0", "NaN", "NaN", "NaN", ONNX, FP32),
    Policy("float8_e5m2", "ONNX Cast, saturate=0", "inf", "inf", "NaN", ONNX, FP32),
    *(Policy(name, "ONNX Cast, saturate=1", "max", "max", "NaN", ONNX_FNUZ, FP32) for name in _ONNX_FNUZ),
    *(Policy(name, "ONNX Cast, saturate=0", "NaN", "NaN", "NaN", ONNX, FP32) for name in _ONNX_FNUZ),
    Policy("float8_e4m3fn", "CUDA __nv_fp8_e4m3(x)", "max", "max", "NaN", CUDA),
    Policy("float8_e5m2", "CUDA __nv_fp8_e5m2(x)", "max", "max", "NaN", CUDA),
    *(
        Policy(name, "PTX cvt.rn.satfinite", "max", "max", "NaN", PTX, FP32)
        for name in ("float8_e4m3fn", "float8_e5m2")
    ),
    *(Policy(name, "PTX cvt.rn.satfinite", "max", "max", "max", PTX, FP32) for name in _FINITE),
    Policy("float8_e4m3fn", "gfloat 0.5.2, sat=False", "NaN", "NaN", "NaN", GFLOAT),
    Policy("float8_e4m3fn", "gfloat 0.5.2, sat=True", "max", "max", "NaN", GFLOAT),
    Policy("float8_e5m2", "gfloat 0.5.2, sat=False", "inf", "inf", "NaN", GFLOAT),
    Policy("float8_e5m2", "gfloat 0.5.2, sat=True", "max", "max", "NaN", GFLOAT),
    *(Policy(name, "gfloat 0.5.2, sat=False", "ValueError", "ValueError", "ValueError", GFLOAT) for name in _FINITE),
    Policy("float8_e8m0fnu", "torch 2.13", "NaN", "NaN", "NaN", TORCH_SCALES, FP32, "drops the sign, subnormals up"),
    Policy("int8", "ONNX QuantizeLinear", "max", "max", "-128", ONNX_INTEGERS, FP32),
    Policy("int4", "ONNX QuantizeLinear", "max", "max", "-8", ONNX_INTEGERS, FP32),
    Policy("nf4", "bitsandbytes 0.50.2", "max", "", "", BITSANDBYTES, FP32, "midpoints in FP32"),
)
