"""Ours against theirs: what of one config differs, in words."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from cutaway.gallery import flops, memory, parameters, read, run
from cutaway.gallery.running.state import State
from cutaway.gallery.spec import ModelSpec
from tests.oracle.forward import weight
from tests.oracle.proving.theirs import Ran

LIMIT = 1e-6  # of a standard deviation of the logits


class Held(NamedTuple):
    """What differs: kind -> words; and whether we say ourselves that we do not read the config as its class does."""

    differs: dict[str, str]
    told: bool


def held(config: dict, theirs: Ran, apart: frozenset[str] = frozenset()) -> Held:
    """One config read here and held against what its class made of it, but for the kinds that stand apart."""
    try:
        spec = read(config, as_class=True)
    except Exception as problem:
        return Held({"refused": f"{type(problem).__name__}: {problem}"[:160]}, True)
    found: dict[str, str] = {}
    for kind, check in CHECKS.items():
        if kind in apart:
            continue
        try:
            words = check(spec, theirs)
        except Exception as problem:
            words = f"{type(problem).__name__}: {problem}"[:160]
        if words:
            found[kind] = words
    return Held(found, bool(spec.not_understood))


def total(spec: ModelSpec, theirs: Ran) -> str:
    """Parameters in all."""
    ours = parameters(spec).total
    return "" if ours == theirs.total else f"{ours:,} parameters here, {theirs.total:,} there"


def names(spec: ModelSpec, theirs: Ran) -> str:
    """Every tensor by its name and its shape."""
    ours = tensors_of(spec)
    there = {name: squeezed(shape) for name, shape in theirs.names.items()}
    strange = [name for name in there if name not in ours and name not in theirs.tables]
    missing = [name for name in ours if name not in there and name not in theirs.ties]
    shapes = [name for name, shape in there.items() if name in ours and prod(ours[name]) != prod(shape)]
    for words, found in (("not here", strange), ("not there", missing), ("another shape", shapes)):
        if found:
            return f"{words}: {', '.join(sorted(found)[:3])}"
    return ""


def squeezed(shape) -> tuple[int, ...]:
    """A shape without axes of one."""
    return tuple(size for size in shape if size != 1)


def tensors_of(spec: ModelSpec) -> dict[str, tuple[int, ...]]:
    """The state dict that our reading looks for."""
    state, found = State(spec, {}), {}
    for layer in (None, *range(len(spec.layers))):
        for one in state.plan(layer).values():
            name = one.name if layer is None else f"{state.place(layer)}.{one.name}"
            if "{head}" in name:
                found |= {name.format(head=at): squeezed(one.shape[1:]) for at in range(one.shape[0])}
            else:
                found[name] = squeezed(one.shape)
    return found


def logits(spec: ModelSpec, theirs: Ran) -> str:
    """The largest difference of a logit, in standard deviations."""
    made = {name: weight(name, shape, theirs.made.salt, theirs.tables) for name, shape in theirs.names.items()}
    made |= {alias: made[name] for alias, name in theirs.ties.items() if name in made}
    ours = run(spec, made, theirs.made.tokens)[:, : theirs.made.logits.shape[1]]
    if ours.shape != theirs.made.logits.shape:
        return f"{ours.shape[1]} logits here, {theirs.made.logits.shape[1]} there"
    gap = float(np.abs(ours - theirs.made.logits).max() / theirs.made.logits.std())
    return "" if gap <= LIMIT else f"off by {gap:.1e}"


def cache(spec: ModelSpec, theirs: Ran) -> str:
    """Bytes kept after the prompt, each number in four."""
    if theirs.made.cached is None:
        return ""
    ours = memory(replace(spec, dtype="float32"), len(theirs.made.tokens), "float32", convention="transformers")
    return (
        ""
        if ours.total_bytes == 4 * theirs.made.cached
        else f"{ours.total_bytes} bytes here, {4 * theirs.made.cached} there"
    )


def matrices(spec: ModelSpec, theirs: Ran) -> str:
    """FLOPs of products with weights over the prompt."""
    by = flops(spec, len(theirs.made.tokens), prefill=True).by_what
    ours = by.get("matrices", 0) + by.get("experts", 0)
    return "" if ours == theirs.made.flops else f"{ours:,} FLOPs here, {theirs.made.flops:,} there"


CHECKS = {"total": total, "tensors": names, "logits": logits, "cache": cache, "FLOPs": matrices}
