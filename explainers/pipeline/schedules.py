"""A schedule's name -> what each rank does, in order: [(kind, stage, micro), ...].

Kinds: F forward, B whole backward, I gradient of the input, W gradient of the weights (B = I + W), X = an F and a B of
two micro-batches run as one overlapped piece. A schedule is written as phases: (how often, "pattern of tokens"). The
k-th F of a rank takes the k-th (chunk, micro) of `forward`, the k-th B or I the k-th of `backward`; "F1" is pinned to
chunk 1; a W takes the oldest I whose W is still owed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

Phases = list[tuple[int, str]]


class Schedule(NamedTuple):
    """One row per schedule; `chunks` = the numbers of model chunks a rank may hold."""

    label: str
    phases: Callable[[int, int, int, int], Phases]  # (p, m, v, rank)
    chunks: tuple[int, ...] = (1,)
    placement: str = "loop"  # "loop": chunk c is stage c p + r; "v": down and back up; "both": r and p - 1 - r
    order: str = "line"  # how F and B walk over chunks and micro-batches
    rule: str = ""  # what p and m must satisfy
    bubble: str = "F + I + W"  # idle time of the rank that waits most = the factor times this, over v
    factor: str = "p − 1"  # of p; see `factor`
    holds: str = ""  # where that closed form is exact (tests run it); "" = everywhere
    source: str = ""
    note: str = ""  # what a reader of its drawing must know
    copies: int = 1  # how often the parameters are held


def _gpipe(p: int, m: int, v: int, r: int) -> Phases:
    return [(v * m, "F"), (v * m, "B")]


def _1f1b(p: int, m: int, v: int, r: int) -> Phases:
    warm = min(p - r, m)
    return [(warm, "F"), (m - warm, "B F"), (warm, "B")]


def _interleaved(p: int, m: int, v: int, r: int) -> Phases:
    warm = min((v - 1) * p + 2 * (p - 1 - r), v * m)
    return [(warm, "F"), (v * m - warm, "F B"), (warm, "B")]


def _zb_h1(p: int, m: int, v: int, r: int) -> Phases:
    warm = min(p - r, m)
    fill = min(r, m - warm)  # W is put off until p micro-batches are in flight
    return [(warm, "F"), (fill, "I F"), (m - warm - fill, "I W F"), (warm, "I W"), (fill, "W")]


def _interleaved_zb(p: int, m: int, v: int, r: int) -> Phases:
    warm = min((v - 1) * p + p - 1 - r, v * m)
    both = v * m - warm
    late = min(r, both)
    return [(warm, "F"), (late, "F I"), (both - late, "F I W"), (warm, "I W"), (late, "W")]


def _zb_v(p: int, m: int, v: int, r: int) -> Phases:
    n = max(2 * p - 1, m)  # written for a full pipeline; micro-batches past m are left out
    steady = n - 2 * p + r + 1
    return [
        (2 * (p - r) - 1, "F0"),
        (r, "F1 F0"),
        (p - r, "F1 I1 W1"),
        (steady, "F0 I0 W0 F1 I1 W1"),
        (p - r - 1, "I0 W0 F1 I1 W1"),
        (r, "I0 I1"),
        (p - r, "I0 W0"),
        (r, "W1"),
        (r, "W0"),
    ]


def _dualpipe_v(p: int, m: int, v: int, r: int) -> Phases:
    late = p - r - 1
    main = m - 2 * p + r + 1
    # The last rank does not overlap its first pair: nothing else could run beside it.
    first = "F0 B1 F1+B0" if r == p - 1 else "F0+B1 F1+B0"
    tail = (["B1", "B0"] * (r + 1))[: 2 * (r + 1)]
    turn = 2 * ((r + 1) // 2) + (r + 1) % 2  # from here on the weight gradients are put off
    tail = [t if i < turn else t.replace("B", "I") for i, t in enumerate(tail)]
    return [
        (2 * late, "F0"),
        (r + 1, "F0 F1"),
        (late, "I1 W F1"),
        (1, first),
        (main - 1, "F0+B1 F1+B0"),
        (late, "B1 F1+B0"),
        (1, " ".join(tail)),
        (late, "W I0"),
        (r + 1, "W"),
    ]


def _dualpipe(p: int, m: int, v: int, r: int) -> Phases:
    """Half of the micro-batches enter at either end: DualPipeV's phases on p/2 ranks, as each end sees them."""
    return _dualpipe_v(p // 2, m // 2, 1, min(r, p - 1 - r))


def _blocks(up: int, gaps: Callable[[int], tuple[int, int, int]]) -> Callable[[int, int, int, int], Phases]:
    """A micro-batch's ops at fixed distances, begun anew every 6 units: two F, two I and two W of one unit each.

    Down the ranks it goes by 1 unit a rank, back up by `up`; `gaps` are the turns. The slopes' sum is what is held.
    """

    def phases(p: int, m: int, v: int, r: int) -> Phases:
        (a, b, c), down, back = gaps(p), r, up * (p - 1 - r)
        turns = [0, p - 1 + a, up * (p - 1) + b, p - 1 + c]
        starts = [sum(turns[: k + 1]) for k in range(4)]
        f1, i1, i0 = starts[1] + back, starts[2] + down, starts[3] + back
        ops = {"F0": down, "F1": f1, "I1": i1, "I0": i0}
        near, far = sorted(set(range(6)) - {t % 6 for t in ops.values()})
        late = {(name, slot): (slot - ops[name] - 1) % 6 for name in ("I1", "I0") for slot in (near, far)}
        ways = [late["I1", near] + late["I0", far], late["I1", far] + late["I0", near]]
        one, other = (near, far) if ways[0] <= ways[1] else (far, near)
        ops |= {"W1": ops["I1"] + 1 + late["I1", one], "W0": ops["I0"] + 1 + late["I0", other]}
        return [
            (1, " ".join(name for _, name in sorted((t + 6 * k, name) for name, t in ops.items() for k in range(m))))
        ]

    return phases


_v_half = _blocks(2, lambda p: (1, 2, 5) if p % 2 else (4, 2, 2))
_v_min = _blocks(1, lambda p: (1, 1, 1) if p % 3 else (1, 3, 1))

PAIRED = (
    "A cell cut in two is a forward and a backward that run as one piece. Overlap says how much of the shorter one "
    "overlaps with the longer: at 0 % the piece takes as long as both, at 100 % only as long as the longer."
)
BLOCKS = "Qi et al. 2405.15362: a building block, repeated"
SCHEDULES: dict[str, Schedule] = {
    "gpipe": Schedule("GPipe", _gpipe, source="Huang et al. 1811.06965"),
    "1f1b": Schedule("1F1B", _1f1b, source="Harlap et al. 1806.03377; Narayanan et al. 2006.09503"),
    "interleaved": Schedule(
        "Interleaved 1F1B", _interleaved, (2, 3, 4), order="rounds", rule="rounds", source="Narayanan et al. 2104.04473"
    ),
    "looped-bfs": Schedule(
        "Looped BFS", _gpipe, (2, 3, 4), order="breadth", holds="m ≥ p", source="Lamy-Poirier 2211.05953"
    ),
    "zb-h1": Schedule("ZB-H1", _zb_h1, bubble="F + I − W", holds="m ≥ p, W ≤ F, W ≤ I", source="Qi et al. 2401.10241"),
    "interleaved-zb": Schedule(
        "Interleaved ZB",
        _interleaved_zb,
        (2, 3, 4),
        order="rounds",
        rule="rounds",
        bubble="F + I − W",
        holds="W ≤ F, W ≤ I",
        source="torch 2.13 ScheduleInterleavedZeroBubble, after Qi et al. 2401.10241",
    ),
    "zb-v": Schedule(
        "ZB-V",
        _zb_v,
        (2,),
        "v",
        bubble="F + I − W",
        holds="m ≥ 2p, F = I = W",
        source="Qi et al. 2401.10241, section 6",
    ),
    "v-half": Schedule(
        "V-Half", _v_half, (2,), "v", bubble="F", factor="V-Half", holds="m ≥ 2p, F = I = W", source=BLOCKS
    ),
    "v-min": Schedule("V-Min", _v_min, (2,), "v", bubble="F", factor="V-Min", holds="m ≥ 2p, F = I = W", source=BLOCKS),
    "dualpipe-v": Schedule(
        "DualPipeV",
        _dualpipe_v,
        (2,),
        "v",
        rule="both ways",
        bubble="F&B + B − 3W",
        holds="F = I, W ≤ F",
        source="deepseek-ai/DualPipe, README: (PP/2 − 1)(F&B + B − 3W) with PP = 2p stages",
        note=PAIRED,
    ),
    "dualpipe": Schedule(
        "DualPipe",
        _dualpipe,
        placement="both",
        rule="both ends",
        bubble="F&B + B − 3W",
        factor="p/2 − 1",
        holds="F = I, W ≤ F",
        source="deepseek-ai/DualPipe, README: (PP/2 − 1)(F&B + B − 3W)",
        note=f"{PAIRED} Every rank holds two stages, so all parameters are held twice.",
        copies=2,
    ),
}


def factor(row: Schedule, p: int) -> tuple[str, float]:
    """How the bubble grows with the ranks, written and counted; of V-Half and V-Min in chunks, as their blocks fall."""
    if row.factor == "V-Half":
        return ("3(p − 1)", 3 * p - 3) if p % 2 else ("(3p − 4)", 3 * p - 4)
    if row.factor == "V-Min":
        return ("(4p − 5)", 4 * p - 5) if p % 3 else ("(4p − 3)", 4 * p - 3)
    return f"({row.factor})", p / 2 - 1 if row.factor == "p/2 − 1" else p - 1


def closed_form(row: Schedule, p: int, m: int, v: int, times: tuple[float, float, float, float]) -> tuple[float, bool]:
    """(bubble by the formula, whether the formula is exact here)."""
    f, i, w, pair = times
    each = {"F": f, "F + I + W": f + i + w, "F + I − W": f + i - w, "F&B + B − 3W": pair + (i + w) - 3 * w}[row.bubble]
    holds = {
        "": True,
        "m ≥ p": m >= p,
        "m ≥ p, W ≤ F, W ≤ I": m >= p and w <= f and w <= i,
        "W ≤ F, W ≤ I": w <= f and w <= i,
        "m ≥ 2p, F = I = W": m >= 2 * p and f == i == w,
        "F = I, W ≤ F": f == i and w <= f,
    }[row.holds]
    return factor(row, p)[1] * each / v, holds


def stage_of(schedule: str, p: int, rank: int, chunk: int) -> int:
    """Which stage of the model a rank's chunk is. DualPipe's chunk 0 is the stage near the end that feeds it first."""
    placement = SCHEDULES[schedule].placement
    if placement == "v":
        return rank if chunk == 0 else 2 * p - 1 - rank
    if placement == "both":
        near = min(rank, p - 1 - rank)
        return near if chunk == 0 else p - 1 - near
    return chunk * p + rank


def _walk(order: str, p: int, m: int, v: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The (chunk, micro) a rank's k-th forward and k-th backward take."""
    if order == "rounds":  # p micro-batches through every chunk, then the next p
        ahead = [(c, j * p + i) for j in range(m // p) for c in range(v) for i in range(p)]
        return ahead, [(v - 1 - c, k) for c, k in ahead]
    if order == "breadth":  # every micro-batch through a chunk before the next chunk; back in mirror order
        ahead = [(c, k) for c in range(v) for k in range(m)]
        return ahead, ahead[::-1]
    return [(0, k) for k in range(m)], [(0, k) for k in range(m)]


@lru_cache(maxsize=4096)
def rank_ops(schedule: str, p: int, m: int, v: int, rank: int) -> tuple[tuple, ...]:
    """What one rank does: (kind, stage, micro), or ("X", stage, micro, stage, micro) for an overlapped F and B."""
    row = SCHEDULES[schedule]
    ahead, back = _walk(row.order, p, m, v)
    count: dict[str, int] = {}
    owed: list[tuple[int, int]] = []  # I done, W not yet
    ops: list[tuple] = []

    def take(kind: str, chunk: str) -> tuple[int, int]:
        key = ("F" if kind == "F" else "B") + chunk
        k = count.get(key, 0)
        count[key] = k + 1
        if chunk and row.placement == "both":  # the second half of the micro-batches goes the other way
            k += m // 2 * (int(chunk) ^ (rank >= p // 2))
        return (int(chunk), k) if chunk else (ahead if kind == "F" else back)[k]

    def one(token: str) -> tuple[str, int, int]:
        kind, chunk = token[0], token[1:]
        if kind == "W":
            found = next(o for o in owed if chunk in ("", str(o[0])))
            owed.remove(found)
        else:
            found = take(kind, chunk)
        if kind == "I":
            owed.append(found)
        return kind, stage_of(schedule, p, rank, found[0]), found[1]

    for times, pattern in row.phases(p, m, v, rank):
        for _ in range(times):
            for token in pattern.split():
                parts = [one(t) for t in token.split("+")]
                if all(part[2] < m for part in parts):
                    ops.append(parts[0] if len(parts) == 1 else ("X", *parts[0][1:], *parts[1][1:]))
    return tuple(ops)
