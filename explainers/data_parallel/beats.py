"""What the beats of data-parallel ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.data_parallel import drawn, reference

SEVENTY, CARD, LIMIT = "meta-llama/Llama-3.1-70B", 80_000_000_000, 20_000_000_000


def at(state: dict, data: dict, **changes) -> dict:
    return reference.compute({**state, **changes}, data)


def how_often(state: dict, data: dict) -> int:
    """0 at every layer, 1 once, 2 never: how often ranks met in the run."""
    met = at(state, data)["meetings"]
    return 2 if met == 0 else 1 if met == 1 else 0


def dearer(state: dict, data: dict) -> int:
    """Stage 3 over stage 0, as counted: 0 as much, 1 half as much again, 2 twice."""
    times = at(state, data, stage=3)["sends"] / at(state, data, stage=0)["sends"]
    return 0 if times < 1.25 else 1 if times < 1.75 else 2


answers = {
    "weights": lambda state, data: reference.WEIGHT_BYTES * at(state, data)["parameters"],
    "how_often": how_often,
    "dearer": dearer,
    "flat": lambda state, data: at(state, data, shard=0)["leaves"],
    "flat_held": lambda state, data: at(state, data, shard=0)["here"]["bytes"],
}


def moment(state: dict, data: dict) -> str:
    """The moment, and what has been sent."""
    now = at(state, data)
    return (
        f"{now['words']} **{fmt.in_bytes(now['now_bytes'])}** on each rank, {fmt.in_bytes(now['so_far'])} sent so far."
    )


def leaving(state: dict, data: dict) -> str:
    """What leaves a node, and what each rank holds for it."""
    now = at(state, data)
    copies = "One copy" if now["copies"] == 1 else f"{now['copies']} copies"
    away, held = fmt.in_bytes(now["leaves"], "GB"), fmt.in_bytes(now["here"]["bytes"], "GB")
    return f"{copies} on {now['nodes']} nodes: **{away}** leave each node, {held} on each rank."


captions = {"moment": moment, "leaving": leaving}


# ---------------------------------------------------------------- goals


def seventy(state: dict, data: dict) -> dict:
    """Llama 3.1 70B under 80 GB a rank, on the fewest ranks with which some stage does it."""
    if state["model"] != SEVENTY:
        return no("This goal is about Llama 3.1 70B.")
    held = at(state, data)["here"]["bytes"]
    said = f"Stage {state['stage']} holds {fmt.in_bytes(held, 'GB')} on each of {state['dp']} ranks"
    if held > CARD:
        return no(f"{said}.")
    fewer = [d for d in reference.DP if d < state["dp"]]
    if any(at(state, data, dp=d, stage=3, shard=0)["here"]["bytes"] <= CARD for d in fewer):
        return no(f"{said}. Fewer ranks are enough.")
    return {"reached": True, "says": f"Reached: {said[0].lower()}{said[1:]}, before any activations."}


def both(state: dict, data: dict) -> dict:
    """7.5 B on 16 ranks: little on each, and little between the nodes."""
    if (state["model"], state["dp"]) != ("paper", 16):
        return no("This goal is about 7.5 B on 16 ranks.")
    now = at(state, data)
    said = (
        f"{fmt.in_bytes(now['here']['bytes'], 'GB')} on each rank, {fmt.in_bytes(now['leaves'], 'GB')} leave each node"
    )
    if now["here"]["bytes"] > LIMIT or now["leaves"] > LIMIT:
        return no(f"{said}.")
    return {"reached": True, "says": f"Reached: {said}. Inside a node nothing is scarce."}


goals = {"seventy": seventy, "both": both}
reach = {
    "seventy": [{"model": SEVENTY, "stage": 3, "dp": 16}],
    "both": [{"stage": 3, "dp": 16, "shard": 8}],
}


# ---------------------------------------------------------------- figures


def cards(state: dict, data: dict) -> str:
    """Every rank and what it holds."""
    return drawn.cards(at(state, data), state["dp"])


def sends(state: dict, data: dict, bet: str = "") -> str:
    """What the stages send; stage 3 is kept back while the bet is open."""
    return drawn.bars(at(state, data), "sends", state["stage"], bet == "open")


figures = {"cards": cards, "sends": sends}
