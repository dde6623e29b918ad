"""Element codes and scales -> bytes in memory order, and which bits of which element each byte holds."""

from __future__ import annotations

import numpy as np

from cutaway.explainers.blocks import rows
from cutaway.explainers.blocks.elements import Blocks


def pack_elements(scheme: str, packing: str, codes: list[int]) -> dict:
    """Element bytes in memory order, and for each byte its pieces from the high bits down: [element, bits]."""
    packing = settle_packing(scheme, packing)
    bits = rows.bits_of_played(scheme)
    length = len(codes) if packing in rows.WIDE else len(codes) * bits // 8
    stored = [0] * length
    pieces: list[list[list[int]]] = [[] for _ in range(length)]
    for i, code in enumerate(codes):
        done = 0
        for at, count in runs(packing, i, bits, len(codes)):
            end = done + count
            while done < end:
                byte, low = divmod(at, 8)
                taken = min(8 - low, end - done)
                stored[byte] |= (code >> done & (2**taken - 1)) << low
                pieces[byte].append([low, i, taken])
                done, at = done + taken, at + taken
    in_order = [[[i, taken] for _, i, taken in sorted(parts, reverse=True)] for parts in pieces]
    return {"packing": packing, "bytes": stored, "pieces": in_order}


def settle_packing(scheme: str, packing: str) -> str:
    """The packing that is asked for, or the scheme's own where it has no such one."""
    allowed = rows.PLAYED[scheme].packings
    return packing if packing in allowed else allowed[0]


def runs(packing: str, i: int, bits: int, n: int) -> list[tuple[int, int]]:
    """Where the bits of element i stand, low bits first: [first bit in memory, how many]."""
    if packing == "low_high":  # of every 128 numbers
        return [(8 * (i % 64) + 4 * (i // 64), 4), (8 * (64 + i % 32) + 2 * (i // 32), 2)]
    return [(position(packing, i, bits, n), bits)]


def position(packing: str, i: int, bits: int, n: int) -> int:
    """The bit at which element i starts."""
    if packing in rows.HALVES:
        size = rows.HALVES[packing] or n
        return 4 * size * (i // size) + 8 * (i % (size // 2)) + 4 * (i % size // (size // 2))
    if packing == "high_first":
        return 8 * (i // 2) + 4 * (1 - i % 2)
    return 8 * i + 4 * (packing == "paired") if packing in rows.WIDE else bits * i


def scale_bytes(scheme: str, made: Blocks, sub: int) -> list[int]:
    """What is stored beside the codes, little-endian: of the block, or of the one sub-block that is drawn."""
    found = stored_parts(scheme, made, sub)
    return [byte for code, size in found for byte in int(code).to_bytes(size, "little")]


def stored_parts(scheme: str, made: Blocks, sub: int) -> list[tuple[int, int]]:
    """[code, bytes] of each number that is stored beside the codes, in the order of the file."""
    row, scales = rows.PLAYED[scheme], made.scale_code[0].tolist()
    size = rows.STORED[row.stored][1]
    second = [] if made.second is None else made.second[0]
    half = [(int(np.float16(value).view(np.uint16)), 2) for value in second]
    if row.kind == "q4_k":
        assert made.zero is not None
        return [*half, *((byte, 1) for byte in six_bits(scales, made.zero[0].tolist()))]
    if row.kind == "q6_k":
        return [*((code, 1) for code in scales), *half]
    if row.kind in ("mlx", "hqq"):
        return [(scales[0], size), (int(np.float32(second[0]).view(np.uint32)), size)]
    return [(code, size) for code in scales] if row.kind == "ue4m3" else [(scales[sub], size)]


def six_bits(scales: list[int], lows: list[int]) -> list[int]:
    """Eight scales and minimums of 6 bits -> twelve bytes: four whole ones each, the rest in nibbles and high bits."""
    first = [scales[j] | (scales[j + 4] >> 4) << 6 for j in range(4)]
    next_four = [lows[j] | (lows[j + 4] >> 4) << 6 for j in range(4)]
    return [*first, *next_four, *(scales[j] & 15 | (lows[j] & 15) << 4 for j in range(4, 8))]
