"""A workload, a cache and a scheduler's settings -> every step of the engine, counted: the truth of the page.

The cache is small, so that each of its blocks can be drawn; its bytes are those of a real model of the catalogue.
"""

from __future__ import annotations

import random
from typing import Any

from cutaway.explainers import data as cached
from cutaway.explainers.paged_cache.engine import Engine, Request
from cutaway.explainers.paged_cache.workloads import LIMIT, NONE, TYPED, WORKLOADS, requests, typed
from cutaway.gallery import catalog, parameters
from cutaway.gallery.counting.memory import kv_bytes_per_token
from cutaway.gallery.planning.devices import DEVICES

STATE: dict[str, Any] = {
    "workload": "chat",
    "seed": 1,  # of the workload "seeded"
    "own": "0 40 30, 0 20 60, 5 100 20",  # of the workload "own": arrival, prompt, answer
    "system": 0,  # tokens of a system prompt that all first turns begin with
    "block_size": 16,
    "memory": 48,  # MiB of KV cache
    "dtype": "bfloat16",  # of the cache
    "allocation": "paged",  # or a contiguous reservation: "max", "exact"
    "batching": "continuous",  # with chunked prefill; "whole" prompts without; "static"
    "prefix_caching": True,
    "max_num_seqs": 8,
    "max_num_batched_tokens": 128,
    "utilization": 92,  # gpu_memory_utilization of a whole GPU, in percent
    "moves": [],  # step, request, step, request: what the reader did to the queues
    "step": 12,  # the one that is drawn
    "request": 0,  # the one that is looked at
}
ROUNDED = 1e-9
MODEL, DEVICE = "meta-llama/Llama-3.1-8B", "h100_sxm"
MIB = 1 << 20
DTYPES = {"bfloat16": "bfloat16", "fp8": "float8_e4m3fn"}  # kv_cache_dtype -> the format as the library names it
SIZES = (8, 16, 32, 64, 128)
RANGES = {  # smallest and largest
    "seed": (1, 99), "system": (0, 96), "memory": (32, 256), "max_num_seqs": (1, 12), "step": (1, 9999),
    "max_num_batched_tokens": (16, 1024), "utilization": (50, 99), "request": (0, 11),
}  # fmt: skip
ALLOCATIONS, BATCHINGS = ("paged", "max", "exact"), ("continuous", "whole", "static")
MOVES = 24  # the most numbers that a list of moves may have


def data() -> dict:
    """The workloads, the model and the device."""
    spec = catalog.spec(MODEL)
    return {
        "workloads": WORKLOADS,
        "limit": LIMIT,
        "title": catalog.BY_SLUG[MODEL].title,
        "bytes_per_token": {name: int(kv_bytes_per_token(spec, cache_dtype=form)) for name, form in DTYPES.items()},
        "weights_bytes": 2 * parameters(spec).total,
        "device_bytes": DEVICES[DEVICE].memory_bytes,
        "ranges": {key: list(ends) for key, ends in RANGES.items()},
        "sizes": list(SIZES),
    }


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    chosen = {
        "workload": (*data["workloads"], "seeded", "own"),
        "block_size": data["sizes"],
        "dtype": tuple(data["bytes_per_token"]),
        "allocation": ALLOCATIONS,
        "batching": BATCHINGS,
    }
    for key, known in chosen.items():
        if isinstance(state[key], bool) or state[key] not in known:
            return f"{key} is one of {', '.join(map(str, known))}."
    for key, (low, high) in data["ranges"].items():
        if not whole(state[key], low, high):
            return f"{key} is a whole number from {low} to {high}."
    if not isinstance(state["prefix_caching"], bool):
        return "prefix_caching is true or false."
    if state["batching"] == "whole" and state["max_num_batched_tokens"] < data["limit"]:
        return f"Without chunked prefill, max_num_batched_tokens is at least max_model_len, {data['limit']}."
    if not isinstance(state["own"], str) or not typed(state["own"]):
        return TYPED
    return check_moves(state["moves"])


def check_moves(moves: object) -> str:
    """A list of pairs."""
    steps, numbers = (moves[::2], moves[1::2]) if isinstance(moves, list) else ([0], [])
    if len(steps) == len(numbers) <= MOVES // 2:
        low, high = RANGES["step"]
        if all(whole(one, low, high) for one in steps) and all(whole(one, *RANGES["request"]) for one in numbers):
            return ""
    return f"moves is a list of at most {MOVES // 2} pairs: a step, and the number of a request."


def whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    rows = requests(state, data["workloads"])
    per_block = data["bytes_per_token"][state["dtype"]] * state["block_size"]
    blocks = state["memory"] * MIB // per_block
    moves = [n for pair in pairs(state["moves"]) if pair[1] < len(rows) for n in pair]
    engine = Engine(rows, {**state, "moves": moves}, blocks)
    timeline, at = run(engine, state["step"])
    return {
        "bytes_per_token": data["bytes_per_token"][state["dtype"]],
        "bytes_per_block": per_block,
        "blocks": blocks,
        "capacity": blocks * state["block_size"],
        "end": len(timeline),
        "at": at,
        "timeline": timeline,
        "rows": [about(one) for one in engine.all],
        "sums": summed(engine, timeline, blocks),
        "real": real(state, data, per_block),
    }


def pairs(moves: list[int]) -> list[tuple[int, int]]:
    return list(zip(moves[::2], moves[1::2], strict=True))


def run(engine: Engine, step: int) -> tuple[list[list[int]], dict]:
    """(what each step held and computed, the step that is drawn, or the last before it)."""
    timeline: list[list[int]] = []
    at: dict = {}
    budget = engine.given["max_num_batched_tokens"]
    while not engine.over():
        ended = engine.step()
        fill = filled(engine)
        used = sum(1 for refs in engine.pool.refs if refs)
        kept = sum(1 for block in engine.pool.free if engine.pool.keys[block] is not None)
        scheduled = budget - engine.tokens
        timeline.append([used, sum(fill), kept, scheduled, len(engine.running), len(engine.waiting)])
        last = all(one.done or one in ended for one in engine.all)
        if engine.now == step or (last and engine.now < step):
            at = drawn(engine, fill)
        engine.finish(ended)
    return timeline, at


def filled(engine: Engine) -> list[int]:
    """How many tokens each block in use holds."""
    fill = [0] * len(engine.pool.refs)
    for one in engine.running:
        for place, block in enumerate(one.table):
            held = min(engine.size, max(0, one.computed - place * engine.size))
            fill[block] = max(fill[block], held)
    return fill


def drawn(engine: Engine, fill: list[int]) -> dict:
    """A step as it is drawn: a cell per block, [who holds it, how many read it, tokens]; the queues; the tables."""
    owner = [NONE] * len(fill)
    for one in reversed(engine.running):
        for block in one.table:
            owner[block] = one.number
    pool, size = engine.pool, engine.size
    cells = [
        [owner[block], pool.refs[block], fill[block] if pool.refs[block] else size if pool.keys[block] else 0]
        for block in range(len(fill))
    ]
    by_number = {one.number: one for one in engine.running}
    return {
        "step": engine.now,
        "used": sum(1 for refs in pool.refs if refs),
        "tokens": sum(fill),
        "cached": sum(1 for block in pool.free if pool.keys[block] is not None),
        "shared": sum(1 for refs in pool.refs if refs > 1),
        "scheduled": engine.given["max_num_batched_tokens"] - engine.tokens,
        "cells": cells,
        "running": [one.number for one in engine.running],
        "waiting": [one.number for one in engine.waiting],
        "tables": [by_number[one.number].table[:] if one.number in by_number else [] for one in engine.all],
        "computed": [one.computed for one in engine.all],
        "next": pool.free[:4],
    }


def about(one: Request) -> dict:
    """A request from its arrival to its last token."""
    return {
        "prompt": one.prompt,
        "answer": one.answer,
        "arrival": one.arrival,
        "first": one.first,
        "done": one.done,
        "waits": one.first - one.arrival,
        "hits": one.hits,
        "lane": "".join(one.lane),
    }


def summed(engine: Engine, timeline: list[list[int]], blocks: int) -> dict:
    """The whole run in numbers."""
    used, tokens, _, scheduled, running, _ = (sum(column) for column in zip(*timeline, strict=True))
    held = used * engine.size
    return {
        "preemptions": engine.preemptions,
        "repeated": engine.repeated,
        "evictions": engine.pool.evictions,
        "hits": sum(one.hits for one in engine.all),
        "scheduled": scheduled,
        "peak": max(row[0] for row in timeline),
        "peak_tokens": max(row[1] for row in timeline),
        "largest": max(row[3] for row in timeline),
        "most_running": max(row[4] for row in timeline),
        "held_share": tokens / held,  # of what requests hold
        "filled_share": tokens / (len(timeline) * blocks * engine.size),  # of all the cache
        "empty": (held - tokens) / running,  # slots without a token, for each running request
        "entries": used / running,
        "first_mean": sum(one.first - one.arrival for one in engine.all) / len(engine.all),
    }


def real(state: dict, data: dict, per_block: int) -> dict:
    """What a whole GPU would hold: what utilization leaves beside the weights, nothing else counted."""
    left = data["device_bytes"] * state["utilization"] // 100 - data["weights_bytes"]
    return {
        "title": data["title"],
        "device_bytes": data["device_bytes"],
        "left_bytes": left,
        "blocks": left // per_block,
        "tokens": left // per_block * state["block_size"],
    }


# ---------------------------------------------------------------- shared cases


def cases(data: dict | None = None, seed: int = 1, count: int = 300) -> list[dict]:
    """States for both sides: random workloads and settings, some with moves, a few not legal."""
    data = data or cached("paged-cache")
    rng = random.Random(seed)
    wrong: list[dict[str, Any]] = [{"workload": "no"}, {"block_size": 12}, {"moves": [3]}, {"moves": [0, 1]}]
    wrong += [{"own": text} for text in ("", "1 2", "0 0 5", "0 100 61", "201 1 1", "0 1 1," * 12 + "0 1 1", "0 ٣ 1")]
    wrong += [{"memory": 31}, {"seed": True}, {"batching": "whole"}, {"dtype": "int8"}, {"prefix_caching": 1}]
    names = ["seeded"] * 4 + ["own", *WORKLOADS]
    found = []
    for _ in range(count):
        low, high = RANGES["max_num_batched_tokens"]
        whole_prompts = rng.random() < 0.2
        found.append(
            {
                "workload": rng.choice(names),
                "seed": rng.randint(1, 99),
                "own": ", ".join(
                    f"{rng.randint(0, 40)} {rng.randint(1, 120)}  {rng.randint(1, 40)}"
                    for _ in range(rng.randint(1, 12))
                ),
                "system": rng.choice([0, 0, 16, 40, 90, rng.randint(0, 96)]),
                "block_size": rng.choice(SIZES),
                "memory": rng.choice([32, 40, 48, 64, rng.randint(32, 256)]),
                "dtype": rng.choice(list(DTYPES)),
                "allocation": rng.choice(["paged", "paged", "paged", *ALLOCATIONS]),
                "batching": "whole" if whole_prompts else rng.choice(["continuous", "continuous", "static"]),
                "prefix_caching": rng.random() < 0.7,
                "max_num_seqs": rng.randint(*RANGES["max_num_seqs"]),
                "max_num_batched_tokens": rng.randint(LIMIT if whole_prompts else low, rng.choice([256, high])),
                "utilization": rng.randint(50, 99),
                "moves": [n for _ in range(rng.choice([0, 0, 1, 6])) for n in (rng.randint(1, 60), rng.randint(0, 11))],
                "step": rng.randint(1, 120),
                "request": rng.randint(0, 7),
            }
        )
    return wrong + found
