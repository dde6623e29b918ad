"""Answers of expert parallelism's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from math import prod

from cutaway.explainers.expert_parallel import reference


def more_gpus(state: dict, data: dict) -> int:
    """How many GPUs the experts need beside those of attention: 0 as many again, 1 some, 2 none."""
    now = reference.compute(state, data)["fold"]
    attention, experts = (prod(now[axis] for axis in axes) for axes in (("dp", "cp", "tp"), ("edp", "ep", "etp")))
    return 2 if experts <= attention else 0 if experts - attention >= now["gpus"] else 1


def each(state: dict, data: dict) -> int:
    """How many experts of a layer one rank holds."""
    now = reference.compute(state, data)
    return now["experts"] // now["fold"]["ep"]


def sent(where: str, copy: str, state: dict, data: dict) -> int:
    """Bytes of one token's copies: those that leave its node, or go on inside nodes; out, or back."""
    here, nodes = reference.compute(state, data)["here"], state["nodes"]
    away = {gpu // 8 for gpu in here["gpus"]} - {here["node"]}
    first = {8 * node + here["gpu"] % 8 for node in range(nodes)}  # where a copy comes into a node
    many = len(away) if where == "away" else len(set(here["gpus"]) - first)
    return many * reference.compute(state, data)["copy"][copy]


answers = {
    "more_gpus": more_gpus,
    "each": each,
    "network_out": lambda state, data: sent("away", "out", state, data),
    "inside_out": lambda state, data: sent("inside", "out", state, data),
    "inside_back": lambda state, data: sent("inside", "back", state, data),
    "network_back": lambda state, data: sent("away", "back", state, data),
}
