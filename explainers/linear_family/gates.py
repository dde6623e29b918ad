"""Sliders and a kind of token -> the gate of each rule at each token.

A model computes gates from its tokens. Here they are given: a token that writes has the decay, and a separator closes
the gates as far as the rule allows, those that have one per channel only for the channels that the task drops.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway.explainers.linear_family import streams
from cutaway.explainers.linear_family.rules import Gate, Rule

D = streams.D
HEADS = 8
LEAST_RATE = 1e-3  # Mamba-2's -A is above 0: its state always decays a little
LEAST_STEP = 1e-4  # exp(step x A) is above 0: a separator leaves at least this share
RWKV_LEAST = math.exp(-math.exp(-0.5))  # w = exp(-e^-0.5 sigmoid(x)) is above it


def retnet(head: int) -> float:
    """The decay of head 1, 2, ...: 1 - 2^-5, 1 - 2^-6, ..."""
    return 1 - 2.0 ** (-4 - head)


def lightning_slope(head: int, heads: int, layer: int, layers: int) -> float:
    """s of head 1 to `heads` in a layer counted from 0: the decay is e^-s. Deeper layers decay less."""
    return 2.0 ** (-8 * head / heads) * (1 - layer / (layers - 1 + 1e-5) + 1e-5)


def fixed(rule: Rule, head: int) -> float:
    """The decay of a rule that has one per head; of Lightning Attention eight heads in the first of 80 layers."""
    return retnet(head) if rule.name == "retnet" else math.exp(-lightning_slope(head, HEADS, 0, 80))


def mamba(state: dict[str, Any], separator: bool) -> tuple[float, float]:
    """(alpha, step): the step is 1 at a token that writes, and as large as closing the gate needs at a separator."""
    rate = max(-math.log(max(state["decay"], LEAST_STEP)), LEAST_RATE)
    step = max(1.0, -math.log(max(state["shut"], LEAST_STEP)) / rate) if separator else 1.0
    return math.exp(-step * rate), step


def alpha(rule: Rule, state: dict[str, Any], task: streams.Task, separator: bool) -> np.ndarray:
    """What is left of each channel."""
    if rule.gate == "none":
        return np.ones(D)
    if rule.gate == "fixed":
        return np.full(D, fixed(rule, state["head"]))
    if rule.name == "mamba2":
        return np.full(D, mamba(state, separator)[0])
    usual = state["decay"]
    closed = min(usual, state["shut"])
    if rule.gate == "head":
        return np.full(D, closed if separator else usual)
    found = np.array([closed if separator and c in task.dropped else usual for c in range(D)])
    return np.maximum(found, RWKV_LEAST) if rule.name == "rwkv7" else found


def write(rule: Rule, state: dict[str, Any], separator: bool, again: bool) -> float:
    """How strongly a token writes: beta, Mamba-2's step, mLSTM's input gate, else 1."""
    if rule.erase:
        return state["beta"]
    if rule.name == "mamba2":
        return mamba(state, separator)[1]
    return math.exp(state["input"]) if rule.name == "mlstm" and again else 1.0


def gates(rule: Rule, state: dict[str, Any], task: streams.Task) -> list[Gate]:
    """Of every token."""
    found = []
    for t, key in enumerate(streams.tokens(task, state["pause"])):
        separator = key == streams.SEPARATOR
        strength = write(rule, state, separator, t >= len(task.first))
        erase = np.full(D, strength if rule.erase else 0.0)
        found.append(Gate(alpha(rule, state, task, separator), erase, np.full(D, strength)))
    return found
