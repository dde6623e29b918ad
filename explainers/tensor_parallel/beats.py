"""What the beats of the tensor-parallel page ask, say and draw: answers, captions, goals, figures. Twin of beats.js.

The numbers are reference.compute's; here stand only what a single state does not tell, and the drawings.
"""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.tensor_parallel import reference

drawn, zero, words = reference.drawn, reference.zero, reference.words
CARD_BYTES, TRAIN_BYTES, RANKS = 24 * 10**9, 80 * 10**9, 64


def meetings(state: dict, data: dict) -> int:
    """How often the executed layer's ranks meet to add up what they have."""
    return len({row[0] for row in reference.compute(state, data)["log"]})


def held_on(state: dict, data: dict, t: int) -> float:
    """What one of t ranks holds."""
    model = reference.model_of(state, data)
    return words.total(reference.memory_of(model, t, state["sequence_parallel"], int(state["sequence"])))


def sends_more(state: dict, data: dict) -> int:
    """Bytes with sequence parallelism against those without, counted in both logs: 0 more, 1 the same, 2 less."""
    old, now = (
        reference.compute({**state, "sequence_parallel": sp}, data)["sent"]["layer"]["counted"] for sp in (False, True)
    )
    return 0 if now > old else 1 if now == old else 2


def traffic(state: dict, data: dict) -> float:
    """How many times the bytes of stage 0 a step sends."""
    sent = reference.compute(state, data)["zero"]["sent"]
    plain = zero.CONVENTIONS[state["convention"]]["travels"] * 2 * ((state["dp"] - 1) / state["dp"])
    return (sent["weights"] + sent["gradients"]) / plain if plain else 1


def how_often(state: dict, data: dict) -> int:
    """Which option that is."""
    often = meetings(state, data)
    return [1, 2, 4].index(often) if often in (1, 2, 4) else -1


answers = {
    "meetings": meetings,
    "how_often": how_often,
    "never": lambda state, data: 2 * reference.compute(state, data)["sent"]["pass"]["message"],
    "held": lambda state, data: held_on(state, data, int(state["tp"])),
    "eight": lambda state, data: held_on(state, data, 8),
    "half_eight": lambda state, data: held_on(state, data, 8) / 2,
    "sends_more": sends_more,
    "how": lambda state, data: "A reduce-scatter and an all-gather" if state["sequence_parallel"] else "An all-reduce",
    "whole_stream": lambda state, data: reference.compute(state, data)["message_bytes"],
    "traffic": traffic,
}


def moment(state: dict, data: dict) -> str:
    """What happens in the step that is drawn."""
    now = reference.compute(state, data)
    name, says = now["moments"][int(state["step"])]
    return f"**Step {now['at']['words']}: {name}.** {says[0].upper()}{says[1:]}."


captions = {"moment": moment}


# ---------------------------------------------------------------- goals


def few_cards(state: dict, data: dict) -> dict:
    """The model and 8,192 tokens of cache on cards of 24 GB, and no rank more than that needs."""
    first, t = reference.STATE, int(state["tp"])
    if state["model"] != first["model"] or state["sequence"] != first["sequence"]:
        return no("This goal is about Llama 3.1 70B and 8,192 tokens.")
    held = held_on(state, data, t)
    now = f"On {t} {'rank' if t == 1 else 'ranks'} each holds {fmt.in_bytes(held)}"
    if held > CARD_BYTES:
        return no(f"{now}.")
    fewer = [n for n in reference.legal(reference.model_of(state, data)) if n < t][-1]
    if held_on(state, data, fewer) <= CARD_BYTES:
        return no(f"{now}: fewer will do.")
    more = fmt.in_bytes(held_on(state, data, fewer))
    return {"reached": True, "says": f"Reached. {now}. Half as many would need {more} each."}


def train_64(state: dict, data: dict) -> dict:
    """What training keeps, on 64 data-parallel ranks under 80 GB each."""
    if state["model"] != reference.STATE["model"] or state["dp"] != RANKS:
        return no("This goal is about Llama 3.1 70B on 64 data-parallel ranks.")
    held = reference.compute(state, data)["zero"]["rank_bytes"]
    now = f"With ZeRO stage {int(state['stage'])} each keeps {fmt.in_bytes(held)}"
    if held >= TRAIN_BYTES:
        return no(f"{now}.")
    return {
        "reached": True,
        "says": f"Reached. {now}, before activations. It would do with gradients kept in fp32 too.",
    }


goals = {"few_cards": few_cards, "train_64": train_64}
reach = {
    "few_cards": [{"tp": 8}, {"tp": 8, "sequence_parallel": True}],
    "train_64": [{"dp": 64, "stage": 3}, {"dp": 64, "stage": 3, "convention": "18"}],
}


# ---------------------------------------------------------------- figures


def layer(state: dict, data: dict, bet: str) -> str:
    """The layer at a step; no meeting while a bet is open."""
    model, now, hush = reference.model_of(state, data), {**state, **reference.compute(state, data)}, bet == "open"
    sizes = drawn.both if bet == "open" and not state["sequence_parallel"] else drawn.once
    return sizes(lambda width: drawn.layer(model, now, width, drawn.label(model, now, hush), hush=hush))


def cards(state: dict, data: dict) -> str:
    """What every rank keeps of each parameter."""
    now = reference.compute(state, data)
    return drawn.once(lambda width: drawn.zero(state, now, width)) + drawn.LEGEND


figures = {"layer": layer, "zero": cards}
