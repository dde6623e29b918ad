"""A model's sheet, a device and a load -> each block's work, bytes and least time; halves; where one passes another.

A block takes at least as long as its arithmetic and as its bytes, and blocks follow one another. Products with weights
run in the format that the config says (counting/products.py), work on the past in 16 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.explainers import fmt
from cutaway.gallery.counting import blocks

HALVES = ("mixer", "past", "mlp", "head")
DTYPES = {"bf16": "bfloat16", "fp8": "float8_e4m3fn"}
MOST_BATCH, MOST_CONTEXT = 1 << 24, 1 << 27  # where the searches end
TIMES = ((1e3, "s"), (1.0, "ms"), (1e-3, "µs"), (1e-6, "ns"))  # of milliseconds
WORK = ((1e18, "EFLOP"), (1e15, "PFLOP"), (1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"), (1.0, "FLOP"))
BINDS = {"arithmetic": "arithmetic", "weights": "reading weights", "cache": "reading its cache", "": "nothing"}
LABELS = {"mixer": "{}: projections", "past": "{}: cache"}


def spelt(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    """4.4803, TIMES -> "4.48 ms"."""
    size, unit = next((step for step in steps if value >= step[0]), steps[-1])
    digits = 0 if not value else 2 if value / size < 10 else 1 if value / size < 1000 else 0
    return f"{fmt.fixed(value / size, digits)} {unit}"


def flops(told: blocks.Sheet, block: blocks.Block, context: int, batch: int, prefill: bool) -> float:
    """Of the next token of each sequence, or of whole prompts."""
    return float(blocks.flops(told, block, context, batch, prefill))


def moved(told: blocks.Sheet, block: blocks.Block, state: dict, prefill: bool) -> tuple[float, float]:
    """(bytes of weights, bytes of cache) of a step."""
    tokens = state["batch"] * (state["context"] if prefill else 1)
    kept = blocks.cache_bytes(told, block, state["context"], DTYPES[state["kv"]], state["batch"], prefill)
    return float(blocks.weight_bytes(block, tokens)), float(kept)


def row(told: blocks.Sheet, block: blocks.Block, state: dict, rates: dict) -> dict[str, Any]:
    """One block of a step."""
    prefill, rate = state["job"] == "prefill", rates[block["runs"]]
    work = flops(told, block, state["context"], state["batch"], prefill)
    weights, cache = moved(told, block, state, prefill)
    counting, moving = 1e3 * work / rate, 1e3 * (weights + cache) / rates["bytes"]
    most = max(counting, moving)
    binds = "" if not most else "arithmetic" if counting > moving else "weights" if weights >= cache else "cache"
    return {
        "label": LABELS.get(block["half"], "{}").format(block["name"]),
        "half": block["half"],
        "role": block["role"],
        "peak": rate / state["gpus"],
        "count": block["count"],
        "work": spelt(work, WORK),
        "flops": work,
        "weights": weights,
        "cache": cache,
        "bytes": weights + cache,
        "intensity": work / (weights + cache) if weights + cache else 0.0,
        "tflops": work / most / 1e9 / state["gpus"] if most else 0.0,
        "flops_ms": counting,
        "bytes_ms": moving,
        "ms": most,
        "time": spelt(most, TIMES),
        "binds": BINDS[binds],
    }


def half(rows: list[dict], name: str, gpus: int, rates: dict) -> dict[str, Any]:
    """All blocks of a half together: one point under the roof, and where its own roof has its ridge."""
    mine = [one for one in rows if one["half"] == name]
    work, size, ms, counting = (float(sum(one[key] for one in mine)) for key in ("flops", "bytes", "ms", "flops_ms"))
    return {
        "flops": work,
        "bytes": size,
        "ms": ms,
        "time": spelt(ms, TIMES),
        "intensity": work / size if size else 0.0,
        "tflops": work / ms / 1e9 / gpus if ms else 0.0,
        "ridge": 1e3 * work / counting / rates["bytes"] if counting else 0.0,
    }


# ---------------------------------------------------------------- where one passes another


def last(holds: Callable[[int], bool], high: int) -> int:
    """The last of 1, 2, ... for which it holds; 0 where it does not even for 1, -1 where it holds up to `high`."""
    if not holds(1) or holds(high):
        return 0 if not holds(1) else -1
    low = 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def waits(told: blocks.Sheet, name: str, rates: dict) -> int:
    """Up to how many sequences the matrices of a half wait for their weights, in decoding; -1: always."""
    mine = [one for one in told["blocks"] if one["half"] == name]
    token = float(sum(blocks.flops(told, one, 1, 1, False) / rates[one["runs"]] for one in mine))

    def bound(batch: int) -> bool:
        size = float(sum(blocks.weight_bytes(one, batch) for one in mine))
        return token * batch * rates["bytes"] <= size

    return last(bound, MOST_BATCH)


def crossings(told: blocks.Sheet, state: dict) -> dict[str, int]:
    """Up to how many tokens a step of this batch reads more weights than cache, and from how many sequences of this
    context on it does not; -1: always, never."""

    def more(context: int, batch: int) -> bool:
        both = [moved(told, one, {**state, "context": context, "batch": batch}, False) for one in told["blocks"]]
        return sum(cache for _, cache in both) <= sum(weights for weights, _ in both)

    tokens = last(lambda context: more(context, state["batch"]), MOST_CONTEXT)
    batch = last(lambda batch: more(state["context"], batch), MOST_BATCH)
    return {"tokens": tokens, "sequences": batch + 1 if batch >= 0 else -1}
