"""The plan that a first visit shows -> its words and tables as HTML, before any script; planner/ takes over.

The sentences are those of app/plan_page/planner/sentences.js: a test holds them together over random plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cutaway.app.plan_page import step as plan_step
from cutaway.app.plan_page import tables
from cutaway.explainers import fmt
from cutaway.gallery.command.plan_words import PARTS, gigabytes, labels, notes
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.fits import Plan, plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.phases import phases
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import cache_rows, count_entries
from cutaway.gallery.planning.seconds import Bound, bind_step
from cutaway.gallery.planning.sharding.arithmetic import part_of, ratio
from cutaway.gallery.planning.stages import count_kinds

FIRST = "Qwen/Qwen3-235B-A22B"
# What is chosen where the address says nothing; null: what follows from the rest.
CHOSEN: dict[str, Any] = {
    "m": FIRST, "device": "h100_sxm", "nodes": 1, "per_node": 8, "tp": 1, "pp": 1, "chunks": 1, "cp": 1, "ep": 1,
    "etp": None, "zero": 1, "job": "decode", "sequence": 4_096, "batch": None, "n": None, "micro_batch": 1,
    "context": 32_768, "recompute": "none", "redundant": 0, "gradient_dtype": "float32", "weights_dtype": "",
    "cache_dtype": "bfloat16", "compute_dtype": "", "used": 0.92, "schedule": "",
    "split": "", "cp_kind": "all-gather", "dp_shard": 0, "order": "tp-cp-ep-dp-pp", "optimizer_bytes": 12,
    "dispatch_dtype": "", "dcp": 1, "imbalance": 1, "mtp": None, "framework_bytes": 0, "pick": "", "pin": "",
    "t": "", "sort": "least",
}  # fmt: skip
VISIT = {"tp": 4}  # and a first visit: the fastest layout of FIRST that fits
STEP = {"train": "step", "prefill": "prompt", "decode": "token"}
JOB = {"train": "training", "prefill": "prefill", "decode": "decode"}
BINDS = {
    "products": "Compute",
    "memory": "Reading memory",
    "links in a node": "Talking inside the nodes",
    "links between nodes": "Talking between the nodes",
}
SHARES = {0.5: "half", 0.75: "three quarters", 0.875: "seven eighths"}
IDLE = 0.005  # of a step: less is not worth a word


def first_layout() -> Layout:
    device, tp = DEVICES[CHOSEN["device"]], VISIT["tp"]
    one = Layout(device, CHOSEN["nodes"], CHOSEN["per_node"], tp=tp)
    return replace(one, etp=one.usual_etp)


def told(title: str, model: PlannerModel, parameters: int) -> dict[str, Any]:
    """All that page.html prints."""
    layout = first_layout()
    found = plan(model, layout)
    least = bind_step(model, found)
    return {
        "title": title, "gpus": layout.gpus, "dp": layout.dp, "fits": found.fits,
        "sub": f"{title} on {layout.gpus} {device_words(layout)}, {JOB[layout.job]}",
        **lines(title, model, layout, parameters),
        "headline": headline(model, found, least), "because": because(model, found, least),
        "notes": [*notes(model, found), *caveats(model)], "labels": list(labels(found)),
        "lives_note": "1 node; a stack of memory under each GPU",
        "costs_note": f"one {STEP[layout.job]} of every sequence",
        "owns_note": "", "talks_note": "seen from GPU 0; bytes it sends in a step",
        "runs_note": runs_note(layout, least),
        "lanes": plan_step.lane(phases(model, found), duration(least.unhidden)),
        "drawing": tables.drawing(found, copies(model, found)), "holds": tables.holds(found),
        "costs": tables.costs(found, least), "owns": tables.owns(model, layout),
        "talks": tables.talked(layout, list_collectives(model, found, 0)),
    }  # fmt: skip


def runs_note(layout: Layout, least: Bound) -> str:
    reads = f"one {STEP[layout.job]}: what is read and sent, layer by layer, nothing hidden"
    return f"{reads}; hidden it takes at least {duration(least.seconds)}"


def device_words(layout: Layout) -> str:
    return layout.device.name.replace("_", " ").upper()


def lines(title: str, model: PlannerModel, layout: Layout, parameters: int) -> dict[str, Any]:
    """What stands under the inputs, which only a script can use: as short as may be."""
    split = f"tp {layout.tp} · pp {layout.pp} · ep {layout.ep} · dp {layout.dp}"
    devices = f"{layout.nodes} × {layout.per_node} {device_words(layout)}"
    job = f"{JOB[layout.job]}, {fmt.integer(layout.context)}"
    return {
        "folded": [("Model", title), ("Devices", devices), ("Split", split), ("Job", job)],
        "model_line": f"{fmt.count(parameters)} parameters, {len(model['layers'])} layers", "device_line": devices,
        "split_line": split, "job_line": job, "more_line": "",
    }  # fmt: skip


# ------------------------------------------------------------ the same sentences as sentences.js


def short(x: float) -> str:
    """Three significant figures, as people write them."""
    rounded = float(f"{x:.3g}")
    return fmt.integer(rounded) if x >= 1000 else f"{rounded:.12g}"


def duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{short(seconds * 1e6)} µs"
    return f"{short(seconds * 1e3)} ms" if seconds < 1 else f"{short(seconds)} s"


def rate(per_second: float) -> str:
    return short(per_second) if per_second < 100 else fmt.integer(per_second)


def plural(n: int, one: str) -> str:
    return f"{n:,} {one}" if n == 1 else f"{n:,} {one}s"


def tokens(layout: Layout) -> int:
    return layout.context if layout.job == "decode" else layout.sequence


def kept(model: PlannerModel, found: Plan) -> list[tuple[list, int, int]]:
    """(rule, bytes of one sequence on the fullest rank, dcp) of what decoding keeps."""
    layout = found.layout
    rows = cache_rows(model, layout.cache_dtype, count_kinds(model, found.fullest.layers))
    context = tokens(layout)
    sums: dict[tuple[int, int], int] = {}
    for rule, bits, every, cap, fixed, _ in rows:
        key = (rule, 1 if fixed else layout.dcp)
        sums[key] = sums.get(key, 0) + bits * count_entries(context, every, cap, fixed)
    found_rules = ((model["rules"][rule], dcp, bits) for (rule, dcp), bits in sums.items())
    return [(rule, part_of(bits, ratio(rule, layout, dcp), 8), dcp) for rule, dcp, bits in found_rules]


def copies(model: PlannerModel, found: Plan) -> list[float]:
    """Of each tensor rank's cache, the share that another one keeps as well."""
    tp, rows = found.layout.tp, kept(model, found)
    whole = sum(held for _, held, _ in rows)
    if not whole:
        return [0.0] * tp

    def first(rule: list, dcp: int, place: int) -> bool:
        many = tp // dcp
        apart = 1 if rule[0] == "whole" else min(rule[1], many) if rule[0] == "heads" else many
        return place // dcp % (many // apart) == 0

    return [sum(held for rule, held, dcp in rows if not first(rule, dcp, place)) / whole for place in range(tp)]


def copied(model: PlannerModel, found: Plan) -> float:
    layout = found.layout
    if layout.tp == 1 or not found.fullest.cache_bytes:
        return 0.0
    return sum(copies(model, found)) / layout.tp


def speed(found: Plan, least: Bound) -> float:
    """Tokens a second at most: of a training GPU, or of all sequences that decode; 0 where unknown."""
    layout = found.layout
    if not found.timed:
        return 0.0
    if layout.job == "train":
        return layout.batch * layout.sequence / layout.gpus / least.seconds
    if layout.pp > 1:
        return 0.0
    if layout.job == "prefill":
        return found.here * layout.dp * layout.sequence / least.seconds
    return (layout.batch or found.here * layout.dp) / least.seconds


def headline(model: PlannerModel, found: Plan, least: Bound) -> str:
    """Whether it fits, and what else matters most."""
    layout, fullest = found.layout, found.fullest
    capacity, step = (
        gigabytes(layout.device.memory_bytes),
        f"a {STEP[layout.job]} takes at least {duration(least.seconds)}",
    )
    if not found.fits:
        who = f"stage {fullest.stage}" if layout.pp > 1 else "a GPU"
        without = fullest.total_bytes <= found.room_bytes
        need = fullest.total_bytes + (fullest.sequence_cache_bytes if without else 0)
        room = (
            f", and of {capacity} GB {gigabytes(found.room_bytes)} may be used"
            if layout.used < 1
            else f" of {capacity}"
        )
        one = "with one sequence " if without else ""
        return f"Does not fit: {one}{who} needs {gigabytes(need)} GB{room}."
    if layout.job == "train":
        return f"Fits: the fullest GPU holds {gigabytes(fullest.total_bytes)} of {capacity} GB, and {step}."
    if found.sequences is None:
        return f"Fits: a sequence keeps nothing, and {step}."
    share = copied(model, found)
    words = f"{SHARES.get(share) or short(100 * share) + ' %'} of the cache is copies" if share >= 0.01 else step
    return f"Fits {plural(found.sequences, 'sequence')} of {fmt.integer(tokens(layout))} tokens, and {words}."


def because(model: PlannerModel, found: Plan, least: Bound) -> str:
    """What binds, what leaves the node, what idles; or why it does not fit."""
    layout = found.layout
    if not found.fits:
        return why(found)
    first = f"{BINDS[least.binds]} bounds it: at least {duration(least.seconds)} a {STEP[layout.job]}"
    if at_most := speed(found, least):
        many = (
            " and GPU" if layout.job == "train" else f" of {plural(layout.batch or found.here * layout.dp, 'sequence')}"
        )
        first += f", at most {rate(at_most)} tokens a second{many}"
    met = [talk for rank in found.ranks for talk in list_collectives(model, found, rank.stage)]
    *first_axes, last_axis = list(dict.fromkeys(talk.axis for talk in met if talk.leaving_bytes)) or [""]
    out = [first + "."]
    if first_axes:
        out.append(f"{', '.join(first_axes)} and {last_axis} leave the node.")
    elif last_axis:
        out.append(f"{last_axis} leaves the node.")
    elif met:
        out.append("Everything stays inside a node.")
    if least.bubble > IDLE:
        out.append(f"The pipeline idles {fmt.percent(least.of_total)} of the step.")
    return " ".join(out)


def why(found: Plan) -> str:
    """Why it does not fit: the largest part of the fullest rank."""
    rank = found.fullest
    name, word = max(PARTS, key=lambda part: getattr(rank, part[0]))
    part = getattr(rank, name)
    return f"Because of {gigabytes(part)} GB of {word}, {fmt.percent(part / rank.total_bytes, 0)} of all."


def caveats(model: PlannerModel) -> Iterator[tuple[str, str]]:
    """What a reader should know of the sheet itself."""
    known = model.get("caveats", {})
    if known.get("read_from_keys"):
        yield "read from keys alone", f"the model_type {model['model_type']} is not known here"
    for sentence in known.get("not_understood", ()):
        yield "not understood", sentence
    for sentence in known.get("contradictions", ()):
        yield "sources disagree", sentence
    if unread := known.get("unread"):
        yield "keys that nothing here reads", ", ".join(unread[:8])
