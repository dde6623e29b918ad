"""Answers of the pipeline page's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.pipeline import reference


def at(state: dict, schedule: str) -> dict:
    """What the page prints of another schedule."""
    return reference.compute({**state, "schedule": schedule})


def messages(state: dict) -> int:
    """How often one micro-batch travels from a rank to another, there and back: an even share of all that is sent."""
    return round(reference.compute(state)["crossings"] / state["microbatches"])


def saves() -> int:
    """What 1F1B saves against GPipe at the page's first sizes: 0 time, 1 memory, 2 both."""
    old, new = (at(reference.STATE, name) for name in ("gpipe", "1f1b"))
    time, memory = new["span"] < old["span"], new["peak"][0] < old["peak"][0]
    return 2 if time and memory else int(memory)


def price() -> int:
    """What two chunks cost there: 0 memory and messages, 1 messages only, 2 nothing."""
    one, two = (at(reference.STATE, name) for name in ("1f1b", "interleaved"))
    return 0 if two["peak"][0] > one["peak"][0] else 1 if two["crossings"] > one["crossings"] else 2


answers = {
    "label": lambda state, data: reference.schedules.SCHEDULES[state["schedule"]].label,
    "saves": lambda state, data: saves(),
    "price": lambda state, data: price(),
    "messages": lambda state, data: messages(state),
    "gpipe_peak": lambda state, data: at(state, "gpipe")["peak"][0],
    "plain_peak": lambda state, data: at(state, "1f1b")["peak"][0],
    "plain_messages": lambda state, data: messages({**state, "schedule": "1f1b"}),
    "interleaved_idle": lambda state, data: at(reference.STATE, "interleaved")["of_total"],
    "last_peak": lambda state, data: reference.compute(state)["peak"][-1],
}
