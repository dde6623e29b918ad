"""A plan -> the numbers that /plan/'s sentences must say, in their order and as they are written."""

from __future__ import annotations

import re

from cutaway.explainers import fmt
from cutaway.gallery.command.plan_words import PARTS, gigabytes
from cutaway.gallery.planning.cache_memory import cache_rows, count_entries
from cutaway.gallery.planning.communication import list_collectives
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import RankMemory
from cutaway.gallery.planning.ranks import GROUPS
from cutaway.gallery.planning.seconds import Bound, bind_step
from cutaway.gallery.planning.sharding.arithmetic import part_of, ratio
from cutaway.gallery.planning.stages import count_kinds

SHARES = {0.5: "half", 0.75: "three quarters", 0.875: "seven eighths"}
IDLE = 0.005  # of a step: less is not worth a word


BETWEEN = rf"(?:(?!\b(?:{'|'.join(GROUPS)})\b)\D)*"  # neither a digit nor an axis


def says(text: str, numbers: list[str]) -> bool:
    """Whether a sentence has these numbers and axes, in this order, and no others."""
    apart = (rf"(?<![\w.,]){re.escape(number)}(?!\w)" for number in numbers)
    return bool(re.fullmatch(BETWEEN.join(["", *apart, ""]), text))


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


def device_words(layout: Layout) -> str:
    return layout.device.name.replace("_", " ").upper()


def tokens(layout: Layout) -> int:
    return layout.context if layout.job == "decode" else layout.sequence


# ------------------------------------------------------------ what is a copy, and how fast it is


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
    """The share of the cache, over all ranks, that is copies."""
    layout = found.layout
    if layout.tp == 1 or not found.fullest.cache_bytes:
        return 0.0
    return sum(copies(model, found)) / layout.tp


def at_most(found: Plan, least: Bound) -> float:
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


# ------------------------------------------------------------ sentences


def too_much(found: Plan) -> tuple[dict[str, int], RankMemory]:
    """({part: bytes}, the rank) of what has no room: as asked, or with one sequence where that alone is too much."""
    extra = found.sequences == 0 and all(rank.total_bytes <= found.room_bytes for rank in found.ranks)
    held = []
    for rank in found.ranks:
        parts = {word: getattr(rank, name) for name, word in PARTS}
        parts["cache"] += rank.sequence_cache_bytes if extra else 0
        held.append((parts, rank))
    return max(held, key=lambda one: sum(one[0].values()))


def headline(model: PlannerModel, found: Plan) -> list[str]:
    """What it needs of what there is; or how many sequences fit, and the share of copies or a step's time."""
    layout, fullest = found.layout, found.fullest
    capacity, time = gigabytes(layout.device.memory_bytes), duration(bind_step(model, found).seconds)
    if not found.fits:
        need, rank = too_much(found)
        stage = [f"{rank.stage}"] if layout.pp > 1 else []
        usable = [gigabytes(found.room_bytes)] if layout.used < 1 else []
        return [*stage, gigabytes(sum(need.values())), *usable, capacity]
    if layout.job == "train":
        return [gigabytes(fullest.total_bytes), capacity, time]
    if found.sequences is None:
        return [time]
    share = copied(model, found)
    return [f"{found.sequences:,}", fmt.integer(tokens(layout)), percent_words(share) if share >= 0.01 else time]


def percent_words(share: float) -> str:
    return SHARES.get(share) or f"{short(100 * share)} %"


def because(model: PlannerModel, found: Plan) -> list[str]:
    """The least time and the most tokens a second, the axes that leave a node, what idles; or the largest part."""
    layout, least = found.layout, bind_step(model, found)
    if not found.fits:
        need, _ = too_much(found)
        word = max(need, key=lambda one: need[one])
        return [gigabytes(need[word]), word, fmt.percent(need[word] / sum(need.values()), 0)]
    out = [duration(least.seconds)]
    if speed := at_most(found, least):
        out += [rate(speed), *([] if layout.job == "train" else [f"{layout.batch or found.here * layout.dp:,}"])]
    met = [talk for rank in found.ranks for talk in list_collectives(model, found, rank.stage)]
    out += dict.fromkeys(talk.axis for talk in met if talk.leaving_bytes)
    return out + ([fmt.percent(least.of_total)] if least.bubble > IDLE else [])


def caveats(model: PlannerModel) -> list[str]:
    """What a reader should know of the sheet itself."""
    known = model.get("caveats", {})
    read = [f"the model_type {model['model_type']} is not known here"] if known.get("read_from_keys") else []
    unread = [", ".join(known["unread"][:8])] if known.get("unread") else []
    return [*read, *known.get("not_understood", ()), *known.get("contradictions", ()), *unread]
