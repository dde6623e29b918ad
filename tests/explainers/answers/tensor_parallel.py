"""Answers of the tensor-parallel page's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.tensor_parallel import reference


def meetings(state: dict, data: dict) -> int:
    """How often the executed layer's ranks meet to add up what they have."""
    return len({row[0] for row in reference.compute(state, data)["log"]})


def how_often(state: dict, data: dict) -> int:
    """Which option that is; -1 where it is none."""
    return {1: 0, 2: 1, 4: 2}.get(meetings(state, data), -1)


def held_on(state: dict, data: dict, t: int) -> float:
    """What one of t ranks holds."""
    model = reference.model_of(state, data)
    return reference.words.total(reference.memory_of(model, t, state["sequence_parallel"], int(state["sequence"])))


def sends_more(state: dict, data: dict) -> int:
    """Bytes with sequence parallelism against those without, counted in both logs: 0 more, 1 the same, 2 less."""
    old, now = (
        reference.compute({**state, "sequence_parallel": sp}, data)["sent"]["layer"]["counted"] for sp in (False, True)
    )
    return 0 if now > old else 1 if now == old else 2


def traffic(state: dict, data: dict) -> float:
    """How many times the bytes of stage 0 a step sends."""
    sent = reference.compute(state, data)["zero"]["sent"]
    plain = reference.zero.CONVENTIONS[state["convention"]]["travels"] * 2 * ((state["dp"] - 1) / state["dp"])
    return (sent["weights"] + sent["gradients"]) / plain if plain else 1


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
