"""A pipeline schedule's name -> its bubble, and how many micro-batches a stage has in flight. One row each.

The names are those of /learn/pipeline/, which runs them op by op: tests hold both numbers to what ran, over every size.
Going back takes twice what going forth does, half of it for the weights (F = I = W), and pairs hide nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import NamedTuple

SOURCE = (
    "GPipe 1811.06965, 1F1B 2104.04473, Looped BFS 2211.05953, zero bubble 2401.10241, V-Half and V-Min 2405.15362, "
    "DualPipe's README"
)


class Schedule(NamedTuple):
    """One schedule of a pipeline of two stages or more."""

    label: str
    idle: Callable[[int, int, int], int]  # (stages p, chunks v, micro-batches m) -> bubble, in forwards of a chunk
    told: str  # the same in words, where the pipeline is full
    held: Callable[[int, int, int, int], float]  # (p, v, m, stage r) -> most in flight, of the rank's own layers
    chunks: tuple[int, int] = (1, 1)  # fewest and most on each stage
    placement: str = "loop"  # "loop": round and round; "v": down the stages and back up; "both": at both ends
    rule: str = ""  # "rounds": micro-batches in multiples of p; "both ways": 2 p or more; "both ends": and all even
    forth_first: bool = False  # all micro-batches go forth before one goes back

    @property
    def copies(self) -> int:
        """How many ranks of a pipeline hold each stage of the model."""
        return 2 if self.placement == "both" else 1

    def multiple(self, p: int) -> int:
        """Micro-batches of each pipeline come in multiples of this."""
        return 1 if p == 1 else {"rounds": p, "both ends": 2}.get(self.rule, 1)

    def least(self, p: int) -> int:
        """And there are at least so many of them."""
        return 2 * p if p > 1 and self.rule in ("both ways", "both ends") else 1


def _1f1b(p: int, v: int, m: int) -> int:
    return 3 * (p - 1)


def _looped_bfs(p: int, v: int, m: int) -> int:
    return 3 * (p - 1) + 3 * (v - 1) * max(p - m, 0)


def _zb_h1(p: int, v: int, m: int) -> int:
    return p - 1 + max(p - m, 0)


def _zb_v(p: int, v: int, m: int) -> int:
    return max(p - 1, 4 * p - 2 - 2 * m)


def _v_half(p: int, v: int, m: int) -> int:
    """Its block turns one unit later where p is even; fewer micro-batches than about p / 2 do not fill it."""
    return max(3 * p - 3, min(4 * p - 4, 4 * p - 1 - 2 * m)) if p % 2 else max(3 * p - 4, 4 * p - 3 - 2 * m)


def _v_min(p: int, v: int, m: int) -> int:
    """Where p is a multiple of 3 its block has a gap, which the first micro-batch alone does not wait for."""
    return 4 * p - 5 if p % 3 or m == 1 else 4 * p - 3


def _interleaved_held(p: int, v: int, m: int, r: int) -> float:
    return min(2 * (p - r - 1) + (v - 1) * p + 1, m * v) / v


def _v_half_held(p: int, v: int, m: int, r: int) -> float:
    return min(m, (m + 1 + ceil(r / 2)) / 2, (p + 2 + r % 2) / 2)


def _v_min_held(p: int, v: int, m: int, r: int) -> float:
    steady = (p + 1) // 3 + (r % 3 > 0) if p % 3 == 2 else p // 3 + 1
    return min(m, (m + 1 + (r + (1 if p % 3 == 1 else 2)) // 3) / 2, steady)


SCHEDULES = {
    "gpipe": Schedule("GPipe", _1f1b, "3 (p − 1)", lambda p, v, m, r: m, forth_first=True),
    "1f1b": Schedule("1F1B", _1f1b, "3 (p − 1)", lambda p, v, m, r: min(p - r, m)),
    "interleaved": Schedule("interleaved 1F1B", _1f1b, "3 (p − 1)", _interleaved_held, (2, 64), rule="rounds"),
    "looped-bfs": Schedule("Looped BFS", _looped_bfs, "3 (p − 1)", lambda p, v, m, r: m, (2, 64), forth_first=True),
    "zb-h1": Schedule("ZB-H1", _zb_h1, "p − 1", lambda p, v, m, r: min(p, m)),
    "interleaved-zb": Schedule(
        "Interleaved ZB", lambda p, v, m: p - 1, "p − 1", lambda p, v, m, r: min(p, m), (2, 64), rule="rounds"
    ),
    "zb-v": Schedule("ZB-V", _zb_v, "p − 1", lambda p, v, m, r: min(p, m, (m + 1 + r) / 2), (2, 2), "v"),
    "v-half": Schedule("V-Half", _v_half, "3 (p − 1), or 1 less", _v_half_held, (2, 2), "v"),
    "v-min": Schedule("V-Min", _v_min, "4 (p − 1) − 1, or 2 more", _v_min_held, (2, 2), "v"),
    "dualpipe-v": Schedule(
        "DualPipeV", lambda p, v, m: 2 * (p - 1), "2 (p − 1)", lambda p, v, m, r: p + 0.5, (2, 2), "v", "both ways"
    ),
    "dualpipe": Schedule(
        "DualPipe", lambda p, v, m: p - 2, "p − 2", lambda p, v, m, r: (p + 1) / 2, (1, 1), "both", "both ends"
    ),
}


def bubble(schedule: str, p: int, v: int, m: int) -> float:
    """Idle time over the time of the work itself; over the whole time it is this / (1 + this)."""
    return SCHEDULES[schedule].idle(p, v, m) / (3 * v * m) if p > 1 else 0.0


@lru_cache(4096)
def in_flight(schedule: str, p: int, v: int, m: int, r: int) -> float:
    """Micro-batches whose activations a stage holds at its fullest; one stage alone takes one after the other."""
    return SCHEDULES[schedule].held(p, v, m, r) if p > 1 else 1
