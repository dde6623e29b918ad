"""Op lists -> when each op runs, what is in flight, what ranks send each other, and why a rank waits.

An op starts when its rank is free and its inputs are there. Times are per chunk: a stage's time divided by v.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


def parts(op: tuple) -> list[tuple[str, int, int]]:
    """An overlapped piece is its forward and its backward; anything else is itself."""
    return [("F", op[1], op[2]), ("B", op[3], op[4])] if op[0] == "X" else [op]


def needed_result(kind: str, stage: int, micro: int, last: int) -> tuple[str, int, int] | None:
    """The one result an op waits for; "B" stands for B or I, whichever the schedule has."""
    if kind == "F":
        return ("F", stage - 1, micro) if stage > 0 else None
    if kind == "W":
        return ("B", stage, micro)
    return ("B", stage + 1, micro) if stage < last else ("F", stage, micro)


class Times(NamedTuple):
    """Of one stage: forward, gradient of the input, gradient of the weights, and an overlapped forward and backward."""

    f: float
    i: float
    w: float
    pair: float

    def of_ops(self, v: int) -> dict[str, float]:
        """How long each kind of op of one of v chunks takes."""
        f, i, w = self.f / v, self.i / v, self.w / v
        return {"F": f, "I": i, "W": w, "B": i + w, "X": self.pair / v}


def pair(f: float, i: float, w: float, overlap: float) -> float:
    """A forward and a backward as one piece: one after the other, less what hides behind the longer of them."""
    return f + (i + w) - overlap * min(f, i + w)


def run_schedule(lists: Sequence[Sequence[tuple]], v: int, stage: Times, hop: float = 0.0) -> list[list[tuple]]:
    """Every op's (start, end), rank by rank; a deadlock is a ValueError that names the ops that wait."""
    last, long = len(lists) * v - 1, stage.of_ops(v)
    done: dict[tuple, tuple[float, int]] = {}
    at = [0] * len(lists)
    free = [0.0] * len(lists)
    times: list[list[tuple]] = [[] for _ in lists]
    moved = True
    while moved:
        moved = False
        for r, ops in enumerate(lists):
            while at[r] < len(ops):
                op = ops[at[r]]
                inputs = [needed_result(*part, last) for part in parts(op)]
                if any(n is not None and n not in done for n in inputs):
                    break
                start = free[r]
                for n in inputs:
                    if n is not None:
                        end, where = done[n]
                        start = max(start, end if where == r else end + hop)
                end = start + long[op[0]]
                for kind, of_stage, micro in parts(op):
                    if kind != "W":
                        done["F" if kind == "F" else "B", of_stage, micro] = (end, r)
                times[r].append((start, end))
                free[r] = end
                at[r] += 1
                moved = True
    if any(at[r] < len(ops) for r, ops in enumerate(lists)):
        stuck = [f"rank {r}: {ops[at[r]]}" for r, ops in enumerate(lists) if at[r] < len(ops)]
        raise ValueError("These ops wait for each other: " + "; ".join(stuck))
    return times


def count_in_flight(ops: Sequence[tuple], times: Sequence[tuple], until: float | None = None) -> int:
    """Chunks of activations on a rank: a forward adds one when it starts, a B or W frees it when it ends.

    With `until`: how many at that moment. Without: the most there ever are.
    """
    now = peak = 0
    for op, (start, end) in zip(ops, times, strict=True):
        if until is not None and start > until:
            break
        now += op[0] in "FX"
        peak = max(peak, now)
        if until is None or end <= until:
            now -= op[0] in "BWX"
    return peak if until is None else now


def awaited_op(
    lists: Sequence[Sequence[tuple]], times: Sequence[Sequence[tuple]], rank: int, index: int, v: int
) -> dict | None:
    """The op whose result a rank sat waiting for before its op `index`; None if it did not wait."""
    free = times[rank][index - 1][1] if index else 0.0
    start = times[rank][index][0]
    if start <= free:
        return None
    last = len(lists) * v - 1
    wanted = [n for n in (needed_result(*part, last) for part in parts(lists[rank][index])) if n is not None]
    found = None
    for r, ops in enumerate(lists):
        for k, op in enumerate(ops):
            made = [("F" if kind == "F" else "B", s, u) for kind, s, u in parts(op) if kind != "W"]
            if any(n in made for n in wanted) and (found is None or times[r][k][1] > found["end"]):
                found = {"rank": r, "index": k, "end": times[r][k][1]}
    return found and {**found, "from": free, "to": start}


def messages(lists: Sequence[Sequence[tuple]], times: Sequence[Sequence[tuple]], v: int, hop: float) -> list[tuple]:
    """Every result that another rank needs: (kind, source, its op, destination, its op, sent, there)."""
    last, made, sent = len(lists) * v - 1, {}, []
    for r, ops in enumerate(lists):
        for k, op in enumerate(ops):
            for kind, stage, micro in parts(op):
                if kind != "W":
                    made["F" if kind == "F" else "B", stage, micro] = (r, k)
    for r, ops in enumerate(lists):
        for k, op in enumerate(ops):
            for need in (needed_result(*part, last) for part in parts(op)):
                if need and made[need][0] != r:
                    source, index = made[need]
                    end = times[source][index][1]
                    sent.append((need[0], source, index, r, k, end, end + hop))
    return sent
