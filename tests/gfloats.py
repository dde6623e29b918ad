"""A row of formats/scalar.py as gfloat describes a format: a second route for rows that ml_dtypes does not have."""

from __future__ import annotations

import gfloat
import numpy as np
from gfloat.types import Domain, FormatInfo

from cutaway.gallery.formats.codes import bare_exponent, mantissa_size, nan_code
from cutaway.gallery.formats.scalar import Format

UNSIGNED = [
    Format("ue4m3", "UE4M3", 0, 4, 3, 7, "fnu", "saturate", "", "PTX ISA: E4M3 without its sign"),
    Format("ue4m3", "UE4M3", 0, 4, 3, 7, "fn", "nan", "", "the same row with the signed format's word"),
    Format("ue5m3", "UE5M3", 0, 5, 3, 15, "fnu", "nan", "", "a scale with more range"),
    Format("ue4m4", "UE4M4", 0, 4, 4, 7, "ieee", "inf", "", "with an infinity"),
    Format("ue3m2", "UE3M2", 0, 3, 2, 3, "finite", "saturate", "", "without a NaN"),
]
UNSIGNED_IDS = [f"{f.name}-{f.specials}" for f in UNSIGNED]


def info(f: Format) -> FormatInfo:
    """Whether there is a sign, a second zero, infinities, and how many NaNs stand at the top."""
    return FormatInfo(
        f.name, f.bits, f.mantissa_bits + 1, bias=f.bias, is_signed=f.sign_bits > 0,
        domain=Domain.Extended if f.specials == "ieee" else Domain.Finite,
        has_nz=f.sign_bits > 0 and f.specials != "fnuz", has_subnormals=not bare_exponent(f), is_twos_complement=False,
        num_high_nans={"fn": 1, "fnu": 1, "ieee": mantissa_size(f) - 1}.get(f.specials, 0),
    )  # fmt: skip


def decoded(f: Format, codes: np.ndarray) -> np.ndarray:
    """What codes mean, as float64."""
    return gfloat.decode_ndarray(info(f), codes)


def encoded(f: Format, x: np.ndarray) -> np.ndarray:
    """The codes that numbers become: ties to even, overflow by the row's rule. Which NaN it is, gfloat leaves open."""
    known, saturates, wide = info(f), f.overflow == "saturate", x.astype(np.float64)
    below = (wide < 0) & (not f.sign_bits)
    size = gfloat.round_ndarray(known, np.abs(wide) if not f.sign_bits else wide, sat=saturates)
    codes = gfloat.encode_ndarray(known, np.where(np.isnan(size) | below, 0.0, size)).astype(np.uint32)
    lost = np.isnan(size) | (below & (size != 0))
    signs = np.signbit(x) & (f.sign_bits > 0)
    nans = np.where(signs, nan_code(f, True), nan_code(f))
    return np.where(lost, np.where(below & saturates, 0, nans), codes).astype(np.uint32)
