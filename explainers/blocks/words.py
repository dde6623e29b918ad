"""A computed block -> its sentences: its scale, one element, its bytes, what it costs. Twin of parts.js."""

from __future__ import annotations

import math

from cutaway.explainers import fmt
from cutaway.explainers.blocks import codec

num = fmt.num
NAN = "NaN"


def text(x: float | str, digits: int = 5) -> str:
    """A number, or "NaN" as it is."""
    return x if isinstance(x, str) else num(x, digits)


def exponent(x: float) -> int:
    """floor(log2 x) of a positive number."""
    return math.frexp(x)[1] - 1


def power(scale: float | str) -> str:
    return scale if isinstance(scale, str) else fmt.pow2(exponent(scale))


def hexed(code: int, bits: int) -> str:
    return f"0x{code:0{-(-bits // 4)}X}"


def is_mx(row: dict) -> bool:
    return row["name"] in codec.MX


def form(row: dict) -> codec.Element:
    """What the scheme's numbers are rounded to."""
    return codec.MX.get(row["name"]) or codec.MX["mxfp4" if row["element"] == "float4_e2m1fn" else "mxfp8_e4m3"]


# ---------------------------------------------------------------- the scale


def exponent_words(rule: str, amax: float, row: dict) -> str:
    """The rule, with numbers in it."""
    element, k = form(row), exponent(amax)
    if rule == "rceil":
        return f"⌈log₂({num(amax)} ÷ {num(element.largest)})⌉"
    if rule == "ceil":
        return f"⌈log₂ {num(amax)}⌉ − {element.emax}"
    if rule == "even":
        limit = (2 - 2.0 ** -(element.mantissa_bits + 1)) * 2.0**k
        up = amax >= limit
        return f"{num(amax)} {'≥' if up else '<'} {num(limit)}, so {f'{num(k)} + 1' if up else num(k)} − {element.emax}"
    return f"⌊log₂ {num(amax)}⌋ − {element.emax} = {num(k)} − {element.emax}"


def scale(state: dict, out: dict, row: dict) -> list[list[str]]:
    """How the scale came about, in rows of [what, how]."""
    amax, now = out["amax"], out["scale"]
    kept = ["stored as", f"{row['stored_words']}: {hexed(out['scale_code'], 8 * len(out['scale_bytes']))}"]
    if now == NAN:
        return [["largest |x|", f"NaN, element {out['peak']}"], ["scale", NAN], kept]
    if is_mx(row):
        how = ["exponent", f"{exponent_words(state['rule'], amax, row)} = {num(out['scale_code'] - 127)}"]
        return [
            ["largest |x|", f"{num(amax)}, element {out['peak']}"],
            how if amax else ["largest", "every number is 0"],
            ["scale", f"{power(now)} = {num(now)}"],
            kept,
            ["reaches", f"{num(form(row).largest)} × {num(now)} = {num(form(row).largest * now)}"],
        ]
    if row["name"] == "nvfp4":
        return nvfp4_scale(out)
    if row["name"].startswith("fp8_"):
        where = f", element {out['peak']}" if out["peak"] < out["shown"] else ", outside this window"
        rounded = f"rounded up: {power(now)} = {num(now)}" if row["stored"] == "e8m0" else num(now)
        over = f"{num(amax)} ÷ 448 = {num(amax / 448)}"
        return [["largest |x|", num(amax) + where], ["÷ 448", over], ["scale", rounded], kept]
    if out["zero"] is not None:
        low, high = min(0.0, out["low"]), max(0.0, out["high"])
        ends, steps = ["smallest … largest", f"{num(low)} … {num(high)}"], ["÷ 15 steps", f"{num(high - low)} ÷ 15"]
        return [ends, steps, ["scale", num(now)], kept, ["zero point", f"code {out['zero']} means 0"]]
    how = {
        "int4_g32": ["÷ 7.5", f"{num(amax)} ÷ 7.5"],
        "nf4": ["scale", "the largest itself"],
        "q4_0": ["÷ −8", "with its sign, so that it becomes code 0"],
    }[row["name"]]
    return [["largest |x|", f"{num(amax)}, element {out['peak']}"], how, ["scale", num(now)], kept]


def nvfp4_scale(out: dict) -> list[list[str]]:
    """Two levels: the tensor's FP32 scale, the block's E4M3 scale."""
    amax, now, tensor = out["amax"], out["scale"], out["tensor_scale"]
    stored = now / tensor
    block = f"{num(amax)} ÷ 6 ÷ {num(tensor)} = {num(amax / 6 / tensor)}" if amax else "every number is 0"
    return [
        ["tensor", f"{num(out['tensor_amax'])} ÷ (448 × 6) = {num(tensor)}, FP32"],
        ["block", block],
        ["stored as", f"E4M3 {num(stored)}: {hexed(out['scale_code'], 8)}"],
        ["scale", f"{num(stored)} × {num(tensor)} = {num(now)}"],
        ["reaches", f"6 × {num(now)} = {num(6 * now)}"],
    ]


# ---------------------------------------------------------------- one element


def signed(x: float) -> str:
    return f"+{num(x, 3)}" if x > 0 else num(x, 3)


def element(out: dict, row: dict, i: int) -> list[list[str]]:
    """How element i became a code and came back."""
    x, q, code, back = (out[key][i] for key in ("values", "elements", "codes", "dequantized"))
    s = out["scale"]
    if s == NAN:
        return [["code", "any"], ["dequantized", "NaN, like every number of this block"]]
    off = f", {fmt.percent(abs(out['errors'][i] / x))}" if x else ""
    clip = ", clipped" if i in out["clipped"] else ""
    miss = ["error", (signed(out["errors"][i]) + off if out["errors"][i] else "none") + clip]
    by = {"int4_g32": 8, "q4_0": 8}.get(row["name"], out["zero"])
    if by is not None:
        by_words = "8.5" if row["name"] == "q4_0" else str(by)
        name = {"int4_g32": "÷ scale + 8", "q4_0": "÷ scale + 8.5, cut"}.get(row["name"], "÷ scale + zero")
        shifted = x / s + float(by_words) if s else float(by_words)
        first = [name, f"{num(x)} ÷ {num(s)} + {by_words} = {num(shifted)}"]
        return [first, ["code", str(code)], ["dequantized", f"({code} − {by}) × {num(s)} = {num(back)}"], miss]
    found = f"{code}, in the table {num(q)}" if row["name"] == "nf4" else hexed(code, row["bits"])
    first = ["÷ scale", f"{num(x)} ÷ {num(s)} = {num(x / s) if s else '0'}"]
    return [first, ["nearest code", found], ["dequantized", f"{num(q)} × {num(s)} = {num(back)}"], miss]


def under(out: dict, row: dict) -> list[str]:
    """What stands below each column: the element before scaling, or its code."""
    if out["scale"] == NAN:
        return ["" for _ in out["codes"]]
    if row["bits"] != 4:
        return [f"{code:02X}" for code in out["codes"]]
    return [num(v, 3) for v in (out["codes"] if out["zero"] is not None else out["elements"])]


# ---------------------------------------------------------------- bytes


def spelt(out: dict, row: dict) -> list[str]:
    """Each byte as its pieces are written: hexadecimal where a piece is a nibble or a byte, else binary."""
    said = []
    for byte, parts in zip(out["bytes"], out["pieces"], strict=True):
        left, pieces = 8, ["·"] if out["packing"] == "columns" else []
        for _, bits in parts:
            left -= bits
            piece = byte >> (left if out["packing"] != "columns" else 0) & (2**bits - 1)
            pieces.append(f"{piece:0{bits // 4}X}" if row["bits"] % 4 == 0 else f"{piece:0{bits}b}")
        said.append("".join(pieces))
    return said


def place(out: dict, i: int) -> str:
    """Where element i stands in memory."""
    names = []
    for b, parts in enumerate(out["pieces"]):
        for p, (who, bits) in enumerate(parts):
            nibble = "the high nibble" if p == 0 and len(parts) > 1 else "the low nibble"
            if who == i:
                names.append(f"byte {b}" if bits == 8 else f"{nibble if bits == 4 else f'{bits} bits'} of byte {b}")
    return f"Element {i} is {' and '.join(reversed(names))}."


# ---------------------------------------------------------------- the cost


def cost(row: dict) -> dict:
    """What one weight costs, term by term: a row of the ledger."""
    terms = []
    for what, bits, per in row["costs"]:
        terms.append(f"{what}: {bits}" + (f" ÷ {per:,} = {num(bits / per, 3)}" if per > 1 else ""))
    size = fmt.in_bytes(7e10 * row["bits"] / 8)
    besides = f" Plus: {row['second']}." if row["second"] else ""
    return {
        "bits": row["bits"],
        "shares": [bits / per for _, bits, per in row["costs"]],
        "terms": terms,
        "models": f"70 B weights take {size}; in BF16, {fmt.in_bytes(1.4e11)}.{besides}",
    }


def stored(row: dict) -> str:
    """E2M1 4 + scale 8 ÷ 32."""
    return " + ".join(f"{what} {bits}" + (f" ÷ {per:,}" if per > 1 else "") for what, bits, per in row["costs"])


def told(state: dict, out: dict, row: dict, data: dict) -> dict:
    """What compute adds to a block: its sentences, and the ledger."""
    ledger = data["ledger"]
    priced = next(one for one in ledger if one["name"] == row["name"])
    as_power = f"{power(out['scale'])} = " if is_mx(row) and out["scale"] != NAN else ""
    digits = f"{out['codes'][out['picked']]:0{row['bits']}b}" if out["scale"] != NAN else ""
    return {
        "said": {
            "now": as_power + text(out["scale"]),
            "scale": scale(state, out, row),
            "element": element(out, row, out["picked"]),
            "under": under(out, row),
            "digits": digits,
            "bytes": spelt(out, row),
            "scale_bytes": [f"{byte:02X}" for byte in out["scale_bytes"]],
            "place": place(out, out["picked"]),
            "order": data["packings"][out["packing"]],
            "note": f"{row['note']}{' ' if row['note'] else ''}Source: {priced['source']}.",
        },
        "cost": cost(priced),
        "ledger": [[one["bits"], stored(one), one["second"], one["source"]] for one in ledger],
    }
