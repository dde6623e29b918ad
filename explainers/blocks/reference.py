"""One block of numbers and a scheme -> scale, codes, what comes back, the bytes; and so under every scale rule."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from explainers import load_file
from explainers.blocks import codec, rows
from explainers.blocks.samples import TILE, sample
from gallery.formats.scalar import NF4_VALUES

SIZE = {name: row[1] for name, row in rows.PLAYED.items()}
SHOWN = {name: row[2] for name, row in rows.PLAYED.items()}
OUTLIER_AT = 5  # which element the outlier slider multiplies
LIMIT = 10_000.0  # of a typed value: FP16 scales still hold

STATE = {
    "scheme": "mxfp4",
    "rule": "floor",
    "sample": "bell",
    "seed": 16,
    "outlier": 1.0,
    "edits": {},  # element index (as text) -> value, or "-0"
    "picked": 5,
    "tensor_amax": 8.0,
    "packing": "stream",
}


# ---------------------------------------------------------------- numbers to quantize


def values(state: dict) -> np.ndarray:
    """The block as float32: the sample, the outlier, then what the reader changed."""
    n = SIZE[state["scheme"]]
    x = sample(state["sample"], int(state["seed"]), n)
    x[OUTLIER_AT] *= state["outlier"]
    for key, value in state["edits"].items():
        if int(key) < SHOWN[state["scheme"]]:
            x[int(key)] = float(value)
    return x.astype(np.float32)


# ---------------------------------------------------------------- the page's contract


@cache
def data() -> dict:
    """Everything the widget must not invent: schemes, rules, ledger, the codebook, and how often blocks clip."""
    return {
        "schemes": rows.played(),
        "rules": list(rows.RULES),
        "samples": list(rows.SAMPLES),
        "packings": rows.PACKINGS,
        "ledger": rows.ledger(),
        "nf4": list(NF4_VALUES),
        "survey": survey(),
        "limit": LIMIT,
        "outlier_at": OUTLIER_AT,
    }


def survey(blocks: int = 2048) -> dict:
    """Scheme -> sample -> rule -> [share of blocks whose largest number clips, mean squared error]."""
    out: dict = {}
    for scheme in codec.MX:
        for kind in ("bell", "heavy"):
            x = sample(kind, 0, 32 * blocks).astype(np.float32).reshape(blocks, 32)
            for rule in codec.RULES:
                made = codec.quantize(scheme, x, rule)
                error = np.mean((made.values.astype(np.float64) - x) ** 2)
                cell = [round(float(made.clipped.any(axis=1).mean()), 4), float(f"{error:.3g}")]
                out.setdefault(scheme, {}).setdefault(kind, {})[rule] = cell
    return out


def check(state: dict) -> str:
    """ "" or the sentence that says what is legal."""
    if state["scheme"] not in SIZE:
        return f"There is no scheme “{state['scheme']}”. There are: {', '.join(SIZE)}."
    if state["rule"] not in codec.RULES:
        return f"There is no scale rule “{state['rule']}”. There are: {', '.join(codec.RULES)}."
    kinds = [row["value"] for row in rows.SAMPLES]
    if state["sample"] not in kinds:
        return f"There are no numbers called “{state['sample']}”. There are: {', '.join(kinds)}."
    if state["packing"] not in rows.PACKINGS:
        return f"There is no packing “{state['packing']}”. There are: {', '.join(rows.PACKINGS)}."
    if not _whole(state["seed"], 0, 9999):
        return "The seed is a whole number from 0 to 9,999."
    if not _whole(state["picked"], 0, 127):
        return "The picked element is a whole number from 0 to 127."
    if not _between(state["outlier"], 1, 1024):
        return "The outlier is a number from 1 to 1,024: how many times its size."
    if not _between(state["tensor_amax"], 0.0001, 1e6):
        return "The tensor's largest value is a number from 0.0001 to 1,000,000."
    for key, value in state["edits"].items():
        if key not in _KEYS or not (value == "-0" or _between(value, -LIMIT, LIMIT)):  # JSON has no -0
            return "A changed value is a number from -10,000 to 10,000, at an element from 0 to 127."
    return ""


_KEYS = {str(i) for i in range(TILE)}


def _between(value: object, low: float, high: float) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and low <= value <= high


def _whole(value: object, low: int, high: int) -> bool:
    return _between(value, low, high) and float(value).is_integer()


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints about the block."""
    scheme, x = state["scheme"], values(state)
    amax = float(np.abs(x).max())
    tensor_amax = max(float(np.float32(state["tensor_amax"])), amax) if scheme == "nvfp4" else 0.0
    made = codec.quantize(scheme, x[None], state["rule"], tensor_amax)
    shown = SHOWN[scheme]
    tensor_scale = float(codec.nvfp4_tensor_scale(np.float32(tensor_amax)))
    return {
        "n": len(x),
        "shown": shown,
        "values": _floats(x[:shown]),
        "amax": amax,
        "peak": int(np.abs(x).argmax()),
        "low": float(x.min()),
        "high": float(x.max()),
        "scale": float(made.scale[0, 0]),
        "scale_code": int(made.scale_code[0, 0]),
        "zero": None if made.zero is None else int(made.zero[0, 0]),
        "tensor_amax": tensor_amax,
        "tensor_scale": tensor_scale,
        **results(x, made, shown),
        "levels": levels(scheme, made),
        **packed(scheme, state["packing"], made.codes[0, :shown].tolist()),
        "scale_bytes": scale_bytes(scheme, int(made.scale_code[0, 0])),
        "lab": [lab(scheme, x, rule, shown) for rule in codec.RULES] if scheme in codec.MX else [],
        "tile": tile(x) if len(x) == TILE * TILE else [],
    }


def results(x: np.ndarray, made: codec.Blocks, shown: int) -> dict:
    """Codes and values of the shown elements; errors over the whole block, summed in order, in float64."""
    errors = [float(q) - float(v) for q, v in zip(made.values[0], x, strict=True)]
    total = 0.0
    for error in errors:
        total += error * error
    return {
        "codes": made.codes[0, :shown].tolist(),
        "elements": _floats(made.elements[0, :shown]),
        "dequantized": _floats(made.values[0, :shown]),
        "errors": errors[:shown],
        "clipped": [i for i in range(shown) if made.clipped[0, i]],
        "clipped_count": int(made.clipped.sum()),
        "zeros": sum(1 for q, v in zip(made.values[0], x, strict=True) if q == 0 and v != 0),
        "mse": total / len(x),
        "worst": max(abs(error) for error in errors),
    }


def lab(scheme: str, x: np.ndarray, rule: str, shown: int) -> dict:
    """The same block under one scale rule."""
    made = codec.quantize(scheme, x[None], rule)
    found = results(x, made, shown)
    kept = ("dequantized", "clipped", "clipped_count", "mse", "worst")
    head = {"rule": rule, "scale": float(made.scale[0, 0]), "scale_code": int(made.scale_code[0, 0])}
    return head | {key: found[key] for key in kept}


def levels(scheme: str, made: codec.Blocks) -> list[float]:
    """Every number a 4-bit element of this block can be, in order."""
    if scheme in ("mxfp4", "nvfp4"):
        elements = np.arange(16, dtype=np.uint8).view(codec.E2M1).astype(np.float32)
    elif scheme == "nf4":
        elements = codec.NF4
    elif scheme == "q4_0" or scheme.startswith("int4"):
        zero = 8 if made.zero is None else int(made.zero[0, 0])
        elements = np.arange(16, dtype=np.float32) - np.float32(zero)
    else:
        return []
    return sorted(set(_floats(elements * made.scale[0, 0] + np.float32(0))))


# ---------------------------------------------------------------- bytes


def packed(scheme: str, packing: str, codes: list[int]) -> dict:
    """Element bytes in memory order, and for each byte its pieces from the high bits down: [element, bits]."""
    allowed = rows.PLAYED[scheme][4]
    packing = packing if packing in allowed else allowed[0]
    bits = rows.played_bits(scheme)
    length = len(codes) if packing == "columns" else len(codes) * bits // 8
    stored, pieces = [0] * length, [[] for _ in range(length)]
    for i, code in enumerate(codes):
        at = position(packing, i, bits, len(codes))
        while bits_left := bits - (at - position(packing, i, bits, len(codes))):
            byte, low = divmod(at, 8)
            taken = min(8 - low, bits_left)
            stored[byte] |= (code >> (bits - bits_left) & (2**taken - 1)) << low
            pieces[byte].append([low, i, taken])
            at += taken
    in_order = [[[i, taken] for _, i, taken in sorted(parts, reverse=True)] for parts in pieces]
    return {"packing": packing, "bytes": stored, "pieces": in_order}


def position(packing: str, i: int, bits: int, n: int) -> int:
    """The bit at which element i starts."""
    if packing == "halves":
        return 8 * (i % (n // 2)) + 4 * (i // (n // 2))
    if packing == "high_first":
        return 8 * (i // 2) + 4 * (1 - i % 2)
    return 8 * i if packing == "columns" else bits * i


def scale_bytes(scheme: str, code: int) -> list[int]:
    """The stored scale, little-endian."""
    width = {"e8m0": 1, "e4m3": 1, "float16": 2, "bfloat16": 2, "float32": 4}[rows.PLAYED[scheme][3]]
    return list(code.to_bytes(width, "little"))


def tile(x: np.ndarray) -> list[float]:
    """The largest magnitude of each 8x8 patch of a 128x128 tile, row by row."""
    patches = np.abs(x).reshape(16, 8, 16, 8).max(axis=(1, 3))
    return _floats(patches.reshape(-1))


def _floats(array: np.ndarray) -> list[float]:
    return [float(v) for v in array]


def picture(state: dict, data: dict) -> str:
    """The block as the page shows it before any script."""
    return load_file(__file__.replace("reference.py", "picture.py")).picture(state, data, compute(state, data))


def cases() -> list[dict]:
    """States for reference and widget alike: every scheme, rule and packing, and the awkward ones."""
    made = [{"scheme": name, "sample": kind} for name in SIZE for kind in ("bell", "heavy", "ramp")]
    made += [
        {"scheme": name, "rule": rule, "seed": seed} for name in codec.MX for rule in codec.RULES for seed in (1, 2)
    ]
    made += [{"scheme": name, "outlier": times} for name in SIZE for times in (3.0, 1024.0)]
    made += [{"scheme": name, "edits": {str(i): 0.0 for i in range(128)}, "outlier": 1.0} for name in SIZE]
    made += [{"scheme": name, "edits": {"0": 0.25, "1": -0.75, "2": 6.5, "3": 1e-30, "4": -10000.0}} for name in SIZE]
    made += [{"scheme": name, "edits": {"7": "-0"}} for name in SIZE]
    made += [{"scheme": "nvfp4", "tensor_amax": amax} for amax in (0.0001, 3.0, 100.0, 1e6)]
    made += [{"scheme": name, "packing": "halves"} for name in ("mxfp4", "nvfp4", "nf4", "int4_awq")]
    return [{**STATE, **case} for case in made]
