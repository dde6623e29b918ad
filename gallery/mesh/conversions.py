"""A value as it is -> as a node needs it: summed, whole, in lanes, of all rows or of one's own."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from cutaway.gallery.graph import Node
from cutaway.gallery.mesh.collectives import Parts
from cutaway.gallery.mesh.lanes import Lanes, equal_everywhere, heads_of
from cutaway.gallery.mesh.mesh_ranks import MeshRanks
from cutaway.gallery.mesh.tape import data_of
from cutaway.gallery.mesh.value import Value


def stays_partial(run: MeshRanks, node: Node, inputs: list[Value]) -> Value | None:
    """A sum, a copy or a multiple of partial sums is one again: nobody has to meet for it. None: it is not that."""
    if not any(value.pending for value in inputs) or any(value.lanes for value in inputs):
        return None
    if node.op == "add":
        return sum_of(run, node, inputs)
    if node.op == "keep":
        return Value(node.name, inputs[0].form, inputs[0].parts, None, inputs[0].pending, inputs[0].own_rows)
    if node.op == "scale" and not node.tensors and not node.facts.get("widths"):
        times = lambda parts: parts and {rank: part * node.facts["by"] for rank, part in parts.items()}  # noqa: E731
        one = inputs[0]
        return Value(node.name, one.form, times(one.parts), None, times(one.pending), one.own_rows)
    if node.op == "multiply" and inputs[0].parts is None and not inputs[1].pending:
        by = enter_shared(run, inputs[1])
        made = {rank: part * by[rank] for rank, part in (inputs[0].pending or {}).items()}
        return Value(node.name, inputs[0].form, None, pending=made)
    return None


def sum_of(run: MeshRanks, node: Node, inputs: list[Value]) -> Value:
    """What is there is added, and what is still to be summed is."""
    there = [value for value in inputs if value.parts is not None]
    own_rows = any(value.own_rows for value in there)
    parts = [in_rows(run, value, own_rows) for value in there]
    waiting = [value.pending for value in inputs if value.pending]
    return Value(node.name, inputs[0].form, total(parts), None, total(waiting), own_rows)


def total(several: list[Parts]) -> Parts | None:
    """Rank by rank; None of nothing."""
    if not several:
        return None
    return {rank: sum((one[rank] for one in several[1:]), part) for rank, part in several[0].items()}


def settle(run: MeshRanks, value: Value) -> None:
    """Partial sums meet, if there are any; the value is whole from here on."""
    if not value.pending:
        return
    meet = run.wire.meet_rows if run.sp else run.wire.meet
    met = value.pending if run.t == 1 else meet(value.pending, value.name)
    if value.parts is None:
        value.parts = met
    else:
        mine = in_rows(run, Value(value.name, value.form, value.parts, own_rows=value.own_rows), run.sp)
        value.parts = {rank: part + met[rank] for rank, part in mine.items()}
    value.own_rows, value.pending = run.sp, None


def gather_lanes(run: MeshRanks, value: Value) -> Value:
    """A value in lanes, gathered."""
    if value.lanes is None or value.parts is None:
        return value
    if "whole" not in value.known:
        value.known["whole"] = run.wire.gather_lanes(value.parts, value.lanes, value.form, value.name)
    return Value(value.name, value.form, value.known["whole"], free=value.free, known=conversions_of(value, "of whole"))


def conversions_of(value: Value, word: str) -> dict[str, Any]:
    """What the gathered value was turned into, kept with the value itself."""
    return value.known.setdefault(word, {})  # type: ignore[return-value]


def in_rows(run: MeshRanks, value: Value, own: bool) -> Parts:
    """Whole, and each rank's own rows of it, or all rows on every rank."""
    value = gather_lanes(run, value)
    parts = value.parts or {}
    if value.free:
        return enter_shared(run, value) if own else parts
    if value.own_rows == own:
        return parts
    word = "own rows" if own else "all rows"
    if word not in value.known:
        turn = run.wire.own_rows if own else run.wire.all_rows
        value.known[word] = turn(parts, value.name)
    return value.known[word]


def enter_shared(run: MeshRanks, value: Value) -> Parts:
    """Whole, all rows, where each rank does a share of the work with it."""
    value = gather_lanes(run, value)
    parts = value.parts or {}
    if run.t == 1:
        return parts
    if "entered" not in value.known:
        turn = run.wire.enter_rows if value.own_rows else run.wire.enter
        value.known["entered"] = turn(parts, value.name)
    return value.known["entered"]


def in_lanes(run: MeshRanks, value: Value, ask: Lanes | None) -> Parts:
    """Each rank the lanes that it asks for."""
    if value.lanes is not None and equal_everywhere(value.lanes, ask):
        return value.parts or {}
    parts = enter_shared(run, value)
    if ask is None:
        return parts
    return {rank: take_numbers(part, ask[run.place(rank)], value.form) for rank, part in parts.items()}


def take_numbers(part: Any, lanes: np.ndarray, form: tuple[int, ...]) -> Any:
    """Some numbers of every row, heads as heads."""
    out = part.reshape(len(part), -1)[:, lanes]
    heads = len(form) > 1 and heads_of((lanes,), prod(form[1:])) is not None
    return out.reshape(len(part), -1, *form[1:]) if heads else out


def gather_sequence(run: MeshRanks, parts: Parts, value: Value) -> Parts:
    """Every row of the sequence, from all ranks of the context axis."""
    if value.free or value.name == "tokens":
        return parts
    order = np.concatenate(run.rows)
    return run.wire.gather_context(parts, order, value.name)


def in_place(run: MeshRanks, parts: Parts, value: Value) -> Parts:
    """A rank's own rows at their places in the sequence, zeros elsewhere: nothing is sent."""
    if value.free or value.name == "tokens":
        return parts
    out = {}
    for rank, part in parts.items():
        whole = np.zeros_like(part, shape=(len(run.sequence(rank)), *part.shape[1:]))
        whole[run.own(rank, False)] = part
        out[rank] = whole
    return out


__all__ = ["data_of", "enter_shared", "gather_sequence", "in_lanes", "in_rows", "settle", "stays_partial"]
