"""A catalogued model, c ranks and an order of tokens -> who works how much, what travels, what each rank keeps.

Shapes and bytes are the model's. What runs is a small copy with the same heads (run.py), over `gallery.mesh`; its log
is counted, and scaled to the model it gives the bytes of the formulas.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.context_parallel import models, run

STATE = {
    "model": "meta-llama/Llama-3.1-70B",
    "sequence": 131_072,
    "cp": 8,  # ranks that share the tokens
    "tp": 1,  # ranks that share the heads of each of them
    "order": "contiguous",
    "step": 1,  # of the ring
}
CONTEXT = "sequence"  # the key that says how many tokens there are
SEQUENCES = (8_192, 32_768, 131_072, 262_144, 524_288, 1_048_576)
RANKS, TENSOR = (2, 4, 8, 16), (1, 2, 4, 8)
CURVE = (2, 4, 8, 16, 32, 64)
BF16 = 2
WAYS = ("ring", "gather", "ulysses")


def data() -> dict[str, Any]:
    """The models, and what may be chosen."""
    return {"models": models.rows(), "sequences": list(SEQUENCES)}


def find(slug: str, data: dict[str, Any]) -> dict[str, Any]:
    """The model's row; {} where there is none."""
    return next((row for row in data["models"] if row["slug"] == slug), {})


def chosen(value: Any, among: tuple) -> bool:
    return not isinstance(value, bool) and value in among


def check(state: dict[str, Any], data: dict[str, Any]) -> str:
    """The sentence that says what is legal, or nothing."""
    if not find(state["model"], data):
        return f"No model here is called “{state['model']}”; choose one from the list."
    if not chosen(state["sequence"], SEQUENCES):
        return "A sequence has 8,192, 32,768, 131,072, 262,144, 524,288 or 1,048,576 tokens."
    if not chosen(state["cp"], RANKS):
        return "The number of context-parallel ranks is 2, 4, 8 or 16."
    if not chosen(state["tp"], TENSOR):
        return "The number of tensor-parallel ranks is 1, 2, 4 or 8."
    if state["order"] not in run.ORDERS:
        return f"An order is one of {', '.join(run.ORDERS)}."
    if not chosen(state["step"], tuple(range(17))):
        return "A step is a whole number from 0 to 16."
    return ""


# ---------------------------------------------------------------- work


def pairs(order: str, ranks: int, sequence: int) -> list[int]:
    """How many (query, key) pairs every rank computes when each query sees itself and all keys before it."""
    own = sequence // ranks
    stretch = lambda start, many: many * start + many * (many + 1) // 2  # noqa: E731
    if order == "contiguous":
        return [stretch(rank * own, own) for rank in range(ranks)]
    if order == "striped":
        return [own * (rank + 1) + ranks * own * (own - 1) // 2 for rank in range(ranks)]
    half = own // 2
    return [stretch(rank * half, half) + stretch((2 * ranks - 1 - rank) * half, half) for rank in range(ranks)]


def work(state: dict[str, Any]) -> dict[str, Any]:
    """Each rank's share of the mean, the largest, and what waiting for it costs."""
    each = pairs(state["order"], state["cp"], state["sequence"])
    mean = sum(each) / len(each)
    most = max(each) / mean
    return {"each": [one / mean for one in each], "most": most, "least": min(each) / mean, "idle": 1 - 1 / most}


@lru_cache(maxsize=64)
def timetable(order: str, ranks: int) -> list[list[float]]:
    """What share of a whole block of queries and keys rank r computes in step j of the ring, counted in the mask."""
    own = np.array(run.owners(order, ranks))
    seen = np.tri(run.TOKENS, dtype=bool)
    full = (run.TOKENS // ranks) ** 2
    block = lambda r, b: int(seen[np.ix_(own == r, own == b)].sum()) / full  # noqa: E731
    return [[block(r, (r - j) % ranks) for j in range(ranks)] for r in range(ranks)]


def describe_step(state: dict[str, Any], table: list[list[float]], ring: int) -> dict[str, Any]:
    """The step that is drawn: what is done before it, who computes in it, what each rank has sent."""
    ranks = state["cp"]
    step = min(state["step"], ranks)
    done = sum(sum(row[:step]) for row in table) / sum(map(sum, table))
    busy = sum(row[step] > 0 for row in table) if step < ranks else 0
    sent = ring // (ranks - 1) * min(step, ranks - 1)
    return {"words": f"{step} of {ranks}", "done": done, "busy": busy, "sent": sent}


# ---------------------------------------------------------------- bytes


def describe_rank(row: dict[str, Any], state: dict[str, Any]) -> dict[str, int]:
    """What one of the ranks that share heads has of them, and how often each KV head is copied for that."""
    kv = max(1, row["kv"] // state["tp"])
    return {"heads": row["heads"] // state["tp"], "kv": kv, "copies": kv * state["tp"] // row["kv"]}


def formulas(row: dict[str, Any], own: dict[str, int], sequence: int, ranks: int) -> dict[str, int]:
    """Bytes that every rank sends in a layer, forward; 0 where the heads cannot be shared."""
    tokens, heads, kv = (ranks - 1) * (sequence // ranks) * BF16, own["heads"], own["kv"]
    ring = tokens * kv * row["pair"]
    swapped = heads * (row["key"] + row["value"]) + max(kv, ranks) * row["pair"]
    ulysses = tokens * swapped // ranks if run.splits(heads, kv, ranks) else 0
    return {"ring": ring, "gather": ring, "ulysses": ulysses}


def held_bytes(row: dict[str, Any], own: dict[str, int], sequence: int, ranks: int) -> dict[str, int]:
    """Bytes of keys and values that a rank has at once in a layer: on the ring its block and the one coming in."""
    token = row["pair"] * BF16
    whole = sequence * own["kv"] * token
    heads = max(own["kv"], ranks) // ranks if run.splits(own["heads"], own["kv"], ranks) else 0
    return {"ring": 2 * whole // ranks, "gather": whole, "ulysses": sequence * heads * token}


def scale_log(row: dict[str, Any], made: Any, sequence: int) -> int:
    """The log of a run in bytes of the model: its tokens and widths instead of those that ran."""
    if made is None:
        return 0
    small = run.LATENT if row["latent"] else run.WIDE
    width = {
        "q": (row["key"], small),
        "kv": (row["pair"], run.LATENT if row["latent"] else 2 * run.WIDE),
        "o": (row["value"], run.WIDE),
    }
    each = (numbers * width[name][0] // width[name][1] for name, numbers in made.sent.items())
    return sum(each) * (sequence // run.TOKENS) * BF16


def ways(row: dict[str, Any], state: dict[str, Any], own: dict[str, int]) -> dict[str, Any]:
    """Ring, all-gather and Ulysses: what was counted, the formula, what is held, how far from one rank's answer."""
    sequence, ranks = state["sequence"], state["cp"]
    made = {name: run.way(name, state["order"], ranks, own["heads"], own["kv"], bool(row["latent"])) for name in WAYS}
    sent, holds = formulas(row, own, sequence, ranks), held_bytes(row, own, sequence, ranks)
    return {
        name: {
            "counted": scale_log(row, made[name], sequence),
            "sent": sent[name],
            "held": holds[name],
            "off": ran.off if (ran := made[name]) else 0.0,
            "messages": ran.messages if ran else 0,
        }
        for name in WAYS
    }


def curve(row: dict[str, Any], own: dict[str, int], sequence: int) -> dict[str, Any]:
    """The formulas from 2 to 64 ranks, and the first number of ranks where Ulysses sends less than the ring."""
    each = [formulas(row, own, sequence, ranks) for ranks in CURVE]
    less = [ranks for ranks, one in zip(CURVE, each, strict=True) if 0 < one["ulysses"] < one["ring"]]
    return {
        "ring": [one["ring"] for one in each],
        "ulysses": [one["ulysses"] for one in each],
        "less": less[0] if less else 0,
        "most": CURVE[-1],
    }


def cache(row: dict[str, Any], state: dict[str, Any], own: dict[str, int]) -> dict[str, int]:
    """Bytes of the growing cache: whole, on each of c t ranks with positions dealt out, and with heads alone."""
    token = row["layers"] * row["pair"] * BF16
    sequence, everyone = state["sequence"], state["cp"] * state["tp"]
    return {
        "whole": sequence * row["kv"] * token,
        "rank": sequence // state["cp"] * own["kv"] * token,
        "alone": sequence * max(1, row["kv"] // everyone) * token,
    }


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the page prints."""
    row = find(state["model"], data)
    own, ranks = describe_rank(row, state), state["cp"]
    made, table = ways(row, state, own), timetable(state["order"], ranks)
    return {
        "row": {key: row[key] for key in ("title", "heads", "kv", "pair", "layers", "windows", "states", "state")},
        "here": own,
        "tokens": state["sequence"] // ranks,
        "gpus": ranks * state["tp"],
        "drawn": {"tokens": run.TOKENS, "each": run.TOKENS // ranks},
        "owner": run.owners(state["order"], ranks),
        "work": work(state),
        "table": table,
        "at": describe_step(state, table, made["ring"]["sent"]),
        "ways": made,
        "swap": {
            "heads": own["heads"] // ranks,
            "kv": max(1, own["kv"] // ranks),
            "copies": max(1, ranks // own["kv"]),
            "fits": max(n for n in (1, *RANKS) if n <= ranks and run.splits(own["heads"], own["kv"], n)),
        },
        "curve": curve(row, own, state["sequence"]),
        "cache": cache(row, state, own),
        "decode": run.decode(ranks, own["heads"], own["kv"], bool(row["latent"])),
    }


def cases(seed: int = 5) -> list[dict[str, Any]]:
    """Every model with every number of ranks, the rest at random; a few states are illegal."""
    rng = np.random.default_rng(seed)
    found: list[dict[str, Any]] = [
        {"model": "no/such"}, {"cp": 3}, {"tp": 16}, {"order": "random"}, {"sequence": 5}, {"step": 17}
    ]  # fmt: skip
    for row in cached("context-parallel")["models"]:
        for ranks in RANKS:
            found.append(
                {
                    "model": row["slug"],
                    "cp": ranks,
                    "tp": int(rng.choice(TENSOR)),
                    "order": str(rng.choice(run.ORDERS)),
                    "sequence": int(rng.choice(SEQUENCES)),
                    "step": int(rng.integers(ranks + 1)),
                }
            )
    return found
