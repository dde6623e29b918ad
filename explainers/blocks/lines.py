"""How a block's scale came about, and one element, in rows of [what, how]. Twin of lines.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.blocks.spell import NAN, exponent, hexed, num, power, signed
from cutaway.explainers.blocks.sub_blocks import SUB_BLOCKS, part, reaches


def is_mx(row: dict) -> bool:
    return row["kind"] == "mx"


def shared(out: dict, row: dict) -> str:
    """What the numbers of the block share."""
    if out["subs"] == 1:
        return f"{out['n']:,} numbers share one scale"
    beside = " and a minimum" if row["kind"] == "q4_k" else ""
    return f"{out['n']:,} numbers in {out['subs']} sub-blocks, each with a scale{beside}"


# ---------------------------------------------------------------- the scale


def exponent_words(rule: str, amax: float, row: dict) -> str:
    """The rule, with numbers in it."""
    form, k = row["format"], exponent(amax)
    if rule == "rceil":
        return f"⌈log₂({num(amax)} ÷ {num(form['largest'])})⌉"
    if rule == "ceil":
        return f"⌈log₂ {num(amax)}⌉ − {form['emax']}"
    if rule == "even":
        limit = (2 - 2.0 ** -(form["mantissa_bits"] + 1)) * 2.0**k
        up = amax >= limit
        return f"{num(amax)} {'≥' if up else '<'} {num(limit)}, so {f'{num(k)} + 1' if up else num(k)} − {form['emax']}"
    return f"⌊log₂ {num(amax)}⌋ − {form['emax']} = {num(k)} − {form['emax']}"


def scale(state: dict, out: dict, row: dict) -> list[list[str]]:
    """How the scale came about, in rows of [what, how]."""
    amax, now = out["amax"], out["scale"]
    kept = ["stored as", f"{row['stored_words']}: {hexed(out['scale_code'], 8 * row['scale_bytes'])}"]
    if now == NAN:
        return [["largest |x|", f"NaN, element {out['peak']}"], ["scale", NAN], kept]
    largest = ["largest |x|", num(amax) + seen(out)]
    if is_mx(row):
        how = ["exponent", f"{exponent_words(state['rule'], amax, row)} = {num(out['scale_code'] - 127)}"]
        return [
            largest,
            how if amax else ["largest", "every number is 0"],
            ["scale", f"{power(now)} = {num(now)}"],
            kept,
            reaches(row["format"]["largest"], now),
        ]
    if row["kind"] in ("nvfp4", "four_over_six"):
        return nvfp4_scale(out, row)
    if row["kind"] in SUB_BLOCKS:
        return SUB_BLOCKS[row["kind"]](out, row, kept)
    if row["kind"] == "fp8":
        most = row["format"]["largest"]
        rounded = f"rounded up: {power(now)} = {num(now)}" if row["stored"] == "e8m0" else num(now)
        return [
            largest,
            [f"÷ {num(most)}", f"{num(amax)} ÷ {num(most)} = {num(amax / most)}"],
            ["scale", rounded],
            kept,
        ]
    if row["kind"] in ("between_ends", "mlx", "hqq"):
        return ends_scale(out, row, kept)
    how = {
        "around_zero": lambda: [f"÷ {num(row['facts']['half'])}", f"{num(amax)} ÷ {num(row['facts']['half'])}"],
        "nf4": lambda: ["scale", "the largest itself"],
        "q4_0": lambda: ["÷ −8", "with its sign, so that it becomes code 0"],
        "iq4_nl": lambda: ["searched", f"{2 * row['facts']['tries'] + 2} scales, the least weighted error"],
    }["around_zero" if "half" in row["facts"] else row["kind"]]()
    return [largest, how, ["scale", num(now)], kept]


def seen(out: dict) -> str:
    """Which element is the largest."""
    return f", element {out['peak']}" if out["peak"] < out["shown"] else ", outside this window"


def ends_scale(out: dict, row: dict, kept: list[str]) -> list[list[str]]:
    """A grid between the smallest and the largest number."""
    low, high, second = out["low"], out["high"], [num(v) for v in out["second"]]
    if row["kind"] == "between_ends":
        low, high = min(0.0, low), max(0.0, high)
    ends, steps = ["smallest … largest", f"{num(low)} … {num(high)}"], ["÷ 15 steps", f"{num(high - low)} ÷ 15"]
    zero = {
        "between_ends": lambda: ["zero point", f"code {out['zero']} means 0"],
        "mlx": lambda: ["bias", f"{second[0]}, added"],
        "hqq": lambda: ["zero point", f"{second[0]}, a float"],
    }[row["kind"]]()
    return [ends, steps, ["scale", num(out["scale"])], kept, zero]


def nvfp4_scale(out: dict, row: dict) -> list[list[str]]:
    """Two levels: the tensor's FP32 scale, the block's E4M3 scale."""
    amax, now, tensor = out["amax"], out["scale"], out["tensor_scale"]
    most, stored, target = row["format"]["largest"], now / tensor, target_of(out, row)
    block = (
        f"{num(amax)} ÷ {num(target)} ÷ {num(tensor)} = {num(amax / target / tensor)}" if amax else "every number is 0"
    )
    tried = (
        [["mean sq. error", f"6: {num(out['second'][0], 3)}, 4: {num(out['second'][1], 3)}"]] if out["second"] else []
    )
    return [
        ["tensor", f"{num(out['tensor_amax'])} ÷ ({num(row['facts']['reach'] / most)} × 6) = {num(tensor)}, FP32"],
        *tried,
        ["block", block],
        ["stored as", f"E4M3 {num(stored)}: {hexed(out['scale_code'], 8)}"],
        ["scale", f"{num(stored)} × {num(tensor)} = {num(now)}"],
        reaches(most, now),
    ]


def target_of(out: dict, row: dict) -> float:
    """What the block's largest number becomes: 6, or 4 where that was chosen."""
    other = row["facts"].get("other")
    return other if other and out["second"][1] < out["second"][0] else row["format"]["largest"]


def reciprocal(out: dict, row: dict) -> list[list[str]]:
    """The tensor's scale under either convention, and what comes of taking one for the other."""
    if "reach" not in row["facts"]:
        return []
    t, i = out["tensor_scale"], out["picked"]
    q, block = out["elements"][i], out["scale"] / t
    start = f"{num(q)} × {num(block)}"
    wrong, times = q * block / t, 1 / t / t
    return [
        ["multiplied", f"{start} × {num(t)} = {num(q * out['scale'])}. ModelOpt stores weight_scale_2 = {num(t)}."],
        ["divided", f"{start} ÷ {num(1 / t)} = {num(q * out['scale'])}."
         f" compressed-tensors stores weight_global_scale = {num(1 / t)}."],
        ["mixed up", f"{start} × {num(1 / t)} = {num(wrong)}: {num(times)} times too large, as is the whole tensor."],
    ]  # fmt: skip


# ---------------------------------------------------------------- one element


def element(out: dict, row: dict, i: int) -> list[list[str]]:
    """How element i became a code and came back."""
    x, q, code, back = (out[key][i] for key in ("values", "elements", "codes", "dequantized"))
    s = out["scale"]
    if s == NAN:
        return [["code", "any"], ["dequantized", "NaN, like every number of this block"]]
    off = f", {fmt.percent(abs(out['errors'][i] / x))}" if x else ""
    clip = ", clipped" if i in out["clipped"] else ""
    miss = ["error", (signed(out["errors"][i]) + off if out["errors"][i] else "none") + clip]
    if row["kind"] in ("q4_k", "mlx"):
        return [*shifted(out, row, i), miss]
    by = zero_of(out, row)
    if by is not None:
        return [*counted(out, row, i, by), miss]
    found = f"{code}, in the table {num(q)}" if row["books"] else hexed(code, row["bits"])
    if row["facts"].get("offset") == 0 or (row["format"] and row["format"]["unit"]):
        found += f", {num(q)}"
    nested = row["kind"] == "nf4_nested"
    divisor = max(abs(v) for v in part(out)) if nested else s
    divided = f"{num(x)} ÷ {num(divisor)} = {num(x / divisor) if divisor else '0'}"
    back_row = ["dequantized", f"{num(q)} × {num(s)} = {num(back)}"]
    return [["÷ largest" if nested else "÷ scale", divided], ["nearest code", found], back_row, miss]


def counted(out: dict, row: dict, i: int, by: float) -> list[list[str]]:
    """An element whose codes are counted from below: `by` means 0."""
    x, code, back, s = out["values"][i], out["codes"][i], out["dequantized"][i], out["scale"]
    half = row["kind"] == "q4_0"
    plus = 8.5 if half else by
    known = out["zero"] is None and by in (8, 32)
    name = "÷ scale + 8.5, cut" if half else f"÷ scale + {num(by)}" if known else "÷ scale + zero"
    return [
        [name, f"{num(x)} ÷ {num(s)} + {num(plus)} = {num(x / s + plus if s else plus)}"],
        ["code", str(code)],
        ["dequantized", f"({code} − {num(by)}) × {num(s)} = {num(back)}"],
    ]


def shifted(out: dict, row: dict, i: int) -> list[list[str]]:
    """An element under a minimum that is subtracted, or a bias that is added."""
    x, code, back, s = out["values"][i], out["codes"][i], out["dequantized"][i], out["scale"]
    low = out["second"][1] * out["zero"] if row["kind"] == "q4_k" else -out["second"][0]
    sign, other = ("+", "−") if low >= 0 else ("−", "+")
    size = num(abs(low))
    name = "+ minimum, ÷ scale" if row["kind"] == "q4_k" else "− bias, ÷ scale"
    return [
        [name, f"({num(x)} {sign} {size}) ÷ {num(s)} = {num((x + low) / s) if s else '0'}"],
        ["code", str(code)],
        ["dequantized", f"{code} × {num(s)} {other} {size} = {num(back)}"],
    ]


def zero_of(out: dict, row: dict) -> float | None:
    """The code that means 0, where codes are counted from below."""
    if row["kind"] == "hqq":
        return out["second"][0]
    if row["kind"] == "around_zero":
        return row["facts"]["offset"] or None
    return {"q4_0": 8, "q6_k": 32}.get(row["kind"], out["zero"])
