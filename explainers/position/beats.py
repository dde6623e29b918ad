"""What the beats of position ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.position import drawn, reference

WITHIN, FURTHER, QWEN = 131_072, 100, "Qwen/Qwen3-8B"


def at(state: dict, data: dict, **changes) -> dict:
    return reference.compute({**state, **changes}, data)


def moved(state: dict, data: dict) -> int:
    """Query and key 100 tokens further on: 0 the score falls, 1 it stays, 2 it rises."""
    later = at(state, data, query=state["query"] + FURTHER, key=state["key"] + FURTHER)["score"]
    change = later - at(state, data)["score"]
    return 1 if abs(change) < 1e-9 else 2 if change > 0 else 0


def still(state: dict, data: dict) -> int:
    """How many numbers of a head do not turn."""
    rope = at(state, data)["rope"]
    return rope["head"] - rope["dims"]


answers = {"moved": moved, "still": still}


def within(rope: dict) -> str:
    """In which text: that of the training, where the config tells of it."""
    return "in training" if rope["original"] else f"within the {fmt.integer(rope['trained'])} tokens of its config"


def slowed(state: dict, data: dict) -> str:
    """What the stretching does to how many pairs."""
    rope = at(state, data)["rope"]
    if not rope["pairs"]:
        return f"**{rope['title']}** turns no pair at all."
    own = f"**{rope['unfinished']} of {rope['pairs']} pairs** would not finish a turn {within(rope)}."
    if rope["factor"] == 1:
        return f"{rope['title']}, not stretched: {own}"
    return (
        f"{rope['title']}, {rope['kind']}, factor {int(rope['factor'])}: {own} {rope['slowed']} are slowed by the "
        f"whole factor, {rope['between']} in part; {rope['kept']} stay as they were."
    )


def share(state: dict, data: dict) -> str:
    """How many numbers of a head turn."""
    rope = at(state, data)["rope"]
    if not rope["dims"]:
        return f"**{rope['title']}**: none of {rope['head']}. Order comes from its other layers, which carry a state."
    part = f"{rope['dims']} of {rope['head']} numbers, {fmt.percent(rope['share'], 0)}"
    return f"**{rope['title']}**: {part}; its slowest pair turns once in {fmt.integer(rope['slowest'])} tokens."


captions = {"slowed": slowed, "share": share}


# ---------------------------------------------------------------- goals


def smallest_base(state: dict, data: dict) -> dict:
    """The smallest base in the list whose slowest pair, not stretched, needs more than 131,072 tokens."""
    rope = at(state, data)["rope"]
    if not rope["pairs"] or state["stretch"] != "none" or not state["theta"]:
        return no("Choose a base from the list, for a model that turns, and no stretching.")
    takes = f"With {fmt.integer(state['theta'])} the slowest pair turns once in {fmt.integer(rope['slowest'])} tokens"
    if rope["slowest"] <= WITHIN:
        return no(f"{takes}.")
    place = reference.BASES.index(state["theta"])
    before = reference.BASES[place - 1]
    less = at(state, data, theta=before)["rope"]["slowest"] if before else 0.0
    if less > WITHIN:
        return no(f"{takes}. A smaller base is enough.")
    return {"reached": True, "says": f"Reached: {takes[0].lower()}{takes[1:]}, with the next smaller too soon."}


def eightfold(state: dict, data: dict) -> dict:
    """Qwen3 8B with its slowest pair eight times slower and its fastest as it was."""
    if state["model"] != QWEN or state["theta"]:
        return no("This goal is about Qwen3 8B with its own base.")
    now = at(state, data)
    slow, fast = (now["waves"][i] / now["plain"][i] for i in (-1, 0))
    if slow < 8 - 1e-6:
        return no("Its slowest pair is as fast as before.")
    if fast > 1 + 1e-9:
        return no(f"Its fastest pair is slowed too, {fmt.fixed(fast, 0)} times: neighbours blur.")
    rope = now["rope"]
    other = "llama3" if state["stretch"] == "yarn" else "YaRN"
    return {"reached": True, "says": f"Reached with {rope['kind']}: {rope['kept']} pairs stay. {other} does it too."}


goals = {"smallest_base": smallest_base, "eightfold": eightfold}
reach = {
    "smallest_base": [
        {"stretch": "none", "theta": 25_000},
        {"stretch": "none", "theta": 30_000, "model": "openai/gpt-oss-20b"},
    ],
    "eightfold": [{"model": QWEN, "stretch": "yarn"}, {"model": QWEN, "stretch": "llama3"}],
}


# ---------------------------------------------------------------- figures


def dials(state: dict, data: dict) -> str:
    """Four pairs at both tokens."""
    return drawn.dials(at(state, data))


def waves(state: dict, data: dict, bet: str = "") -> str:
    """Every pair's wavelength; while the bet is open, the fast half."""
    return drawn.waves(at(state, data), hide=bet == "open")


figures = {"dials": dials, "waves": waves}
