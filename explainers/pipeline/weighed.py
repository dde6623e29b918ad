"""Schedules that ran -> sentences: a bubble's conventions, what a memory cap lets pass, two side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.explainers import fmt
from cutaway.explainers.pipeline import schedules, simulate
from cutaway.explainers.pipeline.asked import number


def notes(state: dict[str, Any], run: Any) -> dict[str, str]:
    """What stands beside each number of the bubble."""
    row, p, m, v, holds = run.row, int(state["pp"]), int(state["microbatches"]), run.v, run.holds
    plain = holds and row.bubble == "F + I + W" and v == 1
    lacks = [row.holds] if row.holds else []
    lacks += ["transfers that take no time"] if run.hop else []
    valid = " · equal to the simulation" if holds else f" · not valid here, it needs {', and '.join(lacks)}"
    times = schedules.factor(row, p)[0]
    least = min(run.idle)
    even = least == run.bubble
    return {
        "who": "each rank" if even else "the rank that waits most",
        "idle": f"units of {number(run.span)}" + ("; the rest is work" if even else f"; at least {number(least)}"),
        "whole": (f"= (p − 1)/(m + p − 1) = {p - 1}/{m + p - 1}" if plain else "= idle / (work + idle)")
        + " · the zero-bubble papers",
        "ideal": (f"= (p − 1)/m = {p - 1}/{m}" if plain else "= idle / work") + " · Megatron-LM, arXiv 2104.04473",
        "formula": f"= {times}({row.bubble}){f' / {v}' if v > 1 else ''}{valid}",
    }


def peaks(state: dict[str, Any], fits: Callable[[dict], str]) -> dict[str, float]:
    """Of every schedule that these sizes allow: micro-batches in flight at most, on any rank."""
    found, p, m = {}, int(state["pp"]), int(state["microbatches"])
    for name, row in schedules.SCHEDULES.items():
        if not fits({**state, "schedule": name}):
            v = row.chunks[0] if len(row.chunks) == 1 else int(state["chunks"])
            ends = [schedules.rank_ops(name, p, m, v, rank) for rank in range(p)]
            found[name] = max(simulate.count_in_flight(ops, [(0, 0)] * len(ops)) for ops in ends) / v
    return found


def cap(state: dict[str, Any], run: Any, fits: Callable[[dict], str]) -> dict[str, Any] | None:
    """Which schedules hold no more than a rank has room for; None without a cap."""
    if state["cap"] == 0:
        return None
    most = peaks(state, fits)
    named = {name: f"{schedules.SCHEDULES[name].label} ({number(peak)})" for name, peak in most.items()}
    good = [name for name in most if most[name] <= state["cap"]]
    own = most[state["schedule"]]
    over = own > state["cap"]
    says = f"{run.row.label} holds {number(own)} at most and {'does not fit' if over else 'fits'}. "
    least = min(most, key=lambda name: most[name])
    others = [named[name] for name in good if name != state["schedule"]]
    if others:
        says += f"{'These fit' if over else 'So do'}: {', '.join(others)}."
    else:
        says += f"None fits: {named[least]} needs least." if over else "No other does."
    return {"over": over, "good": good, "says": says}


def beside(state: dict[str, Any], run: Any, other: Any, at: float) -> dict[str, Any]:
    """The second schedule, and how it differs from the first."""
    gap = other.span - run.span
    first, second = run.row.label, other.row.label
    if gap:
        says = f"{second} finishes {number(abs(gap))} units {'after' if gap > 0 else 'before'} {first}, "
        says += f"{fmt.percent(abs(gap) / run.span)} of its step."
    else:
        says = f"{second} and {first} finish at the same time."
    mine, theirs = max(run.held()), max(other.held())
    says += f" {second}’s ranks hold at most {number(theirs)} micro-batches, "
    says += "the same number." if mine == theirs else f"compared with {number(mine)}."
    if other.row.copies > run.row.copies:
        says += " It holds all parameters twice."
    return {
        "label": second,
        "chunks": other.v,
        "ops": other.ops(),
        "span": other.span,
        "bubble": other.bubble,
        "of_total": other.bubble / other.span,
        "peak": other.held(),
        "now": other.held(at),
        "says": says,
    }
