"""A plan -> JSON for programs; plan_json.md says what each key is, `cutaway plan --help` in short."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.gallery.command.plan_words import PARTS, notes, time_words, verdict
from cutaway.gallery.planning.address import address as words_of
from cutaway.gallery.planning.collective_bytes import Collective
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.fixes import Fix, fixes
from cutaway.gallery.planning.flags import engines, flags, untold
from cutaway.gallery.planning.formulas import formulas
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.measured import SOURCE, matching_runs
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import RankMemory
from cutaway.gallery.planning.ranks import count_in_node, first_rank, group
from cutaway.gallery.planning.redundancy import list_redundancies
from cutaway.gallery.planning.search import Row, Table, search
from cutaway.gallery.planning.seconds import bind_step, stage_bounds
from cutaway.gallery.planning.sharding.tensors import list_owners
from cutaway.gallery.planning.stage_weights import table_stages
from cutaway.gallery.planning.work import training_flops

AXES = ("nodes", "per_node", "gpus", "tp", "pp", "chunks", "cp", "dp", "ep", "etp", "edp", "zero", "job")
SIZES = ("sequence", "context", "batch", "micro_batch", "recompute", "offload", "lora_rank", "redundant",
         "gradient_bytes", "weights_dtype", "cache_dtype", "compute_dtype", "used", "split", "cp_kind", "dp_shard",
         "order", "weight_bytes", "optimizer_bytes", "dispatch_dtype", "dcp", "imbalance", "mtp",
         "framework_bytes")  # fmt: skip
SEQUENCE = ("sequence_cache_bytes", "sequence_padding_bytes", "sequence_fixed_bytes", "sequence_read_bytes",
            "total_bytes")  # fmt: skip
NOWHERE = ("no address", "/plan/ has the catalogue's models as they are, not this one, nor are its runs published")


def as_json(
    model: PlannerModel, found: Plan, slug: str | None, sort: str, told: Iterable[tuple[str, str]] = ()
) -> dict[str, Any]:
    """The plan; `slug`: whose measured runs and whose page these are, None for a model that /plan/ has not; `told`:
    what else a reader has to know of the model."""
    return {
        "plan": plan_json(found.layout),
        "fits": fits_json(model, found, slug),
        "ranks": [rank_json(rank, found.layout) for rank in found.ranks],
        "communicators": [
            talk_json(model, found.layout, rank.stage, one)
            for rank in found.ranks
            for one in list_collectives(model, found, rank.stage)
        ],
        "step": step_json(model, found, slug),
        "layouts": layouts_json(search(model, found.layout, sort), sort, slug),
        "owners": [owner._asdict() for owner in list_owners(model, found.layout)],
        "formulas": formulas_json(model, found),
        "flags": {name: {"flags": flags(found.layout, name, model), "untold": untold(found.layout, name)}
                  for name in engines(found.layout)},
        "address": address(found.layout, slug),
        "notes": [list(note) for note in (*notes(model, found), *([] if slug else [NOWHERE]), *told)],
    }  # fmt: skip


def address(layout: Layout, slug: str | None) -> str | None:
    """The words of /plan/; None where it has not the model, and would open another one."""
    return words_of(layout, {"m": slug}) if slug else None


def plan_json(layout: Layout) -> dict[str, Any]:
    """The layout, every axis and size."""
    sizes = {name: getattr(layout, name) for name in AXES + SIZES}
    return {"device": layout.device.name, "schedule": layout.runs, **sizes}


def fits_json(model: PlannerModel, found: Plan, slug: str | None) -> dict[str, Any]:
    """Whether it fits, what would, and what is wasted."""
    layout = found.layout
    return {
        "label": "extrapolated" if layout.job == "train" else "computed",
        "fits": found.fits,
        "says": verdict(found),
        "memory_bytes": layout.device.memory_bytes,
        "room_bytes": found.room_bytes,
        "fullest": found.fullest.stage,
        "emptiest": found.emptiest.stage,
        "sequences": found.sequences,
        "longest_context": found.longest_context,
        "fixes": [] if found.fits else [fix_json(fix, slug) for fix in fixes(model, layout)],
        "wastes": [waste._asdict() for waste in list_redundancies(model, found)],
    }


def fix_json(fix: Fix, slug: str | None) -> dict[str, Any]:
    return {"changes": [list(change) for change in fix.changes], **row_json(fix.row, slug)}


def row_json(row: Row, slug: str | None) -> dict[str, Any]:
    """One layout beside others; seconds are of a step, or of one token of all sequences."""
    layout = row.layout
    axes = {name: getattr(layout, name) for name in ("nodes", "tp", "pp", "chunks", "cp", "dp", "ep", "etp")}
    more = {"bytes": row.plan.fullest.total_bytes, "sequences": row.plan.sequences}
    times = {"seconds": row.seconds, "unhidden_seconds": row.unhidden, "binds": row.bound.binds}
    return {**axes, **times, **more, "address": address(layout, slug)}


def rank_json(rank: RankMemory, layout: Layout) -> dict[str, Any]:
    """One rank of a stage; `label` is that of all but the activations, which are extrapolated."""
    sizes = {name: getattr(rank, name) for name, _ in PARTS}
    more = {name: getattr(rank, name) for name in SEQUENCE}
    head = {"label": "computed", "stage": rank.stage, "layers": list(rank.layers), "alike": layout.gpus // layout.pp}
    return {**head, "first": first_rank(layout, rank.stage), **sizes, **more}


def talk_json(model: PlannerModel, layout: Layout, stage: int, talk: Collective) -> dict[str, Any]:
    """One communicator of the stage's first rank: who is in it, and how many of them share its node."""
    members, beside = group(layout, talk.axis, first_rank(layout, stage)), count_in_node(layout, talk.axis)
    if "both copies" in talk.operation:
        members, beside = twins(layout, stage), 1 if talk.leaving_bytes else 2
    if "of the embedding" in talk.operation:
        members = sorted(first_rank(layout, one) for one in table_stages(model, layout))
        beside = sum(one // layout.per_node == members[0] // layout.per_node for one in members)
    return {"label": "computed", "stage": stage, **talk._asdict(), "members": members, "near": beside}


def twins(layout: Layout, stage: int) -> list[int]:
    """The two ranks that hold the same stage of the model."""
    return sorted(first_rank(layout, one) for one in (stage, layout.pp - 1 - stage))


def step_json(model: PlannerModel, found: Plan, slug: str | None) -> dict[str, Any]:
    """The least time of a step, and of each thing that it waits for; runs of the same layout, where there are any."""
    layout, least = found.layout, bind_step(model, found)
    if not found.timed:
        return {"label": "bounded", "says": time_words(found, least), "seconds": None}
    each = zip(("products", "memory", "inside", "outside"), least[:4], strict=True)
    train = layout.job == "train"
    flops = training_flops(model, layout.sequence, lora_rank=layout.lora_rank) if train else None
    tokens = layout.batch * layout.sequence if train else layout.batch or found.here * layout.dp
    tokens *= layout.sequence if layout.job == "prefill" else 1
    runs = [{"label": "measured", "source": SOURCE, **run._asdict()} for run in matching_runs(slug or "", layout)]
    return {
        "label": "bounded",
        "says": time_words(found, least),
        "seconds": least.seconds,
        "unhidden_seconds": least.unhidden,
        "tokens": tokens,
        **{f"{word}_seconds": seconds for word, seconds in each},
        "flow_seconds": least.flow,
        "idle_seconds": least.idle,
        "bubble": least.bubble,
        "bubble_of_all": least.of_total,
        "binds": least.binds,
        "training_flops_per_token": flops,
        "measured": runs,
    }


def layouts_json(table: Table, sort: str, slug: str | None) -> dict[str, Any]:
    """The ten best of all legal layouts, and the place of this one."""
    rows = [row_json(row, slug) for row in table.rows]
    return {"label": "bounded", "sort": sort, "legal": table.legal, "fitting": table.fitting, "place": table.place,
            "rows": rows}  # fmt: skip


def formulas_json(model: PlannerModel, found: Plan) -> list[dict[str, Any]]:
    """Each number of the fullest rank, with its formula."""
    stage = found.fullest.stage
    least = stage_bounds(model, found)[stage] if found.timed else None
    return [{"stage": stage, **told._asdict()} for told in formulas(model, found, stage, least)]
