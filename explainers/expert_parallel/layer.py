"""A state -> its layer: who is given which token, what the exchange sends, one token's journey, what each GPU gets."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.expert_parallel import exchange, legal, placing, routing
from cutaway.gallery.planning.reach import count_other_parts

find, TOKENS, PER_NODE, STEPS = legal.find, legal.TOKENS, legal.PER_NODE, legal.STEPS


def key_of(state: dict) -> tuple:
    """What the exchange depends on."""
    return tuple(state[key] for key in ("model", "nodes", "limit", "kind", "skew", "capacity", "spare"))


@lru_cache(32)
def deal_tokens(key: tuple) -> dict:
    """Which experts every token is given, in which slots they stand, and whether there is room."""
    model, nodes, limit, kind, skew, capacity, spare = key
    row = find(model, cached("expert-parallel"))
    scores, choice = routing.route(row, {"kind": kind, "skew": skew}, limit)
    load = np.bincount(choice.ravel(), minlength=row["experts"])
    slots = placing.slots(load, nodes, spare)
    room = placing.room(capacity, TOKENS, row["k"], row["experts"])
    where, fits = placing.choose_slots(choice, slots, room)
    return {
        "row": row, "scores": scores, "choice": choice, "load": load, "slots": slots, "room": room, "where": where,
        "fits": fits,
    }  # fmt: skip


@lru_cache(64)
def exchange_batch(key: tuple) -> dict:
    """The whole batch out to its experts and back: what the log has counted."""
    made = deal_tokens(key)
    run = exchange.Exchange(key[1], made["slots"], made["where"], made["fits"])
    sums = run.run()
    return {"counted": run.counted(), "busiest": run.busiest(), "wrong": run.wrong(sums, made["choice"], made["fits"])}


def others(made: dict, nodes: int) -> np.ndarray:
    """To how many other nodes each token goes."""
    per = len(made["slots"]) // nodes
    home = np.arange(TOKENS) // (TOKENS // nodes)
    goes = np.zeros((TOKENS, nodes), bool)
    rows, places = np.nonzero(made["fits"])
    goes[rows, made["where"][rows, places] // per] = True
    goes[np.arange(TOKENS), home] = False
    return goes.sum(axis=1)


def expected_away(row: dict, state: dict) -> float | None:
    """To how many other nodes a token of a fair router goes on average, as the planner has it; None where loads are
    uneven, slots or tokens are dropped or copied, or a reader's limit cuts a model that has no groups."""
    rule = routing.rule(row, state["limit"])
    free = rule["groups"] < 2 or rule["kept"] >= rule["groups"]
    if state["skew"] or state["capacity"] or state["spare"] or not (free or row["groups"] > 1):
        return None
    used = [0, 1] if free else cached("expert-parallel")["used"][row["slug"]][str(state["limit"])]
    moe = {"num_experts": row["experts"], "n_group": rule["groups"], "used": used, "picks": [0] * row["k"] + [1]}
    return count_other_parts(moe, state["nodes"])


def counts(values: np.ndarray, length: int) -> list[int]:
    return [int(n) for n in np.bincount(values, minlength=length)]


def journey(state: dict, made: dict) -> dict:
    """The token's scores, the groups it may use, the slots it goes to, the nodes and GPUs they are on."""
    row, token, nodes = made["row"], state["token"], state["nodes"]
    gpus, slots = nodes * PER_NODE, made["slots"]
    scores = made["scores"][token]
    rule = routing.rule(row, state["limit"])
    where, fits = made["where"][token], made["fits"][token]
    per = len(slots) // gpus
    goals = [int(slot) for slot, ok in zip(where, fits, strict=True) if ok]
    home = token * gpus // TOKENS
    at = sorted({slot // per for slot in goals})
    doors = sorted({gpu // PER_NODE for gpu in at})
    away = [node for node in doors if node != home // PER_NODE]
    inside = [gpu for gpu in at if gpu % PER_NODE != home % PER_NODE]
    return {
        "gpu": home,
        "node": home // PER_NODE,
        "scores": [float(x) for x in scores],
        "low": float(scores.min()),
        "high": float(scores.max()),
        "picks": [int(e) for e in made["choice"][token]],
        "goals": goals,
        "gpus": at,
        "nodes": doors,
        "away": away,
        "inside": inside,
        "lost": row["k"] - len(goals),
        "visits": {"gpus": len(at), "nodes": len(doors), "away": len(away), "inside": len(inside)},
        **group_counts(scores, rule),
    }


def group_counts(scores: np.ndarray, rule: dict) -> dict:
    """What each group counts as, and which stay; no group where there is one."""
    if rule["groups"] < 2:
        return {"marks": [], "kept": []}
    best = np.sort(scores.reshape(rule["groups"], -1), axis=1)
    marks = best[:, -2:].sum(axis=1) if rule["group_score"] == "top2" else best[:, -1]
    kept = np.argsort(-marks, kind="stable")[: rule["kept"]]
    return {"marks": [float(m) for m in marks], "kept": sorted(int(g) for g in kept)}


def count_sent(token: dict, copy: dict, step: int) -> dict:
    """What has been sent for this token by the end of a step, over the network and inside nodes."""
    away, inside = token["visits"]["away"], token["visits"]["inside"]
    network = [0, 0, 0, away * copy["out"], 0, 0, away * copy["back"]]
    within = [0, 0, 0, 0, inside * copy["out"], inside * copy["back"], 0]
    return {
        "network": sum(network[: step + 1]),
        "inside": sum(within[: step + 1]),
        "number": step + 1,
        "steps": len(STEPS),
        "name": STEPS[step],
    }


def load_of(made: dict, gpus: int) -> dict:
    """How much comes to each GPU, before and after the full slots sent tokens away."""
    per = len(made["slots"]) // gpus
    asked = counts(made["where"].ravel() // per, gpus)
    kept = counts(made["where"][made["fits"]] // per, gpus)
    mean = made["where"].size / gpus
    return {
        "asked": asked, "kept": kept, "mean": mean, "most": max(kept), "busiest": kept.index(max(kept)),
        "ratio": max(kept) / mean, "expert": int(made["load"].max()),
        "expert_ratio": int(made["load"].max()) * len(made["load"]) / made["where"].size,
    }  # fmt: skip


def traffic(made: dict, copy: dict, away: np.ndarray, state: dict) -> dict:
    """The whole batch: copies counted in the log, and what they weigh."""
    counted, row = made["counted"], made["row"]
    per_node = len(made["slots"]) // state["nodes"]
    home = np.arange(TOKENS) // (TOKENS // state["nodes"])
    each = int((made["fits"] & (made["where"] // per_node != home[:, None])).sum())
    mean, even = counted["out, network"] / TOKENS, expected_away(row, state)
    expert = each / TOKENS if even is None else row["k"] * (1 - 1 / state["nodes"])
    away_mean = mean if even is None else even
    groups = routing.rule(row, state["limit"])
    reach = groups["kept"] * -(-state["nodes"] // groups["groups"]) if groups["groups"] > 1 else state["nodes"]
    most, there_and_back = min(reach, row["k"], state["nodes"] - 1), copy["out"] + copy["back"]
    return {
        "network": counted["out, network"],
        "inside": counted["out, inside"],
        "network_back": counted["back, network"],
        "inside_back": counted["back, inside"],
        "network_out_bytes": counted["out, network"] * copy["out"],
        "network_back_bytes": counted["back, network"] * copy["back"],
        "inside_out_bytes": counted["out, inside"] * copy["out"],
        "inside_back_bytes": counted["back, inside"] * copy["back"],
        "busiest": made["busiest"],
        "busiest_bytes": made["busiest"] * copy["out"],
        "away": away_mean,
        "counted": mean,
        "seen": int(away.max()),
        "most": most,
        "each": expert,
        "token_bytes": away_mean * there_and_back,
        "each_bytes": expert * there_and_back,
        "model_bytes": away_mean * there_and_back * row["layers"],
        "most_bytes": most * there_and_back * row["layers"],
    }
