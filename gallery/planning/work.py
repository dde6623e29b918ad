"""A sheet, a sequence and a layout -> FLOPs: of a training token as Megatron-LM counts them, and of each stage.

Going back costs twice what going forth does; where everything is recomputed, going forth is done twice. With LoRA the
products of frozen weights cost as much back as forth, those of adapters twice (lora.py). FLOPs are floats (a step's
sums leave 2^53 behind); entries are whole numbers.
"""

from __future__ import annotations

from cutaway.gallery.operations import Reads
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.lora import adapted_work, adapter_flops
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.stages import count_on_stage, last_stages, stages
from cutaway.gallery.planning.terms import Terms

FORTH_AND_BACK = 3


def flops_of_terms(work: Terms, tokens: int, prefill: bool) -> float:
    """FLOPs of one token that sees so many, or (prefill) of so many that each see what came before."""
    total = float(work["token"] * (tokens if prefill else 1))
    for each, every, cap, when in work["reads"]:
        if when in ("", "prefill" if prefill else "decode"):
            one = Reads("", 1, every, cap)
            total += float(each) * (one.over(tokens) if prefill else one.for_token(tokens))
    return total


def model_flops(sheet: PlannerModel, tokens: int) -> float:
    """Going forth through all layers and the head, for a sequence."""
    each = [flops_of_terms(kind["work"], tokens, True) for kind in sheet["kinds"]]
    return sum(each[kind] for kind in sheet["layers"]) * sheet["loops"] + flops_of_terms(sheet["ends"], tokens, True)


def training_flops(
    sheet: PlannerModel, sequence: int, mtp: bool = True, frozen: bool = False, lora_rank: int = 0
) -> float:
    """FLOPs of one training token, forth and back, attention counted causally; nothing recomputed.

    `frozen`: the weights have no gradients of their own, so that their products are done twice, not three times;
    `lora_rank`: the same with adapters, which `frozen` alone does not count.
    """
    head = flops_of_terms(sheet["ends"], sequence, True)
    ahead = sum(flops_of_terms(sheet["kinds"][kind]["work"], sequence, True) for kind in sheet["mtp"])
    further = ahead + head * sheet["further"] if mtp else 0.0
    found = FORTH_AND_BACK * (model_flops(sheet, sequence) + further) / sequence
    if not (frozen or lora_rank):
        return found
    return found - weight_flops(sheet, mtp) + FORTH_AND_BACK * lora_flops(sheet, lora_rank, mtp)


def weight_flops(sheet: PlannerModel, mtp: bool = False) -> float:
    """FLOPs of one token whatever its context: the products of the weights; a recurrence's own among them."""
    token = sum(sheet["kinds"][kind]["work"]["token"] for kind in sheet["layers"]) * sheet["loops"]
    ahead = sum(sheet["kinds"][kind]["work"]["token"] for kind in sheet["mtp"]) if mtp else 0
    return float(token + ahead + sheet["ends"]["token"] * (1 + (sheet["further"] if mtp else 0)))


def lora_flops(sheet: PlannerModel, rank: int, mtp: bool = False) -> float:
    """FLOPs of one token going forth through all adapters."""
    each = [adapter_flops(kind, rank)[0] for kind in sheet["kinds"]]
    ahead = sum(each[kind] for kind in sheet["mtp"]) if mtp else 0
    return float(sum(each[kind] for kind in sheet["layers"]) * sheet["loops"] + ahead)


def kind_flops(sheet: PlannerModel, layout: Layout) -> list[float]:
    """Going forth through a layer of each kind, uncut: a sequence, or (decode) the next token of one."""
    prefill = layout.job != "decode"
    tokens = layout.sequence if prefill else layout.context
    return [
        (flops_of_terms(work, tokens, prefill) + imbalance_flops(work, tokens if prefill else 1, layout))
        * sheet["loops"]
        for work in (adapted_work(kind, layout.lora_rank) for kind in sheet["kinds"])
    ]


def imbalance_flops(work: Terms, tokens: int, layout: Layout) -> float:
    """What the busiest expert rank does more than the others, which wait for it."""
    return (layout.imbalance - 1) * float(work["experts"] * tokens) if layout.ep > 1 else 0.0


def head_flops(sheet: PlannerModel, layout: Layout) -> float:
    """The head's, for further tokens too; prefill needs it for the last token of a prompt alone."""
    tokens = layout.context if layout.job == "decode" else layout.sequence
    return flops_of_terms(sheet["ends"], tokens, layout.job == "train") * (1 + layout.mtp)


def frozen_flops(sheet: PlannerModel, layout: Layout) -> tuple[list[float], float]:
    """(of a layer of each kind, of the head) FLOPs of a sequence that frozen weights spare: a product for their
    gradients."""
    if not layout.lora_rank:
        return [0.0] * len(sheet["kinds"]), 0.0
    tokens = layout.sequence
    each = [
        (float(kind["work"]["token"] * tokens) + imbalance_flops(kind["work"], tokens, layout)) * sheet["loops"]
        for kind in sheet["kinds"]
    ]
    return each, float(sheet["ends"]["token"] * tokens) * (1 + layout.mtp)


def stage_flops(sheet: PlannerModel, layout: Layout, head: bool = True) -> list[float]:
    """Going forth: FLOPs of one rank of each stage for one sequence, or (decode) for the next token of one."""
    return sum_stages(sheet, layout, kind_flops(sheet, layout), head_flops(sheet, layout) if head else 0.0)


def spared_flops(sheet: PlannerModel, layout: Layout) -> list[float]:
    """What frozen weights spare one rank of each stage for one sequence."""
    return sum_stages(sheet, layout, *frozen_flops(sheet, layout))


def sum_stages(sheet: PlannerModel, layout: Layout, each: list[float], head: float) -> list[float]:
    """FLOPs of a layer of each kind and of the head -> of one rank of each stage.

    Of ranks that hold the same stage, each works on its share of the sequences.
    """
    out = []
    for stage, own in enumerate(stages(len(sheet["layers"]), layout)):
        total = 0.0
        for kind, many in count_on_stage(sheet, layout, stage, own).items():
            total += many * each[kind]
        out.append(total)
    for last in last_stages(layout):
        out[last] += head
    return [one / (layout.tp * layout.cp * layout.copies) for one in out]
