"""The rules of the axes: what of a model divides into how many parts, and the words for what does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel


class Problem(NamedTuple):
    """One input that cannot be."""

    field: str  # of Layout
    why: str
    nearest: tuple[Any, ...] = ()  # legal values of the field
    form: str = "{}"  # how they are said

    @property
    def says(self) -> str:
        """One sentence."""
        if not self.nearest:
            return f"{self.why}; no value is legal."
        values = (", " if len(self.nearest) > 2 else " and ").join(str(one) for one in self.nearest)
        return f"{self.why}; nearest legal: {self.form.format(values)}."


Rule = Callable[[PlannerModel, Layout], Iterator[Problem]]


def nearest_legal(value: int, legal: Callable[[int], bool], most: int) -> tuple[int, ...]:
    """The legal values on both sides of an illegal one."""
    below = next((n for n in range(min(value, most), 0, -1) if legal(n)), None)
    above = next((n for n in range(max(value, 1), most + 1) if legal(n)), None)
    return tuple(dict.fromkeys(n for n in (below, above) if n is not None))


def field_title(name: str) -> str:
    """What a reader calls a number of a layout."""
    return "the number of GPUs in a node" if name == "per_node" else name.replace("_", " ")


def at_least_one(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    """Nothing is less than one of anything."""
    for name in (
        *("nodes", "per_node", "tp", "pp", "chunks", "cp", "ep", "etp", "sequence", "micro_batch", "context", "dcp"),
        *("weight_bytes", "gradient_bytes", "imbalance"),
    ):
        if not getattr(layout, name) >= 1:
            yield Problem(name, f"{field_title(name)} is {getattr(layout, name)}, but must be at least 1", (1,))
    for name in ("dp_shard", "redundant", "optimizer_bytes", "framework_bytes", "batch", "mtp", "lora_rank"):
        if (getattr(layout, name) or 0) < 0:
            yield Problem(name, f"{field_title(name)} is {getattr(layout, name)}, but must be at least 0", (0,))


def unsupported_cuts(sheet: PlannerModel, tp: int) -> str:
    """What of the model cannot be cut into tp equal parts; "" if all can."""
    if tp == 1:
        return ""
    for what, number in sheet["cuts"]:
        if number % tp:
            return what if number > 1 else f"{what}, whose sharding is not supported"
    for what, number in sheet["shared"]:
        if number % tp and tp % number:
            return f"{what}, nor the other way round"
    return ""


def tensor(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    if why := unsupported_cuts(sheet, layout.tp):
        most = max((number for _, number in sheet["cuts"]), default=1)
        near = nearest_legal(layout.tp, lambda n: not unsupported_cuts(sheet, n), most)
        yield Problem("tp", f"tp {layout.tp} does not divide {why}", near)


def devices(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    model, gpus = layout.tp * layout.pp * layout.cp, layout.gpus
    if gpus % model:
        near = nearest_legal(gpus, lambda n: n % model == 0, max(2 * gpus, model))
        words = f"tp {layout.tp} x pp {layout.pp} x cp {layout.cp} = {model} GPUs"
        yield Problem("gpus", f"{words} does not divide {gpus} GPUs", near, "{} GPUs")


def pipeline(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    chunks, room = layout.pp * layout.chunks, len(sheet["layers"]) + 2
    if chunks > room and not layout.split:
        each = f" of {layout.chunks} chunks" if layout.chunks > 1 else ""
        why = f"pp {layout.pp}{each} makes {chunks} parts of {room - 2} layers, the embedding and the head"
        yield Problem("pp", why, (room // layout.chunks or 1,), "pp {}")


def experts_of(sheet: PlannerModel) -> list[dict[str, int]]:
    """One row of each kind of layer that has experts, in the order of the layers."""
    return [moe for kind in dict.fromkeys(sheet["layers"]) for moe in sheet["kinds"][kind]["experts"]]


def deals_evenly(sheet: PlannerModel, layout: Layout, ep: int) -> bool:
    """Whether every layer's experts divide into so many parts, and the ranks of a stage do."""
    ranks = layout.tp * layout.cp * layout.dp
    return ranks % ep == 0 and all((moe["num_experts"] + layout.redundant) % ep == 0 for moe in experts_of(sheet))


def experts(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    found = experts_of(sheet)
    if not found:
        if layout.ep > 1:
            yield Problem("ep", f"This model has no experts, so ep {layout.ep} has nothing to split", (1,))
        if layout.redundant:
            yield Problem(
                "redundant", f"This model has no experts, so redundant {layout.redundant} copies nothing", (0,)
            )
        return
    if deals_evenly(sheet, layout, layout.ep):
        return
    ranks, ep = layout.tp * layout.cp * layout.dp, layout.ep
    totals = [moe["num_experts"] + layout.redundant for moe in found]
    total = next((number for number in totals if number % ep), totals[0])
    why = f"{total} experts" if total % ep else f"the {ranks} GPUs of a stage (tp x cp x dp)"
    near = nearest_legal(ep, lambda n: deals_evenly(sheet, layout, n), ranks)
    yield Problem("ep", f"ep {ep} does not divide {why}", near)


def expert_tensor(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    """Experts that are cut take whole groups of a stage's ranks; so does the fold of a model that has none."""
    found, ranks = experts_of(sheet), layout.tp * layout.cp * layout.dp // layout.ep

    def cut(etp: int) -> bool:
        sizes = [moe["moe_intermediate_size"] for moe in found] + [layout.lora_rank] * bool(found)
        return ranks % etp == 0 and all(size % etp == 0 for size in sizes)

    if not cut(layout.etp):
        stage = f"the {ranks} GPUs that share an expert's stage (tp x cp x dp / ep)"
        why = stage if ranks % layout.etp else "their width" + ", or lora_rank" * bool(layout.lora_rank)
        near = nearest_legal(layout.etp, cut, ranks)
        yield Problem("etp", f"etp {layout.etp} cannot shard experts: it does not divide {why}", near)


RULES: tuple[Rule, ...] = (tensor, devices, pipeline, experts, expert_tensor)
