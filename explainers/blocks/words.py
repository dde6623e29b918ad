"""A computed block -> its sentences: its scale, one element, its bytes, what it costs. Twin of parts.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.blocks.lines import element, is_mx, reciprocal, scale, shared
from cutaway.explainers.blocks.spell import NAN, num, power, text

CODES_BELOW = ("between_ends", "q4_k", "mlx", "hqq")  # kinds whose 4-bit codes stand under the columns


def under(out: dict, row: dict) -> list[str]:
    """What stands below each column: the element before scaling, or its code."""
    if out["scale"] == NAN:
        return ["" for _ in out["codes"]]
    if row["bits"] != 4:
        return [f"{code:02X}" for code in out["codes"]]
    return [num(v, 3) for v in (out["codes"] if row["kind"] in CODES_BELOW else out["elements"])]


# ---------------------------------------------------------------- bytes


def spelt(out: dict, row: dict) -> list[str]:
    """Each byte as its pieces are written: hexadecimal where a piece is a nibble or a byte, else binary."""
    said = []
    for byte, parts in zip(out["bytes"], out["pieces"], strict=True):
        left, pieces = 8, []
        high = out["packing"] == "paired"  # its other nibble is of another group
        for _, bits in parts:
            left -= bits
            piece = byte >> (0 if out["packing"] == "columns" else left) & (2**bits - 1)
            pieces.append(f"{piece:0{bits // 4}X}" if row["bits"] % 4 == 0 else f"{piece:0{bits}b}")
        said.append(("·" if out["packing"] == "columns" else "") + "".join(pieces) + ("·" if high else ""))
    return said


def place(out: dict, i: int) -> str:
    """Where element i stands in memory."""
    names = []
    for b, parts in enumerate(out["pieces"]):
        for p, (who, bits) in enumerate(parts):
            nibble = (
                "the high nibble" if (p == 0 and len(parts) > 1) or out["packing"] == "paired" else "the low nibble"
            )
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
            "shared": shared(out, row),
            "reciprocal": reciprocal(out, row),
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
