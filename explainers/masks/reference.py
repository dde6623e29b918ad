"""A mask, a stack of layers and a context -> who sees whom, who can know about whom, bytes: the masks page's truth.

Masks are matrices (forward.py). Real sizes use interval arithmetic (stack.py); tests hold it to boolean matrices on
small ones. Bytes are held to gallery.memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.explainers import config_end, fmt
from cutaway.explainers import data as cached
from cutaway.explainers.masks import claims, forward, models, words
from cutaway.explainers.masks import stack as stacks

ROUNDED = 1e-9  # a float may be off by that share in JavaScript: sums in another order
STATE: dict[str, Any] = {
    "kind": "window",  # "causal" | "window" | "chunked"
    "span": 12,  # tokens of the window or of a chunk, in the picture
    "first": 0,  # first tokens that stay visible (attention sinks as StreamingLLM has them)
    "sink": False,  # a learned logit that takes its share and gives nothing (gpt-oss, MiMo)
    "logit": 2.0,  # that logit, against scores that are all 0
    "depth": 1,  # layers of this mask on top of each other
    "query": 40,
    "model": "google/gemma-3-27b-it",
    "layer": 4,
    "context": 131_072,
}
CONTEXT = "context"  # the key that says how many tokens there are
TOKENS = 48  # of the mask picture
KINDS = ("causal", "window", "chunked")
DEPTH = 12
LONGEST = 2**22


def data() -> dict:
    """Stacks of catalogued models, and the published claims that are checked."""
    rows = models.rows()
    listed = [slug for slug in models.LISTED if any(row[0] == slug for row in rows)]
    constants = {"columns": models.COLUMNS, "marks": models.MARKS, "spans": models.SPANS, "claims": claims.CLAIMS}
    return {**constants, "models": rows, "listed": listed}


def find(slug: str, data: dict) -> dict:
    """The model's row by names; {} where there is none."""
    for row in data["models"]:
        if row[0] == slug:
            return dict(zip(data["columns"], row, strict=True))
    return {}


# ---------------------------------------------------------------- what is legal


def is_integer(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if state["kind"] not in KINDS:
        return f"A mask is one of {', '.join(KINDS)}."
    for key, low, high, what in (
        ("span", 1, TOKENS, "The window or chunk"),
        ("first", 0, 8, "First tokens kept"),
        ("depth", 1, DEPTH, "The number of layers"),
        ("query", 0, TOKENS - 1, "The query"),
    ):
        if not is_integer(state[key], low, high):
            return f"{what} is a whole number from {low} to {high}."
    logit = state["logit"]
    if isinstance(logit, bool) or not isinstance(logit, int | float) or not -8 <= logit <= 8:
        return "The sink's logit is a number from -8 to 8."
    model = find(state["model"], data)
    if not model:
        return f"No model here is called “{state['model']}”; choose one from the list."
    if not is_integer(state["layer"], 0, len(model["stack"]) - 1):
        return f"{model['title']} has {len(model['stack'])} layers: a layer from 0 to {len(model['stack']) - 1}."
    if not is_integer(state["context"], 1, LONGEST):
        return f"The context is a whole number of tokens from 1 to {fmt.integer(LONGEST)}."
    return ""


# ---------------------------------------------------------------- one mask


def start(kind: str, span: int, token: int) -> int:
    """The first token that a query at `token` sees."""
    if kind == "window":
        return max(0, token - span + 1)
    return token // span * span if kind == "chunked" else 0


def describe_mask(state: dict) -> dict:
    """The mask of the picture, and its row under the pointer. `known` says what that row knows after `depth` layers."""
    one = forward.mask(state["kind"], TOKENS, state["span"], state["first"])
    known = forward.knows([one] * state["depth"])[-1]
    row, knows = one[state["query"]], known[state["query"]]
    keys = int(row.sum())
    weight = 1 / (keys + np.exp(state["logit"])) if state["sink"] else 1 / keys
    causal = TOKENS * (TOKENS + 1) // 2
    found = {
        "starts": [start(state["kind"], state["span"], t) for t in range(TOKENS)],
        "keys": keys,
        "ranges": ranges(row),
        "known": int(knows.sum()),
        "known_ranges": ranges(knows),
        "known_from": [ranges(one) for one in known],
        "weight": float(weight),
        "lost": float(1 - keys * weight) if state["sink"] else 0.0,
        "pairs": int(one.sum()),
        "causal": causal,
        "share": float(one.sum() / causal),
    }
    return {**found, "at": f"query {state['query']}", "row": words.row(found, state), "more": words.more(found, state)}


def ranges(row: np.ndarray) -> list[list[int]]:
    """The runs of True as [first, last]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(int), [0]])))
    return [[int(a), int(b) - 1] for a, b in zip(edges[::2], edges[1::2], strict=True)]


# ---------------------------------------------------------------- everything


def passed_end(slug: str, state: dict, data: dict) -> int:
    """Where the model's config ends, if the context goes beyond it; else 0."""
    most = config_end(slug, data)
    return most if state["context"] > most else 0


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    return {
        "mask": describe_mask(state),
        "stack": stacks.compute(find(state["model"], data), state["layer"], state["context"]),
        "table": [
            stacks.row(find(slug, data), state["context"]) | {"past": passed_end(slug, state, data)}
            for slug in data["listed"]
        ],
        "claims": claims.compute(data["claims"], state["context"]),
    }


# ---------------------------------------------------------------- shared cases


def cases(data: dict | None = None, seed: int = 2) -> list[dict]:
    """States for both sides: every model at random layers and contexts, every kind of mask, some states illegal."""
    data = data or cached("masks")
    rng = np.random.default_rng(seed)
    wrong: list[dict[str, Any]] = [
        {"kind": "none"},
        {"span": 0},
        {"query": TOKENS},
        {"model": "no/such"},
        {"layer": 999},
        {"context": 0},
        {"logit": 9},
    ]
    found = [dict(STATE), *({**STATE, **one} for one in wrong)]
    for row in data["models"]:
        found += [case(rng, row[0], len(row[-1])) for _ in range(15)]
    return found


def case(rng: np.random.Generator, slug: str, layers: int) -> dict:
    return {
        "kind": str(rng.choice(KINDS)),
        "span": int(rng.integers(1, TOKENS + 1)),
        "first": int(rng.integers(0, 9)),
        "sink": bool(rng.integers(2)),
        "logit": float(np.round(rng.uniform(-8, 8), 2)),
        "depth": int(rng.integers(1, DEPTH + 1)),
        "query": int(rng.integers(TOKENS)),
        "model": slug,
        "layer": int(rng.integers(layers)),
        "context": int(2 ** rng.uniform(0, 21)),
    }
