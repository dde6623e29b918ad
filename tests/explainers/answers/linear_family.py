"""Answers of linear-family's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from math import exp

from cutaway.explainers.linear_family import reference, rules


def _rule(state: dict, data: dict, name: str) -> dict:
    return reference.compute(state, data)["rules"][rules.PLACES[name]]


def heard(state: dict, data: dict) -> int:
    """A written once more with f = i = 1: n·q is 2, so the sum is halved; with A written once there is one value."""
    return 2 if reference.compute(state, data)["now"] > 8 else 0


def a_linear(state: dict, data: dict) -> float:
    """How far off linear attention reads A."""
    return _rule(state, data, "linear")["errors"][0] or 0


def a_mlstm(state: dict, data: dict) -> float:
    """How far off mLSTM reads A."""
    return _rule(state, data, "mlstm")["errors"][0] or 0


def keeper(state: dict, data: dict) -> int:
    """Which of RetNet, Mamba-2 and GLA is least off."""
    errors = [_rule(state, data, name)["error"] for name in ("retnet", "mamba2", "gla")]
    return errors.index(min(errors))


def left(state: dict, data: dict) -> float:
    """What w at its least leaves of E after the separators read so far, if nothing else decays it."""
    if state["task"] != "forget" or state["keys"] != "axes" or state["decay"] < 1 or state["shut"]:
        return _rule(state, data, "rwkv7")["errors"][4] or 0
    read = min(reference.compute(state, data)["now"], 8 + state["pause"]) - 8
    return exp(-exp(-0.5)) ** read if read > 0 else 0


answers = {"heard": heard, "a_linear": a_linear, "a_mlstm": a_mlstm, "keeper": keeper, "left": left}
