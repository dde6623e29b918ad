"""A sheet, a sequence and a layout -> FLOPs: of a training token as Megatron-LM counts them, and of each stage.

Going back costs twice what going forth does; where everything is recomputed, going forth is done twice. FLOPs are
floats (a step's sums leave 2^53 behind); entries are whole numbers.
"""

from __future__ import annotations

from gallery.operations import Reads
from gallery.planning.layout import Layout
from gallery.planning.sheet import Sheet
from gallery.planning.stages import last_stage, stages
from gallery.planning.terms import Terms

FORTH_AND_BACK = 3


def of_terms(work: Terms, tokens: int, prefill: bool) -> float:
    """FLOPs of one token that sees so many, or (prefill) of so many that each see what came before."""
    total = float(work["token"] * (tokens if prefill else 1))
    for each, every, cap, when in work["reads"]:
        if when in ("", "prefill" if prefill else "decode"):
            one = Reads("", 1, every, cap)
            total += float(each) * (one.over(tokens) if prefill else one.at(tokens))
    return total


def model_flops(sheet: Sheet, tokens: int) -> float:
    """Going forth through all layers and the head, for a sequence."""
    each = [of_terms(kind["work"], tokens, True) for kind in sheet["kinds"]]
    return sum(each[kind] for kind in sheet["layers"]) * sheet["loops"] + of_terms(sheet["ends"], tokens, True)


def training_flops(sheet: Sheet, sequence: int, mtp: bool = True) -> float:
    """FLOPs of one training token, forth and back, attention counted causally; nothing recomputed."""
    head = of_terms(sheet["ends"], sequence, True)
    further = sum(of_terms(one, sequence, True) + head for one in sheet["mtp"]) if mtp else 0.0
    return FORTH_AND_BACK * (model_flops(sheet, sequence) + further) / sequence


def stage_flops(sheet: Sheet, layout: Layout, head: bool = True) -> list[float]:
    """Going forth: FLOPs of one rank of each stage for one sequence, or (decode) for the next token of one.

    Prefill needs the head for the last token of a prompt alone.
    """
    prefill = layout.job != "decode"
    tokens = layout.sequence if prefill else layout.context
    each = [
        (of_terms(kind["work"], tokens, prefill) + waiting(kind["work"], tokens if prefill else 1, layout))
        * sheet["loops"]
        for kind in sheet["kinds"]
    ]
    found = [sum(each[sheet["layers"][layer]] for layer in own) for own in stages(len(sheet["layers"]), layout)]
    if head:
        found[last_stage(layout)] += of_terms(sheet["ends"], tokens, layout.job == "train")
    return [one / (layout.tp * layout.cp) for one in found]


def waiting(work: Terms, tokens: int, layout: Layout) -> float:
    """What the busiest expert rank does more than the others, which wait for it."""
    return (layout.imbalance - 1) * float(work["experts"] * tokens) if layout.ep > 1 else 0.0
