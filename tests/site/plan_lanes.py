"""A plan that trains -> what each pipeline stage does, slot by slot: /learn/pipeline/'s schedules at one pace for all.

A unit of time is a forward of one chunk; its backward is two, three where everything is computed again. Long steps are
run short: of the rounds of the steady state, which are alike, some are left out, and `Fold` says where.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from cutaway.explainers.pipeline import schedules, simulate
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.schedules import SCHEDULES

MOST_SLOTS = 160  # of a lane; more are folded
MOST_OPS = 60_000  # of all lanes that are run
Op = tuple  # ("F" | "B" | "I" | "W", chunk of the model, micro-batch) or ("X", both), then start and end
UNFOLDED = ("gpipe", "looped-bfs", "dualpipe")  # nothing repeats, or at both ends at once


class Fold(NamedTuple):
    """Rounds that are left out: each takes `units` and `micros` micro-batches, as the one that begins `at`."""

    at: int
    units: int
    micros: int
    rounds: int


class Lanes(NamedTuple):
    """Ops by stage, as run: after the fold, times and micro-batches lack those of the rounds that are left out."""

    schedule: str
    chunks: int
    units: int  # of a micro-batch on one stage
    ops: list[list[Op]]
    fold: Fold | None

    @property
    def end(self) -> int:
        """Units of the whole step."""
        return self.ops_end + (self.fold.units * self.fold.rounds if self.fold else 0)

    @property
    def ops_end(self) -> int:
        return max(ops[-1][-1] for ops in self.ops)


def lanes(layout: Layout) -> Lanes | None:
    """What runs when; None where that is too much to run."""
    name, chunks = layout.runs, layout.chunks
    if layout.pp == 1:  # one stage takes one micro-batch after the other
        name, chunks = "1f1b", 1
    return run(name, layout.pp, chunks, layout.micro_batches, 2 if layout.recompute == "full" else 1)


@lru_cache(maxsize=32)
def run(name: str, p: int, v: int, m: int, again: int = 1, most: int = MOST_SLOTS) -> Lanes | None:
    """A schedule of p stages, v chunks on each and m micro-batches; `again`: units of the gradient of the input."""
    each = p if SCHEDULES[name].rule == "rounds" and p > 1 else 1
    keep = max(2 * p + 3 * each, -(-48 // v))
    rounds = (m - keep) // each if 2 * v * m > most and name not in UNFOLDED else 0
    if rounds > 1:
        ops = executed(name, p, v, m - rounds * each, again)
        length = (2 + again) * v * each
        if (at := steady(ops, length, each)) is not None:
            return Lanes(name, v, (2 + again) * v, ops, Fold(at, length, each, rounds))
    if 2 * p * v * m > MOST_OPS:
        return None
    return Lanes(name, v, (2 + again) * v, executed(name, p, v, m, again), None)


def executed(name: str, p: int, v: int, m: int, again: int) -> list[list[Op]]:
    """Every op with its start and end, in units."""
    lists = [schedules.rank_ops(name, p, m, v, rank) for rank in range(p)]
    times = simulate.run_schedule(lists, v, simulate.Times(v, again * v, v, (2 + again) * v))
    return [
        [(*op, int(a), int(b)) for op, (a, b) in zip(ops, own, strict=True)]
        for ops, own in zip(lists, times, strict=True)
    ]


def steady(ops: list[list[Op]], length: int, micros: int) -> int | None:
    """When a round begins that all lanes repeat, in the middle of those that do."""
    starts = [op[-2] for op in ops[0]]
    for at in starts:
        found = 0
        while repeats(ops, at + found * length, length, micros):
            found += 1
        if found:
            return at + min(found // 2, found - 1) * length
    return None


def repeats(ops: list[list[Op]], at: int, length: int, micros: int) -> bool:
    """Whether every lane does from `at` on, for so long, what it does again after that, some micro-batches later."""
    for own in ops:
        one = [shifted(op, length, micros) for op in own if at <= op[-2] < at + length]
        if not one or one != [op for op in own if at + length <= op[-2] < at + 2 * length]:
            return False
    return True


def shifted(op: Op, units: int, micros: int) -> Op:
    """The same op some rounds later."""
    *body, start, end = op
    more = [part + micros if place and place % 2 == 0 else part for place, part in enumerate(body)]
    return (*more, start + units, end + units)
