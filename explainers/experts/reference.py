"""A router, a room and some updates -> whom 4,096 tokens meet, who is full, what is sent, what a rollout remembers.

Choosing and weighing are gallery.running's, parameters are gallery's count of each model.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor
from types import SimpleNamespace
from typing import Any

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.experts import legal, models, router
from cutaway.gallery.running.numbers.experts import SCORES, weigh

find, check = legal.find, legal.check
TOKENS, NODES = router.TOKENS, router.NODES

STATE = {
    "model": "Qwen/Qwen3-30B-A3B",  # whose layers, bytes and routes are shown
    "experts": 64,  # of the router that runs here
    "k": 6,
    "kept": 8,  # groups of 8 in which a token may choose
    "skew": 0.8,
    "step": 0.003,
    "updates": 0,
    "room": 1.25,  # of an expert, in even shares; 0 = no end
    "token": 7,
    "scoring": "sigmoid",  # of the eight experts of one small example
    "bias": True,
}
ROUNDED = 1e-9  # exponentials of two languages differ by the last bit
EIGHT = {
    "logits": [1.2, -0.4, 0.6, 2.0, -1.1, 0.3, 1.5, -0.2],
    "biases": [-0.18, 0.05, 0.02, -0.22, 0.10, 0.24, -0.06, 0.08],
    "k": 3,
}


def data() -> dict:
    """The models, what may be chosen, and the eight experts, which weigh as DeepSeek V3's."""
    table: dict[str, Any] = {"columns": list(models.COLUMNS), "models": models.rows()}
    sizes = {row[3] for row in table["models"] if row[3] <= legal.MOST_EXPERTS and row[3] % NODES == 0}
    return {
        **table,
        "experts": sorted(sizes | set(legal.SIZES)),
        "steps": list(legal.STEPS),
        "rooms": list(legal.ROOMS),
        "eight": EIGHT | {"scale": models.scale("deepseek-ai/DeepSeek-V3")},
    }


# ---------------------------------------------------------------- eight experts, number by number


def eight(state: dict, given: dict) -> dict:
    """Scores, what is sorted, who is chosen, and with which weight."""
    logits, biases = np.array([given["logits"]]), np.array(given["biases"])
    bias = biases if state["bias"] else np.zeros(len(biases))
    after = state["scoring"] == "after"
    scores = logits if after else SCORES[state["scoring"]](logits)
    choice = router.chosen(scores + bias, given["k"], NODES)
    facts = {"score": "softmax" if after else "", "normalise": not after, "eps": 0, "scale": given["scale"]}
    weights = weigh(None, SimpleNamespace(facts=facts), {}, scores, choice)
    unbiased = router.chosen(scores, given["k"], NODES)
    return {
        "logits": given["logits"],
        "scores": plain_rows(scores[0]),
        "biases": plain_rows(bias),
        "ranked": plain_rows((scores + bias)[0]),
        "chosen": sorted(plain_rows(choice[0])),
        "weights": plain_rows(weights[0]),
        "entered": sorted(set(plain_rows(choice[0])) - set(plain_rows(unbiased[0]))),
        "left": sorted(set(plain_rows(unbiased[0])) - set(plain_rows(choice[0]))),
        "whole": 1 + float(weights.sum()),  # with the shared expert
        "scale": given["scale"],
    }


def plain_rows(x: np.ndarray) -> list:
    return [v.item() for v in x]


# ---------------------------------------------------------------- one token, all tokens


def count_nodes(choice: np.ndarray, experts: int) -> np.ndarray:
    """How many nodes each token is sent to: a group lives on one."""
    nodes = choice * NODES // experts
    return (nodes[:, :, None] == np.arange(NODES)).any(axis=1).sum(axis=1)


@lru_cache(24)
def route_batch(experts: int, k: int, kept: int, skew: float, step: float, updates: int) -> dict:
    """Choices of all tokens, with the limit and without, and the choices before any update."""
    bias = router.balance(experts, k, kept, skew, step, updates)
    scores = router.scores(experts, skew)
    choice = router.chosen(scores + bias, k, kept)
    free = choice if kept == NODES else router.chosen(scores + bias, k, NODES)
    before = router.count_choices(choice if not updates else router.chosen(scores, k, kept), experts)
    met = (choice[:, :, None] == free[:, None, :]).any(axis=2).sum(axis=1)
    return {"bias": bias, "choice": choice, "free": free, "before": before, "met": met,
            "nodes": count_nodes(choice, experts), "nodes_free": count_nodes(free, experts)}  # fmt: skip


def one_token(state: dict, made: dict, send: int) -> dict:
    """What one token's scores are, which groups stay, and whom it meets."""
    experts, token = state["experts"], state["token"]
    scores = router.scores(experts, state["skew"])[token]
    ranked = scores + made["bias"]
    marks = np.sort(ranked.reshape(NODES, -1), axis=-1)[:, -2:].sum(-1)
    best = np.argsort(-marks, kind="stable")[: state["kept"]]
    nodes, free = (int(made[key][token]) for key in ("nodes", "nodes_free"))
    return {
        "ranked": plain_rows(ranked),
        "marks": plain_rows(marks),
        "kept": sorted(plain_rows(best)),
        "free": plain_rows(made["free"][token]),
        "chosen": plain_rows(made["choice"][token]),
        "survive": int(made["met"][token]),
        "nodes": nodes,
        "nodes_free": free,
        "bytes": nodes * send,
        "bytes_free": free * send,
    }


def load_of(state: dict, made: dict) -> dict:
    """What comes to each expert, and what its room does not hold."""
    experts = state["experts"]
    counts, before = router.count_choices(made["choice"], experts), made["before"]
    even = TOKENS * state["k"] / experts
    room = floor(state["room"] * even) if state["room"] else 0
    lost = int(np.maximum(counts - room, 0).sum()) if room else 0
    share = counts / counts.sum()
    return {
        "counts": plain_rows(counts),
        "before": plain_rows(before),
        "order": plain_rows(np.argsort(-before, kind="stable")),
        "even": even,
        "choices": TOKENS * state["k"],
        "busiest": int(counts.max()),
        "ratio": float(counts.max() / even),
        "ratio_before": float(before.max() / even),
        "idle": int((counts < even / 2).sum()),
        "room": room,
        "lost": lost,
        "lost_share": lost / (TOKENS * state["k"]),
        "aux": experts * float((share * router.probable(experts, state["skew"])).sum()),
    }


# ---------------------------------------------------------------- everything


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    keys = ("experts", "k", "kept", "skew", "step", "updates")
    made, row = route_batch(*(state[key] for key in keys)), find(state["model"], data)
    of_model, flips = models.numbers(row), router.flips(state["experts"], state["k"], state["skew"])
    nodes = float(made["nodes"].mean())
    return {
        "here": one_token(state, made, of_model["send"]),
        "eight": eight(state, data["eight"]),
        "load": load_of(state, made),
        "biases": plain_rows(made["bias"]),
        "low": float(made["bias"].min()),
        "high": float(made["bias"].max()),
        "tokens": TOKENS,
        "groups": NODES,
        "mean": {
            "survive": float(made["met"].mean()),
            "nodes": nodes,
            "nodes_free": float(made["nodes_free"].mean()),
            "most": int(made["nodes"].max()),
            "bytes": nodes * of_model["send"],
            "each": state["k"] * of_model["send"],
        },
        "flips": {"tokens": flips, "share": flips / TOKENS, "any": 1 - (1 - flips / TOKENS) ** row["layers"]},
        "of": of_model,
        "route": models.route(row),
        "wall": router.wall(row["layers"], row["experts"], row["k"], row["groups"], row["kept"]),
    }


def cases(seed: int = 6) -> list[dict]:
    """Small routers at random, a few large, every fourth model; a few states are illegal."""
    rng = np.random.default_rng(seed)
    pick = lambda values: values[int(rng.integers(len(values)))]  # noqa: E731
    found: list[dict] = [{"model": "no/such"}, {"experts": 63}, {"k": 9, "kept": 1}, {"skew": 2.5}, {"token": 4096}]
    slugs = [row[0] for row in cached("experts")["models"]][::4]
    for i, slug in enumerate(slugs):
        experts = 256 if i == 0 else pick((8, 16, 24 * 3, 32, 64))
        kept = pick((2, 3, 4, 8, 8))
        found.append({
            "model": slug, "experts": experts, "kept": kept,
            "k": min(int(rng.integers(1, experts // 8 * kept + 1)), 12),
            "skew": pick((0, 0.4, 0.8, 1.5)), "step": pick(legal.STEPS), "room": pick(legal.ROOMS),
            "updates": 2 if i == 0 else pick((0, 0, 1, 7, 20)), "token": int(rng.integers(TOKENS)),
            "scoring": pick(legal.SCORINGS), "bias": bool(rng.integers(2)),
        })  # fmt: skip
    return found
