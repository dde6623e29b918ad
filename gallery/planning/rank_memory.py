"""A sheet and a layout -> the bytes that a rank of each pipeline stage holds, by part. Ranks of one stage are alike.

Training: weights in BF16, gradients, and 12 bytes of optimizer a parameter (FP32 master, m and v), of which ZeRO deals
out 1: the optimizer, 2: gradients too, 3: weights too; over dp x cp ranks, experts over edp (Megatron-LM's distributed
optimizer; ZeRO, arXiv 1910.02054). LoRA: gradients and optimizer of the adapters alone (lora.py). Serving: the weights
as stored, and what decoding keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

from cutaway.gallery.counting.kv_cache import storage
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.planning.engine import engine_bytes, pages
from cutaway.gallery.planning.layout import Layout, LayoutError
from cutaway.gallery.planning.lora import BYTES as ADAPTER_BYTES
from cutaway.gallery.planning.lora import adapter_rows
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.sharding.arithmetic import part_of, ratio
from cutaway.gallery.planning.stages import (
    count_kinds,
    count_on_stage,
    first_stages,
    in_flight,
    last_stages,
    mtp_stages,
    stages,
)

WEIGHT_BITS = {"bfloat16": 16, "float16": 16, "fp8": 8, "int8": 8, "fp4": 4, "int4": 4}
TABLE = "model.embed_tokens.weight"
Piece = list[Any]  # a row of the sheet
NAME, _, PART, NUMBERS, BYTES, RULE, MATRIX = range(7)
CacheRow = tuple[int, int, int, int | None, int, int | None]  # rule, bits of one entry, every, cap, fixed, most read
ACTIVATIONS = "what each operation of a layer needs for its derivative (arXiv 2205.05198), sequence parallel, no scores"
FP8_SAVED = "what matrices read is saved in FP8 (Transformer Engine)"


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


def per_stage(sheet: PlannerModel, layout: Layout) -> list[list[tuple[Piece, int]]]:
    """The pieces of each stage, and how often each; a tied embedding stands on the last once more, as the head.

    So it does where further tokens are predicted (Megatron-LM, GPTModel: pre_process or mtp_process).
    """
    out: list[list[tuple[Piece, int]]] = []
    for stage, own in enumerate(stages(len(sheet["layers"]), layout)):
        kinds = count_on_stage(sheet, layout, stage, own, stored=True).items()
        out.append([(piece, layers) for kind, layers in kinds for piece in sheet["kinds"][kind]["pieces"]])
    for first in first_stages(layout):
        out[first] = [*((piece, 1) for piece in sheet["before"]), *out[first]]
    for last in last_stages(layout):
        out[last] += [(piece, 1) for piece in sheet["after"]]
    for stage in table_stages(sheet, layout):
        if stage not in first_stages(layout):
            out[stage] += [(piece, 1) for piece in sheet["before"] if piece[NAME] == TABLE]
    return out


def table_stages(sheet: PlannerModel, layout: Layout) -> tuple[int, ...]:
    """The stages that hold the embedding's table: to look up tokens, as the head, or to look up further ones."""
    heads = last_stages(layout) if sheet["tied"] else ()
    ahead = mtp_stages(layout) if layout.mtp else ()
    return tuple(dict.fromkeys((*first_stages(layout), *heads, *ahead)))


def table_numbers(sheet: PlannerModel, layout: Layout) -> int:
    """Numbers of that table on one rank."""
    rows = [(piece[RULE], piece[NUMBERS]) for piece in sheet["before"] if piece[NAME] == TABLE]
    return sum(rank_numbers(sheet, layout, sum_by_rule(rows)))


def sum_by_rule(rows: Iterable[tuple[int, int]]) -> dict[int, int]:
    """(rule, amount) rows -> how much of each rule."""
    sums: dict[int, int] = {}
    for rule, amount in rows:
        sums[rule] = sums.get(rule, 0) + amount
    return sums


def rank_numbers(sheet: PlannerModel, layout: Layout, sums: dict[int, int], per: int = 1) -> tuple[int, int]:
    """What a rank holds of the sums of each rule: (all but routed experts, routed experts)."""
    found = [0, 0]
    for rule, total in sums.items():
        row = sheet["rules"][rule]
        found[row[0] == "experts"] += part_of(total, ratio(row, layout), per)
    return found[0], found[1]


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


def activation_bytes(sheet: PlannerModel, layout: Layout, stage: int, counts: dict[int, int]) -> int:
    """Bytes saved for the way back at the fullest moment, as ACTIVATIONS counts them; `counts`: layers of each kind."""
    by_fold = routed_activations(sheet, layout, stage, counts, fold_of(layout))
    return ceil(dense_activations(sheet, layout, stage, counts)) + ceil(by_fold)


def rank_tokens(layout: Layout) -> float:
    """Tokens of one micro-batch on one rank."""
    return layout.sequence * layout.micro_batch / (layout.cp * layout.tp)


def dense_activations(sheet: PlannerModel, layout: Layout, stage: int, counts: dict[int, int]) -> float:
    """The part that does not depend on how experts are dealt out: what enters layers, or all but routed experts."""
    h, full, whole = sheet["hidden_size"], layout.recompute == "full", 0.0
    for kind, many in counts.items():
        whole += many * (checkpoint_bytes(sheet) if full else dense_activation_bytes(h, sheet["kinds"][kind], layout))
    held_at_once = whole * sheet["loops"] * in_flight(stage, layout) * layout.kept_share(sum(counts.values()))
    return rank_tokens(layout) * (held_at_once + logits_bytes(sheet, layout, stage))


class Fold(NamedTuple):
    """How experts are dealt out, as far as what is saved depends on it."""

    etp: int
    busy: float  # work of the busiest expert rank over the mean


def fold_of(layout: Layout) -> Fold:
    """A layout's own."""
    return Fold(layout.etp, layout.imbalance if layout.ep > 1 else 1.0)


def routed_activations(sheet: PlannerModel, layout: Layout, stage: int, counts: dict[int, int], fold: Fold) -> float:
    """The part that does: routed experts; or all of the one layer that is being computed anew. A search asks it of
    many folds of one layout."""
    if layout.recompute == "full":
        h, kinds = sheet["hidden_size"], sheet["kinds"]
        each = (
            dense_activation_bytes(h, kinds[kind], layout) + routed_activation_bytes(kinds[kind], layout, fold)
            for kind in counts
        )
        return rank_tokens(layout) * max(each, default=0.0)
    if "moe" in layout.redone:
        each = (routed_once(sheet["kinds"][kind], layout, fold) for kind in counts)
        return rank_tokens(layout) * max(each, default=0.0)
    whole = 0.0
    for kind, many in counts.items():
        whole += many * routed_activation_bytes(sheet["kinds"][kind], layout, fold)
    kept = layout.kept_share(sum(counts.values()))
    return rank_tokens(layout) * whole * sheet["loops"] * in_flight(stage, layout) * kept


def checkpoint_bytes(sheet: PlannerModel) -> float:
    """What enters a layer, of one token: all that is kept where the layer is computed anew, one layer at a time."""
    return 2.0 * sheet["hidden_size"] * sheet["streams"]


def logits_bytes(sheet: PlannerModel, layout: Layout, stage: int) -> float:
    """Of one token, in FP32, with what the last norm reads; schedules that go all forth first keep them of all."""
    if stage not in last_stages(layout) or not sheet["has_head"]:
        return 0.0
    at_once = layout.micro_batches if layout.scheduled and layout.scheduled.forth_first else 1
    return 4.0 * (sheet["hidden_size"] + sheet["vocab_size"]) * (1 + layout.mtp) * at_once


def activation_bytes_per_token(hidden: int, kind: dict[str, Any], layout: Layout) -> float:
    """What a layer saves of one token: two bytes a number, one where matrices alone read it, in FP8."""
    return dense_activation_bytes(hidden, kind, layout) + routed_activation_bytes(kind, layout, fold_of(layout))


def dense_activation_bytes(hidden: int, kind: dict[str, Any], layout: Layout) -> float:
    """All but routed experts. Computing parts anew spares what stands behind the norms of the stream, and what is
    unpacked from latents. What joins two streams saves what two norms read, and, as parts, what their matrix does."""
    others, matrices, both, normed, unpacked, *_ = kind["saves"]
    each, redone = 1.0 if layout.saves_fp8 else 2.0, layout.redone
    norms = "layernorm" in redone
    joined = kind.get("joins", 0) * hidden * (4.0 + (0.0 if norms else 2.0 * each))
    spared = (each * normed if norms else 0.0) + (2.0 * unpacked if "mla_up_proj" in redone else 0.0)
    return joined + 2.0 * (others + both) + each * matrices - spared


def routed_activation_bytes(kind: dict[str, Any], layout: Layout, fold: Fold) -> float:
    """Routed experts; the busiest rank meets more. Those that are cut see the tokens of all ranks that hold a part.
    Computing parts anew spares what their last matrices read."""
    if "moe" in layout.redone:
        return 0.0
    *_, arriving, first, last = kind["saves"]
    each = 1.0 if layout.saves_fp8 else 2.0
    here = 0.0 if layout.offload == "experts" else 2.0 * first
    routed = each * arriving * fold.etp + here + (0.0 if "moe_act" in layout.redone else each * last)
    return routed * fold.busy


def routed_once(kind: dict[str, Any], layout: Layout, fold: Fold) -> float:
    """All that routed experts need of the one layer of them that is being computed anew."""
    *_, arriving, first, last = kind["saves"]
    each = 1.0 if layout.saves_fp8 else 2.0
    return (each * arriving * fold.etp + 2.0 * first + each * last) * fold.busy


def cache_rows(sheet: PlannerModel, cache_dtype: str, kinds: dict[int, int]) -> list[CacheRow]:
    """What one sequence keeps of so many layers of each kind; `bits` of one entry of all of them together."""
    storage(cache_dtype)  # an unknown name ends here, with the known ones
    each = stored_bits(cache_dtype)
    return [
        (rule, (packed[cache_dtype] if cache_dtype in packed else bits + numbers * each) * layers * sheet["loops"],
         every, cap, fixed, most)
        for kind, layers in kinds.items()
        for _, numbers, bits, packed, every, cap, fixed, rule, most in sheet["kinds"][kind]["keeps"]
    ]  # fmt: skip


def cache_bytes(sheet: PlannerModel, layout: Layout, kept: Iterable[CacheRow], context: int) -> int:
    """What one sequence keeps on one rank, as gallery.memory counts it, cut over tp, its tokens over dcp."""
    sums: dict[tuple[int, int], int] = {}
    for rule, bits, every, cap, fixed, _ in kept:
        key = (rule, 1 if fixed else layout.dcp)
        sums[key] = sums.get(key, 0) + bits * count_entries(context, every, cap, fixed)
    return sum(part_of(bits, ratio(sheet["rules"][rule], layout, dcp), 8) for (rule, dcp), bits in sums.items())


def padding_bytes(sheet: PlannerModel, layout: Layout, kinds: dict[int, int], context: int, cached: int) -> int:
    """What pages of one size add to what one sequence keeps, as vLLM deals them out."""
    found = pages(sheet, layout, kinds, context) if layout.framework_bytes is None else None
    return max(found.bytes - cached, 0) if found else 0


def read_rows(kept: Iterable[CacheRow]) -> list[CacheRow]:
    """The same as far as one step reads it."""
    return [
        (rule, bits, every, cap if most is None else most if cap is None else min(cap, most), fixed, most)
        for rule, bits, every, cap, fixed, most in kept
    ]


def count_entries(context: int, every: int, cap: int | None, fixed: int) -> int:
    """How many entries a context leaves: one for every `every` tokens, at most `cap`, or one that is always there."""
    if fixed:
        return 1
    return context // every if cap is None else min(context // every, cap)


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


def stored_bits_by_rule(
    sheet: PlannerModel, layout: Layout, own: Iterable[tuple[Piece, int]]
) -> Iterator[tuple[int, int]]:
    """(rule, bits): matrices in the format that was asked for, without scales, the rest in the model's own."""
    asked = layout.weights_dtype
    if asked and asked not in WEIGHT_BITS:
        raise LayoutError(f"No format of weights is called {asked!r}; known are {', '.join(WEIGHT_BITS)}.")
    for piece, times in own:
        each = WEIGHT_BITS[asked] if asked and piece[MATRIX] else sheet["dtype_bits"]
        yield piece[RULE], times * (piece[NUMBERS] * each if asked else 8 * piece[BYTES])


def is_head(sheet: PlannerModel, layout: Layout, piece: Piece, stage: int) -> bool:
    """Where head and embedding are tied, the table on the last stage is the head."""
    return sheet["tied"] and stage in last_stages(layout) and piece[NAME] == TABLE


def list_rank_memory(sheet: PlannerModel, layout: Layout) -> list[RankMemory]:
    """One rank of each stage."""
    return (training_memory if layout.job == "train" else serving_memory)(sheet, layout)
