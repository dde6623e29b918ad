"""A plan -> what `cutaway plan` says to people: a sentence, the least time, and small tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cutaway.gallery.command.plan_more import advice, best
from cutaway.gallery.command.report import table
from cutaway.gallery.drawing.words import size
from cutaway.gallery.planning.activation_memory import ACTIVATIONS, FP8_SAVED
from cutaway.gallery.planning.collective_bytes import Collective
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import RankMemory
from cutaway.gallery.planning.seconds import Bound, bind_step
from cutaway.gallery.planning.stages import crossings

PARTS = (
    ("weights_bytes", "weights"),
    ("experts_bytes", "routed experts"),
    ("gradients_bytes", "gradients"),
    ("optimizer_bytes", "optimizer"),
    ("activations_bytes", "activations"),
    ("cache_bytes", "cache"),
    ("framework_bytes", "framework"),
)


CROSSINGS = {
    "weights_of": "copies of the weights that layers of several stages share",
    "kv_source": "copies of keys and values that a later stage reads from an earlier one",
}


def gigabytes(number: float) -> str:
    return f"{number / 1e9:,.1f}"


def verdict(found: Plan) -> str:
    """Whether it fits, in one sentence."""
    layout, fullest = found.layout, found.fullest
    capacity, usable = gigabytes(layout.device.memory_bytes), gigabytes(found.room_bytes)
    if found.fits:
        held = gigabytes(fullest.total_bytes)
        return f"Fits: the fullest GPU holds {held} of {usable} usable GB ({layout.used:.0%} of {capacity})."
    room = f"{usable} of {capacity} GB usable ({layout.used:.0%})"
    rank, one = found.neediest, "with one sequence " if found.lacks_a_sequence else ""
    largest, word = max((getattr(rank, name), word) for name, word in PARTS)
    of_one = " of one sequence" if one and word == "cache" else ""
    need, most = gigabytes(rank.total_bytes), f"Its largest part: {word}{of_one}, {gigabytes(largest)} GB."
    return f"Does not fit: {one}the fullest GPU needs {need} GB; {room}. {most}"


LORA = "all weights; LoRA trains adapters of rank {} on every linear layer of attention, MLPs and experts"


def notes(model: PlannerModel, found: Plan) -> Iterator[tuple[str, str]]:
    """What a reader should know of this layout."""
    layout = found.layout
    if few := sorted(kv for kv in model["kv_heads"] if layout.tp > kv):
        counts = ", ".join(f"{kv} key/value heads on {layout.tp // kv} ranks each" for kv in few)
        yield "copied", f"tp {layout.tp}: {counts}"
    if layout.scheduled and layout.copies > 1:
        yield (
            "copied",
            f"{layout.scheduled.label} stores every stage on {layout.copies} ranks: all parameters are stored twice",
        )
    if layout.lora_rank:
        yield "frozen", LORA.format(layout.lora_rank)
    limit, tokens = model["longest"], layout.context if layout.job == "decode" else layout.sequence
    if limit and tokens > limit:
        yield "beyond the config", f"{tokens:,} tokens, max_position_embeddings is {limit:,}"
    for name in sorted(crossings(model, layout)):
        yield "left out", CROSSINGS[name]
    if model["further"] > layout.mtp:
        counts = f", which mtp {model['further']} counts" if layout.job == "train" else ""
        yield "left out", f"the layers that predict further tokens{counts}"
    if layout.job != "train":
        yield overhead_words(found)
    if model["towers"]:
        yield "left out", "encoders: " + ", ".join(model["towers"])


def overhead_words(found: Plan) -> tuple[str, str]:
    """What the engine holds beside weights and cache, and how it is known."""
    each = f"{gigabytes(found.fullest.framework_bytes)} GB per GPU"
    if found.layout.framework_bytes is not None:
        return "as typed", f"activations and the engine's own memory: {each}"
    held = f"engine overhead (activations, sampling, communicators): {each}"
    padded = ", and whole pages for states and attention" if found.fullest.sequence_padding_bytes else ""
    if found.at_most:
        return (
            "extrapolated",
            f"{held}, as measured with vLLM on H100; this layout was not measured and may need more{padded}",
        )
    return "measured", f"{held}, measured with vLLM on H100{padded}"


def answers(found: Plan) -> Iterator[tuple[str, str]]:
    """What serving asks for: sequences and contexts."""
    layout = found.layout
    if layout.job == "train":
        return
    tokens = layout.context if layout.job == "decode" else layout.sequence
    if found.sequences is None:
        yield "sequences", "nothing is kept of a sequence"
        return
    each = size(max(rank.sequence_bytes for rank in found.ranks))
    shared = f", {found.sequences // layout.dp} on each of {layout.dp} parts" if layout.dp > 1 else ""
    most = "at most " if found.at_most else ""
    yield "sequences that fit", f"{most}{found.sequences:,} of {tokens:,} tokens{shared}; one takes {each} of a GPU"
    end = "no end" if found.longest_context is None else f"{found.longest_context:,} tokens"
    yield "longest context", f"{end}, one sequence on each part"


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 1:
        return f"{seconds * 1e3:,.3g} ms"
    return f"{seconds:,.3g} s" if seconds < 100 else f"{seconds:,.0f} s"


def time_words(found: Plan, least: Bound) -> str:
    """The least time of a step in one sentence."""
    layout = found.layout
    step = {"train": "step", "prefill": "prompt", "decode": "token"}[layout.job]
    if not found.timed:
        return "No sequence fits, so nothing is timed."
    after, many = "", layout.batch or found.here * layout.dp
    if layout.job == "train":
        rate = layout.batch * layout.sequence / layout.gpus / least.seconds
        after = f", so at most {rate:,.0f} tokens per second and GPU"
    elif layout.job == "decode" and layout.pp == 1:
        of = f"{many:,} sequences" if many > 1 else "one sequence"
        after = f", so at most {many / least.seconds:,.0f} tokens per second over {of}"
    if layout.job == "prefill" and found.here > 1:
        after = f", {found.here} of them together"
    apart = f" Without overlap, {duration(least.unhidden)}." if least.unhidden > 1.005 * least.seconds else ""
    return f"At least {duration(least.seconds)} a {step}{after}; what binds is {least.binds}.{apart}"


def talk_rows(found: list[Collective]) -> list[str]:
    """Communication between GPUs, in a step."""
    rows: list[tuple[object, ...]] = [("axis", "operation", "ranks", "calls", "sent a step", "leaves the node")]
    for talk in found:
        sizes = (f"{talk.calls:,}", size(talk.bytes), size(talk.leaving_bytes) if talk.leaving_bytes else "nothing")
        rows.append((talk.axis, talk.operation, talk.ranks, *sizes))
    return ["", *table(rows, right=(2, 3, 4, 5))] if len(rows) > 1 else []


def axes(layout: Layout) -> str:
    """The layout in one line."""
    words = [f"tp {layout.tp}", f"pp {layout.pp}" + (f" x {layout.chunks} chunks" if layout.chunks > 1 else "")]
    words += [f"cp {layout.cp}", f"dp {layout.dp}", f"ep {layout.ep}", f"etp {layout.etp}", f"edp {layout.edp}"]
    return f"{layout.job} on {layout.nodes} x {layout.per_node} {layout.device.name}: {', '.join(words)}"


def column(rank: RankMemory, layout: Layout) -> str:
    alike = layout.gpus // layout.pp
    return f"stage {rank.stage}, {alike} alike" if layout.pp > 1 else f"{alike} alike" if alike > 1 else "the GPU"


def ledger(found: Plan) -> list[str]:
    """The fullest and the emptiest rank, part by part, in GB."""
    ranks = [found.fullest] + ([found.emptiest] if found.layout.pp > 1 else [])
    words = ["fullest: ", "emptiest: "] if len(ranks) > 1 else [""]
    heads = [word + column(rank, found.layout) for word, rank in zip(words, ranks, strict=True)]
    rows: list[list[str]] = [["GB", *heads]]
    for name, word in PARTS:
        if any(getattr(rank, name) for rank in ranks):
            rows.append([word, *(gigabytes(getattr(rank, name)) for rank in ranks)])
    rows.append(["total", *(gigabytes(rank.total_bytes) for rank in ranks)])
    return table(rows, right=(1, 2))


def lines(model: PlannerModel, found: Plan, told: Iterable[tuple[str, str]] = (), sort: str = "") -> list[str]:
    """The plan for people; `told`: what else they have to know of the model; `sort`: of the ten best layouts."""
    said = [*advice(model, found), *answers(found), *notes(model, found), *labels(found), *told]
    talked = talk_rows(list_collectives(model, found, found.fullest.stage))
    timed = time_words(found, bind_step(model, found))
    layouts = best(model, found.layout, sort) if sort else []
    return [verdict(found), timed, axes(found.layout), "", *ledger(found), *talked, *layouts, "", *table(said)]


def labels(found: Plan) -> Iterator[tuple[str, str]]:
    """How each part of the answer came to be."""
    if found.layout.job != "train":
        yield "computed", "weights, cache and communication, tensor by tensor"
    else:
        yield "computed", "weights, gradients, optimizer and communication, tensor by tensor"
        yield "extrapolated", f"activations: {activation_words(found.layout)}"
    yield (
        "bounded",
        "times: everything at its full rate, overlapped with the slowest part; no latency, even expert load",
    )


REDONE_WORDS = ", less what norms, latents and experts give, which is computed anew"


def activation_words(layout: Layout) -> str:
    """What is saved for the way back, and who says so."""
    if layout.recompute == "full":
        return "what enters each layer, in 16 bits; all else is computed anew, one layer at a time"
    spared = REDONE_WORDS if layout.recompute == "parts" else ""
    if layout.redone and not spared:
        spared = f", less what {' '.join(layout.redone)} gives, which is computed anew"
    if layout.offload:
        what = f"{layout.offload} layers" if layout.offload.isdecimal() else "experts"
        spared += f", less what of {what} waits in host memory"
    formats = f"; {FP8_SAVED}" if layout.saves_fp8 else ""
    return f"{ACTIVATIONS}{spared}{formats}"
