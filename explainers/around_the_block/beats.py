"""What the beats of this page ask, say and draw: answers, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.around_the_block import charts, drawn, reference
from cutaway.explainers.beats_facts import no

DEEP, CALM, HEARD, HALF = 40, 2, 0.5, 0.5  # the goals


def at(state: dict, data: dict, **changes) -> dict:
    """All that can be printed of a state, its own keys included."""
    state = {**state, **changes}
    return {**state, **reference.compute(state, data)}


def meetings(state: dict, **changes) -> int:
    return reference.stack.cost({**state, **changes})["meetings"]


def saver(state: dict, data: dict) -> int:
    """Which of three changes leaves fewer meetings: 0 a gate, 1 norms behind the halves, 2 halves side by side."""
    plain = {**state, "norm": "pre", "parallel": False}
    each = [meetings(plain, **one) for one in ({"gate": "numbers"}, {"norm": "sandwich"}, {"parallel": True})]
    return each.index(min(each))


def louder(state: dict, data: dict) -> int:
    """How loud four streams become beside free mixing: 0 about half as loud, 1 as at the start, 2 nearly silent."""
    mix = reference.mixing.summary(state)
    return 1 if abs(mix["gain"] - 1) < 0.05 else 2 if mix["gain"] < 0.5 else 0


answers = {"saver": saver, "louder": louder}


# ---------------------------------------------------------------- goals


def heard_to_the_end(state: dict, data: dict) -> dict:
    """A deep stack whose stream stays small and still carries the embedding."""
    now = at(state, data)
    if now["cost"]["passes"] < DEEP:
        return no(f"This goal is about {DEEP} passes or more; here are {now['cost']['passes']}.")
    size, heard = fmt.fixed(now["size"], 2), fmt.percent(now["heard"])
    if now["size"] > CALM:
        return no(f"The stream’s size is {size} at the end.")
    if now["heard"] < HEARD:
        return no(f"The stream’s size is {size}, but of the embedding only {heard} is left in it.")
    return {
        "reached": True,
        "says": f"Reached: size {size}, and {heard} of it the embedding. A half that adds less is heard, too.",
    }


def half_of_both(state: dict, data: dict) -> dict:
    """Forty passes with half of the weights and half of the cache."""
    now = at(state, data)
    if now["cost"]["passes"] < DEEP:
        return no(f"This goal is about {DEEP} passes or more; here are {now['cost']['passes']}.")
    weights, kept = (fmt.percent(now["share"][key]) for key in ("weights", "kept"))
    says = f"{weights} of the weights and {kept} of the cache"
    if now["share"]["weights"] > HALF or now["share"]["kept"] > HALF:
        return no(f"{says}, beside {now['cost']['passes']} plain layers.")
    return {
        "reached": True,
        "says": f"Reached: {says}. Running the same layers again saves weights alone, borrowing mostly cache.",
    }


goals = {"heard_to_the_end": heard_to_the_end, "half_of_both": half_of_both}
reach = {
    "heard_to_the_end": [{"scale": 0.22}, {"scale": 0.15, "norm": "sandwich", "layers": 60}],
    "half_of_both": [{"layers": 20, "loops": 2, "borrow": 10}, {"layers": 10, "loops": 4, "borrow": 6}],
}


# ---------------------------------------------------------------- figures


def block(state: dict, data: dict) -> str:
    """The card of one layer."""
    return drawn.block(at(state, data))


def scores(state: dict, data: dict) -> str:
    """Scores as dots."""
    return charts.scores(at(state, data))


def ceiling(state: dict, data: dict) -> str:
    """The cap and its curve."""
    return charts.ceiling(at(state, data))


def drafts(state: dict, data: dict) -> str:
    """Twelve steps."""
    return charts.drafts(at(state, data))


def loops(state: dict, data: dict) -> str:
    """Weights and caches."""
    return charts.loops(at(state, data))


def borrow(state: dict, data: dict) -> str:
    """Who keeps and who borrows."""
    return charts.borrow(at(state, data))


def mixing(state: dict, data: dict, bet: str = "") -> str:
    """Gains; while the bet is open, those of free mixing."""
    return charts.mixing(at(state, data), bet == "open")


figures = {
    "block": block, "scores": scores, "ceiling": ceiling, "drafts": drafts, "loops": loops, "borrow": borrow,
    "mixing": mixing,
}  # fmt: skip
