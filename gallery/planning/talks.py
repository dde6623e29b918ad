"""A plan -> its communicators: which ranks meet for what, how many bytes a rank sends in a step, and to other nodes.

Bytes are those of the bandwidth-optimal algorithm (NVIDIA/nccl-tests, doc/PERFORMANCE.md): an all-gather or a
reduce-scatter of S bytes sends (n - 1) / n x S, an all-reduce twice that. Ranks stand in Megatron-LM's order: tp
innermost, then cp (experts: etp, ep), dp, and pp outermost. Activations travel in BF16. What leaves a node is the least
that has to: sums and gathers go through each node once, a token goes once to each node that has experts of its choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gallery import spec as s
from gallery.planning.fits import Plan
from gallery.planning.holdings import WEIGHT_BYTES, Holding
from gallery.planning.layout import Layout
from gallery.planning.shares import parts_of

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
    return Talk(axis, operation, ranks, int(calls), round(times * gathered(ranks, size)), round(leaving))


def gathered(ranks: float, size: float) -> float:
    """Bytes a rank sends in an all-gather or a reduce-scatter of so many bytes."""
    return (ranks - 1) / ranks * size


def tensor(spec: s.ModelSpec, layout: Layout, layers: list[s.Layer], tokens: float, passes: int) -> Iterator[Talk]:
    """Two meetings a layer, each worth an all-reduce of the stream; one where mixer and MLP run side by side.

    Experts that are not cut over the same ranks meet on their own: through ep, or in ways that are not counted here;
    shared experts are always cut over tp.
    """
    t = layout.tp
    if t == 1:
        return
    own = layout.etp == t and layout.ep == 1
    meetings = 0
    for layer in layers:
        halves = met(layer.mixer, own), met(layer.mlp, own, isinstance(spec.residual, s.Shortcut))
        meetings += max(halves) if layer.parallel else sum(halves)
    calls = meetings * passes
    yield meeting(layout, "tp", "all-reduce", t, 1, calls, calls * tokens * spec.hidden_size * BFLOAT16, times=2)


def met(half: object, own: bool, turns: bool = False) -> int:
    """How often tensor ranks meet for one half of a layer: for each of its parts, once where they are beside.

    `turns`: they take turns with the mixers (LongCat), whatever the half says.
    """
    counts = [
        int(own or bool(part.shared_expert_intermediate_size)) if isinstance(part, s.MoE) else 1
        for part in parts_of(half)
    ]
    beside = isinstance(half, s.Combined) and half.how == "parallel" and not turns
    return max(counts, default=0) if beside else sum(counts)


def expert(layout: Layout, layers: list[s.Layer], hidden: int, tokens: float, passes: int) -> Iterator[Talk]:
    """To the experts and back: a token goes to at most as many ranks as it has experts. `tokens`: of one rank."""
    if layout.ep == 1:
        return
    there = back = away_there = away_back = calls = 0.0
    nodes = layout.ep // near(layout, layout.ep, layout.etp)
    for moe in (mlp for layer in layers for mlp in parts_of(layer.mlp) if isinstance(mlp, s.MoE)):
        copies = min(moe.num_experts_per_tok, layout.ep) * (layout.ep - 1) / layout.ep
        width, calls = moe.latent_size or hidden, calls + passes
        to, fro = dispatch_bytes(width, layout.job != "train"), combine_bytes(width)
        far = min(other_nodes(moe, nodes), copies) * tokens * passes
        there, back = there + tokens * copies * to * passes, back + tokens * copies * fro * passes
        away_there, away_back = away_there + far * to, away_back + far * fro
    yield Talk("ep", "all-to-all, dispatch", layout.ep, int(calls), round(there), round(away_there))
    yield Talk("ep", "all-to-all, combine", layout.ep, int(calls), round(back), round(away_back))


def other_nodes(moe: s.MoE, nodes: int) -> float:
    """How many other nodes hold experts that a token chooses, on average and evenly; a limit on groups limits them."""
    found = (nodes - 1) * (1 - (1 - 1 / nodes) ** moe.num_experts_per_tok)
    return min(found, moe.topk_group) if moe.n_group > 1 else found


def context(layout: Layout, layers: list[s.Layer], passes: int) -> Iterator[Talk]:
    """Keys and values go round, and their gradients back: K heads of them, not H."""
    if layout.cp == 1:
        return
    size, calls = 0.0, 0
    for mixer in (part for layer in layers for part in parts_of(layer.mixer)):
        if isinstance(mixer, s.Attention):
            size += max(mixer.num_key_value_heads / layout.tp, 1) * (mixer.head_dim + mixer.v_head_dim)
        elif isinstance(mixer, s.LatentAttention):
            size += mixer.kv_lora_rank + mixer.qk_rope_head_dim  # the latent says all that keys and values do
        else:
            continue
        calls += passes
    whole = size * layout.sequence * layout.micro_batch * BFLOAT16 * passes
    yield meeting(layout, "cp", "all-gather", layout.cp, layout.tp, calls, whole)


def pipeline(spec: s.ModelSpec, layout: Layout, tokens: float, passes: int) -> Iterator[Talk]:
    """The stream to the next stage, and its gradient to the one before; tensor ranks send a part each."""
    if layout.pp == 1:
        return
    calls = passes * layout.chunks
    sent = round(calls * tokens * spec.hidden_size * BFLOAT16 / layout.tp)
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


def talks(spec: s.ModelSpec, plan: Plan, stage: int) -> list[Talk]:
    """The communicators of one rank of a stage. Serving: of one step of every sequence, or of their prompts."""
    layout, rank = plan.layout, plan.ranks[stage]
    layers = [spec.layers[index] for index in rank.layers]
    if layout.job == "train":
        tokens = layout.sequence * layout.micro_batch / layout.cp
        passes = 2 * layout.micro_batches
    else:
        tokens, passes = plan.here * (layout.sequence if layout.job == "prefill" else 1), 1
    passes *= spec.loops
    return [
        *tensor(spec, layout, layers, tokens, passes),
        *expert(layout, layers, spec.hidden_size, tokens / layout.tp, passes),
        *(context(layout, layers, passes) if layout.job == "train" else ()),
        *pipeline(spec, layout, tokens, passes),
        *(data(layout, rank) if layout.job == "train" else ()),
    ]
