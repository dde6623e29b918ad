"""A sheet and a layout -> the bytes that a rank of each pipeline stage holds, by part. Ranks of one stage are alike.

Training: weights in BF16, gradients, and 12 bytes of optimizer a parameter (FP32 master, m and v), of which ZeRO deals
out 1: the optimizer, 2: gradients too, 3: weights too; over dp x cp ranks, experts over edp (Megatron-LM's distributed
optimizer; ZeRO, arXiv 1910.02054). LoRA: gradients and optimizer of the adapters alone (lora.py). Serving: the weights
as stored, and what decoding keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.planning.activation_memory import activation_bytes
from cutaway.gallery.planning.cache_memory import cache_bytes, cache_rows, padding_bytes, read_rows
from cutaway.gallery.planning.engine import engine_bytes
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.lora import BYTES as ADAPTER_BYTES
from cutaway.gallery.planning.lora import adapter_rows
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.sharding.arithmetic import part_of
from cutaway.gallery.planning.stage_weights import (
    NUMBERS,
    PART,
    RULE,
    is_head,
    per_stage,
    rank_numbers,
    stored_bits_by_rule,
    sum_by_rule,
)
from cutaway.gallery.planning.stages import count_kinds, count_on_stage, last_stages, stages


@dataclass(frozen=True, slots=True)
class RankMemory:
    """What one rank of a stage holds, in bytes; parts that the job does not have are 0."""

    stage: int
    layers: tuple[int, ...]
    weights_bytes: int  # of everything but routed experts
    experts_bytes: int
    gradients_bytes: int = 0
    optimizer_bytes: int = 0
    activations_bytes: int = 0
    cache_bytes: int = 0  # of the sequences that the layout names, or of those that fit
    sequence_cache_bytes: int = 0  # of one sequence at the context
    sequence_padding_bytes: int = 0  # what pages of one size add to it, where states and attention share them
    sequence_fixed_bytes: int = 0  # of these, what is in states and windows, which end to grow
    sequence_read_bytes: int = 0  # of these, what a step reads: all but what an indexer leaves out
    lookup_bytes: int = 0  # serving: of the weights, tables of which a token reads one row
    numbers: int = 0  # training: parameters held, before ZeRO deals them out
    expert_numbers: int = 0  # of these, routed experts'
    adapters: int = 0  # LoRA: numbers of adapters held beside them
    expert_adapters: int = 0  # of these, routed experts'
    framework_bytes: int = 0

    @property
    def sequence_bytes(self) -> int:
        """Of one sequence, in whole pages."""
        return self.sequence_cache_bytes + self.sequence_padding_bytes

    @property
    def states_bytes(self) -> int:
        """Weights, gradients, optimizer."""
        return self.weights_bytes + self.experts_bytes + self.gradients_bytes + self.optimizer_bytes

    @property
    def before_text_bytes(self) -> int:
        """All that does not depend on the text."""
        return self.states_bytes + self.framework_bytes

    @property
    def total_bytes(self) -> int:
        return self.before_text_bytes + self.activations_bytes + self.cache_bytes


def trained(numbers: int, adapters: int, layout: Layout) -> int:
    """How many of them have gradients: all, or the adapters alone."""
    return adapters if layout.lora_rank else numbers


def held_bytes(numbers: int, adapters: int, layout: Layout) -> int:
    """Training: of weights, and of the adapters beside them."""
    return numbers * layout.weight_bytes + adapters * ADAPTER_BYTES


def state_bytes(numbers: int, layout: Layout, ranks: int, adapters: int = 0) -> tuple[int, int, int]:
    """(weights, gradients, optimizer) of so many parameters on one of the ranks that ZeRO deals them over."""
    own, zero = trained(numbers, adapters, layout), layout.zero
    sizes = held_bytes(numbers, adapters, layout), own * layout.gradient_bytes, own * layout.optimizer_bytes
    rows = zip(sizes, (zero >= 3, zero >= 2, zero >= 1), strict=True)
    weights, gradients, optimizer = (part_of(size, (1, ranks if dealt else 1)) for size, dealt in rows)
    return weights, gradients, optimizer


def training_memory(sheet: PlannerModel, layout: Layout) -> list[RankMemory]:
    """One rank of each stage while training."""
    out = []
    rows = stages(len(sheet["layers"]), layout)
    for stage, own in enumerate(per_stage(sheet, layout)):
        numbers, experts = rank_numbers(
            sheet, layout, sum_by_rule((piece[RULE], piece[NUMBERS] * times) for piece, times in own)
        )
        adapters, theirs = rank_numbers(sheet, layout, sum_by_rule(adapter_rows(layout, own)))
        dense = state_bytes(numbers, layout, layout.shard, adapters)
        routed = state_bytes(experts, layout, layout.expert_shard, theirs)
        out.append(RankMemory(
            stage, tuple(rows[stage]), dense[0], routed[0], dense[1] + routed[1], dense[2] + routed[2],
            activation_bytes(sheet, layout, stage, count_on_stage(sheet, layout, stage, rows[stage])),
            numbers=numbers + experts, expert_numbers=experts, adapters=adapters + theirs, expert_adapters=theirs,
            framework_bytes=layout.framework_bytes or 0,
        ))  # fmt: skip
    return out


def serving_memory(sheet: PlannerModel, layout: Layout) -> list[RankMemory]:
    """One rank of each stage while serving, without sequences."""
    rows = stages(len(sheet["layers"]), layout)
    context = layout.context if layout.job == "decode" else layout.sequence
    out, lasts = [], last_stages(layout)
    for stage, own in enumerate(per_stage(sheet, layout)):
        sizes = rank_numbers(sheet, layout, sum_by_rule(stored_bits_by_rule(sheet, layout, own)), 8)
        tables = [row for row in own if row[0][PART] == "embedding" and not is_head(sheet, layout, row[0], stage)]
        looked = sum(rank_numbers(sheet, layout, sum_by_rule(stored_bits_by_rule(sheet, layout, tables)), 8))
        kept = cache_rows(sheet, layout.cache_dtype, count_kinds(sheet, rows[stage]))
        one = cache_bytes(sheet, layout, kept, context)
        ends = [row for row in kept if row[4] or row[3] is not None]  # fixed, or at most so many entries
        out.append(RankMemory(
            stage, tuple(rows[stage]), *sizes, sequence_cache_bytes=one, lookup_bytes=looked,
            sequence_fixed_bytes=cache_bytes(sheet, layout, ends, context),
            sequence_read_bytes=cache_bytes(sheet, layout, read_rows(kept), context),
            framework_bytes=engine_bytes(sheet, layout, stage in lasts),
            sequence_padding_bytes=padding_bytes(sheet, layout, count_kinds(sheet, rows[stage]), context, one),
        ))  # fmt: skip
    return out


def list_rank_memory(sheet: PlannerModel, layout: Layout) -> list[RankMemory]:
    """One rank of each stage."""
    return (training_memory if layout.job == "train" else serving_memory)(sheet, layout)
