"""The rules of partition_rules.py for what runs along the tokens: delta rules, scans, convolutions, by heads or by
channels."""

from __future__ import annotations

from math import prod
from typing import Any

from cutaway.gallery.mesh.lanes import Lanes, even, heads, heads_of, widen_heads
from cutaway.gallery.mesh.partition import At, Have, Partition, choose_lanes


def delta(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Value heads evenly, each with its key head and its own β and decay."""
    q, k, v, beta, alpha = at.forms
    own, keys = heads(v[0], at.t), heads(k[0], at.t, copies=True)
    if own is None or keys is None:
        return None
    sizes = (prod(beta) // v[0], prod(alpha) // v[0])
    asks = (
        widen_heads(keys, q[1]),
        widen_heads(keys, k[1]),
        widen_heads(own, v[1]),
        widen_heads(own, sizes[0]),
        widen_heads(own, sizes[1]),
    )
    return Partition(asks, widen_heads(own, v[1]))


def decay(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Head by head: a rate for each, and a bias for each number."""
    rates = prod(at.node.tensors["A_log"].shape)
    lanes = choose_lanes(have, want)
    ids = heads_of(lanes, at.width() // rates)
    if lanes is None or ids is None:
        return None
    return Partition(
        (lanes,),
        lanes,
        inputs=flat_inputs,
        tensors={"A_log": flat(at, "A_log", ids), "dt_bias": flat(at, "dt_bias", lanes)},
    )


def flat_inputs(place: int, inputs: list[Any]) -> list[Any]:
    """The first input as one vector per token."""
    return [inputs[0].reshape(len(inputs[0]), -1), *inputs[1:]]


def flat(at: At, word: str, lanes: Lanes) -> tuple[tuple[int, Lanes], ...]:
    """A tensor cut along the axis that has its numbers: the first that is not one."""
    shape = at.node.tensors[word].shape
    axis = next((place for place, size in enumerate(shape) if size > 1), 0)
    return ((axis, lanes),)


def lightning(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Head by head; a head's slope depends on which of all heads it is."""
    q, k, v = at.forms
    own = heads(v[0], at.t)
    if own is None or q[0] != v[0] or k[0] != v[0]:
        return None
    asks = (widen_heads(own, q[1]), widen_heads(own, k[1]), widen_heads(own, v[1]))
    return Partition(
        asks, widen_heads(own, v[1]), facts=lambda place: {"heads_of": q[0], "heads_from": int(own[place][0])}
    )


def scan(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Heads evenly, or the channels of a lone head; B and C by groups of heads, at least one on every rank."""
    facts = at.node.facts
    if facts["heads"] == 1:
        lanes = even(at.width(), at.t)
        cutters = dict.fromkeys(("A_log", "D"), ((0, lanes),)) if lanes else {}
        return None if lanes is None else Partition((lanes, lanes, None, None), lanes, tensors=cutters)
    own, groups = heads(facts["heads"], at.t), heads(facts["groups"], at.t, copies=True)
    if own is None or groups is None:
        return None
    n = facts["heads"]
    x, step = widen_heads(own, at.width(0) // n), widen_heads(own, at.width(1) // n)
    bc = widen_heads(groups, facts["state_size"])
    tensors = {word: flat(at, word, own) for word in ("A_log", "D")}
    if any(at.node.tensors[word].shape[0] != n for word in tensors):
        return None
    return Partition((x, step, bc, bc), x, tensors=tensors,
               facts=lambda place: {"heads": len(own[place]), "groups": len(groups[place])})  # fmt: skip


def conv(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Channel by channel, where channels do not mix."""
    lanes = choose_lanes(have, want)
    if lanes is None or at.node.tensors["weight"].shape[1] != 1:
        return None
    return Partition((lanes,), lanes, tensors={word: flat(at, word, lanes) for word in at.node.tensors})


def step(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Number by number, with a bias for each."""
    lanes = choose_lanes(have, want)
    return (
        None if lanes is None else Partition((lanes,), lanes, tensors={w: flat(at, w, lanes) for w in at.node.tensors})
    )


def delay(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Number by number."""
    lanes = choose_lanes(have, want)
    return None if lanes is None or at.node.tensors else Partition((lanes,), lanes)
