"""A sheet and a plan -> communicators: which ranks meet for what, and how many bytes a rank sends, and to other nodes.

Bytes are those of the bandwidth-optimal algorithm (NVIDIA/nccl-tests, doc/PERFORMANCE.md): an all-gather or a
reduce-scatter of S bytes sends (n - 1) / n x S, an all-reduce twice that. Ranks stand in Megatron-LM's order: tp
innermost, then cp (experts: etp, ep), dp, and pp outermost. Activations travel in BF16. What leaves a node is the least
that has to: sums and gathers go through each node once, a token goes once to each node that has experts of its choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import floor
from typing import Any, NamedTuple

from gallery.planning.fits import Plan
from gallery.planning.holdings import WEIGHT_BYTES, Holding, counted
from gallery.planning.layout import Layout
from gallery.planning.sheet import Sheet

Kinds = list[tuple[dict[str, Any], int]]  # a kind of layer, and how many of it stand on a stage
BFLOAT16 = 2
FP8_BLOCK = 128  # numbers that share one FP32 scale when tokens are dispatched in FP8 (DeepEP)


class Talk(NamedTuple):
    """One communicator of a rank: on its stage, over one step."""

    axis: str
    operation: str
    ranks: int
    calls: int  # in one step
    bytes: int  # that each rank sends in one step
    leaving_bytes: int  # of these, to other nodes at least


def dispatch_bytes(hidden: int, fp8: bool) -> int:
    """One token on its way to one expert: FP8 with an FP32 scale per 128 numbers, or BF16."""
    return hidden + 4 * -(-hidden // FP8_BLOCK) if fp8 else BFLOAT16 * hidden


def combine_bytes(hidden: int) -> int:
    """What one expert gives back of one token."""
    return BFLOAT16 * hidden


def rounded(number: float) -> int:
    """The nearest whole number, halves upwards, as JavaScript's Math.round does."""
    return floor(number + 0.5)


def near(layout: Layout, ranks: int, stride: int) -> int:
    """How many ranks of a group stand in one node, where they are `stride` apart."""
    return min(max(layout.per_node // stride, 1), ranks)


def meeting(
    layout: Layout, axis: str, operation: str, ranks: int, stride: int, calls: float, size: float, times: int = 1
) -> Talk:
    """`times` gathers (or sums, which cost the same) of `size` bytes in all calls together."""
    here = near(layout, ranks, stride)
    nodes = ranks / here
    leaving = times * gathered(nodes, size) / here
    return Talk(axis, operation, ranks, int(calls), rounded(times * gathered(ranks, size)), rounded(leaving))


def gathered(ranks: float, size: float) -> float:
    """Bytes a rank sends in an all-gather or a reduce-scatter of so many bytes."""
    return (ranks - 1) / ranks * size


def tensor(sheet: Sheet, layout: Layout, kinds: Kinds, tokens: float, passes: int) -> Iterator[Talk]:
    """The meetings of each layer, each worth an all-reduce of the stream.

    Experts that are not cut over the same ranks meet on their own: through ep, or in ways that are not counted here.
    """
    t = layout.tp
    if t == 1:
        return
    other = 0 if layout.etp == t and layout.ep == 1 else 1
    calls = sum(kind["meets"][other] * layers for kind, layers in kinds) * passes
    yield meeting(layout, "tp", "all-reduce", t, 1, calls, calls * tokens * sheet["hidden_size"] * BFLOAT16, times=2)


def expert(layout: Layout, kinds: Kinds, tokens: float, passes: int) -> Iterator[Talk]:
    """To the experts and back: a token goes to at most as many ranks as it has experts. `tokens`: of one rank."""
    if layout.ep == 1:
        return
    there = back = away_there = away_back = calls = 0.0
    nodes = layout.ep // near(layout, layout.ep, layout.etp)
    for moe, layers in ((moe, layers) for kind, layers in kinds for moe in kind["experts"]):
        times = tokens * passes * layers
        copies = min(moe["num_experts_per_tok"], layout.ep) * (layout.ep - 1) / layout.ep
        to, fro = dispatch_bytes(moe["width"], layout.job != "train"), combine_bytes(moe["width"])
        far, calls = min(other_nodes(moe, nodes), copies) * times, calls + passes * layers
        there, back = there + times * copies * to, back + times * copies * fro
        away_there, away_back = away_there + far * to, away_back + far * fro
    yield Talk("ep", "all-to-all, dispatch", layout.ep, int(calls), rounded(there), rounded(away_there))
    yield Talk("ep", "all-to-all, combine", layout.ep, int(calls), rounded(back), rounded(away_back))


def other_nodes(moe: dict[str, int], nodes: int) -> float:
    """How many other nodes hold experts that a token chooses, on average and evenly; a limit on groups limits them."""
    found = (nodes - 1) * (1 - (1 - 1 / nodes) ** moe["num_experts_per_tok"])
    return min(found, moe["topk_group"]) if moe["n_group"] > 1 else found


def context(layout: Layout, kinds: Kinds, passes: int) -> Iterator[Talk]:
    """Keys and values go round, and their gradients back: K heads of them, not H; a latent whole."""
    if layout.cp == 1:
        return
    size, calls = 0.0, 0
    for kind, layers in kinds:
        for heads, width in kind["context"]:
            size += layers * (max(heads / layout.tp, 1) if heads else 1) * width
            calls += layers * passes
    whole = size * layout.sequence * layout.micro_batch * BFLOAT16 * passes
    yield meeting(layout, "cp", "all-gather", layout.cp, layout.tp, calls, whole)


def pipeline(sheet: Sheet, layout: Layout, tokens: float, passes: int) -> Iterator[Talk]:
    """The stream to the next stage, and its gradient to the one before; tensor ranks send a part each."""
    if layout.pp == 1:
        return
    calls = passes * layout.chunks
    sent = rounded(calls * tokens * sheet["hidden_size"] * BFLOAT16 / layout.tp)
    yield Talk("pp", "send", 2, calls, sent, sent if layout.gpus // layout.pp >= layout.per_node else 0)


def data(layout: Layout, rank: Holding) -> Iterator[Talk]:
    """Gradients are summed, and what ZeRO has dealt out is gathered: weights once, with stage 3 twice."""
    for axis, ranks, stride, numbers in (
        ("dp", layout.dp * layout.cp, layout.tp, rank.numbers - rank.expert_numbers),
        ("edp", layout.edp, layout.etp * layout.ep, rank.expert_numbers),
    ):
        if ranks == 1 or not numbers:
            continue
        gradients, weights = float(numbers) * layout.gradient_bytes, float(numbers) * WEIGHT_BYTES
        if layout.zero == 0:
            yield meeting(layout, axis, "all-reduce, gradients", ranks, stride, 1, gradients, times=2)
            continue
        yield meeting(layout, axis, "reduce-scatter, gradients", ranks, stride, 1, gradients)
        times = 2 if layout.zero == 3 else 1
        yield meeting(layout, axis, "all-gather, weights", ranks, stride, times, weights, times=times)


def talks(sheet: Sheet, plan: Plan, stage: int) -> list[Talk]:
    """The communicators of one rank of a stage. Serving: of one step of every sequence, or of their prompts."""
    layout, rank = plan.layout, plan.ranks[stage]
    kinds = [(sheet["kinds"][kind], layers) for kind, layers in counted(sheet, rank.layers).items()]
    if layout.job == "train":
        tokens = layout.sequence * layout.micro_batch / layout.cp
        passes = 2 * layout.micro_batches
    else:
        tokens, passes = plan.here * (layout.sequence if layout.job == "prefill" else 1), 1
    passes *= sheet["loops"]
    return [
        *tensor(sheet, layout, kinds, tokens, passes),
        *expert(layout, kinds, tokens / layout.tp, passes),
        *(context(layout, kinds, passes) if layout.job == "train" else ()),
        *pipeline(sheet, layout, tokens, passes),
        *(data(layout, rank) if layout.job == "train" else ()),
    ]
