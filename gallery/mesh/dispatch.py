"""Experts dealt out over ranks that have other tokens: tokens go to their experts, are computed, and come back.

The expert axes fold the ranks of a stage: ep deals the experts out, etp cuts each one's width, edp copies. With a
tensor axis beside ep each rank must have rows of its own (sequence parallelism), or tokens would go out twice.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from cutaway.gallery.graph import Node, Tensor
from cutaway.gallery.mesh import conversions
from cutaway.gallery.mesh.collectives import Parts
from cutaway.gallery.mesh.lanes import even
from cutaway.gallery.mesh.mesh_ranks import MeshRanks
from cutaway.gallery.mesh.tape import data_of
from cutaway.gallery.mesh.value import Value
from cutaway.gallery.running import numbers

Array = np.ndarray
WIDE = {"gate": 1, "up": 1, "gate_bias": 1, "up_bias": 1, "down": 2}  # the axis of an expert's width


def is_dealt(run: MeshRanks, node: Node) -> bool:
    """Whether a node's experts stand on several ranks."""
    return node.op == "experts" and bool(run.mesh.experts) and node.tensors["down"].part == "experts"


def dispatch_experts(
    run: MeshRanks, node: Node, inputs: list[Value], form: tuple[int, ...], layer: int | None
) -> Value:
    """The experts' weighted sum, each rank of its own tokens."""
    ep, etp, many = run.mesh.length("ep"), run.mesh.length("etp"), node.facts["experts"]
    name = f"layer{layer}:{node.name}"
    if run.t > 1 and ep > 1 and not run.sp:
        raise ValueError("Experts over ep beside a tensor axis need sequence parallelism: else tokens go out twice.")
    if many % ep or node.tensors["up"].shape[1] % etp:
        raise ValueError(f"{many} experts of width {node.tensors['up'].shape[1]:,} are no {ep} x {etp} equal parts.")
    for value in inputs:
        conversions.settle(run, value)
    x, weights = (conversions.in_rows(run, value, run.sp) for value in inputs)
    if etp > 1:
        x, weights = (run.wire.enter_rows(part, f"{name} rows", "etp") for part in (x, weights))
    blocks = np.split(np.arange(many), ep)
    rows = {rank: [visiting_rows(weights[rank], block) for block in blocks] for rank in run.ranks}
    out = {rank: [x[rank][own] for own in rows[rank]] for rank in run.ranks}
    shares = {
        rank: [weights[rank][own][:, block] for own, block in zip(rows[rank], blocks, strict=True)]
        for rank in run.ranks
    }
    arrived, theirs = (
        run.wire.exchange(out, "ep", f"{name} dispatch"),
        run.wire.exchange(shares, "ep", f"{name} weights"),
    )
    done = {rank: run_experts(run, node, rank, arrived[rank], theirs[rank], layer) for rank in run.ranks}
    back = run.wire.exchange(done, "ep", f"{name} combine")
    made = {rank: sum_rows(x[rank], rows[rank], back[rank]) for rank in run.ranks}
    made = {rank: add_identity(run, node, rank, made[rank], x[rank], weights[rank]) for rank in run.ranks}
    if etp > 1:
        made = run.wire.meet_rows(made, f"{name} sum", "etp")
    return Value(node.name, form, made, own_rows=run.sp)


def visiting_rows(weights: Any, block: Array) -> Array:
    """The rows that visit any expert of a block."""
    return np.nonzero((data_of(weights)[:, block] != 0).any(1))[0]


def run_experts(
    run: MeshRanks, node: Node, rank: int, x: list[Any], weights: list[Any], layer: int | None
) -> list[Any]:
    """All that arrived through a rank's own experts; one part for each rank that sent."""
    ep, etp = run.mesh.length("ep"), run.mesh.length("etp")
    place, width = run.mesh.place(rank, "ep"), even(node.tensors["up"].shape[1], etp) or ()
    block = np.split(np.arange(node.facts["experts"]), ep)[place]
    lanes = width[run.mesh.place(rank, "etp")]

    def own(word: str, tensor: Tensor) -> Any:
        cutters = ((0, (block,)), *(((WIDE[word], (lanes,)),) if word in WIDE else ()))
        run.weights.dealt.add((layer if tensor.of is None else tensor.of, tensor.name))
        return run.weights.get(rank, tensor, layer, cutters, 0, False)

    first = run.mesh.place(rank, "etp") == 0
    tensors = {word: own(word, tensor) for word, tensor in node.tensors.items() if first or word != "down_bias"}
    if not sum(map(len, x)):
        return x  # nobody came
    local = node._replace(facts={**node.facts, "experts": len(block)})
    made = numbers.NUMBERS["experts"](
        run.here(rank, layer, None), local, tensors, np.concatenate(x), np.concatenate(weights)
    )
    ends = np.cumsum([0, *(len(part) for part in x)])
    return [made[start:stop] for start, stop in pairwise(ends)]


def sum_rows(like: Any, rows: list[Array], back: list[Any]) -> Any:
    """What came back, added up row by row."""
    out = np.zeros_like(like)
    for own, part in zip(rows, back, strict=True):
        out[own] = out[own] + part
    return out


def add_identity(run: MeshRanks, node: Node, rank: int, made: Any, x: Any, weights: Any) -> Any:
    """Plus what experts without weights return: their input, once."""
    spare = weights[:, node.facts["experts"] :]
    if not prod(spare.shape) or not node.facts.get("zero_returns", True) or run.mesh.place(rank, "etp"):
        return made
    return made + spare.sum(-1, keepdims=True) * x


__all__ = ["Parts", "dispatch_experts", "is_dealt"]
