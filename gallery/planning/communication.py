"""A sheet and a plan -> communicators: which ranks meet for what, and how many bytes a rank sends, and to other nodes.

Activations travel in BF16. A token goes once to each node that has experts of its choice, and to each rank; while
decoding a copy goes to each expert, inside the node or out of it (DeepEP's low-latency kernels, internode_ll.cu).
Training goes forth and back, and forth again where all is computed anew. collective_bytes.py has what a sum or a gather
sends, ranks.py where ranks stand, reach.py how far a token's experts lie apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cutaway.gallery.planning.collective_bytes import Collective, gather_bytes, make_collective, round_half_up
from cutaway.gallery.planning.fits import Plan
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from cutaway.gallery.planning.rank_memory import RankMemory, held_bytes, trained
from cutaway.gallery.planning.ranks import count_in_node, first_rank
from cutaway.gallery.planning.reach import count_chosen, count_other_parts
from cutaway.gallery.planning.stage_weights import table_numbers, table_stages
from cutaway.gallery.planning.stages import count_on_stage, places

Kinds = list[tuple[dict[str, Any], int]]  # a kind of layer, and how many of it stand on a stage
BFLOAT16, FLOAT32 = 2, 4
FP8_BLOCK = 128  # numbers that share one FP32 scale when tokens are dispatched in FP8 (DeepEP)


def dispatch_bytes(hidden: int, fp8: bool) -> int:
    """One token on its way to one expert: FP8 with an FP32 scale per 128 numbers, or BF16."""
    return hidden + FLOAT32 * -(-hidden // FP8_BLOCK) if fp8 else BFLOAT16 * hidden


def combine_bytes(hidden: int) -> int:
    """What one expert gives back of one token."""
    return BFLOAT16 * hidden


def count_passes(layout: Layout) -> int:
    """How often a batch of tokens goes through a layer: training forth and back, and forth again before."""
    return 1 if layout.job != "train" else 3 if layout.recompute == "full" else 2


def tensor_parallel(
    sheet: PlannerModel, layout: Layout, kinds: Kinds, tokens: float, visits: int
) -> Iterator[Collective]:
    """The meetings of each layer: an all-reduce of the stream. Training is sequence parallel: a gather before and a
    sum behind, the same back, and what was gathered is gathered once more for the gradient of the weights.

    Experts that are not cut over the same ranks meet on their own: through ep, and over etp.
    """
    t = layout.tp
    if t == 1:
        return
    other, train = 0 if layout.cut_as_dense else 1, layout.job == "train"
    calls = sum(kind["meets"][other] * layers for kind, layers in kinds) * visits
    calls *= 2 * count_passes(layout) + 1 if train else 1
    word, times = ("all-gather and reduce-scatter", 1) if train else ("all-reduce", 2)
    yield make_collective(layout, "tp", word, t, calls, calls * tokens * sheet["hidden_size"] * BFLOAT16, times=times)


class ExpertRoute(NamedTuple):
    """One token's way to its experts and back, through all layers of a stage: bytes, and those to other nodes."""

    meetings: int
    there: float
    back: float
    away_there: float
    away_back: float


def expert_route(layout: Layout, kinds: Kinds) -> ExpertRoute:
    """Of one token on average; the busiest rank has more of them."""
    meetings, there, back, away_there, away_back = 0, 0.0, 0.0, 0.0, 0.0
    nodes = layout.ep // count_in_node(layout, "ep")
    for moe, layers in ((moe, layers) for kind, layers in kinds for moe in kind["experts"]):
        copies, far = (layers * other_ranks(layout, moe, parts) * layout.imbalance for parts in (layout.ep, nodes))
        to, fro = dispatch_bytes(moe["width"], layout.dispatches_fp8), combine_bytes(moe["width"])
        meetings, there, back = meetings + layers, there + copies * to, back + copies * fro
        away_there, away_back = away_there + far * to, away_back + far * fro
    return ExpertRoute(meetings, there, back, away_there, away_back)


def expert_parallel(layout: Layout, kinds: Kinds, tokens: float, visits: int) -> Iterator[Collective]:
    """To the experts and back. `tokens`: of one rank."""
    if layout.ep == 1:
        return
    often = visits * count_passes(layout)
    way, many = expert_route(layout, kinds), tokens * often
    calls = way.meetings * often
    there, back = (way.there, way.away_there), (way.back, way.away_back)
    for word, sizes in (("dispatch", there), ("combine", back)):
        yield Collective("ep", f"all-to-all, {word}", layout.ep, calls, *(round_half_up(size * many) for size in sizes))


def gathered_tokens(layout: Layout, kinds: Kinds) -> float:
    """Bytes of tokens that ranks of one etp group bring together before the experts of a stage, for each of a rank."""
    total = 0.0
    for moe, layers in ((moe, layers) for kind, layers in kinds for moe in kind["experts"]):
        total += layers * min(count_chosen(moe), layout.ep) * moe["width"] * BFLOAT16
    return total * layout.etp * (layout.imbalance if layout.ep > 1 else 1)


def expert_tensor(layout: Layout, kinds: Kinds, tokens: float, visits: int) -> Iterator[Collective]:
    """Experts that are cut see the tokens of all ranks that hold a part of them, and sum what these find.

    Where they are cut over the tensor ranks alone, these meet after them as after any MLP: tensor() counts that.
    """
    size = gathered_tokens(layout, kinds)
    if layout.etp > 1 and size and not layout.cut_as_dense:
        often = visits * count_passes(layout)
        calls = sum(layers for kind, layers in kinds for _ in kind["experts"]) * often
        word = "all-gather and reduce-scatter, tokens"
        yield make_collective(layout, "etp", word, layout.etp, 2 * calls, size * tokens * often, times=2)


def other_ranks(layout: Layout, moe: dict[str, Any], parts: int) -> float:
    """How many copies of a token go to other parts of the experts (ranks, or nodes): one to each part that it needs,
    none to experts without weights; while decoding one to each of its experts there, as DeepEP's low-latency kernels
    send it."""
    return count_chosen(moe) * (parts - 1) / parts if layout.job == "decode" else count_other_parts(moe, parts)


def context_parallel(layout: Layout, kinds: Kinds, visits: int) -> Iterator[Collective]:
    """Keys and values go round, K heads of them, not H; going back they go round again, and their gradients with them.

    Ulysses: queries, keys, values and results change from tokens to heads and back; keys at least one head a rank.
    """
    c, t = layout.cp, layout.tp
    if c == 1:
        return
    size, calls, ulysses = 0.0, 0, layout.cp_kind == "ulysses"
    often = visits * (count_passes(layout) + (0 if ulysses else 1))
    for kind, layers in kinds:
        for row in kind["context"]:
            keys = (row["kv_heads"] or row["heads"]) / t
            if ulysses:
                size += layers * (row["heads"] / t + max(keys, c)) * row["width"] / c
            else:
                size += layers * max(keys, 1) * row["width"]
            calls += layers * often * (4 if ulysses else 1)
    whole = size * layout.sequence * layout.micro_batch * BFLOAT16 * often
    word = {"ulysses": "all-to-all, heads", "ring": "ring of sends"}.get(layout.cp_kind, "all-gather")
    yield make_collective(layout, "cp", word, c, calls * (c - 1 if layout.cp_kind == "ring" else 1), whole)


def decode_context(layout: Layout, kinds: Kinds, tokens: float, visits: int) -> Iterator[Collective]:
    """Ranks that share a cache's tokens: each sees the queries of all their heads, and they merge what these found."""
    d = layout.dcp
    if d == 1:
        return
    rows = [(row, layers * visits) for kind, layers in kinds for row in kind["context"]]
    calls = sum(many for _, many in rows)
    heads = [(row, many * tokens * d * row["heads"] / layout.tp) for row, many in rows]
    asked = sum(many * row["query"] * BFLOAT16 for row, many in heads)
    found = sum(many * (row["value"] * BFLOAT16 + FLOAT32) for row, many in heads)
    yield make_collective(layout, "dcp", "all-gather, queries", d, calls, asked)
    yield make_collective(layout, "dcp", "reduce-scatter, results and their sums", d, calls, found)


def neighbour_stages(layout: Layout, stage: int) -> dict[int, int]:
    """{other stage: how often a stage sends to it for one micro-batch}: on, and in training its gradients back.

    Where micro-batches enter at both ends: for one from each.
    """
    chunks = layout.pp * layout.chunks
    out: dict[int, int] = {}
    for chunk, way in ((chunk, way) for chunk in range(chunks) for way in range(layout.copies)):
        if places(chunk, layout)[way] == stage:
            for other in (chunk + 1, chunk - 1) if layout.job == "train" else (chunk + 1,):
                there = places(other, layout)[way] if 0 <= other < chunks else stage
                if there != stage:
                    out[there] = out.get(there, 0) + 1
    return out


def crosses_nodes(layout: Layout, stage: int) -> bool:
    """Whether the other rank that holds a stage's layers stands in another node."""
    here, there = (first_rank(layout, one) // layout.per_node for one in (stage, layout.pp - 1 - stage))
    return layout.copies > 1 and here != there


def count_sends(layout: Layout, stage: int) -> tuple[int, int]:
    """(how often a stage sends for one micro-batch, how often of these to another node)."""
    here, calls, away = first_rank(layout, stage) // layout.per_node, 0, 0
    for other, times in neighbour_stages(layout, stage).items():
        calls += times
        away += times if first_rank(layout, other) // layout.per_node != here else 0
    return calls, away


def pipeline_parallel(
    sheet: PlannerModel, layout: Layout, calls: int, away: int, tokens: float, times: int
) -> Iterator[Collective]:
    """The stream (all streams) to the next stage, its gradient to the one before; tensor ranks send a part each."""
    if layout.pp > 1:
        each = times * tokens * sheet["hidden_size"] * sheet["streams"] * BFLOAT16 / layout.tp
        yield Collective("pp", "send", 2, calls * times, round_half_up(calls * each), round_half_up(away * each))


def tied_table(layout: Layout, stage: int, axis: str, size: int) -> Collective:
    """The gradients of two ranks that hold the same stage are summed: what a rank sends is what it holds of them."""
    word = "all-reduce, gradients of both copies" + (", experts" if axis == "edp" else "")
    return Collective("pp", word, 2, 1, size, size if crosses_nodes(layout, stage) else 0)


def tied_embedding(sheet: PlannerModel, layout: Layout, stage: int) -> Iterator[Collective]:
    """An embedding on several stages is one: its gradients are summed (Megatron-LM, finalize_model_grads)."""
    holders = table_stages(sheet, layout)
    numbers = table_numbers(sheet, layout)
    if len(holders) > 1 == layout.copies and stage in holders and numbers and not layout.lora_rank:
        nodes = len({first_rank(layout, one) // layout.per_node for one in holders})
        size = numbers * layout.gradient_bytes
        sent = 2 * gather_bytes(len(holders), size), 2 * gather_bytes(nodes, size) * nodes / len(holders)
        yield Collective(
            "pp", "all-reduce, gradients of the embedding", len(holders), 1, *(round_half_up(one) for one in sent)
        )


def data_parallel(layout: Layout, rank: RankMemory) -> Iterator[Collective]:
    """Gradients are summed, and what ZeRO has dealt out is gathered: weights once. Who deals out gradients (stages 2
    and 3) cannot keep those of several micro-batches whole, and sums each; stage 3 gathers weights for each twice.

    Where ZeRO deals over some ranks alone (HSDP), the sums of their parts meet those of the other copies; so do those
    of the two ranks of a pipeline that hold the same stage (DualPipe). Frozen weights have no gradients and stay as
    they are: with LoRA adapters alone are summed and gathered, but stage 3 gathers all.
    """
    for axis, ranks, shard, numbers, adapters in (
        (
            *("dp", layout.dp * layout.cp, layout.shard),
            *(rank.numbers - rank.expert_numbers, rank.adapters - rank.expert_adapters),
        ),
        ("edp", layout.edp, layout.expert_shard, rank.expert_numbers, rank.expert_adapters),
    ):
        own, zero = trained(numbers, adapters, layout), layout.zero
        if not (numbers if zero == 3 else own):
            continue
        if layout.copies > 1:
            yield tied_table(layout, rank.stage, axis, own * layout.gradient_bytes // (shard if zero else 1))
        if ranks == 1:
            continue
        gradients = float(own) * layout.gradient_bytes
        moved = 0 if layout.lora_rank and zero < 3 else numbers
        weights = float(held_bytes(moved, adapters, layout))
        if layout.zero == 0:
            yield make_collective(layout, axis, "all-reduce, gradients", ranks, 1, gradients, times=2)
            continue
        some = axis if shard == ranks else f"{axis}_shard"
        every = layout.visits if layout.zero > 1 else 1
        if shard > 1:
            yield make_collective(layout, some, "reduce-scatter, gradients", shard, every, gradients, times=every)
        if shard < ranks:
            part = gradients / shard
            yield make_collective(
                layout, f"{axis}_replicate", "all-reduce, gradients", ranks // shard, 1, part, times=2
            )
        times = 2 * every if layout.zero == 3 else 1
        if shard > 1:
            yield make_collective(layout, some, "all-gather, weights", shard, times, weights, times=times)


def list_collectives(sheet: PlannerModel, plan: Plan, stage: int) -> list[Collective]:
    """The communicators of one rank of a stage. Serving: of one step of every sequence, or of their prompts."""
    layout, rank, loops = plan.layout, plan.ranks[stage], sheet["loops"]
    own = count_on_stage(sheet, layout, stage, rank.layers)
    kinds = [(sheet["kinds"][kind], layers) for kind, layers in own.items()]
    train = layout.job == "train"
    if train:
        tokens, visits = layout.sequence * layout.micro_batch / layout.cp, layout.visits * loops
    else:
        tokens, visits = plan.here * (layout.sequence if layout.job == "prefill" else 1), loops
    return [
        *tensor_parallel(sheet, layout, kinds, tokens, visits),
        *expert_parallel(layout, kinds, tokens / layout.tp, visits),
        *expert_tensor(layout, kinds, tokens / layout.tp, visits),
        *(context_parallel(layout, kinds, visits) if train else ()),
        *(decode_context(layout, kinds, tokens, visits) if layout.job == "decode" else ()),
        *pipeline_parallel(sheet, layout, *count_sends(layout, stage), tokens, visits),
        *(list_once_per_step(sheet, layout, rank) if train else ()),
    ]


def list_once_per_step(sheet: PlannerModel, layout: Layout, rank: RankMemory) -> list[Collective]:
    """Of a training step's talks those that wait for no micro-batch: the gradients' and the weights'."""
    return [*tied_embedding(sheet, layout, rank.stage), *data_parallel(layout, rank)]
