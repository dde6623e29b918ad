"""Tokens, a head's sizes and a tile -> bytes to and from memory, FLOP, and what the tile takes on the chip.

Two bytes a number, four for what is summed up. FLOP: 2 per multiply-add of the two products. A tile is computed whole,
masked scores and rows past the end included; memory is read only where there are tokens.
"""

from __future__ import annotations

BYTES, WIDE = 2, 4
EVERYTHING = -1  # a window that also holds later tokens


def keys_of(first: int, last: int, tokens: int, window: int) -> tuple[int, int]:
    """First and last key that the queries from `first` to `last` need; a window of 0 is all before them."""
    if window == EVERYTHING:
        return 0, tokens - 1
    return (max(0, first - window + 1) if window else 0), last


def passes(tokens: int, rows: int, keys: int, window: int) -> tuple[int, int]:
    """(tiles that are computed, keys that are read), over all blocks of rows."""
    tiles = read = 0
    for first in range(0, tokens, rows):
        low, high = keys_of(first, min(first + rows, tokens) - 1, tokens, window)
        begin, end = low // keys, high // keys + 1
        tiles += end - begin
        read += min(end * keys, tokens) - begin * keys
    return tiles, read


def count_pairs(tokens: int, window: int) -> int:
    """The scores that the mask leaves: a query with every key that it sees."""
    if window == EVERYTHING:
        return tokens * tokens
    seen = min(window or tokens, tokens)
    return tokens * seen - seen * (seen - 1) // 2


def traffic(tokens: int, head: tuple[int, int], rows: int, keys: int, window: int = 0) -> dict:
    """Plain and tiled attention of one head, whose queries and keys have head[0] numbers and values head[1].

    `plain` writes the whole square, `masked` is as plain, but writes the scores alone that the mask leaves: what tiles,
    which leave out as much, are compared with.
    """
    both = sum(head)
    blocks, columns = -(-tokens // rows), -(-tokens // keys)
    tiles, read = passes(tokens, rows, keys, window)
    ends, square = 2 * tokens * both * BYTES, tokens * tokens
    plain: dict[str, float] = {
        "pass_bytes": square * BYTES,
        "square_bytes": 4 * square * BYTES,
        "flops": 2 * square * both,
    }
    plain["bytes"] = plain["square_bytes"] + ends
    plain["times"] = plain["bytes"] / ends
    pairs = count_pairs(tokens, window)
    masked: dict[str, float] = {"pairs": pairs, "bytes": 4 * pairs * BYTES + ends, "flops": 2 * pairs * both}
    tiled = {"blocks": blocks, "tiles": blocks * columns, "computed": tiles, "share": tiles / (blocks * columns)}
    tiled["again_bytes"] = (read - tokens) * both * BYTES
    tiled["bytes"] = tokens * both * BYTES + read * both * BYTES
    tiled["flops"] = tiles * rows * keys * 2 * both
    tiled["less"] = masked["bytes"] / tiled["bytes"]
    parts = {"plain": plain, "masked": masked, "tiled": tiled}
    return {"square": square, "ends": ends, "kv": tokens * both * BYTES, **parts}


def sram_bytes(head: tuple[int, int], rows: int, keys: int) -> list[dict]:
    """What one tile keeps on the chip, part by part."""
    qk, v = head
    parts = (
        ("queries", rows * qk * BYTES),
        ("keys", keys * qk * BYTES),
        ("values", keys * v * BYTES),
        ("output", rows * v * WIDE),
        ("scores", rows * keys * WIDE),
        ("stats", rows * 2 * WIDE),
    )
    return [{"name": name, "bytes": size} for name, size in parts]


def time_bounds(one: dict, moved: int, chip: dict) -> dict:
    """FLOP per byte, the TFLOP/s that leaves, and the least time by bytes and by arithmetic, in microseconds."""
    intensity = one["flops"] / moved
    return {
        "intensity": intensity,
        "gflop": one["flops"] / 1e9,
        "tflops": min(chip["peak"], intensity * chip["bandwidth"]) / 1e12,
        "us_bytes": moved / chip["bandwidth"] * 1e6,
        "us_flops": one["flops"] / chip["peak"] * 1e6,
    }
