"""Answers of linear-family's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from math import exp

import numpy as np

from cutaway.explainers.linear_family import reference, rules


def _rule(state: dict, data: dict, name: str) -> dict:
    return reference.compute(state, data)["rules"][rules.PLACES[name]]


def heard(state: dict, data: dict) -> int:
    """What mLSTM's read of A is nearest to: A's newest value, its sum with the first one, or their mean."""
    first, now = (_padded(reference.compute(one, data)["target"]) for one in ({**state, "step": 8}, state))
    read = np.array(_rule(state, data, "mlstm")["reads"])
    return int(np.argmin([np.abs(read - one).sum() for one in (now, first + now, (first + now) / 2)]))


def _padded(target: list) -> np.ndarray:
    return np.array(target) if target else np.zeros(8)


def a_linear(state: dict, data: dict) -> float:
    """How far off linear attention reads A."""
    return _rule(state, data, "linear")["errors"][0]


def a_mlstm(state: dict, data: dict) -> float:
    """How far off mLSTM reads A."""
    return _rule(state, data, "mlstm")["errors"][0]


def keeper(state: dict, data: dict) -> int:
    """Which of RetNet, Mamba-2 and GLA is least off."""
    errors = [_rule(state, data, name)["error"] for name in ("retnet", "mamba2", "gla")]
    return errors.index(min(errors))


def left(state: dict, data: dict) -> float:
    """What w at its least leaves of E after the separators read so far, if nothing else decays it."""
    if (state["task"], state["keys"], state["decay"], state["shut"], state["beta"]) != ("forget", "axes", 1, 0, 1):
        return _rule(state, data, "rwkv7")["errors"][4]
    read = min(reference.compute(state, data)["now"], 8 + state["pause"]) - 8
    return exp(-exp(-0.5)) ** read if read > 0 else 0


answers = {"heard": heard, "a_linear": a_linear, "a_mlstm": a_mlstm, "keeper": keeper, "left": left}
