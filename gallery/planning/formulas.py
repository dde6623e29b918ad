"""A sheet and a plan -> each number's formula with the values in it: what a hover says.

A formula is arithmetic that a reader can type in: numbers, + - x / and brackets, and words that name them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutaway.gallery.planning.activation_memory import (
    ACTIVATIONS,
    activation_bytes_per_token,
    checkpoint_bytes,
    fold_of,
    logits_bytes,
    routed_once,
)
from cutaway.gallery.planning.cache_memory import cache_rows, count_entries
from cutaway.gallery.planning.collective_bytes import Collective
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.devices import product_format
from cutaway.gallery.planning.engine import LOGIT_BYTES, at_once, fixed_bytes, pages
from cutaway.gallery.planning.engine import PAGES_SOURCE as PAGES
from cutaway.gallery.planning.engine import SOURCE as ENGINE
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.lora import BYTES as ADAPTER_BYTES
from cutaway.gallery.planning.lora import SOURCE as LORA
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import RankMemory
from cutaway.gallery.planning.schedules import SCHEDULES
from cutaway.gallery.planning.schedules import SOURCE as SCHEDULED
from cutaway.gallery.planning.seconds import Bound, peak, product_dtype, read_bytes
from cutaway.gallery.planning.sharding.arithmetic import ratio
from cutaway.gallery.planning.stage_weights import per_stage, stored_bits_by_rule, sum_by_rule
from cutaway.gallery.planning.stages import count_kinds, count_on_stage, in_flight

TENSORS = "the model's tensors, as the modelling code creates them"
ZERO = "Megatron-LM's distributed optimizer; ZeRO, arXiv 1910.02054"
MULTIPLIED = "gallery/counting/products.py: the fastest way that engines run weights so stored"
NCCL = "NVIDIA/nccl-tests, doc/PERFORMANCE.md"


class Told(NamedTuple):
    """One number."""

    what: str
    result: float
    formula: str  # its value is the result, but for rounding up to whole bytes
    says: str
    source: str


def bytes_per_rule(size: int, numbers: int, over: int, word: str) -> str:
    """ "12 B x 2,290,089,984 / dp 64"."""
    return f"{size} B x {numbers:,}" + (f" / {word} {over}" if over > 1 else "")


def weights_formula(layout: Layout, numbers: int, adapters: int, over: int, word: str) -> str:
    """Bytes of weights, and with LoRA of the adapters beside them."""
    own = bytes_per_rule(layout.weight_bytes, numbers, over, word)
    return f"{own} + {bytes_per_rule(ADAPTER_BYTES, adapters, over, word)}" if layout.lora_rank else own


def states(layout: Layout, rank: RankMemory) -> Iterator[Told]:
    """Training: weights, gradients, optimizer; with LoRA the latter two of adapters alone."""
    held = rank.numbers - rank.expert_numbers, rank.expert_numbers
    adapters = rank.adapters - rank.expert_adapters, rank.expert_adapters
    trained, of, source = (adapters, "of adapters alone, ", LORA) if layout.lora_rank else (held, "", ZERO)
    for part, size, dealt in (
        ("weights", layout.weight_bytes, layout.zero >= 3),
        ("gradients", layout.gradient_bytes, layout.zero >= 2),
        ("optimizer", layout.optimizer_bytes, layout.zero >= 1),
    ):
        ranks = ((layout.shard, "dp"), (layout.expert_shard, "edp")) if dealt else ((1, ""), (1, ""))
        shared = f"dealt over the ranks by ZeRO {layout.zero}" if dealt else "whole on each rank that holds them"
        if part == "weights":
            own, experts = (weights_formula(layout, held[i], adapters[i], *ranks[i]) for i in (0, 1))
            yield Told(part, rank.weights_bytes, own, f"all but routed experts, {shared}", source)
            if held[1]:
                yield Told("experts", rank.experts_bytes, experts, f"routed experts, {shared}", source)
            continue
        own, experts = (bytes_per_rule(size, trained[i], *ranks[i]) for i in (0, 1))
        both = f"{own} + {experts}" if trained[1] else own
        yield Told(part, getattr(rank, f"{part}_bytes"), both, f"{of}{shared}", source)


def activations(sheet: PlannerModel, layout: Layout, rank: RankMemory) -> Told:
    """What is saved for the backward pass."""
    full, kinds = layout.recompute == "full", count_on_stage(sheet, layout, rank.stage, rank.layers).items()
    sizes = [
        (many, activation_bytes_per_token(sheet["hidden_size"], sheet["kinds"][kind], layout)) for kind, many in kinds
    ]
    kept = [(many, checkpoint_bytes(sheet) if full else size) for many, size in sizes]
    layers = " + ".join(f"{many} x {size:,.12g}" for many, size in kept)
    flight = f"{in_flight(rank.stage, layout):.10g} in flight"
    loops = f" x {sheet['loops']} loops" if sheet["loops"] > 1 else ""
    share = layout.kept_share(sum(many for many, _ in sizes))
    flight += f" x {share:.15g} on the GPU" if share < 1 else ""
    again = f" + the layer that is computed anew {max(size for _, size in sizes):,.12g}" if full and sizes else ""
    if "moe" in layout.redone:
        once = max((routed_once(sheet["kinds"][kind], layout, fold_of(layout)) for kind, _ in kinds), default=0.0)
        again = f" + the experts of one layer {once:,.12g}"
    logits = logits_bytes(sheet, layout, rank.stage)
    ends = f" + logits {logits:,.12g}" if logits else ""
    tokens = f"{layout.sequence:,} tokens x {layout.micro_batch} / (cp {layout.cp} x tp {layout.tp})"
    formula = f"{tokens} x (({layers or '0'}){loops} x {flight}{again}{ends})"
    return Told("activations", rank.activations_bytes, formula, "saved for the backward pass, at the peak", ACTIVATIONS)


def serving_formulas(sheet: PlannerModel, layout: Layout, rank: RankMemory) -> Iterator[Told]:
    """Serving: weights as they are stored, rule by rule."""
    sums = sum_by_rule(stored_bits_by_rule(sheet, layout, per_stage(sheet, layout)[rank.stage]))
    parts: dict[bool, list[str]] = {True: [], False: []}
    for place, bits in sums.items():
        above, below = ratio(sheet["rules"][place], layout)
        share = (f" x {above}" if above > 1 else "") + (f" / {below}" if below > 1 else "")
        parts[sheet["rules"][place][0] == "experts"].append(f"{bits / 8:,.15g} B{share}")
    yield Told("weights", rank.weights_bytes, " + ".join(parts[False]), "all but routed experts, as stored", TENSORS)
    if parts[True]:
        yield Told("experts", rank.experts_bytes, " + ".join(parts[True]), "routed experts, as stored", TENSORS)


def cache(sheet: PlannerModel, plan: Plan, rank: RankMemory) -> Iterator[Told]:
    """What one sequence keeps, and all of them."""
    layout = plan.layout
    context = layout.context if layout.job == "decode" else layout.sequence
    rows = []
    for rule, bits, every, cap, fixed, _ in cache_rows(sheet, layout.cache_dtype, count_kinds(sheet, rank.layers)):
        above, below = ratio(sheet["rules"][rule], layout, 1 if fixed else layout.dcp)
        share = (f" x {above}" if above > 1 else "") + (f" / {below}" if below > 1 else "")
        rows.append(f"{count_entries(context, every, cap, fixed):,} x {bits:,} bits{share}")
    whole = f"({' + '.join(rows) or '0'}) / 8"
    says = "entries of every layer, or one state, cut as the layout cuts them"
    yield Told("sequence", rank.sequence_cache_bytes, whole, says, "gallery.memory")
    if rank.sequence_padding_bytes:
        yield pages_formula(sheet, layout, rank, context)
    formula = f"{plan.here:,} sequences x {rank.sequence_bytes:,} B"
    yield Told("cache", rank.cache_bytes, formula, "of the sequences that this rank serves", "gallery.memory")


def pages_formula(sheet: PlannerModel, layout: Layout, rank: RankMemory, context: int) -> Told:
    """What one sequence takes in pages of one size."""
    found = pages(sheet, layout, count_kinds(sheet, rank.layers), context)
    tokens, page, layers, whole = found or (0, 1, 1, 0)
    formula = f"{whole // (page * layers):,} pages x {layers} layers x {page:,} B"
    return Told("pages", whole, formula, f"whole pages of {tokens:,} tokens of attention, or one state", PAGES)


def overhead(sheet: PlannerModel, layout: Layout, rank: RankMemory) -> Told:
    """Serving: what the engine holds itself."""
    if layout.framework_bytes is not None:
        return Told("framework", rank.framework_bytes, f"{rank.framework_bytes:,} B", "as typed", "")
    logits = f"{LOGIT_BYTES} B x {at_once(layout):,} sequences x {sheet['vocab_size']:,} logits + "
    fixed = fixed_bytes(layout)
    says = "the copies of logits that sampling makes, and the process's own, as measured with vLLM on H100"
    formula = f"{logits if rank.framework_bytes > fixed else ''}{fixed:,} B"
    return Told("framework", rank.framework_bytes, formula, says, ENGINE)


def room(plan: Plan, rank: RankMemory) -> Iterator[Told]:
    """The total, the capacity, and the sequences for which there is room."""
    layout = plan.layout
    names = ("weights", "experts", "gradients", "optimizer", "activations", "cache", "framework")
    parts = [f"{word} {size:,}" for word in names if (size := getattr(rank, f"{word}_bytes"))]
    yield Told("total", rank.total_bytes, " + ".join(parts) or "0", f"stage {rank.stage}, all parts", "")
    used = f"{layout.device.memory_bytes:,} B x {layout.used:g}"
    yield Told("capacity", plan.room_bytes, used, "memory of the device, and its usable share", "")
    if layout.job != "train" and rank.sequence_bytes and plan.sequences is not None:
        free = f"({plan.room_bytes:,} - {rank.before_text_bytes:,}) B / {rank.sequence_bytes:,} B"
        result = (plan.room_bytes - rank.before_text_bytes) / rank.sequence_bytes
        says = f"whole sequences on each of {layout.dp} parts; the stage with least room decides"
        yield Told("sequences", result, free, says, "")


def times(sheet: PlannerModel, plan: Plan, least: Bound, found: list[Collective], rank: RankMemory) -> Iterator[Told]:
    """The four things that a step of one stage waits for."""
    layout, device = plan.layout, plan.layout.device
    rate = peak(layout, sheet)
    work = f"{least.products * rate:.10g} FLOP / {rate:,} FLOP/s"
    form, why = product_dtype(layout, sheet)
    says = (
        f"all products of a step at the device's full rate in "
        f"{layout.compute_dtype or product_format(device, form)}: {why}"
    )
    yield Told("products", least.products, work, says, MULTIPLIED)
    moved = f"{read_bytes(sheet, plan, rank):,.15g} B / {device.bandwidth_bytes:,} B/s"
    yield Told("memory", least.memory, moved, "what a step reads of the memory at least", "")
    leaving = sum(talk.leaving_bytes for talk in found)
    stay = sum(talk.bytes for talk in found) - leaving
    for what, size, speed in (("inside", stay, device.inside_bytes), ("outside", leaving, layout.outside_bytes)):
        word = "in the node" if what == "inside" else "to other nodes"
        result = least.inside if what == "inside" else least.outside
        share = f" x {plan.flight:,} / {plan.here:,}" if layout.job != "train" and plan.flight != plan.here else ""
        yield Told(what, result, f"{size:,} B{share} / {speed:,} B/s", f"what the rank sends {word}", NCCL)
    yield slowest(least)
    if layout.job == "train":
        yield idle(layout, least)
        whole = f"{least.idle:.10g} / {least.seconds:.10g}"
        yield Told("bubble of all", least.of_total, whole, "idle time over the whole step", SCHEDULED)


def slowest(least: Bound) -> Told:
    """The slowest of the four; or what every micro-batch waits for, and the bubble."""
    if least.flow + least.idle <= max(least[:4]):
        says = f"the slowest of the four, {least.binds}"
        return Told("seconds", least.seconds, f"{least.seconds:.10g} s", says, "")
    added = f" + {least.bubble:.10g} x {least.idle / least.bubble:.10g} s" if least.bubble else ""
    says = "what micro-batches wait for most, and the bubble, as long as the quickest stage makes it"
    return Told("seconds", least.seconds, f"{least.flow:.10g} s{added}", says, "")


def idle(layout: Layout, least: Bound) -> Told:
    """The bubble, in forwards of a chunk: a micro-batch takes three of each chunk."""
    row, p, v, m = SCHEDULES[layout.runs], layout.pp, layout.chunks, layout.micro_batches
    formula = f"{row.idle(p, v, m) if p > 1 else 0} / (3 x {v} chunks x {m} micro-batches)"
    says = f"{row.label}: it idles {row.told} forwards of a chunk" if p > 1 else "one stage waits for no other"
    return Told("bubble", least.bubble, formula, f"{says}; over the time of the work", SCHEDULED)


def collective_formula(talk: Collective) -> Told:
    """One communicator: calls, bytes of a call, and how much of them a rank sends."""
    calls = max(talk.calls, 1)
    twice = "2 x " if talk.operation.startswith("all-reduce") else ""
    share = f" x {twice}({talk.ranks} - 1) / {talk.ranks}" if talk.operation != "send" else ""
    part = (2 if twice else 1) * (talk.ranks - 1) / talk.ranks if share else 1
    formula = f"{calls:,} calls x {talk.bytes / calls / part:.10g} B{share}"
    says = f"{talk.operation} of {talk.ranks} ranks; {talk.leaving_bytes:,} B of it leave the node"
    return Told(talk.axis, talk.bytes, formula, says, NCCL)


def formulas(sheet: PlannerModel, plan: Plan, stage: int, least: Bound | None) -> list[Told]:
    """Every number of one rank of a stage; `least`: the bound of this stage, if there is one."""
    layout, rank = plan.layout, plan.ranks[stage]
    found = list_collectives(sheet, plan, stage)
    if layout.job == "train":
        out = [*states(layout, rank), activations(sheet, layout, rank)]
    else:
        out = [*serving_formulas(sheet, layout, rank), overhead(sheet, layout, rank), *cache(sheet, plan, rank)]
    out += room(plan, rank)
    out += times(sheet, plan, least, found, rank) if least else ()
    return [*out, *(collective_formula(talk) for talk in found)]
