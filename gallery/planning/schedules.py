"""A pipeline schedule's name -> its bubble, and how many micro-batches a stage has in flight. One row each.

The names are those of /learn/pipeline/, which runs them op by op; closed forms hold where going back is twice going
forth, half of it for the weights (F = I = W). Left out: DualPipe, whose ranks hold two copies of the layers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

SOURCE = "GPipe 1811.06965, 1F1B 2104.04473, Looped BFS 2211.05953, zero bubble 2401.10241, DualPipe's README"


class Schedule(NamedTuple):
    """`held` and the bubble are in micro-batches of a stage's own layers."""

    label: str
    held: Callable[[int, int, int, int], float]  # (stages p, chunks v, micro-batches m, stage r) -> most in flight
    thirds: int = 3  # the bubble is (p - 1) / v times this many thirds of a micro-batch
    chunks: tuple[int, int] = (1, 1)  # fewest and most on each stage
    v_shaped: bool = False  # chunks go down the stages and back up
    rule: str = ""  # "rounds": micro-batches come in multiples of p; "both ends": at least 2 p of them


def _interleaved(p: int, v: int, m: int, r: int) -> float:
    return min(2 * (p - r - 1) + (v - 1) * p + 1, m * v) / v


SCHEDULES = {
    "gpipe": Schedule("GPipe", lambda p, v, m, r: m),
    "1f1b": Schedule("1F1B", lambda p, v, m, r: min(p - r, m)),
    "interleaved": Schedule("interleaved 1F1B", _interleaved, chunks=(2, 64), rule="rounds"),
    "looped-bfs": Schedule("Looped BFS", lambda p, v, m, r: m, chunks=(2, 64)),
    "zb-h1": Schedule("ZB-H1", lambda p, v, m, r: min(p, m), thirds=1),
    "interleaved-zb": Schedule("Interleaved ZB", lambda p, v, m, r: min(p, m), 1, (2, 64), rule="rounds"),
    "zb-v": Schedule("ZB-V", lambda p, v, m, r: min(p, m), 1, (2, 2), v_shaped=True),
    "dualpipe-v": Schedule("DualPipeV", lambda p, v, m, r: min(p + 0.5, m), 2, (2, 2), True, "both ends"),
}


def bubble(schedule: str, p: int, v: int, m: int) -> float:
    """Idle time over the time of the work itself; over the whole time it is this / (1 + this)."""
    return SCHEDULES[schedule].thirds * (p - 1) / (3 * v * m)
