"""A sheet's matrices and a rank r -> LoRA: beside each frozen matrix of out x in, A of r x in and B of out x r.

Adapted are the linear layers of attention, of other mixers and of MLPs, a pair for each matrix as the modelling code
has it, and one for each routed expert (PEFT's `all-linear` without routers; Megatron-Bridge's default, where q, k and v
share an A, and the experts of a rank a pair). Embedding, head, routers, norms and indexers have none. An adapter is cut
as its matrix is, A of one cut by its output by its r rows (Megatron-Bridge, ParallelLinearAdapter), and is in BF16.

Frozen matrices have no gradient and no optimizer state: 4 FLOPs per parameter and token instead of 6, and 6 per
parameter of an adapter. Activations are those of full training: A's gradient reads what its matrix reads. Left out: the
r numbers per token that each adapter saves, and sends over tp.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.terms import Terms

SOURCE = "LoRA, arXiv 2106.09685; NVIDIA-NeMo/Megatron-Bridge, src/megatron/bridge/peft/lora.py"
ADAPTED = frozenset(("attention", "linear", "ssm", "dense", "shared", "experts"))  # parts of a layer
BYTES = 2  # of one number of an adapter
_, SHAPE, PART, NUMBERS, _, RULE, MATRIX = range(7)  # of a piece


def adapter_numbers(piece: list[Any], rank: int) -> int:
    """Numbers of A and B beside one piece: r x (in + out), as often as it has experts; 0 where it has no adapter."""
    if not (rank and piece[MATRIX] and piece[PART] in ADAPTED):
        return 0
    out, into = piece[SHAPE][-2:]
    return rank * (out + into) * (piece[NUMBERS] // (out * into))


def adapter_rows(layout: Layout, own: Iterable[tuple[list[Any], int]]) -> list[tuple[int, int]]:
    """(rule, numbers of adapters) of the pieces of a stage; none without LoRA."""
    if not layout.lora_rank:
        return []
    return [(piece[RULE], adapter_numbers(piece, layout.lora_rank) * times) for piece, times in own]


def adapter_flops(kind: dict[str, Any], rank: int) -> tuple[int, int]:
    """Forward FLOPs of one token in a layer's adapters: (all, those of routed experts); a token visits few experts."""
    found = [0, 0]
    visited = {moe["num_experts"]: moe["num_experts_per_tok"] for moe in kind["experts"]}
    for piece in kind["pieces"]:
        numbers, routed = adapter_numbers(piece, rank), piece[PART] == "experts"
        if routed and numbers:
            many = piece[SHAPE][0]
            numbers = numbers // many * visited.get(many, many)
        found[routed] += 2 * numbers
    return found[0] + found[1], found[1]


def adapted_work(kind: dict[str, Any], rank: int) -> Terms:
    """A layer's work with its adapters'."""
    if not rank:
        return kind["work"]
    every, routed = adapter_flops(kind, rank)
    return {**kind["work"], "token": kind["work"]["token"] + every, "experts": kind["work"]["experts"] + routed}
