"""The rules of partition_rules.py that are one operation's own: matrices, norms, attention, recurrences, experts,
tables."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from cutaway.gallery.mesh.lanes import Lanes, even, heads, heads_of, widen_heads
from cutaway.gallery.mesh.partition import At, Have, Partition, choose_lanes

CUT_PARTS = frozenset(("attention", "linear", "ssm", "dense", "shared"))


def backwards(at: At) -> bool:
    """Whether a matrix is a way back to the stream: it reads what its own half made, and belongs to what is cut."""
    weight, (source, *_) = at.node.tensors["weight"], at.node.inputs
    inside = "." in at.node.name and source.partition(".")[0] == at.node.name.partition(".")[0]
    return inside and weight.part in CUT_PARTS and "adapter" not in weight.name


def linear(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """By columns (rows of W) for lanes that are wanted; by rows (columns of W) of lanes that are there, and then its
    bias is added once."""
    columns = at.node.tensors["weight"].shape[1]
    if have[0] is None and want is not None:
        return Partition((None,), want, tensors={"weight": ((0, want),), "bias": ((0, want),)})
    lanes = have[0] or (even(columns, at.t) if backwards(at) and want is None else None)
    return (
        None if lanes is None else Partition((lanes,), partial=True, tensors={"weight": ((1, lanes),)}, once=("bias",))
    )


def embed(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """The vocabulary's rows: a rank finds its own tokens, and zeros for the others."""
    weight = at.node.tensors["weight"]
    if weight.part != "embedding" or not weight.name.endswith("embed_tokens.weight"):
        return None
    rows = tuple(np.array_split(np.arange(weight.shape[0]), at.t))

    def own(place: int, inputs: list[Any]) -> list[Any]:
        return [np.clip(inputs[0] - rows[place][0], 0, len(rows[place]) - 1)]

    def zeros(place: int, inputs: list[Any], made: Any) -> Any:
        return made * np.isin(inputs[0], rows[place])[:, None]

    return Partition((None,), partial=True, tensors={"weight": ((0, rows),)}, inputs=own, after=zeros)


def norm(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Head by head, or group by group; a norm of the whole width needs all of it."""
    lanes, form, facts = choose_lanes(have, want), at.forms[0], at.node.facts
    weight = at.node.tensors.get("weight")
    groups = facts.get("groups", 1)
    flat = len(form) == 1 or facts.get("flat")
    whole = Partition((lanes,), wish=True)
    if lanes is None or (flat and groups == 1):
        return whole if lanes is not None else None
    ids = heads_of(lanes, at.width() // groups if flat else form[-1])
    if ids is None:
        return whole
    if flat:
        tensors: Mapping[str, Any] = {"weight": ((0, lanes),), "bias": ((0, lanes),)}
        return Partition((lanes,), lanes, tensors=tensors, facts=lambda place: {"groups": len(ids[place])})
    if weight is not None and weight.shape == form:
        return Partition((lanes,), lanes, tensors={"weight": ((0, ids),), "bias": ((0, ids),)})
    return Partition((lanes,), lanes) if weight is None or weight.shape == form[-1:] else whole


def attend(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Query heads evenly, each with the KV head that it reads; fewer KV heads than ranks are held several times."""
    facts, (q, k, v) = at.node.facts, at.forms[:3]
    own, kv = heads(q[0], at.t), heads(k[0], at.t, copies=True)
    if own is None or kv is None or facts.get("cross"):
        return None
    asks: list[Lanes | None] = [widen_heads(own, q[1]), widen_heads(kv, k[1]), widen_heads(kv, v[1])]
    if len(at.forms) > 3:
        asks.append(None)
    if len(at.forms) > 4:
        asks.append(own)

    def masks(place: int, inputs: list[Any]) -> list[Any]:
        """A mask of its own for each head: those of the rank's heads."""
        if len(inputs) > 3 and inputs[3].ndim == 3:
            every = np.repeat(inputs[3], q[0] // len(inputs[3]), axis=0)
            inputs = [*inputs[:3], every[own[place]], *inputs[4:]]
        return inputs

    said = {"heads_of": q[0]}
    return Partition(tuple(asks), widen_heads(own, v[1]), tensors={"sinks": ((0, own),)}, inputs=masks,
               facts=lambda place: {**said, "heads_from": int(own[place][0])})  # fmt: skip


def sliced(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Some numbers of each head: of lanes that are there, those that fall into the slice."""
    facts, form = at.node.facts, at.forms[0]
    picked = np.arange(at.width()).reshape(form)[..., facts["start"] : facts["stop"] : facts.get("step", 1)].ravel()
    if have[0] is not None:
        out = tuple(np.nonzero(np.isin(picked, own))[0] for own in have[0])
        lanes = have[0]
    elif want is not None:
        out, lanes = want, tuple(picked[own] for own in want)
    else:
        return None

    def taken(place: int, inputs: list[Any]) -> list[Any]:
        """The numbers themselves; nothing is left for the operation to leave out."""
        x = inputs[0].reshape(len(inputs[0]), -1)[:, np.searchsorted(lanes[place], picked[out[place]])]
        return [x.reshape(len(x), -1, at.out[-1]) if len(at.out) > 1 else x]

    return Partition((lanes,), out, inputs=taken, facts=lambda place: {"start": 0, "stop": None, "step": 1})


def concat(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Heads side by side with heads, a value without heads to every head; or vectors one after the other."""
    several = [form for form in at.forms if len(form) > 1]
    lanes = next((widen_heads(heads_of(own, form[-1]) or (), at.out[-1]) for own, form in zip(have, at.forms,
                  strict=True)
                  if own is not None and len(form) > 1), want) if several else want  # fmt: skip
    if several:
        ids = heads_of(lanes, at.out[-1])
        if ids is None or lanes is None:
            return None
        return Partition(tuple(widen_heads(ids, form[-1]) if len(form) > 1 else None for form in at.forms), lanes)
    ends = np.cumsum([0, *(at.width(place) for place in range(len(at.forms)))])
    pairs = list(pairwise(ends))
    if lanes is None and all(own is not None for own in have):
        parts = [tuple(one + start for one in own or ()) for own, start in zip(have, ends[:-1], strict=True)]
        lanes = tuple(np.concatenate(own) for own in zip(*parts, strict=True))
    if lanes is None:
        return None
    return Partition(tuple(tuple(o[(o >= a) & (o < b)] - a for o in lanes) for a, b in pairs), lanes)


def scale(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Times a constant, or by a number for each number, each head, or all."""
    lanes, node = choose_lanes(have, want), at.node
    if lanes is None:
        return None
    weight, widths = node.tensors.get("weight"), node.facts.get("widths")
    if widths:
        by = np.repeat(node.facts["by"], widths)
        return Partition((lanes,), lanes, facts=lambda place: {"by": by[lanes[place]], "widths": None})
    if weight is None or prod(weight.shape) == 1:
        return Partition((lanes,), lanes)
    if prod(weight.shape) == at.width() and len(weight.shape) == 1 == len(at.forms[0]):
        return Partition((lanes,), lanes, tensors={"weight": ((0, lanes),)})
    ids = heads_of(lanes, at.forms[0][-1]) if len(at.forms[0]) > 1 else None
    if ids is None or weight.shape[0] != at.forms[0][0]:
        return None
    return Partition((lanes,), lanes, tensors={"weight": ((0, ids),)})


def shift(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Plus a number for each head, or for each number."""
    lanes, bias = choose_lanes(have, want), at.node.tensors["bias"].shape
    ids = heads_of(lanes, at.width() // bias[0])
    return (
        None
        if lanes is None or ids is None or len(bias) > 1
        else Partition((lanes,), lanes, tensors={"bias": ((0, ids),)})
    )


def glu(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Gate and up in the same lanes, evenly where nobody says which."""
    lanes = choose_lanes(have, want) or even(at.width(), at.t)
    return None if lanes is None else Partition((lanes, lanes), lanes)


def heads_apart(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Every rank needs all heads, for it weighs some against others; matrices that make them are cut all the same."""
    return Partition(tuple(even(at.width(place), at.t) for place in range(len(at.forms))), wish=True)


def numbers_apart(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """The same of numbers that are weighed against each other."""
    lanes = choose_lanes(have, want)
    return None if lanes is None else Partition((lanes,), wish=True)


def experts(at: At, want: Lanes | None, have: Have) -> Partition | None:
    """Every expert's width evenly: gate and up by columns, down by rows; the bias behind it once."""
    node = at.node
    width = node.tensors["up"].shape[1]
    lanes, number = even(width, at.t), node.facts["experts"]
    if lanes is None or "norm" in node.tensors:
        return None
    tensors = dict.fromkeys(("gate", "up", "gate_bias", "up_bias"), ((1, lanes),)) | {"down": ((2, lanes),)}

    def returned_once(place: int, inputs: list[Any]) -> list[Any]:
        """Experts without weights return their input: on the first rank alone."""
        return inputs if place == 0 else [inputs[0], inputs[1][:, :number]]

    return Partition((None, None), partial=True, tensors=tensors, once=("down_bias",), inputs=returned_once)
