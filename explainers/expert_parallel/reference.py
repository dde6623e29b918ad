"""A router, a batch of tokens and so many nodes -> where every token goes, what is sent, who waits, who is left out.

The exchange is executed on gallery.mesh and counted in its log; the choice of experts is gallery.running's.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.expert_parallel import folding, layer, legal, measured, models, routing

find, check, legal_nodes, fitting = legal.find, legal.check, legal.legal_nodes, legal.find_misfits
NODES, LIMITS, CAPACITIES, DISPATCHES = legal.NODES, legal.LIMITS, legal.CAPACITIES, legal.DISPATCHES
SIZES, STEPS, TOKENS, PER_NODE, WORLD = legal.SIZES, legal.STEPS, legal.TOKENS, legal.PER_NODE, legal.WORLD

STATE = {
    "model": "deepseek-ai/DeepSeek-V3",
    "nodes": 8,  # of eight GPUs; the experts are dealt out to all of them
    "limit": 0,  # a token's experts lie in at most so many groups; 0 = as the model has it
    "dispatch": "fp8",
    "kind": "power",  # how experts are loved: each more than the next, or one alone
    "skew": 0.0,
    "capacity": 0,  # room in a slot, in mean loads of an expert; 0 = no end
    "spare": 0,  # slots a GPU has beyond its share of experts
    "token": 100,  # the one whose journey is drawn
    "step": 2,
    "tp": 1,
    "cp": 1,
    "etp": 1,
    "gpu": 13,  # the one whose groups are shown
}
ROUNDED = 1e-9  # exponentials of two languages differ by the last bit


def data() -> dict:
    """The models, what may be chosen, and DeepEP's rows."""
    rows = models.rows()
    return {
        "columns": list(models.COLUMNS), "models": rows, "used": models.groups_used(rows), "nodes": list(NODES),
        "limits": list(LIMITS), "capacities": list(CAPACITIES), "dispatches": list(DISPATCHES),
        "kinds": list(routing.KINDS), "sizes": {key: list(values) for key, values in SIZES.items()},
        "measured": measured.table(),
    }  # fmt: skip


def settle(state: dict, given: list[str], data: dict) -> dict:
    """A link that names a model alone stands on as many nodes as its experts allow, and a limit they fit into."""
    row = find(state["model"], data)
    if not row:
        return state
    moved = dict(state)
    if "nodes" not in given and legal.one_of(state["nodes"], NODES):
        moved["nodes"] = max(nodes for nodes in legal_nodes(row) if nodes <= state["nodes"])
    return moved


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints; of one state it is worked out once."""
    return compute_state(tuple(state[key] for key in STATE))


@lru_cache(256)
def compute_state(values: tuple) -> dict:
    """The same for the values of a state."""
    state, data = dict(zip(STATE, values, strict=True)), cached("expert-parallel")
    made = {**layer.deal_tokens(layer.key_of(state)), **layer.exchange_batch(layer.key_of(state))}
    as_built = {**state, "limit": 0}
    own = layer.others(layer.deal_tokens(layer.key_of(as_built)), state["nodes"])
    row, gpus = made["row"], state["nodes"] * PER_NODE
    copy = measured.copy(row["width"], state["dispatch"])
    token, away = layer.journey(state, made), layer.others(made, state["nodes"])
    rule, lost = routing.rule(row, state["limit"]), int((~made["fits"]).sum())
    even = layer.expected_away(row, as_built)
    return {
        "title": row["title"],
        "experts": row["experts"],
        "chosen": row["k"],
        "layers": row["layers"],
        "scoring": row["scoring"] or "none",
        "groups": rule["groups"],
        "kept": rule["kept"],
        "gpus": gpus,
        "tokens": TOKENS,
        "own_tokens": TOKENS // gpus,
        "per_gpu": len(made["slots"]) // gpus,
        "slots": [int(e) for e in made["slots"]],
        "copied": sum(1 for n in np.bincount(made["slots"]) if n > 1),
        "copy": copy,
        "here": token,
        "at": layer.count_sent(token, copy, state["step"]),
        "layer": layer.traffic(made, copy, away, state),
        "spread": layer.counts(away, state["nodes"]),
        "spread_own": layer.counts(own, state["nodes"]),
        "own_away": float(own.mean()) if even is None else even,
        "load": layer.load_of(made, gpus),
        "drop": {
            "room": made["room"], "choices": lost, "share": lost / made["where"].size,
            "tokens": int((~made["fits"]).any(axis=1).sum()),
        },
        "wrong": made["wrong"],
        "fold": folding.fold(state),
        "measured": data["measured"],
    }  # fmt: skip


def cases(seed: int = 5) -> list[dict]:
    """Every model once on its own, the rest at random; a few states are illegal."""
    rng = np.random.default_rng(seed)
    pick = lambda values: values[int(rng.integers(len(values)))]  # noqa: E731
    table = cached("expert-parallel")
    found: list[dict] = [{"model": "no/such"}, {"nodes": 3}, {"skew": 1.5}, {"token": 512}, {"etp": 2}]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["models"]]
    for i, row in enumerate(rows[::3] + rows[:8]):
        ep = pick(legal_nodes(row))
        made = {"model": row["slug"], "nodes": ep, "dispatch": pick(DISPATCHES), "kind": pick(routing.KINDS),
                "skew": pick((0, 0.05, 0.2, 0.5, 1)), "token": int(rng.integers(TOKENS)), "step": i % len(STEPS),
                "gpu": int(rng.integers(WORLD)), "limit": pick(LIMITS), "capacity": pick(CAPACITIES)}  # fmt: skip
        made |= {key: pick(values) for key, values in SIZES.items()}
        if not fitting({**STATE, **made, "etp": 1}, row):
            made["etp"] = min(made["etp"], 8 // ep)
        found.append(made)
    return found
