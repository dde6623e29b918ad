"""Sizes of one layer of latent attention -> what is kept, FLOPs and bytes of each way to read it, where they cross.

Two FLOPs a multiply-add, two bytes a number. H heads, a latent of r numbers, keys of n and values of v, a position key
of R. Absorbed, a cached token costs 2 H (2r + R): its score on r + R numbers, its share of the sum on r. Unpacked it
costs 2 H (n + R + v), and unpacking it 2 r H (n + v), which is also what carrying one query and unpacking one sum cost.
"""

from __future__ import annotations

BYTES = 2  # BF16
PAIRS, WIDE = 8, 128  # what a latent is compared with: eight key/value heads of 128
POINTS, LAST = 8, 512  # of the chart over new tokens
LIMIT = 65_536  # new tokens beyond which nobody asks


def token_bytes(size: dict) -> dict:
    """Numbers and bytes of one token in one layer, as a latent and unpacked."""
    latent = size["rank"] + size["rope"]
    grown = size["heads"] * (size["nope"] + size["rope"] + size["v"])
    return {
        "numbers": latent,
        "bytes": BYTES * latent,
        "unpacked_numbers": grown,
        "unpacked_bytes": BYTES * grown,
        "times": grown / latent,
        "grouped_numbers": 2 * PAIRS * WIDE,
        "grouped_bytes": BYTES * 2 * PAIRS * WIDE,
        "model_bytes": BYTES * latent * size["layers"],
    }


def core(size: dict) -> dict:
    """FLOPs of one new token for each cached one: absorbed, unpacked; and of unpacking one."""
    heads, rank, rope, nope, v = (size[key] for key in ("heads", "rank", "rope", "nope", "v"))
    return {
        "absorbed": 2 * heads * (2 * rank + rope),
        "unpacked": 2 * heads * (nope + rope + v),
        "unpacking": 2 * rank * heads * (nope + v),
    }


def ways(size: dict, chip: dict) -> dict:
    """One cached token, read by one new one: FLOPs, bytes, and the least time on a chip."""
    flops, held = core(size), token_bytes(size)
    rows = {
        "absorbed": (flops["absorbed"], held["bytes"]),
        "unpacked": (flops["unpacked"], held["unpacked_bytes"]),
        "rebuilt": (flops["unpacked"] + flops["unpacking"], held["bytes"]),
    }
    made = {}
    for way, (work, moved) in rows.items():
        by = {"flops": work / chip["peak"] * 1e9, "bytes": moved / chip["bandwidth"] * 1e9}
        made[way] = {"flops": work, "bytes": moved, "intensity": work / moved, "ns": max(by.values())}
    made["more_flops"] = made["absorbed"]["flops"] / made["unpacked"]["flops"]
    made["less_bytes"] = made["unpacked"]["bytes"] / made["absorbed"]["bytes"]
    made["faster"] = made["unpacked"]["ns"] / made["absorbed"]["ns"]
    return made


def pairs(context: int, new: int) -> int:
    """(new token, token it sees) pairs: all of the cache, and those before it."""
    return new * context + new * (new + 1) // 2


def both(size: dict, context: int, new: int) -> tuple[int, int]:
    """FLOPs of a layer's core with its matrices moved: (absorbed, unpacked)."""
    each, seen = core(size), pairs(context, new)
    return (
        new * each["unpacking"] + seen * each["absorbed"],
        (context + new) * each["unpacking"] + seen * each["unpacked"],
    )


def crossing_tokens(size: dict, context: int) -> int:
    """The fewest new tokens for which unpacking all costs fewer FLOPs; 0 where it never does."""
    gain = 2 * size["rank"] - size["nope"] - size["v"]
    needed = context * size["rank"] * (size["nope"] + size["v"])
    low, high = 1, LIMIT
    if pairs(context, high) * gain <= needed:
        return 0
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if pairs(context, middle) * gain > needed else (middle + 1, high)
    return low


def grow(size: dict, context: int, new: int) -> dict:
    """Both costs by new tokens: at `new`, along a chart, and where they meet."""
    along = [LAST * i // POINTS for i in range(POINTS + 1)]
    lines = [both(size, context, n) for n in along]
    now = both(size, context, new)
    return {
        "new": along,
        "absorbed": [line[0] for line in lines],
        "unpacked": [line[1] for line in lines],
        "now": {"absorbed": now[0], "unpacked": now[1], "times": max(now) / min(now)},
        "crossing": crossing_tokens(size, context),
        "cheaper": "unpacked" if now[1] < now[0] else "absorbed",
        "each": core(size),
    }


def gpus(size: dict, other: dict, ranks: int, split: str) -> dict:
    """Bytes of a token's cache on each GPU, in all layers, for the latent and for grouped heads.

    Split by heads, a latent is needed by every GPU's heads, so each keeps all of it. Split by sequences, each keeps the
    tokens of its own: a share on average.
    """
    whole = token_bytes(size)["model_bytes"]
    copies = ranks if split == "heads" else 1
    theirs = max(1, ranks // other["pairs"]) if split == "heads" else 1
    return {
        "ranks": ranks,
        "one": whole,
        "each": whole * copies / ranks,
        "share": copies / ranks,
        "copies": copies,
        "all": whole * copies,
        "other": {
            **other,
            "each": other["bytes"] * theirs / ranks,
            "share": theirs / ranks,
            "copies": theirs,
            "all": other["bytes"] * theirs,
        },
    }
