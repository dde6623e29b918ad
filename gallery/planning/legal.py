"""A sheet and a layout -> "" if it can be, else a sentence that says why not and which values are legal nearest."""

from __future__ import annotations

from collections.abc import Callable

from gallery.planning.layout import JOBS, Layout
from gallery.planning.sheet import Sheet

Rule = Callable[[Sheet, Layout], str]


def nearest(value: int, legal: Callable[[int], bool], most: int) -> str:
    """The legal values on both sides of an illegal one, in words."""
    below = next((n for n in range(min(value, most), 0, -1) if legal(n)), None)
    above = next((n for n in range(max(value, 1), most + 1) if legal(n)), None)
    found = [str(n) for n in (below, above) if n is not None]
    return f"nearest legal: {' and '.join(dict.fromkeys(found))}" if found else "no value is legal"


def uncut(sheet: Sheet, tp: int) -> str:
    """What of the model cannot be cut into tp equal parts; "" if all can."""
    if tp == 1:
        return ""
    for what, number in sheet["cuts"]:
        if number % tp:
            return what if number > 1 else f"{what}, which this planner does not cut"
    for kv in sheet["kv_heads"]:
        if kv % tp and tp % kv:
            return f"{kv} key/value heads, nor the other way round"
    return ""


def tensor(sheet: Sheet, layout: Layout) -> str:
    why = uncut(sheet, layout.tp)
    if not why:
        return ""
    most = max((number for _, number in sheet["cuts"]), default=1)
    return f"tp {layout.tp} does not divide {why}; {nearest(layout.tp, lambda n: not uncut(sheet, n), most)}."


def devices(sheet: Sheet, layout: Layout) -> str:
    model, gpus = layout.tp * layout.pp * layout.cp, layout.gpus
    if gpus % model == 0:
        return ""
    some = nearest(gpus, lambda n: n % model == 0, max(2 * gpus, model))
    words = f"tp {layout.tp} x pp {layout.pp} x cp {layout.cp} = {model} GPUs"
    return f"{words} does not divide {gpus} GPUs; {some} GPUs."


def pipeline(sheet: Sheet, layout: Layout) -> str:
    chunks, room = layout.pp * layout.chunks, len(sheet["layers"]) + 2
    if chunks <= room:
        return ""
    each = f" of {layout.chunks} chunks" if layout.chunks > 1 else ""
    return (
        f"pp {layout.pp}{each} makes {chunks} parts of {room - 2} layers, the embedding and the head; "
        f"nearest legal: pp {room // layout.chunks or 1}."
    )


def experts_of(sheet: Sheet) -> list[dict[str, int]]:
    """One row of each kind of layer that has experts, in the order of the layers."""
    return [moe for kind in dict.fromkeys(sheet["layers"]) for moe in sheet["kinds"][kind]["experts"]]


def experts(sheet: Sheet, layout: Layout) -> str:
    found = experts_of(sheet)
    if not found:
        if layout.ep > 1 or layout.redundant:
            return f"This model has no experts, so ep {layout.ep} has nothing to split; nearest legal: 1."
        return ""
    ranks, spare = layout.tp * layout.cp * layout.dp, layout.redundant

    def dealt(ep: int) -> bool:
        return all((moe["num_experts"] + spare) % ep == 0 for moe in found) and ranks % ep == 0

    if dealt(layout.ep):
        return ""
    totals = [moe["num_experts"] + spare for moe in found]
    total = next((number for number in totals if number % layout.ep), totals[0])
    why = f"{total} experts" if total % layout.ep else f"the {ranks} GPUs of a stage (tp x cp x dp)"
    return f"ep {layout.ep} does not divide {why}; {nearest(layout.ep, dealt, ranks)}."


def expert_tensor(sheet: Sheet, layout: Layout) -> str:
    found, ranks = experts_of(sheet), layout.tp * layout.cp * layout.dp // layout.ep
    if not found:
        return ""

    def cut(etp: int) -> bool:
        return ranks % etp == 0 and all(moe["moe_intermediate_size"] % etp == 0 for moe in found)

    if cut(layout.etp):
        return ""
    why = f"the {ranks} GPUs that share an expert's stage (tp x cp x dp / ep)" if ranks % layout.etp else "their width"
    return f"etp {layout.etp} cannot cut experts: it does not divide {why}; {nearest(layout.etp, cut, ranks)}."


def job(sheet: Sheet, layout: Layout) -> str:
    if layout.job not in JOBS:
        return f"No job is called {layout.job[:40]!r}; known are {', '.join(JOBS)}."
    if layout.job != "train" and layout.cp > 1:
        return f"cp {layout.cp} is planned for training alone so far; nearest legal: 1."
    if not 0 <= layout.zero <= 3:
        return f"ZeRO has stages 0 to 3, not {layout.zero}; nearest legal: {min(max(layout.zero, 0), 3)}."
    if layout.cp > 1 and layout.sequence % (2 * layout.cp):
        step = 2 * layout.cp
        near = f"{max(layout.sequence // step, 1) * step} and {(layout.sequence // step + 1) * step}"
        return f"{layout.sequence} tokens do not make 2 x cp = {step} equal parts; nearest legal: {near}."
    return ""


def batch(sheet: Sheet, layout: Layout) -> str:
    """Every pipeline has the same whole number of micro-batches, and interleaved ones come in rounds of pp."""
    if layout.job != "train":
        return ""
    step = layout.dp * layout.micro_batch * (layout.pp if layout.chunks > 1 else 1)
    if layout.batch and layout.batch % step == 0:
        return ""
    rounds = f" x pp {layout.pp} (chunks are interleaved)" if layout.chunks > 1 else ""
    words = f"dp {layout.dp} x micro-batch {layout.micro_batch}{rounds} = {step}"
    low, high = layout.batch // step * step, (layout.batch // step + 1) * step
    return f"A batch of {layout.batch} is no multiple of {words}; nearest legal: {f'{low} and ' if low else ''}{high}."


RULES: tuple[Rule, ...] = (job, tensor, devices, pipeline, experts, expert_tensor, batch)


def problem(sheet: Sheet, layout: Layout) -> str:
    """The first rule that the layout breaks, as a sentence; "" if it is legal."""
    sizes = ("nodes", "per_node", "tp", "pp", "chunks", "cp", "ep", "etp", "sequence", "micro_batch")
    for name in sizes:
        if getattr(layout, name) < 1:
            return f"{name} is {getattr(layout, name)}; it is at least 1."
    return next((why for rule in RULES if (why := rule(sheet, layout))), "")
