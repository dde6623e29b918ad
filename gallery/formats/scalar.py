"""Number formats as rows: name -> the bits, the bias, the special codes, what too large a number becomes.

A row is enough to decode and encode every code of its format; codes.py does both, exactly.
Names are ml_dtypes names where ml_dtypes has the format (numpy's for FP32, FP16 and INT8).

`specials` says which codes are not numbers:
  ieee      the highest exponent is infinity (mantissa 0) and NaN (mantissa not 0)
  fn        finite: no infinity; exponent and mantissa all ones is NaN
  fnuz      finite, signed, unsigned zero: no infinity, no -0; the code that would be -0 is the one NaN
  finite    every code is a number
  fnu       finite, unsigned: no sign, no infinity; all ones is NaN. Without a mantissa (E8M0) every other code is a
            power of two, and there is no zero; with one (UE4M3, UE5M3) the lowest exponent holds zero and subnormals
  int       whole numbers: two's complement, or unsigned without a sign bit
  codebook  the numbers are listed in `values`
`overflow` says what rounds past the largest number: "inf", "nan" or "saturate". It is the rule of the row's source;
libraries differ, see `explainers/bits/policies.py`.
"""

from __future__ import annotations

from typing import NamedTuple

OCP_FP8 = "OCP 8-bit Floating Point (OFP8) Rev 1.0, 2023-12"
OCP_MX = "OCP Microscaling Formats (MX) v1.0, 2023-09"
IEEE = "IEEE 754-2019"
ML_DTYPES = "ml_dtypes 0.6.0"
GRAPHCORE = "arXiv 2206.02915 (Noune et al., 8-bit numerical formats)"

# float32 values of bitsandbytes 0.50.2 functional.get_4bit_type("nf4"), from arXiv 2305.14314 appendix E.
NF4_VALUES = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
    *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
    *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
    *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
)  # fmt: skip


class Format(NamedTuple):
    """One scalar format. `bits` = sign + exponent + mantissa; TF32 has 19, though it travels in 32."""

    name: str
    label: str
    sign_bits: int
    exponent_bits: int
    mantissa_bits: int
    bias: int
    specials: str
    overflow: str
    words: str
    source: str
    values: tuple[float, ...] = ()

    @property
    def bits(self) -> int:
        return self.sign_bits + self.exponent_bits + self.mantissa_bits


_ROWS = (
    Format("float32", "FP32", 1, 8, 23, 127, "ieee", "inf",
           "The reference: master weights, accumulators, scales.", IEEE),
    Format("tf32", "TF32", 1, 8, 10, 127, "ieee", "inf",
           "FP32's range with FP16's precision: what tensor cores read of a float32. 19 bits, stored in 32.",
           "NVIDIA A100 whitepaper; PTX ISA, cvt.rna.tf32.f32 rounds ties away from zero, cvt.rn.tf32.f32 to even"),
    Format("bfloat16", "BF16", 1, 8, 7, 127, "ieee", "inf",
           "The upper half of a float32: its range, 8 bits of precision. Most checkpoints.", ML_DTYPES),
    Format("float16", "FP16", 1, 5, 10, 15, "ieee", "inf",
           "IEEE half: more precision than BF16, ends at 65,504.", IEEE),
    Format("float8_e4m3fn", "FP8 E4M3", 1, 4, 3, 7, "fn", "nan",
           "The FP8 format of checkpoints and MXFP8. Infinity’s codes are numbers here, so it ends at 448, not 240.",
           OCP_FP8),
    Format("float8_e4m3", "E4M3 IEEE", 1, 4, 3, 7, "ieee", "inf",
           "E4M3 with IEEE's infinity and NaNs: 240 is the end, and 14 codes are NaN.", ML_DTYPES),
    Format("float8_e4m3fnuz", "E4M3 FNUZ", 1, 4, 3, 8, "fnuz", "nan",
           "AMD MI300's E4M3: bias 8, so the same byte means half of what E4M3 FN means.", GRAPHCORE),
    Format("float8_e4m3b11fnuz", "E4M3 B11", 1, 4, 3, 11, "fnuz", "nan",
           "E4M3 FNUZ with bias 11: small numbers, ends at 30.", ML_DTYPES),
    Format("float8_e5m2", "FP8 E5M2", 1, 5, 2, 15, "ieee", "inf",
           "FP16 with 8 mantissa bits cut off: range for gradients.", OCP_FP8),
    Format("float8_e5m2fnuz", "E5M2 FNUZ", 1, 5, 2, 16, "fnuz", "nan",
           "E5M2 without infinity and without -0; bias 16.", GRAPHCORE),
    Format("float8_e3m4", "FP8 E3M4", 1, 3, 4, 3, "ieee", "inf",
           "More precision, little range: ends at 15.5.", ML_DTYPES),
    Format("float6_e2m3fn", "FP6 E2M3", 1, 2, 3, 1, "finite", "saturate",
           "An MXFP6 element: every code is a number.", OCP_MX),
    Format("float6_e3m2fn", "FP6 E3M2", 1, 3, 2, 3, "finite", "saturate",
           "An MXFP6 element with more range.", OCP_MX),
    Format("float4_e2m1fn", "FP4 E2M1", 1, 2, 1, 1, "finite", "saturate",
           "The element of MXFP4 and NVFP4: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.", OCP_MX),
    Format("float8_e8m0fnu", "E8M0", 0, 8, 0, 127, "fnu", "nan",
           "A scale: a power of two and nothing else. No zero, no sign.", OCP_MX),
    Format("int8", "INT8", 1, 0, 7, 0, "int", "saturate", "Whole numbers from -128 to 127, two's complement.",
           "ONNX QuantizeLinear: rounds ties to even, saturates"),
    Format("int4", "INT4", 1, 0, 3, 0, "int", "saturate", "Whole numbers from -8 to 7.",
           "ONNX QuantizeLinear: rounds ties to even, saturates"),
    Format("nf4", "NF4", 0, 0, 4, 0, "codebook", "saturate",
           "Sixteen quantiles of a bell curve, looked up: no exponent, no mantissa.",
           "arXiv 2305.14314 (QLoRA); bitsandbytes 0.50.2", NF4_VALUES),
)  # fmt: skip

FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}


def label(name: str) -> str:
    """A format as people write it: bfloat16 -> BF16; a name without a row stays, cut short."""
    return FORMATS[name].label if name in FORMATS else name[:12]
