"""Make schedules_torch.json: the op order of torch's own schedule generator, rank by rank, in compact form.

    python -m venv v && v/bin/pip install torch==2.13.0 && v/bin/python make_schedules_torch.py > schedules_torch.json

torch.distributed.pipelining._schedule_visualizer.get_schedule_ops on CPU, no process group. Two repairs, both visible
below: torch 2.13 numbers the last stage's forwards of 1F1B one too high (3F1 ... 3F8 for 3F0 ... 3F7), and
REDUCE_GRAD is not a compute op. An overlapped pair is written F+B. Empty slots are left out: order only.
"""

import json
import re
import sys

import torch
from torch.distributed.pipelining._schedule_visualizer import get_schedule_ops

NAMES = {
    "GPipe": "gpipe",
    "1F1B": "1f1b",
    "LoopedBFS": "looped-bfs",
    "Interleaved1F1B": "interleaved",
    "InterleavedZeroBubble": "interleaved-zb",
    "ZBVZeroBubble": "zb-v",
    "DualPipeV": "dualpipe-v",
}
SIZES = {
    1: [(2, 2), (2, 5), (3, 4), (4, 4), (4, 8), (5, 7), (8, 16)],
    2: [(2, 4), (2, 6), (3, 6), (3, 9), (4, 8), (4, 12), (5, 10), (8, 16)],
    4: [(2, 4), (3, 6), (4, 8)],
}


def spell(action) -> str:
    """(0F7;7B3)OVERLAP_F_B -> 0F7+7B3."""
    pair = re.fullmatch(r"\((\w+);(\w+)\)OVERLAP_F_B", str(action))
    return "+".join(pair.groups()) if pair else str(action)


def ops(name: str, p: int, m: int, v: int) -> list[str]:
    """One string per rank."""
    lists = get_schedule_ops(name, p, m, None if v == 1 else v)
    rows = [[spell(a) for a in rank if a is not None and "REDUCE_GRAD" not in str(a)] for rank in lists]
    if name == "1F1B":  # the off-by-one on the last stage
        rows[-1] = [re.sub(r"F(\d+)$", lambda f: f"F{int(f[1]) - 1}", a) for a in rows[-1]]
    return [" ".join(row) for row in rows]


def main() -> None:
    made = []
    for name, ours in NAMES.items():
        for v, sizes in SIZES.items():
            if (v == 1) != (name in ("GPipe", "1F1B")) or (v == 4 and name in ("ZBVZeroBubble", "DualPipeV")):
                continue
            made += [{"schedule": ours, "p": p, "m": m, "v": v, "ranks": ops(name, p, m, v)} for p, m in sizes]
    json.dump({"torch": torch.__version__.split("+")[0], "schedules": made}, sys.stdout, indent=0)


main()
