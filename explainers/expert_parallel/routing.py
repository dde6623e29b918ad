"""A seeded tiny router, and the model's own rule for choosing: which experts every token of a batch visits.

The rule is gallery.running's, the one whose results equal the models' own code. Scores are drawn: a number for each
pair of token and expert from its hash, plus how much that expert is loved. Twin of routing.js.
"""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from cutaway.explainers.hash32 import hash32
from cutaway.gallery.running.numbers.experts import SCORES, choose

TOKENS = 512
UNIT = 2**15  # scores before the curve are whole parts of this: exact in both languages
KINDS = ("power", "one")
GROUPS = 8  # into which a limit cuts the experts of a model that has no groups


@lru_cache(4)
def draw_scores(experts: int) -> np.ndarray:
    """[tokens, experts] in whole UNITs, from -2 to 2, more often near 0."""
    seeds = hash32(np.arange(TOKENS) + 1000)[:, None]
    bits = hash32(seeds + 7919 * np.arange(experts)[None])
    return ((bits & 0xFFFF) + (bits >> 16)).astype(np.int64) - 65535


def popularity_bias(experts: int, kind: str, skew: float) -> np.ndarray:
    """How much is added to each expert's score: by a power of its rank in a drawn order, or to one alone."""
    rank = np.empty(experts, int)
    rank[np.argsort(hash32(np.arange(experts) + 99991), kind="stable")] = np.arange(experts)
    more = -np.log(rank + 1.0) if kind == "power" else np.where(rank == 0, 4.0, 0.0)
    return np.floor(skew * more * UNIT + 0.5)


def rule(row: dict, limit: int) -> dict:
    """The model's groups, or those that a limit of the reader's makes."""
    if not limit:
        return {"groups": row["groups"], "kept": row["kept"], "group_score": row["group_score"]}
    if row["groups"] > 1:
        return {"groups": row["groups"], "kept": limit, "group_score": row["group_score"]}
    return {"groups": GROUPS, "kept": limit, "group_score": "top2"}


@lru_cache(16)
def route_tokens(experts: int, k: int, scoring: str, bias: int, groups: tuple, kind: str, skew: float) -> tuple:
    """(scores, choice) of every token: [tokens, experts] and [tokens, k], the best first."""
    logits = (draw_scores(experts) + popularity_bias(experts, kind, skew)) / UNIT
    scores = SCORES[scoring](logits) if scoring else logits
    facts = {"k": k, "groups": groups[0], "topk_group": groups[1], "group_score": groups[2]}
    tensors = {"bias": np.zeros(experts)} if bias else {}
    return scores, choose(None, SimpleNamespace(facts=facts), tensors, scores)


def route(row: dict, state: dict, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for a state."""
    now = rule(row, limit)
    groups = (now["groups"], now["kept"], now["group_score"])
    skew = float(state["skew"])
    return route_tokens(row["experts"], row["k"], row["scoring"], row["bias"], groups, state["kind"], skew)
