"""The rules of a job: its sizes, its pipeline's schedule and split, how context ranks meet, the order of ranks."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from cutaway.gallery.planning.layout import JOBS, REDONE, Layout
from cutaway.gallery.planning.legal_axes import Problem, Rule, experts_of, nearest_legal
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.ranks import places, sizes
from cutaway.gallery.planning.schedules import SCHEDULES
from cutaway.gallery.planning.stages import expand_layout, mtp_kinds

CHOICES = {
    "job": JOBS,
    "cp_kind": ("all-gather", "ring", "ulysses"),
    "dispatch_dtype": ("", "bfloat16", "fp8"),
    "schedule": ("", *SCHEDULES),
}
ORDER = ("tp", "cp", "ep", "dp", "pp")
MOST_PARTS = 4_096  # chunks of a layout string


def job(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    for name, known in CHOICES.items():
        if (value := getattr(layout, name)) not in known:
            yield Problem(name, f"No {name} is called {value[:40]!r}", tuple(one for one in known if one))
    yield from saved(layout)
    if layout.job != "train" and layout.cp > 1:
        yield Problem("cp", f"cp {layout.cp} is only supported for training so far", (1,))
    if not 0 <= layout.zero <= 3:
        why = f"ZeRO has stages 0 to 3, not {layout.zero}"
        yield Problem("zero", why, (min(max(layout.zero, 0), 3),))
    step = 2 * layout.cp
    if layout.cp > 1 and layout.sequence % step:
        near = tuple(dict.fromkeys((max(layout.sequence // step, 1) * step, (layout.sequence // step + 1) * step)))
        yield Problem("sequence", f"{layout.sequence} tokens cannot be split into 2 x cp = {step} equal parts", near)


def saved(layout: Layout) -> Iterator[Problem]:
    """What is computed anew, and what waits in host memory."""
    if layout.recompute not in ("none", "parts", "full") and len(layout.redone) != len(layout.modules):
        known = ("none", "parts", "full", *REDONE)
        yield Problem("recompute", f"No recompute is called {layout.recompute[:40]!r}", known)
    if layout.offload not in ("", "experts") and not layout.offload.isdecimal():
        why = f"Activations of layers or of experts can be offloaded, not those of {layout.offload[:40]!r}"
        yield Problem("offload", why, ("", "experts"))


def batch(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    """Every pipeline has the same whole number of micro-batches; some schedules send them in rounds, or in pairs."""
    if layout.job != "train":
        return
    row = SCHEDULES[layout.runs]
    times = row.multiple(layout.pp)
    step = layout.dp * layout.micro_batch * times
    if layout.batch and layout.batch % step == 0:
        return
    ways = {"rounds": f" x pp {layout.pp} (chunks are interleaved)", "both ends": " x 2 (half enter at either end)"}
    more = ways[row.rule] if times > 1 else ""
    words = f"dp {layout.dp} x micro-batch {layout.micro_batch}{more} = {step}"
    low, high = layout.batch // step * step, (layout.batch // step + 1) * step
    least = layout.dp * layout.micro_batch * row.least(layout.pp)
    near = (low, high) if low >= least else (max(high, least),)
    yield Problem("batch", f"A batch of {layout.batch} is not a multiple of {words}", near)


def schedule(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    row = SCHEDULES[layout.runs]
    if layout.job != "train" or layout.pp == 1:
        return
    fewest, most = row.chunks
    if not fewest <= layout.chunks <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        why = f"{row.label} has {wanted} chunks on a stage, not {layout.chunks}"
        yield Problem("chunks", why, (min(max(layout.chunks, fewest), most),))
    elif row.rule == "both ends" and layout.pp % 2:
        why = f"{row.label} pairs the stages from both ends: pp {layout.pp} is odd"
        rest = layout.gpus // (layout.tp * layout.cp)
        yield Problem("pp", why, nearest_legal(layout.pp, lambda n: rest % n == 0 and (n == 1 or n % 2 == 0), rest))
    elif layout.micro_batches < row.least(layout.pp):
        least = row.least(layout.pp) * layout.dp * layout.micro_batch
        why = f"{row.label} fills its pipeline from both ends: {layout.micro_batches} micro-batches are too few"
        yield Problem("batch", why, (least,))


def split_layers(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    """Megatron-LM's layout string: an embedding first, every layer once, the loss last, stages x chunks parts."""
    if not layout.split:
        return
    parts, layers = expand_layout(layout.split), len(sheet["layers"])
    letters = "".join(parts)
    if set(letters) - set("EtmL") or letters[:1] != "E" or letters[-1:] != "L" or letters.count("E") != 1:
        yield Problem(
            "split", f"{layout.split[:60]!r} is not a layout of E, t, m and L, with E first and L last", ("",), "none"
        )
    elif letters.count("t") != layers:
        why = f"{layout.split[:60]!r} has {letters.count('t')} layers, this model {layers}"
        yield Problem("split", why, ("",), "none")
    elif len(parts) != layout.pp * layout.chunks:
        why = f"{layout.split[:60]!r} has {len(parts)} parts, not pp {layout.pp} x {layout.chunks} chunks"
        near = nearest_legal(layout.pp, lambda pp: len(parts) % pp == 0, min(len(parts), MOST_PARTS))
        yield Problem("pp", why, near)


def ahead(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    """Only layers that a model has predict further tokens, and only while it is trained."""
    most = sheet["further"] if layout.job == "train" else 0
    if layout.mtp <= most:
        return
    if layout.job != "train":
        why = f"mtp {layout.mtp} is only for training"
    elif most:
        why = f"This model predicts {most} further token{'s' * (most > 1)}, not {layout.mtp}"
    else:
        why = f"This model has no layers that predict further tokens, so mtp {layout.mtp} has nothing to train"
    yield Problem("mtp", why, (most,))


def adapters(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    """LoRA is for training; tensor ranks share the r rows of A equally."""
    rank, tp, hidden = layout.lora_rank, layout.tp, sheet["hidden_size"]
    if rank and layout.job != "train":
        yield Problem("lora_rank", f"lora_rank {rank} is only for training", (0,))
    elif rank > hidden:
        yield Problem("lora_rank", f"lora_rank {rank} is more than hidden_size {hidden}", (hidden // tp * tp,))
    elif rank % tp:
        near = nearest_legal(rank, lambda n: n % tp == 0, hidden)
        yield Problem("lora_rank", f"lora_rank {rank} is not a multiple of tp {tp}, which shards adapters", near)


def contexts(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    """Ulysses deals heads over context ranks; decode context parallelism takes the ranks that hold copies."""
    kinds = dict.fromkeys((*sheet["layers"], *mtp_kinds(sheet, layout)))
    rows = [row for kind in kinds for row in sheet["kinds"][kind]["context"]]
    if layout.cp > 1 and layout.cp_kind == "ulysses":
        heads = [row["heads"] // layout.tp for row in rows]
        if wrong := next((number for number in heads if number % layout.cp), 0):
            near = nearest_legal(layout.cp, lambda n: all(number % n == 0 for number in heads), wrong)
            yield Problem(
                "cp", f"cp {layout.cp} does not divide the {wrong} heads of a tensor-parallel rank (Ulysses)", near
            )
    if layout.dcp == 1:
        return

    def shared(dcp: int) -> bool:
        return dcp == 1 or (layout.tp % dcp == 0 and all(layout.tp // dcp >= (row["kv_heads"] or 1) for row in rows))

    if layout.job != "decode":
        yield Problem("dcp", f"dcp {layout.dcp} is only for decoding", (1,))
    elif not shared(layout.dcp):
        copies = max(min((layout.tp // (row["kv_heads"] or 1) for row in rows), default=1), 1)
        why = f"dcp {layout.dcp} splits copies of the cache, and tensor-parallel ranks make only {copies}"
        if layout.tp % layout.dcp:
            why = f"dcp {layout.dcp} does not divide tp {layout.tp}"
        yield Problem("dcp", why, nearest_legal(layout.dcp, shared, layout.tp))


def shards(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    if layout.dp_shard and layout.dp % layout.dp_shard:
        near = nearest_legal(layout.dp_shard, lambda n: layout.dp % n == 0, layout.dp)
        yield Problem("dp_shard", f"dp_shard {layout.dp_shard} does not divide dp {layout.dp}", near)


def order(sheet: PlannerModel, layout: Layout) -> Iterator[Problem]:
    words = layout.order.split("-")
    if sorted(words) != sorted(ORDER):
        why = f"{layout.order[:40]!r} is not an order of {', '.join(ORDER)}"
        yield Problem("order", why, ("-".join(ORDER),))
    elif experts_of(sheet) and before_pp(layout, False) != before_pp(layout, True):
        why = "If experts group a stage's ranks differently, these ranks must be contiguous: pp comes last"
        yield Problem("order", why, ("-".join([word for word in words if word != "pp"] + ["pp"]),))


def before_pp(layout: Layout, expert: bool) -> int:
    """How far apart the ranks of two neighbouring stages are, in one of the two folds; 0 where there is one stage."""
    size, words = sizes(layout, expert), places(layout.order)[expert]
    return prod(size[word] for word in words[: words.index("pp")]) if layout.pp > 1 else 0


RULES: tuple[Rule, ...] = (batch, schedule, split_layers, ahead, adapters, contexts, shards, order)
