"""A schedule, its sizes and its times -> every op's start and end, the bubble, what is in flight, why a rank waits.

The op lists are made in schedules.py, timed in simulate.py; asked.py has the words of one op, real.py the times of a
model, weighed.py what a cap and a second schedule say. Micro-batches are printed from 1, ranks and stages from 0.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from cutaway.explainers.pipeline import asked, real, schedules, simulate, weighed

number = asked.number

STATE: dict[str, Any] = {
    "schedule": "1f1b",
    "beside": "none",  # a second schedule under the same cursor
    "pp": 4,
    "microbatches": 8,
    "chunks": 2,  # of the model, on each rank; schedules without chunks take 1
    "forward": 1.0,
    "input_grad": 1.0,
    "weight_grad": 1.0,
    "hop": 0.0,  # from one rank to the next
    "overlap": 0.5,  # of the shorter half of an overlapped pair: how much of it hides
    "cap": 0.0,  # micro-batches a rank has room for; 0 = no cap
    "model": "none",  # whose times are taken, with one forward of a stage as the unit
    "device": "h100_sxm",
    "tokens": 4096,  # of a micro-batch: one sequence
    "link": "outside",
    "zoom": 0.0,  # of the step's length; 0 = as close as its numbers need
    "left": 0.0,  # where the zoomed part begins
    "cursor": 15.0,
    "rank": 0,  # whose op is explained; -1 = none
    "op": 4,  # which of its ops, and the wait before it
}
WHOLE = {"pp": (2, 16, "ranks"), "microbatches": (1, 64, "micro-batches"), "chunks": (1, 4, "chunks")}
TIMES = {
    "forward": (0.25, 4, "The forward time"),
    "input_grad": (0.25, 4, "The input-gradient time"),
    "weight_grad": (0, 4, "The weight-gradient time"),
    "hop": (0, 2, "The transfer time"),
    "overlap": (0, 1, "The overlap"),
    "cap": (0, 64, "The memory cap"),
    "zoom": (0, 64, "The zoom"),
}
PARTS = ("forward", "input_grad", "weight_grad", "hop")
OFFERED = {"model": ("none", *real.MODELS), "device": real.DEVICES, "tokens": real.TOKENS, "link": real.LINKS}


def data() -> dict[str, Any]:
    """The rows of schedules, models and devices, for the controls; and where a broken link starts from."""
    keys = ("label", "chunks", "bubble", "holds", "source", "note", "rule", "factor", "copies")
    rows = [{"value": k, **{key: getattr(s, key) for key in keys}} for k, s in schedules.SCHEDULES.items()]
    rows = [{**row, "chunks": list(row["chunks"])} for row in rows]
    offered = {key: list(OFFERED[key]) for key in ("tokens", "link")}
    return {
        "schedules": rows, "models": real.models(), "devices": real.devices(), "offered": offered, "start": STATE,
    }  # fmt: skip


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e9


def check(state: dict[str, Any]) -> str:
    """ "" or the sentence that says what is legal."""
    for key in ("schedule", "beside"):
        if state[key] not in schedules.SCHEDULES and (key, state[key]) != ("beside", "none"):
            return f"The schedules here are {', '.join(schedules.SCHEDULES)}; there is no “{state[key]}”."
    for key, (low, high, what) in WHOLE.items():
        x = state[key]
        if not _is_number(x) or x != int(x) or not low <= x <= high:
            return f"The number of {what} is a whole number from {low} to {high}."
    for key, (least, most, what) in TIMES.items():
        if not _is_number(state[key]) or not least <= state[key] <= most:
            return f"{what} goes from {number(least)} to {number(most)}."
    for key, legal in OFFERED.items():
        if state[key] not in legal:
            return f"{key} is one of {', '.join(map(str, legal))}; “{state[key]}” is not."
    places = [state[key] for key in ("rank", "op")]
    if not all(_is_number(x) for x in (state["cursor"], state["left"], *places)) or any(x != int(x) for x in places):
        return "The cursor is a time, rank and op are whole numbers."
    return fits(state) or (fits({**state, "schedule": state["beside"]}) if state["beside"] != "none" else "")


def fits(state: dict[str, Any]) -> str:
    """The sentence that says which sizes a schedule can be written for; "" for these."""
    row, p, m = schedules.SCHEDULES[state["schedule"]], int(state["pp"]), int(state["microbatches"])
    if len(row.chunks) > 1 and state["chunks"] not in row.chunks:
        return f"{row.label} needs at least 2 chunks on each rank; with 1 there is nothing to interleave."
    if row.rule == "rounds" and m % p:
        near = f"{m // p * p} or {m // p * p + p}" if m > p else f"{p}"
        return (
            f"{row.label} sends micro-batches in rounds of {p}, one per rank: {m} is not a multiple of {p}. "
            f"Take {near} micro-batches."
        )
    if row.rule == "both ends" and (p % 2 or m % 2):
        return (
            f"{row.label} feeds in half of the micro-batches at each end: {p} ranks "
            f"and {m} micro-batches are not both even. Take {p + p % 2} ranks and {m + m % 2} micro-batches."
        )
    if row.rule in ("both ways", "both ends") and m < 2 * p:
        return f"{row.label} fills the pipeline from both ends: {p} ranks need at least {2 * p} micro-batches, not {m}."
    return ""


def chunks_of(state: dict[str, Any]) -> int:
    """How many chunks a rank really holds: the schedule's own number where it has only one."""
    own = schedules.SCHEDULES[state["schedule"]].chunks
    return own[0] if len(own) == 1 else int(state["chunks"])


def times_of(state: dict[str, Any]) -> dict[str, float]:
    """Of a stage: as the state has them, or a model's with its forward as the unit."""
    if state["model"] == "none":
        return {key: state[key] for key in PARTS}
    found = real.seconds(state)
    return {key: found[key] / found["forward"] for key in PARTS}


class Ran:
    """One schedule at the state's sizes and times: lists, starts and ends, and what follows from them."""

    def __init__(self, state: dict[str, Any]):
        name, p, m, v = state["schedule"], int(state["pp"]), int(state["microbatches"]), chunks_of(state)
        own = times_of(state)
        f, i, w, self.hop = own.values()
        self.row, self.v, self.own = schedules.SCHEDULES[name], v, own
        pair = simulate.pair(f, i, w, state["overlap"])
        self.lists = [schedules.rank_ops(name, p, m, v, r) for r in range(p)]
        self.times = simulate.run_schedule(self.lists, v, simulate.Times(f, i, w, pair), self.hop)
        self.span = max(rank[-1][1] for rank in self.times)
        gained = f + (i + w) - pair
        pairs = [sum(op[0] == "X" for op in ops) if gained else 0 for ops in self.lists]
        busy = [m * (f + i + w) - n * gained / v for n in pairs]
        self.idle = [self.span - one for one in busy]
        self.work, self.bubble = min(busy), self.span - min(busy)
        self.formula, holds = schedules.closed_form(self.row, p, m, v, (f, i, w, pair))
        self.holds = holds and self.hop == 0

    @cached_property
    def sent(self) -> list[tuple]:
        return simulate.messages(self.lists, self.times, self.v, self.hop)

    def ops(self) -> list:
        pairs = zip(self.lists, self.times, strict=True)
        return [[[*op, *t] for op, t in zip(*pair, strict=True)] for pair in pairs]

    def held(self, at: float | None = None) -> list[float]:
        """Micro-batches in flight on each rank, at a moment or at most."""
        return [simulate.count_in_flight(*pair, at) / self.v for pair in zip(self.lists, self.times, strict=True)]


def compute(state: dict[str, Any], data: dict[str, Any] | None = None) -> dict[str, Any]:
    """Everything the widget prints."""
    run = Ran(state)
    other = Ran({**state, "schedule": state["beside"]}) if state["beside"] != "none" else None
    lists, times, v = run.lists, run.times, run.v
    end = max(run.span, other.span) if other else run.span
    at = min(max(state["cursor"], 0), end)
    sent = [sum(m[1] == r for m in run.sent) for r in range(len(lists))]
    return {
        "chunks": v,
        "times": run.own,
        "ops": run.ops(),
        "span": run.span,
        "end": end,
        "work": run.work,
        "idle": run.idle,
        "bubble": run.bubble,
        "of_ideal": run.bubble / run.work,
        "of_total": run.bubble / run.span,
        "formula": run.formula,
        "formula_holds": run.holds,
        "notes": weighed.notes(state, run),
        "at": at,
        "peak": run.held(),
        "now": run.held(at),
        "doing": [asked.doing(lists, times, r, at, v) for r in range(len(lists))],
        **chosen(state, run),
        "sent": sent,
        "crossings": sum(sent),
        "fit": weighed.cap(state, run, fits),
        "other": other and weighed.beside(state, run, other, at),
        "real": real.describe_times(real.seconds(state), run.span, run.bubble, sent)
        if state["model"] != "none"
        else None,
    }


def chosen(state: dict[str, Any], run: Ran) -> dict[str, Any]:
    """The chosen op in words, with what it reads and gives; which gap stands before it, and why."""
    rank, op, gaps = int(state["rank"]), int(state["op"]), gaps_of(run.times)
    why = asked.why(run.lists, run.times, rank, op, run.v, run.hop)
    found = asked.asked(run.lists, run.times, run.sent, rank, op)
    return {
        "gaps": len(gaps),
        "gap": gaps.index((rank, op)) + 1 if (rank, op) in gaps else 0,
        "why": why,
        "says": why["sentence"] if why else found["sentence"] if found else "",
        "links": found["links"] if found else [],
    }


def gaps_of(times: list) -> list[tuple[int, int]]:
    """Every gap in reading order: (rank, op after it)."""
    return [
        (rank, k)
        for rank, ran in enumerate(times)
        for k, (start, _) in enumerate(ran)
        if start > (ran[k - 1][1] if k else 0)
    ]


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
    return made + [{**made[(7 * n) % len(made)], **more} for n, more in enumerate(_add_extras())]


def _add_extras() -> list[dict[str, Any]]:
    """Overlap, caps, a second schedule, a model's times, a part of the step: one after the other."""
    names, found = list(schedules.SCHEDULES), []
    for n, name in enumerate(names):
        size = {"schedule": name, "pp": 4, "microbatches": 8 + 4 * (n % 3), "chunks": 2 + n % 3}
        found += [{**size, "overlap": n / 8 % 1, "beside": names[(3 * n + 2) % len(names)], "cap": 0.5 * (n + 5)}]
        found += [{**size, "model": real.MODELS[n % len(real.MODELS)], "tokens": real.TOKENS[n % 3]}]
        found[-1] |= {"device": real.DEVICES[n % 3], "link": real.LINKS[n % 2], "overlap": 1.0, "hop": 0.0}
        found += [{**size, "zoom": 1.0 + n, "left": 2.5 * n, "rank": n % 4, "op": 2 * n, "overlap": 0.25, "cap": 1.0}]
    return found
