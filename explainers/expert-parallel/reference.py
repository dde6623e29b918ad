"""A router, a batch of tokens and so many nodes -> where every token goes, what is sent, who waits, who is left out.

The exchange is executed on gallery.mesh and counted in its log; the choice of experts is gallery.running's.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from explainers import data as cached
from explainers import load_file

HERE = Path(__file__).parent
models, routing, placing, exchange, folding, measured = (
    load_file(HERE / f"{name}.py") for name in ("models", "routing", "placing", "exchange", "folding", "measured")
)

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
NODES = (1, 2, 4, 8)
LIMITS = (0, 1, 2, 3, 4, 6, 8)
CAPACITIES = (0, 1, 1.25, 1.5, 2, 3, 4, 8)
DISPATCHES = ("fp8", "bf16")
SIZES = {"tp": (1, 2, 4, 8), "cp": (1, 2, 4), "etp": (1, 2, 4, 8), "spare": (0, 1, 2)}
STEPS = ("scores", "groups", "choice", "network", "inside", "sums", "back")
TOKENS, PER_NODE, WORLD = routing.TOKENS, models.PER_NODE, folding.WORLD


def data() -> dict:
    """The models, what may be chosen, and DeepEP's rows."""
    return {
        "columns": list(models.COLUMNS), "models": models.rows(), "nodes": list(NODES), "limits": list(LIMITS),
        "capacities": list(CAPACITIES), "dispatches": list(DISPATCHES), "kinds": list(routing.KINDS),
        "sizes": {key: list(values) for key, values in SIZES.items()}, "measured": measured.table(),
    }  # fmt: skip


def find(slug: str, data: dict) -> dict:
    """The model's row by name; {} where there is none."""
    return next((dict(zip(data["columns"], row, strict=True)) for row in data["models"] if row[0] == slug), {})


# ---------------------------------------------------------------- what is legal


def among(value: object, allowed: tuple) -> bool:
    return value in allowed and not isinstance(value, bool)


def whole(value: object, below: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def legal_nodes(row: dict) -> list[int]:
    """On how many nodes each GPU has equally many experts."""
    return [nodes for nodes in NODES if row["experts"] % (nodes * PER_NODE) == 0]


def words(values: tuple | list) -> str:
    """1, 2 or 4."""
    *first, last = [str(value) for value in values]
    return f"{', '.join(first)} or {last}" if first else last


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    row = find(state["model"], data)
    if not row:
        return f"No mixture of experts here is called “{state['model']}”; choose one from the list."
    return chosen(state) or fitting(state, row)


def chosen(state: dict) -> str:
    """Values that no list has."""
    lists = {"nodes": NODES, "limit": LIMITS, "capacity": CAPACITIES, "dispatch": DISPATCHES, "kind": routing.KINDS}
    for key, allowed in {**lists, **SIZES}.items():
        if not among(state[key], allowed):
            return f"{key}: one of {words(allowed)}."
    skew = state["skew"]
    if isinstance(skew, bool) or not isinstance(skew, int | float) or not 0 <= skew <= 1:
        return "skew: a number from 0 to 1."
    for key, below in (("token", TOKENS), ("step", len(STEPS)), ("gpu", WORLD)):
        if not whole(state[key], below):
            return f"{key}: a whole number from 0 to {below - 1:,}."
    return ""


def fitting(state: dict, row: dict) -> str:
    """Sizes that do not fit together."""
    experts, gpus = row["experts"], state["nodes"] * PER_NODE
    if state["nodes"] not in legal_nodes(row):
        fits = words([nodes * PER_NODE for nodes in legal_nodes(row)])
        return f"{experts} experts are not dealt out evenly to {gpus} GPUs; they are to {fits}."
    groups = row["groups"] if row["groups"] > 1 else routing.GROUPS
    if state["limit"] and state["limit"] * experts < row["k"] * groups:
        least = next(n for n in LIMITS[1:] if n * experts >= row["k"] * groups)
        return f"{row['k']} experts do not fit into {state['limit']} of {groups} groups; take {least} or more."
    if gpus * state["etp"] > WORLD:
        return f"EP {gpus} × ETP {state['etp']} are more than the {WORLD} GPUs; take ETP {WORLD // gpus} or less."
    return ""


def settle(state: dict, given: list[str], data: dict) -> dict:
    """A link that names a model alone stands on as many nodes as its experts allow, and a limit they fit into."""
    row = find(state["model"], data)
    if not row:
        return state
    moved = dict(state)
    if "nodes" not in given and among(state["nodes"], NODES):
        moved["nodes"] = max(nodes for nodes in legal_nodes(row) if nodes <= state["nodes"])
    return moved


# ---------------------------------------------------------------- the layer


def key_of(state: dict) -> tuple:
    """What the exchange depends on."""
    return tuple(state[key] for key in ("model", "nodes", "limit", "kind", "skew", "capacity", "spare"))


@lru_cache(32)
def dealt(key: tuple) -> dict:
    """Which experts every token is given, in which slots they stand, and whether there is room."""
    model, nodes, limit, kind, skew, capacity, spare = key
    row = find(model, cached("expert-parallel"))
    scores, choice = routing.route(row, {"kind": kind, "skew": skew}, limit)
    load = np.bincount(choice.ravel(), minlength=row["experts"])
    slots = placing.slots(load, nodes, spare)
    room = placing.room(capacity, TOKENS, row["k"], row["experts"])
    where, fits = placing.sent(choice, slots, room)
    return {
        "row": row, "scores": scores, "choice": choice, "load": load, "slots": slots, "room": room, "where": where,
        "fits": fits,
    }  # fmt: skip


@lru_cache(64)
def exchanged(key: tuple) -> dict:
    """The whole batch out to its experts and back: what the log has counted."""
    made = dealt(key)
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


def counts(values: np.ndarray, length: int) -> list[int]:
    return [int(n) for n in np.bincount(values, minlength=length)]


# ---------------------------------------------------------------- one token


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
        **grouped(scores, rule),
    }


def grouped(scores: np.ndarray, rule: dict) -> dict:
    """What each group counts as, and which stay; no group where there is one."""
    if rule["groups"] < 2:
        return {"marks": [], "kept": []}
    best = np.sort(scores.reshape(rule["groups"], -1), axis=1)
    marks = best[:, -2:].sum(axis=1) if rule["group_score"] == "top2" else best[:, -1]
    kept = np.argsort(-marks, kind="stable")[: rule["kept"]]
    return {"marks": [float(m) for m in marks], "kept": sorted(int(g) for g in kept)}


def sent_by(token: dict, copy: dict, step: int) -> dict:
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


# ---------------------------------------------------------------- all that is printed


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
    mean = counted["out, network"] / TOKENS
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
        "away": mean,
        "seen": int(away.max()),
        "most": most,
        "each": each / TOKENS,
        "token_bytes": mean * there_and_back,
        "each_bytes": each / TOKENS * there_and_back,
        "model_bytes": mean * there_and_back * row["layers"],
        "most_bytes": most * there_and_back * row["layers"],
    }


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints; of one state it is worked out once."""
    return computed(tuple(state[key] for key in STATE))


@lru_cache(256)
def computed(values: tuple) -> dict:
    """The same for the values of a state."""
    state, data = dict(zip(STATE, values, strict=True)), cached("expert-parallel")
    made = {**dealt(key_of(state)), **exchanged(key_of(state))}
    own = others(dealt(key_of({**state, "limit": 0})), state["nodes"])
    row, gpus = made["row"], state["nodes"] * PER_NODE
    copy = measured.copy(row["width"], state["dispatch"])
    token, away = journey(state, made), others(made, state["nodes"])
    rule, lost = routing.rule(row, state["limit"]), int((~made["fits"]).sum())
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
        "at": sent_by(token, copy, state["step"]),
        "layer": traffic(made, copy, away, state),
        "spread": counts(away, state["nodes"]),
        "spread_own": counts(own, state["nodes"]),
        "own_away": float(own.mean()),
        "load": load_of(made, gpus),
        "drop": {
            "room": made["room"], "choices": lost, "share": lost / made["where"].size,
            "tokens": int((~made["fits"]).any(axis=1).sum()),
        },
        "wrong": made["wrong"],
        "fold": folding.fold(state),
        "measured": data["measured"],
    }  # fmt: skip


def picture(state: dict, data: dict) -> str:
    """The first picture: one token's journey, and how the layer's tokens fall."""
    drawn = load_file(HERE / "drawn.py")
    return drawn.picture(compute(state, data), state)


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
