"""How a sub-block's scale came about, in rows of [what, how]: the rows of lines.py for formats of two levels."""

from __future__ import annotations

from cutaway.explainers.blocks import rows
from cutaway.explainers.blocks.spell import hexed, num


def reaches(most: float, scale: float) -> list[str]:
    return ["reaches", f"{num(most)} × {num(scale)} = {num(most * scale)}"]


def part(out: dict) -> list[float]:
    """The numbers of the picked element's sub-block."""
    size = out["n"] // out["subs"]
    return out["values"][out["sub"] * size : (out["sub"] + 1) * size]


def place_of(out: dict) -> list[str]:
    return ["sub-block", f"{out['sub'] + 1} of {out['subs']}, {out['n'] // out['subs']} numbers"]


def q4_k_scale(out: dict, row: dict, kept: list[str]) -> list[list[str]]:
    """d times a 6-bit scale, dmin times a 6-bit minimum."""
    d, dmin = out["second"]
    low = dmin * out["zero"]
    return [
        place_of(out),
        ["scale", f"{out['scale_code']} × d = {out['scale_code']} × {num(d)} = {num(out['scale'])}"],
        ["minimum", f"{out['zero']} × dmin = {out['zero']} × {num(dmin)} = {num(low)}, subtracted"],
        ["stored as", "6 bits each; d and dmin in FP16"],
        ["reaches", f"{num(-low if low else 0)} … {num(row['facts']['top'] * out['scale'] - low)}"],
    ]


def q6_k_scale(out: dict, row: dict, kept: list[str]) -> list[list[str]]:
    """d times an INT8 scale."""
    whole = out["scale_code"] - (256 if out["scale_code"] > 127 else 0)
    half, now = row["facts"]["half"], out["scale"]
    ends = sorted([-half * now, (half - 1) * now])
    return [
        place_of(out),
        ["scale", f"{num(whole)} × d = {num(whole)} × {num(out['second'][0])} = {num(now)}"],
        kept,
        ["reaches", f"{num(ends[0])} … {num(ends[1])}"],
    ]


def ue4m3_scale(out: dict, row: dict, kept: list[str]) -> list[list[str]]:
    """The largest number of sixteen over 6, in UE4M3."""
    most, target = max(abs(v) for v in part(out)), row["facts"]["target"]
    return [
        place_of(out),
        ["largest |x|", num(most)],
        [f"÷ {target}", f"{num(most)} ÷ {target} = {num(most / target)}"],
        ["stored as", f"UE4M3 {num(out['scale'])}: {hexed(out['scale_code'], 8)}"],
        reaches(target, out["scale"]),
    ]


def nested_scale(out: dict, row: dict, kept: list[str]) -> list[list[str]]:
    """The largest number, less the mean of all, as an index into a table."""
    mean, most = out["second"]
    absmax, entry = max(abs(v) for v in part(out)), rows.BOOKS["dynamic8"][out["scale_code"]]
    less = absmax - mean
    return [
        ["largest |x|", num(absmax)],
        [f"− mean of {out['subs']}", f"{num(absmax)} − {num(mean)} = {num(less)}"],
        ["÷ largest of them", f"{num(less)} ÷ {num(most)} = {num(less / most if most else 0)}"],
        ["stored as", f"index {out['scale_code']}, in the table {num(entry)}"],
        ["scale", f"{num(entry)} × {num(most)} + {num(mean)} = {num(out['scale'])}"],
    ]


SUB_BLOCKS = {"q4_k": q4_k_scale, "q6_k": q6_k_scale, "ue4m3": ue4m3_scale, "nf4_nested": nested_scale}
