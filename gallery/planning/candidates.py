"""A sheet and a layout -> every legal way to lay the same job over the same GPUs: tp, pp, chunks, cp, ep and etp.

What is not an axis stays as the layout has it: devices, sizes, ZeRO, schedule, formats, dcp. A `split` does not: layers
are dealt evenly. Ranges are those of the page: tp, pp and cp up to 64, up to 16 chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.legal_axes import deals_evenly, experts_of, unsupported_cuts
from cutaway.gallery.planning.legal_job import adapters, batch, contexts, job, schedule, shards
from cutaway.gallery.planning.planner_model import PlannerModel

MOST, MOST_CHUNKS = 64, 16


def divisors(number: int, most: int) -> list[int]:
    """From small to large."""
    return [n for n in range(1, min(number, most) + 1) if number % n == 0]


def dense(sheet: PlannerModel, layout: Layout) -> Iterator[Layout]:
    """Every legal tp, pp, chunks and cp; experts are not dealt out."""
    rules = (job, batch, schedule, contexts, shards, adapters)
    plain, room = replace(layout, ep=1, etp=1, split=""), len(sheet["layers"]) + 2
    for tp in divisors(layout.gpus, MOST):
        if unsupported_cuts(sheet, tp):
            continue
        for pp in divisors(layout.gpus // tp, min(MOST, room)):
            most = MOST_CHUNKS if pp > 1 and layout.job == "train" else 1
            for chunks in range(1, min(most, room // pp) + 1):
                for cp in divisors(layout.gpus // (tp * pp), MOST if layout.job == "train" else 1):
                    made = replace(plain, tp=tp, pp=pp, chunks=chunks, cp=cp)
                    if not any(True for rule in rules for _ in rule(sheet, made)):
                        yield made


def folds(sheet: PlannerModel, layout: Layout) -> list[tuple[int, int]]:
    """Every legal (ep, etp) of a layout of ep 1; they depend on the GPUs of a stage alone, as the usual etp without
    experts."""
    found, ranks = experts_of(sheet), layout.tp * layout.cp * layout.dp
    if not found:
        return [(1, layout.usual_etp)]
    eps = [ep for ep in divisors(ranks, max(moe["num_experts"] + layout.redundant for moe in found))
           if deals_evenly(sheet, layout, ep)]  # fmt: skip
    widest = max(moe["moe_intermediate_size"] for moe in found)
    return [
        (ep, etp)
        for ep in eps
        for etp in divisors(ranks // ep, widest)
        if all(moe["moe_intermediate_size"] % etp == 0 for moe in found) and layout.lora_rank % etp == 0
    ]
