"""Two models and a text -> steps of speculative decoding: drafts, which of them are kept, and the token after them.

The rule is that of Leviathan et al. 2023 (arXiv 2211.17192) and Chen et al. 2023 (arXiv 2302.01318): a draft x drawn
from q is kept with probability min(1, p(x)/q(x)); instead of the first that is not, one is drawn from max(0, p - q),
scaled to one. Twin of speculate.js.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from cutaway.explainers.next_token import forward, sampling, stored

HERE = Path(__file__).parent
DRAFT, ACCEPT, LAST = 0, 1, 2  # what a random number is for
MOST_MATCH = 2  # tokens that prompt lookup compares
# tokens so far, how many, temperature and draw -> drafts with the shares that they were drawn from
Drafter = Callable[[list[int], int, float, int], tuple[list[int], list[np.ndarray]]]


@cache
def draft_model() -> forward.Model:
    """The draft model that is shipped."""
    config = json.loads((HERE / "config.json").read_text("utf-8"))
    tensors = stored.unpack((HERE / "weights.bin").read_bytes(), stored.shapes(config))
    return forward.Model(config, {name: array.astype(float) for name, array in tensors.items()})


@dataclass
class Session:
    """A model, the tokens that its cache holds, and the logits after each of them."""

    model: forward.Model
    ids: list[int] = field(default_factory=list)
    held: forward.Cache = field(default_factory=forward.Cache)
    logits: list[np.ndarray] = field(default_factory=list)

    def advance(self, ids: Sequence[int]) -> list[np.ndarray]:
        """The logits after each of these tokens; what the cache has of them from the start is not run again."""
        same = next((at for at, (a, b) in enumerate(zip(self.ids, ids, strict=False)) if a != b), None)
        kept = min(len(self.ids), len(ids)) if same is None else same
        self.held.keys = [one[:kept] for one in self.held.keys]
        self.held.values = [one[:kept] for one in self.held.values]
        self.logits = self.logits[:kept]
        if len(ids) > kept:
            self.logits += list(forward.run(self.model, ids[kept:], self.held).logits)
        self.ids = list(ids)
        return self.logits


def shares_of(logits: np.ndarray, temperature: float) -> np.ndarray:
    """The probabilities that are drawn from: a softmax, or at temperature 0 all for the best token."""
    if temperature:
        return forward.softmax(logits / temperature)
    shares = np.zeros(len(logits))
    shares[logits.argmax()] = 1.0
    return shares


def number_of(draw: int, position: int, what: int) -> float:
    """The random number from 0 to 1 that a draw has at a position of the text, for one of three uses."""
    return sampling.number_of(draw, 4 * position + what)


def acceptance(p: float, q: float) -> float:
    """With what probability a draft is kept."""
    return min(1.0, p / q)


def residual(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """What a rejected draft is replaced from: max(0, p - q), scaled to one; p itself where the two are equal."""
    left = np.maximum(0.0, p - q)
    return left / left.sum() if left.sum() > 0 else p


@dataclass
class Step:
    """One step: k drafts, then one pass of the target over all of them."""

    start: int  # tokens before it
    drafts: list[int]
    q: list[np.ndarray]  # what each draft was drawn from
    p: list[np.ndarray]  # the target's probabilities at each draft's place, and at the one after
    numbers: list[float]  # that decide on each draft
    kept: int  # how many drafts are accepted
    last: int  # the token after them
    number: float  # that draws it

    @property
    def tokens(self) -> list[int]:
        """What the step adds to the text."""
        return [*self.drafts[: self.kept], self.last]


def count_kept(drafts: list[int], q: list[np.ndarray], p: list[np.ndarray], numbers: list[float]) -> int:
    """How many drafts are accepted: all before the first whose number is at or above its acceptance."""
    for at, token in enumerate(drafts):
        if numbers[at] >= acceptance(p[at][token], q[at][token]):
            return at
    return len(drafts)


def draw_last(q: list[np.ndarray], p: list[np.ndarray], kept: int, number: float) -> int:
    """The token after the accepted drafts: from the residual, or where all are accepted from the target."""
    return sampling.pick(residual(p[kept], q[kept]) if kept < len(q) else p[kept], number)


def draft_with(session: Session) -> Drafter:
    """A small model that drafts one token after another."""

    def propose(ids: list[int], k: int, temperature: float, draw: int) -> tuple[list[int], list[np.ndarray]]:
        drafts: list[int] = []
        rows: list[np.ndarray] = []
        for _ in range(k):
            rows.append(shares_of(session.advance([*ids, *drafts])[-1], temperature))
            drafts.append(sampling.pick(rows[-1], number_of(draw, len(ids) + len(drafts), DRAFT)))
        return drafts, rows

    return propose


def look_up(ids: list[int], k: int) -> list[int]:
    """Prompt lookup: where the last two tokens (else the last one) stood before, the tokens that followed there."""
    for many in range(MOST_MATCH, 0, -1):
        for at in range(len(ids) - many - 1, -1, -1):
            if ids[at : at + many] == ids[len(ids) - many :]:
                return ids[at + many : at + many + k]
    return []


def draft_by_lookup(vocabulary: int) -> Drafter:
    """Drafts that cost no model; q is 1 for each."""

    def propose(ids: list[int], k: int, temperature: float, draw: int) -> tuple[list[int], list[np.ndarray]]:
        drafts = look_up(ids, k)
        return drafts, list(np.eye(vocabulary)[drafts]) if drafts else []

    return propose


def take_step(target: Session, propose: Drafter, ids: list[int], k: int, temperature: float, draw: int) -> Step:
    """One step after the tokens `ids`."""
    drafts, q = propose(ids, k, temperature, draw)
    logits = target.advance([*ids, *drafts])[len(ids) - 1 :]
    p = [shares_of(row, temperature) for row in logits]
    numbers = [number_of(draw, len(ids) + at, ACCEPT) for at in range(len(drafts))]
    kept = count_kept(drafts, q, p, numbers)
    number = number_of(draw, len(ids) + kept, LAST)
    last = draw_last(q, p, kept, number)
    return Step(len(ids), drafts, q, p, numbers, kept, last, number)


def write(target: Session, propose: Drafter, ids: list[int], many: int, k: int, temperature: float, draw: int):
    """Steps until at least so many tokens are written."""
    steps, seen = [], list(ids)
    while len(seen) < len(ids) + many:
        steps.append(take_step(target, propose, seen, k, temperature, draw))
        seen += steps[-1].tokens
    return steps


# ---------------------------------------------------------------- the formulas


def expected(alpha: float, k: int) -> float:
    """Tokens a step if each draft is accepted with the same probability: (1 - a^(k+1)) / (1 - a)."""
    return k + 1.0 if alpha == 1 else (1 - alpha ** (k + 1)) / (1 - alpha)


def speedup(alpha: float, k: int, cost: float, batch: int = 1, ridge: float = float("inf")) -> float:
    """How much faster than a token a pass; `cost` is a pass of the drafter over one of the target.

    A pass over n tokens takes as long as reading the weights, or from `ridge` tokens on as long as the products. With
    no ridge this is E / (k c + 1), theorem 3.8 of Leviathan et al.
    """
    time = lambda tokens: max(1.0, tokens / ridge)  # noqa: E731
    return expected(alpha, k) * time(batch) / (time(batch * (k + 1)) + k * cost * time(batch))
