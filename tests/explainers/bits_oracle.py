"""ml_dtypes and numpy as the second route for scalar formats, gfloat for a row that they lack: codes <-> float64."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from cutaway.explainers.bits import exact
from cutaway.gallery.formats.scalar import FORMATS, Format
from tests import gfloats

ML = {name: np.dtype(getattr(ml_dtypes, name)) for name in FORMATS if hasattr(ml_dtypes, name)}
DTYPES = {**ML, "float16": np.dtype(np.float16), "float32": np.dtype(np.float32), "int8": np.dtype(np.int8)}
FURTHER = [name for name, row in FORMATS.items() if row.exponent_bits and name not in (*DTYPES, "tf32")]
FLOATS = [*(name for name in DTYPES if not name.startswith("int")), *FURTHER]
# ml_dtypes 0.6.0 takes every float32 between 2^-127 and 1.5 * 2^-127 (all subnormal) up to 2^-126, which is farther
# away; test_bits.py pins that. The nearest there is 2^-127, code 0.
SLIP_LOW, SLIP_HIGH = np.float32(2.0**-127), np.float32(1.5 * 2.0**-127)


def storage(name: str) -> np.dtype:
    """The unsigned integers that hold codes of a format."""
    size = DTYPES[name].itemsize if name in DTYPES else (1 if FORMATS[name].bits <= 8 else 4)
    return np.dtype(f"uint{8 * size}")


def decoded(name: str, codes: np.ndarray) -> np.ndarray:
    """What codes mean, by ml_dtypes, numpy or (TF32, NF4) by float32 bits and the codebook."""
    if name == "tf32":
        with np.errstate(invalid="ignore"):
            return (codes.astype(np.uint32) << 13).view(np.float32).astype(np.float64)
    if name == "nf4":
        return np.array(FORMATS["nf4"].values)[codes]
    if name in FURTHER:
        return gfloats.decoded(FORMATS[name], codes)
    with np.errstate(invalid="ignore"):
        return codes.astype(storage(name)).view(DTYPES[name]).astype(np.float64)


def encoded(name: str, x: np.ndarray) -> np.ndarray:
    """The codes that float32 numbers become, as unsigned integers."""
    row = FORMATS[name]
    if name == "tf32":
        return tf32(x)
    if name == "nf4":
        return nf4(x, row)
    if name in FURTHER:
        return gfloats.encoded(row, x)
    if row.specials == "int":
        low, high = -(1 << row.mantissa_bits), (1 << row.mantissa_bits) - 1
        whole = np.where(np.isnan(x), 0, np.clip(np.rint(x), low, high)).astype(np.int64)
        return (whole % (1 << row.bits)).astype(np.uint32)
    with np.errstate(all="ignore"):
        codes = x.astype(DTYPES[name]).view(storage(name)).astype(np.uint32)
    return np.where(x > SLIP_LOW, np.where(x < SLIP_HIGH, 0, codes), codes) if exact.bare_exponent(row) else codes


def tf32(x: np.ndarray) -> np.ndarray:
    """FP32 -> TF32 on the bits: add half a step, less one where the kept part is even; NaN made quiet."""
    bits = x.view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0xFFF + ((bits >> 13) & 1)) >> 13).astype(np.uint32)
    return np.where(np.isnan(x), (bits >> 31 << 18).astype(np.uint32) | 0x3FE00, rounded)


def nf4(x: np.ndarray, row: Format) -> np.ndarray:
    """Nearest entry by exact midpoints in float64 (two float32 add without an error); ties to the lower."""
    values = np.array(row.values)
    middle = (values[1:] + values[:-1]) / 2
    codes = np.searchsorted(middle, x.astype(np.float64), side="left")
    return np.where(np.isnan(x), 7, codes).astype(np.uint32)


def midpoints(name: str) -> np.ndarray:
    """Every midpoint of two neighbouring values as float32 with both float32 neighbours; overflow bounds too."""
    row = FORMATS[name]
    low, high = exact.ranks(row)
    values = np.array([float(exact.decode(row, exact.at_rank(row, place)).value) for place in range(low, high + 1)])
    past = [values[-1] + (values[-1] - values[-2]), values[0] - (values[1] - values[0])]
    line = np.sort(np.concatenate([values, past]))
    with np.errstate(over="ignore"):
        line, middle = line.astype(np.float32), ((line[1:] + line[:-1]) / 2).astype(np.float32)
    up, down = np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, np.float32(-np.inf))
    return np.unique(np.concatenate([middle, up, down, line]))


def nearest_float64(name: str, x: np.ndarray) -> np.ndarray:
    """Codes of finite float64 numbers inside a format's range: midpoints are exact in float64, ties go to even."""
    row = FORMATS[name]
    low, high = exact.ranks(row)
    places = np.arange(low, high + 1)
    values = np.array([float(exact.decode(row, exact.at_rank(row, int(place))).value) for place in places])
    middle = (values[1:] + values[:-1]) / 2
    left, right = np.searchsorted(middle, x, "left"), np.searchsorted(middle, x, "right")
    even = np.where(places[left] % 2 == 0, left, right)
    up = right if exact.bare_exponent(row) else left if row.specials == "codebook" else even
    codes = np.array([exact.at_rank(row, int(place)) for place in places])[np.where(left == right, left, up)]
    minus_zero = (codes == 0) & np.signbit(x) & (row.specials not in ("fnuz", "int", "codebook"))
    return np.where(minus_zero, exact.sign_mask(row), codes).astype(np.uint32)


def float32_inputs(name: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` float32 numbers: random bits, numbers of the format's own size, its midpoints and their neighbours."""
    row = FORMATS[name]
    bits = rng.integers(0, 2**32, count // 2, dtype=np.uint32).view(np.float32)
    low, high = exact.ranks(row)
    place = rng.integers(low, high, count // 8)
    pair = decoded(name, codes_at(name, np.concatenate([place, place + 1]))).reshape(2, -1)
    middle = (pair.sum(axis=0) / 2).astype(np.float32)
    sides = [np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, np.float32(-np.inf))]
    largest = float(exact.decode(row, exact.at_rank(row, high)).value)
    spread = (rng.standard_normal(count // 8) * min(largest, 1e38) * 0.75).astype(np.float32)
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, largest, -largest, 1e-45, -1e-45, 3.4e38], np.float32)
    made = np.concatenate([edges, bits, middle, *sides, spread])
    rest = rng.integers(0, 2**32, max(0, count - len(made)), dtype=np.uint32).view(np.float32)
    made = np.concatenate([made, rest])
    return np.where(np.isnan(made), np.float32(np.nan), made)  # JavaScript cannot see the sign of a NaN


def codes_at(name: str, place: np.ndarray) -> np.ndarray:
    """Codes at ranks, vectorised."""
    row = FORMATS[name]
    if row.specials == "int":
        return place % (1 << row.bits)
    return np.where(place < 0, -place + exact.sign_mask(row), place)
