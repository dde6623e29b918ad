"""A sheet and a layout -> the bytes of activations that a rank saves for the way back, at its fullest moment."""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.stages import in_flight, last_stages

ACTIVATIONS = "what each operation of a layer needs for its derivative (arXiv 2205.05198), sequence parallel, no scores"
FP8_SAVED = "what matrices read is saved in FP8 (Transformer Engine)"


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
