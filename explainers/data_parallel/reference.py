"""Ranks, a ZeRO stage and shards of a size -> what each rank holds at each moment of a step, and what it sends.

The step is executed (run.py); bytes are those of a convention for every parameter of a model.
"""

from __future__ import annotations

from typing import Any

from cutaway.explainers.data_parallel import run
from cutaway.explainers.tensor_parallel.zero import CONVENTIONS

STATE: dict[str, Any] = {
    "stage": 1,
    "dp": 8,
    "shard": 0,  # ranks that share one copy of what is sharded; 0 = all
    "convention": "16",
    "model": "paper",
    "step": 0,
}
ROUNDED = 1e-9
AGREE = 1e-12  # how far the weights may be from those of one rank: sums run in another order
DP, SHARDS = (2, 4, 8, 16, 32, 64), (0, 2, 4, 8)
MODELS = ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-70B", "Qwen/Qwen3-32B")
NOTHING = "Nothing to send: every rank has made the same update to all weights."
PAPER = 7_500_000_000
ADAM_BYTES, WEIGHT_BYTES = 12, 2
MOMENTS = (
    "Before the step: every rank has its own sequences.",
    "Forward: every rank runs the whole model on its own sequences.",
    "Backward: every rank has a gradient for each weight, from its own sequences only.",
    "The gradients are averaged over all ranks: each rank updates its weights with the mean.",
    "Each rank updates the weights whose optimizer states it keeps.",
    "The new weights are gathered: every rank has all of them again.",
)
SHARED = {
    1: "Forward: a layer's weights are gathered just before they are needed, then freed.",
    2: "Backward: weights are gathered once more, and each rank has a gradient from its own sequences.",
    5: "Nothing to send: weights stay sharded until the next step gathers them.",
}


def data() -> dict[str, Any]:
    """Models by parameters, and the conventions."""
    from cutaway.gallery import catalog, parameters

    rows = [["paper", "7.5 B, as in the ZeRO paper", PAPER]]
    rows += [[slug, catalog.BY_SLUG[slug].title, parameters(catalog.spec(slug)).total] for slug in MODELS]
    kinds = {
        key: {"label": one["label"], "gradient": sum(k.bytes for k in one["kept"] if "gradient" in k.what),
              "travels": one["travels"]}
        for key, one in CONVENTIONS.items()
    }  # fmt: skip
    shared = {str(moment): words for moment, words in SHARED.items()}
    return {"models": rows, "conventions": kinds, "moments": list(MOMENTS), "shared": shared, "nothing": NOTHING}


def model_of(state: dict, data: dict) -> list:
    return next(row for row in data["models"] if row[0] == state["model"])


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if state["model"] not in [row[0] for row in data["models"]]:
        return f"No model here is called “{state['model']}”; choose one from the list."
    if isinstance(state["dp"], bool) or state["dp"] not in DP:
        return "The number of ranks is 2, 4, 8, 16, 32 or 64."
    if isinstance(state["shard"], bool) or state["shard"] not in SHARDS or state["shard"] > state["dp"]:
        return f"A copy is sharded over 2, 4 or 8 ranks, at most all there are; 0 means all {state['dp']}."
    if state["convention"] not in list(data["conventions"]):
        return f"The conventions are {', '.join(data['conventions'])} bytes per parameter."
    if isinstance(state["stage"], bool) or state["stage"] not in (0, 1, 2, 3):
        return "ZeRO has the stages 0, 1, 2 and 3."
    if isinstance(state["step"], bool) or state["step"] not in range(6):
        return "A phase of the step is a whole number from 0 to 5."
    return ""


def rest(stage: int, shards: int, gradient: int) -> list[list]:
    """[what, bytes of a parameter, share on a rank] between two steps."""
    sizes = (("weights", WEIGHT_BYTES, 3), ("gradients", gradient, 2), ("optimizer", ADAM_BYTES, 1))
    return [[what, size, 1 / shards if stage >= dealt else 1.0] for what, size, dealt in sizes]


def parts(stage: int, shards: int, gradient: int, moment: int) -> list[dict]:
    """What a rank holds at a moment."""
    out = []
    for what, size, share in rest(stage, shards, gradient):
        if what == "weights" and moment in (1, 2):
            share = 1.0
        if what == "gradients":
            share = 0.0 if moment < 2 else 1.0 if moment == 2 else share
        out.append({"name": what, "bytes": size, "share": share})
    return out


def formula(stage: int, shards: int, copies: int, travels: int) -> dict[str, float]:
    """Bytes a rank sends for each parameter: gathers and sums of n ranks cost (n - 1) / n, an all-reduce twice that."""
    once, twice = (shards - 1) / shards, 2 * (copies - 1) / copies / shards
    gradients = once + twice + (once if stage == 0 else 0)
    return {"gradients": travels * gradients, "weights": WEIGHT_BYTES * (0, 1, 1, 2)[stage] * once}


def row(stage: int, shards: int, copies: int, kind: dict, parameters: int) -> dict[str, float]:
    """One stage beside the others: bytes of a parameter, of the model, and sent."""
    per = sum(size * share for _, size, share in rest(stage, shards, kind["gradient"]))
    sends = sum(formula(stage, shards, copies, kind["travels"]).values())
    return {"per": per, "bytes": per * parameters, "sends": sends, "sent": sends * parameters}


def words(stage: int, step: int, data: dict) -> str:
    """What happens at a moment."""
    if stage == 0 and step == 5:
        return data["nothing"]
    return (data["shared"].get(str(step)) if stage == 3 else None) or data["moments"][step]


def compute(state: dict, data: dict) -> dict[str, Any]:
    """Everything the page prints."""
    _, title, parameters = model_of(state, data)
    kind = data["conventions"][state["convention"]]
    stage, d, step = (int(state[key]) for key in ("stage", "dp", "step"))
    shards = int(state["shard"]) or d
    copies = d // shards
    ran = run.step(stage, shards, copies)
    size = {"weights": WEIGHT_BYTES, "gradients": kind["travels"]}
    per = {what: size[what] * sum(at.get(what, 0.0) for at in ran.sent.values()) for what in size}
    so_far = sum(size[what] * many for moment, at in ran.sent.items() if moment <= step for what, many in at.items())
    rows = [row(z, shards, copies, kind, parameters) for z in range(4)]
    held = parts(stage, shards, kind["gradient"], step)
    now = sum(one["bytes"] * one["share"] for one in held)
    leaves = sum(size[what] * many for what, many in ran.leaves.items())
    return {
        "title": title,
        "parameters": parameters,
        "shards": shards,
        "copies": copies,
        "nodes": max(-(-d // run.NODE), 1),
        "words": words(stage, step, data),
        "parts": held,
        "now": now,
        "now_bytes": now * parameters,
        "rows": rows,
        "here": rows[stage],
        "sent": per,
        "sends": per["weights"] + per["gradients"],
        "so_far": so_far * parameters,
        "formula": formula(stage, shards, copies, kind["travels"]),
        "leaves": leaves * parameters,
        "meetings": ran.meetings,
        "agrees": ran.away < AGREE,
        "label": kind["label"],
    }


def cases() -> list[dict]:
    """Every stage on every legal pair of ranks and shards, other keys in turn, and a few that are not legal."""
    found: list[dict] = [
        {"model": "no/such"}, {"dp": 3}, {"shard": 3}, {"dp": 4, "shard": 8}, {"convention": "17"}, {"stage": 4},
        {"step": 6}, {"dp": True},
    ]  # fmt: skip
    models = ("paper", *MODELS)
    for stage in range(4):
        for dp in DP:
            for shard in SHARDS:
                if shard <= dp:
                    n = len(found)
                    found.append({
                        "stage": stage, "dp": dp, "shard": shard, "convention": ("16", "18", "20")[n % 3],
                        "model": models[n % 4], "step": n % 6,
                    })  # fmt: skip
    return found
