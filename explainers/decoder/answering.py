"""A state of the lab -> what the decoder answers: the next token, every read, looks, the state, the road."""

from __future__ import annotations

import json

import numpy as np

from cutaway.explainers.decoder import running, streams

NAMES, SHOWN = streams.NAMES, 5
STATED = ("linear", "delta")  # whose states are drawn before their weights are fetched


def chances(logits: np.ndarray, temp: float) -> np.ndarray:
    """Shares of the next token."""
    return running.softmax(logits / temp)


def sample_token(shares: np.ndarray, top: float, draw: int) -> tuple[int, int]:
    """(token taken, how many there were to draw from): the likeliest, or one by a number that the draw makes."""
    order = sorted(range(len(shares)), key=lambda i: (-shares[i], i))
    total, nucleus = 0.0, []
    for token in order:
        nucleus.append(token)
        total += shares[token]
        if total >= top - 1e-9:
            break
    if not draw:
        return order[0], len(nucleus)
    point, at = (draw * 7919 % 1000 + 0.5) / 1000 * total, 0.0
    for token in nucleus:
        at += shares[token]
        if at > point:
            return token, len(nucleus)
    return nucleus[-1], len(nucleus)


def live(state: dict) -> dict:
    """One pass of the decoder over the stream."""
    made = streams.stream(state["x"])
    tokens, unit = made["tokens"], state["u"]
    logits, values = running.run_tokens(state["m"], tuple(tokens))
    at = 3 * unit + 1
    shares = chances(logits[at], state["temp"])
    order = sorted(range(len(shares)), key=lambda i: (-shares[i], i))
    taken, of = sample_token(shares, state["top"], state["draw"])
    answers = [int(logits[3 * i + 1].argmax()) if one["reads"] else -1 for i, one in enumerate(made["units"])]
    truths = [NAMES.index(str(one["value"] or one["word"])) for one in made["units"]]
    right = [answer == truth for answer, truth in zip(answers, truths, strict=True)]
    found = {
        "top": [{"name": NAMES[i], "share": float(shares[i])} for i in order[:SHOWN]],
        "truth": float(shares[truths[unit]]),
        "taken": NAMES[taken],
        "of": of,
        "answers": ["" if answer < 0 else NAMES[answer] for answer in answers],
        "right": sum(right),
        "asked": sum(answer >= 0 for answer in answers),
        "here": right[unit],
        "road": running.road(values, logits, at),
    }
    if running.mixers.KINDS[state["m"]].family == "softmax":
        return {**found, "looks": by_unit(running.looks(state["m"], values, at), np.sum)}
    strengths = running.writes(state["m"], values)[3][: at + 1].T
    held = running.state(state["m"], values, at).reshape(4, -1)
    return {**found, "state": held.tolist(), "looks": by_unit(strengths, np.max)}


def by_unit(rows: np.ndarray, of) -> list[list[float]]:
    """[heads][units] of numbers by token: the sum of a look, the strongest write."""
    return [[float(of(row[at : at + 3])) for at in range(0, len(row), 3)] for row in rows]


def brief(made: dict, name: str) -> dict:
    """What a page says of its first stream before weights are fetched: few digits, few of the roads and states."""
    left = {"road"} if name != "full" else set()
    left |= {"state"} if name not in STATED else set()
    digits = {"state": 1, "road": 2, "looks": 3}
    made = {**made, "state": made.get("state", [])[:1]}  # of one head
    return {key: short(value, digits.get(key, 5)) for key, value in made.items() if key not in left}


def short(value, digits: int):
    """The same with so many decimals of every float."""
    return json.loads(json.dumps(value), parse_float=lambda text: round(float(text), digits) + 0.0)
