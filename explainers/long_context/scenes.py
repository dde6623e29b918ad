"""A state -> what single beats are about: a hybrid, Gemma 4's windows, V3.2's indexer, V4-Pro beside V3.2.

Twin of scenes.js.
"""

from __future__ import annotations

from math import ceil
from typing import Any

from cutaway.explainers.long_context import claims, counting

find = counting.find
V32, PRO, GEMMA = claims.V32, claims.PRO, "google/gemma-4-31B-it"
MOST, MILLION = 2**21, 2**20


def mix(model: dict, data: dict, batch: int = 1) -> dict[str, Any]:
    """States that never grow against caches that do, in BF16: how many, how large, and where they are equal."""
    kinds = counting.layers(model, data, MOST, "bf16")
    fixed = counting.sum_layers(kinds, "keeps") - counting.sum_layers(kinds, "growing")
    slope = counting.sum_layers(kinds, "slope")
    return {
        "title": model["title"],
        "layers": len(model["stack"]),
        "states": sum(k["count"] for k in kinds if k["keeps"] > k["growing"]),
        "caches": sum(k["count"] for k in kinds if k["growing"]),
        "rest": sum(k["count"] for k in kinds if not k["keeps"]),
        "fixed": fixed * batch,
        "slope": slope * batch,
        "million": slope * MILLION * batch,
        "tokens": ceil(fixed / slope) if slope else 0,
    }


def gemma(state: dict, data: dict) -> dict[str, Any]:
    """Gemma 4 31B in BF16 with windows as wide as asked: what its few full layers keep of all."""
    model = find(GEMMA, data)
    full = windows = 0
    for letter, (name, *rows) in zip(counting.LETTERS, model["kinds"], strict=False):
        count, is_full = model["stack"].count(letter), data["names"][name][2]
        kept = [data["rows"][one] for one in rows]
        if not is_full:
            kept = [[*row[: counting.CAP], state["window"], *row[counting.CAP + 1 :]] for row in kept]
        more = count * counting.layer(kept, 1, state["tokens"], "bf16")["keeps"]
        full, windows = (full + more, windows) if is_full else (full, windows + more)
    count = sum(data["names"][model["kinds"][counting.LETTERS.index(one)][0]][2] for one in model["stack"])
    return {
        "title": model["title"], "layers": len(model["stack"]), "full_layers": count,
        "windows": len(model["stack"]) - count, "full": full, "total": full + windows, "share": full / (full + windows),
    }  # fmt: skip


def indexer(state: dict, data: dict) -> dict[str, Any]:
    """One layer of V3.2 whose indexer picks as many as asked: bytes in BF16, arithmetic of the look and of reading."""
    model, tokens = find(V32, data), state["tokens"]
    layers = len(model["stack"])
    look, each = (next(flop for kind, flop, *_ in model["reads"] if kind == which) / layers for which in (0, 1))
    read = min(state["topk"] or tokens, tokens)
    return {
        "entries": tokens,
        "read": read,
        "share": read / tokens,
        "look_gflop": look * tokens / 1e9,
        "read_gflop": each * read / 1e9,
        "all_gflop": each * tokens / 1e9,
        "times": look * tokens / (each * read),
        "keys": 128,
        "layers": layers,
    }


def pair(state: dict, data: dict) -> dict[str, Any]:
    """V4-Pro against V3.2, each in the storage it is served in."""
    made: dict[str, Any] = {}
    for key, slug, storage in (("old", V32, "packed"), ("new", PRO, "mixed")):
        model = find(slug, data)
        past = sum(counting.work(model, state["tokens"]))
        fixed = model["weights"] + model["states"]
        kinds = counting.layers(model, data, state["tokens"], storage)
        made[key] = {
            "title": model["title"],
            "bytes": counting.sum_layers(kinds, "keeps"),
            "fixed_gflop": fixed / 1e9,
            "past_gflop": past / 1e9,
            "gflop": (fixed + past) / 1e9,
            "slopes": sorted(kind["slope"] for kind in kinds if kind["slope"]),
        }
    new, old = made["new"], made["old"]
    return made | {"share": new["bytes"] / old["bytes"], "flop_share": new["gflop"] / old["gflop"]}
