"""A schedule, its sizes and its times -> every op's start and end, the bubble, what is in flight, why a rank waits.

The op lists are made in schedules.py, timed in simulate.py. Micro-batches are printed from 1, ranks and stages from 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explainers import load_file
from explainers.beats_facts import sig

schedules = load_file(Path(__file__).with_name("schedules.py"))
simulate = load_file(Path(__file__).with_name("simulate.py"))
drawn = load_file(Path(__file__).with_name("drawn.py"))

STATE: dict[str, Any] = {
    "schedule": "1f1b",
    "pp": 4,
    "microbatches": 8,
    "chunks": 2,  # of the model, on each rank; schedules without chunks take 1
    "forward": 1.0,
    "input_grad": 1.0,
    "weight_grad": 1.0,
    "hop": 0.0,  # from one rank to the next
    "cursor": 15.0,
    "rank": 0,  # whose wait is explained; -1 = none
    "op": 4,  # the op after that wait
}
WHOLE = {"pp": (2, 16, "ranks"), "microbatches": (1, 64, "micro-batches"), "chunks": (1, 4, "chunks")}
TIMES = {
    "forward": (0.25, 4, "The forward time"),
    "input_grad": (0.25, 4, "The input-gradient time"),
    "weight_grad": (0, 4, "The weight-gradient time"),
    "hop": (0, 2, "The transfer time"),
}
NAMES = {"F": "forward", "B": "backward", "I": "input gradient", "W": "weight gradient"}


def data() -> dict[str, Any]:
    """The schedules' rows, for the controls; and where a broken link starts from."""
    rows = [
        {
            "value": k,
            "label": s.label,
            "chunks": list(s.chunks),
            "bubble": s.bubble,
            "holds": s.holds,
            "source": s.source,
            "note": s.note,
        }
        for k, s in schedules.SCHEDULES.items()
    ]
    return {"schedules": rows, "start": STATE}


def number(x: float) -> str:
    """At most five significant digits: 4, 4.5, 13.333."""
    return sig(x, 5)


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e9


def check(state: dict[str, Any]) -> str:
    """ "" or the sentence that says what is legal."""
    if state["schedule"] not in schedules.SCHEDULES:
        return f"The schedules here are {', '.join(schedules.SCHEDULES)}; there is no “{state['schedule']}”."
    for key, (low, high, what) in WHOLE.items():
        x = state[key]
        if not _is_number(x) or x != int(x) or not low <= x <= high:
            return f"A whole number of {what} from {low} to {high} is drawn here."
    for key, (low, high, what) in TIMES.items():
        if not _is_number(state[key]) or not low <= state[key] <= high:
            return f"{what} goes from {number(low)} to {number(high)}."
    places = [state[key] for key in ("rank", "op")]
    if not all(_is_number(x) for x in (state["cursor"], *places)) or any(x != int(x) for x in places):
        return "The cursor is a time, rank and op are whole numbers."
    return _fits(state)


def _fits(state: dict[str, Any]) -> str:
    row, p, m = schedules.SCHEDULES[state["schedule"]], int(state["pp"]), int(state["microbatches"])
    if len(row.chunks) > 1 and state["chunks"] not in row.chunks:
        return f"{row.label} needs at least 2 chunks on each rank; with 1 there is nothing to interleave."
    if row.rule == "rounds" and m % p:
        near = f"{m // p * p} or {m // p * p + p}" if m > p else f"{p}"
        return (
            f"{row.label} sends micro-batches in rounds of {p}, one per rank: {m} is not a multiple of {p}. "
            f"Take {near} micro-batches."
        )
    if row.rule == "both ways" and m < 2 * p:
        return f"{row.label} fills the pipeline from both ends: {p} ranks need at least {2 * p} micro-batches, not {m}."
    return ""


def chunks_of(state: dict[str, Any]) -> int:
    """How many chunks a rank really holds: the schedule's own number where it has only one."""
    own = schedules.SCHEDULES[state["schedule"]].chunks
    return own[0] if len(own) == 1 else int(state["chunks"])


def compute(state: dict[str, Any], data: dict[str, Any] | None = None) -> dict[str, Any]:
    """Everything the widget prints."""
    name, p, m, v = state["schedule"], int(state["pp"]), int(state["microbatches"]), chunks_of(state)
    f, i, w = state["forward"], state["input_grad"], state["weight_grad"]
    lists = [schedules.rank_ops(name, p, m, v, r) for r in range(p)]
    times = simulate.run(lists, v, f, i, w, state["hop"])
    span = max(rank[-1][1] for rank in times)
    work = m * (f + i + w)
    formula, holds = schedules.closed_form(schedules.SCHEDULES[name], p, m, v, f, i, w)
    at = min(max(state["cursor"], 0), span)
    gaps = gaps_of(times)
    asked = (state["rank"], state["op"])
    return {
        "chunks": v,
        "ops": [[[*op, *t] for op, t in zip(*pair, strict=True)] for pair in zip(lists, times, strict=True)],
        "span": span,
        "work": work,
        "bubble": span - work,
        "of_ideal": (span - work) / work,
        "of_total": (span - work) / span,
        "formula": formula,
        "formula_holds": holds and state["hop"] == 0,
        "notes": _notes(state, v, holds and state["hop"] == 0),
        "at": at,
        "gaps": len(gaps),
        "gap": gaps.index(asked) + 1 if asked in gaps else 0,
        "peak": [simulate.held(*pair) / v for pair in zip(lists, times, strict=True)],
        "now": [simulate.held(*pair, at) / v for pair in zip(lists, times, strict=True)],
        "doing": [_doing(lists, times, r, at, v) for r in range(p)],
        "why": _why(lists, times, int(state["rank"]), int(state["op"]), v, state["hop"]),
    }


def gaps_of(times: list) -> list[tuple[int, int]]:
    """Every gap in reading order: (rank, op after it)."""
    return [
        (rank, k)
        for rank, ran in enumerate(times)
        for k, (start, _) in enumerate(ran)
        if start > (ran[k - 1][1] if k else 0)
    ]


def _notes(state: dict[str, Any], v: int, holds: bool) -> dict[str, str]:
    """What stands beside each number of the bubble."""
    row, p, m = schedules.SCHEDULES[state["schedule"]], int(state["pp"]), int(state["microbatches"])
    plain = holds and row.bubble == "F + I + W" and v == 1
    lacks = [row.holds] if row.holds else []
    lacks += ["transfers that take no time"] if state["hop"] else []
    valid = " · equal to the simulation" if holds else f" · not valid here, it needs {', and '.join(lacks)}"
    return {
        "whole": (f"= (p − 1)/(m + p − 1) = {p - 1}/{m + p - 1}" if plain else "= idle / (work + idle)")
        + " · the zero-bubble papers",
        "ideal": (f"= (p − 1)/m = {p - 1}/{m}" if plain else "= idle / work") + " · Megatron-LM, arXiv 2104.04473",
        "formula": f"= (p − 1)({row.bubble}){f' / {v}' if v > 1 else ''}{valid}",
    }


def op_name(op: tuple) -> str:
    """("B", 0, 0) -> "backward of micro-batch 1 on stage 0"."""
    if op[0] == "X":
        return f"forward of micro-batch {op[2] + 1} with backward of micro-batch {op[4] + 1}"
    return f"{NAMES[op[0]]} of micro-batch {op[2] + 1} on stage {op[1]}"


def _doing(lists: list, times: list, rank: int, at: float, v: int) -> str:
    """What a rank does at a moment."""
    for index, (start, end) in enumerate(times[rank]):
        if at < start:
            source = simulate.waited_for(lists, times, rank, index, v)
            return f"waits for the {op_name(lists[source['rank']][source['index']])}"
        if at < end:
            return op_name(lists[rank][index])
    return "done"


def _why(lists: list, times: list, rank: int, index: int, v: int, hop: float) -> dict[str, Any] | None:
    """The wait before an op: from, to, whose result ends it, and the sentence. Past the last op: done."""
    if not 0 <= rank < len(lists) or not 0 <= index <= len(lists[rank]):
        return None
    if index == len(lists[rank]):
        end = times[rank][-1][1]
        return {"from": end, "to": end, "rank": -1, "index": -1, "sentence": f"Rank {rank} is done at {number(end)}."}
    source = simulate.waited_for(lists, times, rank, index, v)
    op = op_name(lists[rank][index])
    if source is None:
        return None
    there = lists[source["rank"]][source["index"]]
    sentence = (
        f"Rank {rank} is idle from {number(source['from'])} to {number(source['to'])}. Next in its list is the {op}. "
        f"That needs the {op_name(there)}, which rank {source['rank']} ends at {number(source['end'])}"
        + (f"; then it travels for {number(hop)}." if hop and source["rank"] != rank else ".")
    )
    return {
        "from": source["from"],
        "to": source["to"],
        "rank": source["rank"],
        "index": source["index"],
        "sentence": sentence,
    }


def picture(state: dict[str, Any], data: dict[str, Any]) -> str:
    """The first picture: lanes, cursor, peaks, and both bubbles in words."""
    return drawn.picture(state, compute(state, data), schedules.SCHEDULES[state["schedule"]].label)


def cases() -> list[dict[str, Any]]:
    """States both sides compute: every schedule over sizes, unequal times and waits; illegal ones too."""
    made = []
    sizes = [(2, 4), (3, 6), (4, 8), (4, 12), (5, 10), (8, 16), (3, 5), (6, 3)]
    times = [(1, 1, 1, 0), (1, 1.5, 0.5, 0), (0.75, 2, 1.25, 0.25), (1, 0.5, 0, 0)]
    for name in schedules.SCHEDULES:
        for n, (p, m) in enumerate(sizes):
            for f, i, w, hop in times:
                state = {**STATE, "schedule": name, "pp": p, "microbatches": m, "chunks": 2 + n % 3}
                state |= {"forward": f, "input_grad": i, "weight_grad": w, "hop": hop}
                made.append(state | {"cursor": 1.5 * p + m / 2, "rank": n % p, "op": 1 + (3 * n) % m})
    return made
