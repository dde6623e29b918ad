"""Answers of speculative's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.next_token import tokens
from cutaway.explainers.speculative import speculate
from cutaway.explainers.speculative.steps import run_of
from cutaway.explainers.speculative.worth import measured


def _place(state: dict) -> tuple[speculate.Step, int]:
    """The opened step and draft."""
    _, _, steps = run_of(state)
    step = steps[min(state["step"], len(steps) - 1)]
    return step, min(state["place"], max(len(step.drafts) - 1, 0))


def draft_p(state: dict, data: dict) -> float:
    """What the target gives the opened draft; 0 where there is none."""
    step, at = _place(state)
    return float(step.p[at][step.drafts[at]]) if step.drafts else 0.0


def draft_q(state: dict, data: dict) -> float:
    """What the drafter gives it."""
    step, at = _place(state)
    return float(step.q[at][step.drafts[at]]) if step.drafts else 0.0


def draft_name(state: dict, data: dict) -> str:
    """The opened draft's name."""
    step, at = _place(state)
    return tokens.name_of(step.drafts[at]) if step.drafts else ""


def accept(state: dict, data: dict) -> float:
    """p over q, at most one."""
    q = draft_q(state, data)
    return min(1.0, draft_p(state, data) / q) if q else 0.0


def naive(state: dict, data: dict) -> float:
    """How often the draft would come out if every rejection was followed by a draw from p: min(p, q) + TV · p."""
    step, at = _place(state)
    token = step.drafts[at] if step.drafts else int(step.p[at].argmax())
    p, q = step.p[at], step.q[at] if step.drafts else 0 * step.p[at]
    distance = abs(p - q).sum() / 2 if step.drafts else 1.0  # total variation: what is rejected
    return float(min(p[token], q[token]) + distance * p[token])


def rejected(state: dict, data: dict) -> float:
    """Half of what p and q differ by; all where there is no draft."""
    step, at = _place(state)
    return float(abs(step.p[at] - step.q[at]).sum() / 2) if step.drafts else 1.0


def _measured(state: dict) -> list[dict]:
    """The measured rows of this drafter and temperature, by number of drafts."""
    rows = measured()["rows"]
    return [row for row in rows if (row["drafter"], row["temperature"]) == (state["drafter"], state["temperature"])]


def per_step(state: dict, data: dict) -> float:
    """Tokens over steps; 0 where this number of drafts was not measured."""
    return next((row["tokens"] / row["steps"] for row in _measured(state) if row["k"] == state["k"]), 0.0)


def by_formula(state: dict, data: dict) -> float:
    """1 + a + a² + ... + a^k with the share accepted at one draft."""
    rows = _measured(state)
    alpha = rows[0]["accepted"] / rows[0]["steps"]
    return sum(alpha**i for i in range(state["k"] + 1)) if state["k"] in [row["k"] for row in rows] else 0.0


def _eight(temperature: float) -> dict:
    """The state of eight drafts of the draft model."""
    return {"drafter": "model", "temperature": temperature, "k": 8}


answers = {
    "accept": accept,
    "draft_p": draft_p,
    "draft_q": draft_q,
    "draft_name": draft_name,
    "naive": naive,
    "per_step": per_step,
    "by_formula": by_formula,
    "rejected": rejected,
    "one_measured": lambda state, data: per_step(_eight(1), data),
    "one_formula": lambda state, data: by_formula(_eight(1), data),
    "half_measured": lambda state, data: per_step(_eight(0.5), data),
    "half_formula": lambda state, data: by_formula(_eight(0.5), data),
}
