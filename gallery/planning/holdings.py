"""A model and a layout -> the bytes that a rank of each pipeline stage holds, by part. Ranks of one stage are alike.

Training: weights in BF16, gradients, and 12 bytes of optimizer a parameter (FP32 master, m and v), of which ZeRO deals
out 1: the optimizer, 2: gradients too, 3: weights too; over dp x cp ranks, experts over edp (Megatron-LM's distributed
optimizer; ZeRO, arXiv 1910.02054). Serving: the weights as stored, and what decoding keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from gallery.counting.cache import Kept, rules_for
from gallery.counting.memory import kept_per_layer
from gallery.planning.layout import Layout
from gallery.planning.pieces import Piece, pieces
from gallery.planning.shares import is_expert, kept_share, parts_of, share
from gallery.planning.stages import in_flight, stages
from gallery.spec import ModelSpec, MoE

WEIGHT_BYTES, OPTIMIZER_BYTES = 2, 12
ACTIVATIONS = (
    "tokens x (18 x hidden_size + 4 x MLP width of a token) / tp bytes a layer: "
    "Megatron-LM's theoretical_memory_usage, sequence parallel, no scores stored (flash attention)"
)


@dataclass(frozen=True, slots=True)
class Holding:
    """What one rank of a stage holds, in bytes; parts that the job does not have are 0."""

    stage: int
    layers: tuple[int, ...]
    weights_bytes: int  # of everything but routed experts
    experts_bytes: int
    gradients_bytes: int = 0
    optimizer_bytes: int = 0
    activations_bytes: int = 0
    cache_bytes: int = 0  # of the sequences that the layout names, or of those that fit
    sequence_cache_bytes: int = 0  # of one sequence at the context
    lookup_bytes: int = 0  # serving: of the weights, tables of which a token reads one row
    numbers: int = 0  # training: parameters held, before ZeRO deals them out
    expert_numbers: int = 0  # of these, routed experts'

    @property
    def states_bytes(self) -> int:
        """All that does not depend on the text: weights, gradients, optimizer."""
        return self.weights_bytes + self.experts_bytes + self.gradients_bytes + self.optimizer_bytes

    @property
    def total_bytes(self) -> int:
        return self.states_bytes + self.activations_bytes + self.cache_bytes


def state_bytes(numbers: Fraction | int, zero: int, ranks: int, gradient_bytes: int = 4) -> tuple[Fraction, ...]:
    """(weights, gradients, optimizer) of so many parameters on one of the ranks that ZeRO deals them over."""
    whole = (WEIGHT_BYTES, gradient_bytes, OPTIMIZER_BYTES)
    dealt = (zero >= 3, zero >= 2, zero >= 1)
    return tuple(Fraction(numbers) * size / (ranks if cut else 1) for size, cut in zip(whole, dealt, strict=True))


def per_stage(spec: ModelSpec, layout: Layout, listed: list[Piece]) -> list[list[Piece]]:
    """The pieces of each stage; a tied embedding stands on the last stage once more, as the head."""
    at = {layer: stage for stage, own in enumerate(stages(len(spec.layers), layout)) for layer in own}
    out: list[list[Piece]] = [[] for _ in range(layout.pp)]
    for piece in listed:
        out[at[piece.layer.index] if piece.layer else layout.pp - 1 if piece.last else 0].append(piece)
    if layout.pp > 1 and spec.tie_word_embeddings and spec.has_head:
        out[-1] += [piece for piece in listed if piece.name == "model.embed_tokens.weight"]
    return out


def held(piece: Piece, layout: Layout) -> Fraction:
    """The share of a piece that a rank of its stage holds."""
    return share(piece.name, piece.shape, piece.part, piece.layer, layout)


def whole(number: Fraction | float) -> int:
    """Bytes, rounded up."""
    return -int(-number // 1)


def training(spec: ModelSpec, layout: Layout) -> list[Holding]:
    """One rank of each stage while training."""
    out = []
    rows = stages(len(spec.layers), layout)
    for stage, own in enumerate(per_stage(spec, layout, pieces(spec))):
        numbers = {True: Fraction(0), False: Fraction(0)}
        for piece in own:
            numbers[is_expert(piece.name, piece.part)] += piece.size * held(piece, layout)
        dense = state_bytes(numbers[False], layout.zero, layout.dp * layout.cp, layout.gradient_bytes)
        routed = state_bytes(numbers[True], layout.zero, layout.edp, layout.gradient_bytes)
        out.append(Holding(
            stage, tuple(rows[stage]), whole(dense[0]), whole(routed[0]), whole(dense[1] + routed[1]),
            whole(dense[2] + routed[2]), whole(activations(spec, layout, stage, rows[stage])),
            numbers=whole(numbers[True] + numbers[False]), expert_numbers=whole(numbers[True]),
        ))  # fmt: skip
    return out


def mlp_width(mlp: object) -> int:
    """How wide the MLP of one token is: its dense width, or that of the experts it visits and of the shared ones."""
    total = 0
    for part in parts_of(mlp):
        if isinstance(part, MoE):
            total += part.num_experts_per_tok * part.moe_intermediate_size + part.shared_expert_intermediate_size
        else:
            total += getattr(part, "intermediate_size", 0)
    return total


def activations(spec: ModelSpec, layout: Layout, stage: int, layers: list[int]) -> float:
    """Bytes saved for the way back at the fullest moment: ACTIVATIONS, or two a number where all is recomputed."""
    tokens = layout.sequence * layout.micro_batch / (layout.cp * layout.tp)
    h = spec.hidden_size
    if layout.recompute == "full":
        each = sum(2.0 * h for _ in layers)
    else:
        each = sum(18.0 * h + 4.0 * mlp_width(spec.layers[layer].mlp) for layer in layers)
    ends = 4.0 * (h + spec.vocab_size) if stage == layout.pp - 1 and spec.has_head else 0.0  # the logits in FP32
    return tokens * (each * spec.loops * in_flight(stage, layout) + ends)


def cache_bytes(spec: ModelSpec, layout: Layout, kept: list[tuple[Kept, ...]], layers: list[int], context: int) -> int:
    """What one sequence keeps of a stage's layers on one rank, as gallery.memory counts it, cut over tp."""
    bits = Fraction(0)
    for layer in layers:
        for one in kept[layer]:
            bits += one.bits_at(context) * spec.loops * kept_share(spec.layers[layer].mixer, one, layout.tp)
    return whole(bits / 8)


def serving(spec: ModelSpec, layout: Layout) -> list[Holding]:
    """One rank of each stage while serving, without sequences."""
    kept = kept_per_layer(spec, rules_for(spec, layout.cache_dtype))
    rows = stages(len(spec.layers), layout)
    context = layout.context if layout.job == "decode" else layout.sequence
    out = []
    for stage, own in enumerate(per_stage(spec, layout, pieces(spec, layout.weights_dtype))):
        taken = {True: Fraction(0), False: Fraction(0)}
        for piece in own:
            taken[is_expert(piece.name, piece.part)] += piece.bytes * held(piece, layout)
        one = cache_bytes(spec, layout, kept, rows[stage], context)
        sizes = (whole(taken[False]), whole(taken[True]))
        tables = looked_up(spec, own, stage == layout.pp - 1)
        looked = whole(sum((piece.bytes * held(piece, layout) for piece in tables), Fraction(0)))
        out.append(Holding(stage, tuple(rows[stage]), *sizes, sequence_cache_bytes=one, lookup_bytes=looked))
    return out


def looked_up(spec: ModelSpec, own: list[Piece], last: bool) -> list[Piece]:
    """Embedding tables of a stage; where head and embedding are tied, the one on the last stage is the head."""
    both = spec.tie_word_embeddings and spec.has_head
    tables = [piece for piece in own if piece.part == "embedding"]
    return [piece for piece in tables if not (both and last and piece.name == "model.embed_tokens.weight")]


def holdings(spec: ModelSpec, layout: Layout) -> list[Holding]:
    """One rank of each stage."""
    return (training if layout.job == "train" else serving)(spec, layout)
