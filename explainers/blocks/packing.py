"""Element codes and a scale -> bytes in memory order, and which bits of which element each byte holds."""

from __future__ import annotations

from cutaway.explainers.blocks import rows

SCALE_BYTES = {"e8m0": 1, "e4m3": 1, "float16": 2, "bfloat16": 2, "float32": 4}


def pack_elements(scheme: str, packing: str, codes: list[int]) -> dict:
    """Element bytes in memory order, and for each byte its pieces from the high bits down: [element, bits]."""
    packing = settle_packing(scheme, packing)
    bits = rows.bits_of_played(scheme)
    length = len(codes) if packing == "columns" else len(codes) * bits // 8
    stored = [0] * length
    pieces: list[list[list[int]]] = [[] for _ in range(length)]
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


def settle_packing(scheme: str, packing: str) -> str:
    """The packing that is asked for, or the scheme's own where it has no such one."""
    allowed = rows.PLAYED[scheme][4]
    return packing if packing in allowed else allowed[0]


def position(packing: str, i: int, bits: int, n: int) -> int:
    """The bit at which element i starts."""
    if packing == "halves":
        return 8 * (i % (n // 2)) + 4 * (i // (n // 2))
    if packing == "high_first":
        return 8 * (i // 2) + 4 * (1 - i % 2)
    return 8 * i if packing == "columns" else bits * i


def scale_bytes(scheme: str, code: int) -> list[int]:
    """The stored scale, little-endian."""
    return list(code.to_bytes(SCALE_BYTES[rows.PLAYED[scheme][3]], "little"))
