"""A text, a drafter and a temperature -> the steps of speculative decoding that continue it, draft by draft."""

from __future__ import annotations

from functools import cache
from typing import Any

from cutaway.explainers.next_token import forward, tokens
from cutaway.explainers.speculative import places, speculate

PROMPT, JUMP, WRITTEN = 64, 16, 24  # tokens of the text that are used, <s> among them; tokens that are written
RUN = ("text", "drafter", "k", "temperature", "draw")  # the keys that a run depends on


def window(text: str) -> tuple[list[int], int]:
    """The tokens that are used, <s> first, and how many of the text were dropped before them, in jumps of 16."""
    ids = tokens.encode(text)
    dropped = -(-max(0, len(ids) - PROMPT + 1) // JUMP) * JUMP
    return [tokens.FIRST, *ids[dropped:]], dropped


@cache
def run(text: str, drafter: str, k: int, temperature: float, draw: int) -> tuple[list[int], int, list[speculate.Step]]:
    """The text's tokens, how many were dropped, and the steps that continue it."""
    ids, dropped = window(text)
    target = forward.load()
    propose = (
        speculate.draft_with(speculate.Session(speculate.draft_model()))
        if drafter == "model"
        else speculate.draft_by_lookup(target.config["vocab_size"])
    )
    return ids, dropped, speculate.write(speculate.Session(target), propose, ids, WRITTEN, k, temperature, draw)


def run_of(state: dict[str, Any]) -> tuple[list[int], int, list[speculate.Step]]:
    """The run of a state."""
    return run(*(state[key] for key in RUN))


def draft_row(step: speculate.Step, at: int) -> dict[str, Any]:
    """One draft: what both models give it, its number, and what became of it."""
    token = step.drafts[at]
    p, q = float(step.p[at][token]), float(step.q[at][token])
    verdict = "accepted" if at < step.kept else "rejected" if at == step.kept else "discarded"
    numbers = {"p": p, "q": q, "accept": speculate.acceptance(p, q), "u": step.numbers[at]}
    return {**places.token_of(token), **numbers, "verdict": verdict}


def step_row(step: speculate.Step) -> dict[str, Any]:
    """One step: its drafts, and the token after those that are accepted."""
    rejected = step.kept < len(step.drafts)
    p, from_ = step.p[step.kept], step.p[step.kept]
    if rejected:
        from_ = speculate.residual(p, step.q[step.kept])
    last = {**places.token_of(step.last), "p": float(p[step.last]), "share": float(from_[step.last]), "u": step.number}
    return {
        "start": step.start,
        "drafts": [draft_row(step, at) for at in range(len(step.drafts))],
        "kept": step.kept,
        "last": {**last, "kind": "correction" if rejected else "bonus" if step.drafts else "no draft"},
        "yield": step.kept + 1,
    }


def totals(steps: list[speculate.Step]) -> dict[str, Any]:
    """What a run counted."""
    written = sum(len(one.tokens) for one in steps)
    tried = sum(min(one.kept + 1, len(one.drafts)) for one in steps)
    accepted, drafted = sum(one.kept for one in steps), sum(len(one.drafts) for one in steps)
    return {
        "steps": len(steps),
        "tokens": written,
        "per_step": written / len(steps),
        "drafted": drafted,
        "tried": tried,
        "unchecked": drafted - tried,
        "accepted": accepted,
        "rate": accepted / tried if tried else 0.0,
    }
