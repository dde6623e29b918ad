"""What stands around the halves of a block, switch by switch -> the numbers of a small stack that has it, run for real.

The stack, the mixing of streams and three smaller machines are siblings; models are this site's own reading of configs.
"""

from __future__ import annotations

from itertools import chain, repeat

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.norms import legal, mixing, models, small, stack

check, settle = legal.check, legal.settle

STATE = {
    "model": "meta-llama/Llama-3.1-8B",
    "norm": "pre",  # one of legal.NORMS
    "scale": 1,  # what a half gives is multiplied by it
    "layers": 40,
    "layer": 0,  # the one that is looked into, counted as they run
    "qk": False,
    "grown": 1,  # queries and keys are so many times as large as drawn
    "head": 128,  # numbers to a head, where scores are looked at
    "cap": 0,  # 0 = none
    "score": 100,  # one that meets the cap
    "gate": "none",
    "parallel": False,
    "drafts": 1,
    "accept": 0.85,  # the chance of each
    "loops": 1,
    "borrow": 0,  # the last so many layers read an earlier layer's keys and values
    "own": False,  # an embedding per layer
    "streams": 1,
    "rounds": 20,  # of Sinkhorn; 0 = streams mix freely
}
ROUNDED = 1e-6  # exponentials of two languages; see stack.py
PLAIN = {"norm": "pre", "gate": "none", "parallel": False, "loops": 1, "borrow": 0, "own": False, "streams": 1}
LETTERS = {"k": "kept", "s": "state", "-": "none"}  # of models.keeps
KINDS = {"keeping": "kept", "lent": "lent", "states": "state", "none": "none"}  # a count -> the layers that it counts
IN_A_RUN = {"runs": "layers", "caches": "keeping", "states": "states"}  # all of them -> what there is of in each run
BESIDE = "meta-llama/Llama-3.1-70B"


def data() -> dict:
    """The models and who does what; what may be chosen."""
    rows = models.rows()
    shape = {"columns": list(models.COLUMNS), "usual": models.USUAL, "models": rows}
    beside = legal.find(BESIDE, shape)
    return {
        **shape, "who": models.newest_with(), "context": models.CONTEXT,
        "beside": {key: beside[key] for key in ("title", "per_token", "layers")}, "kinds": legal.KINDS,
    }  # fmt: skip


def kinds_of(row: dict) -> list[str]:
    """For every layer whether it keeps keys and values, reads another's, keeps a state alone, or nothing."""
    made = [LETTERS[row["keeps"][i % len(row["keeps"])]] for i in range(row["layers"])]
    sources = chain(row["sources"], repeat(-1))
    return ["lent" if source >= 0 else kind for kind, source in zip(made, sources, strict=False)]


def describe_model(row: dict) -> dict:
    """One model in numbers."""
    kinds = kinds_of(row)
    row = {**row, **{key: row[key] * models.MILLION for key in ("total", "table", "mtp_numbers")}}
    return {
        **row, "kinds": kinds, **{key: kinds.count(kind) for key, kind in KINDS.items()}, "saved": 1 - 1 / row["full"],
        "table_share": row["table"] / (row["total"] or 1),
        "mtp_share": row["mtp_numbers"] / (row["total"] + row["mtp_numbers"] or 1),
    }  # fmt: skip


def looped_cache(state: dict, of: dict, data: dict) -> dict:
    """What a model's cache is when its layers run so many times: each time leaves keys and values of its own."""
    each = of["per_token"] / of["loops"]
    made = each * state["loops"]
    return {
        "each": each,
        "bytes": made,
        "times": made / data["beside"]["per_token"],
        **{key: of[count] * state["loops"] for key, count in IN_A_RUN.items()},
    }


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    of = describe_model(legal.find(state["model"], data))
    made, cost = stack.run_stack(state), stack.cost(state)
    plain = stack.cost({**state, **PLAIN, "layers": cost["passes"]})
    return {
        **made,
        "growth": made["size"] / made["sizes"][0],
        "cost": cost,
        "plain": plain,
        "share": {key: cost[key] / plain[key] for key in ("weights", "kept", "meetings")},
        "scores": small.scores(state),
        "ceiling": small.ceiling(state),
        "drafted": small.drafted_tokens(state),
        "mixing": mixing.summary(state),
        "of": of,
        "context": data["context"],
        "looped": looped_cache(state, of, data),
        "beside": data["beside"],
        "who": data["who"],
        "stands": data["who"][state["norm"]],
    }


def cases(seed: int = 5) -> list[dict]:
    """Every switch at random, each model once by its own switches; a few states are illegal."""
    rng, data = np.random.default_rng(seed), cached("norms")
    found: list[dict] = [{"model": "no/such"}, {"layers": 200}, {"layers": 100, "loops": 4}, {"layers": 8, "borrow": 8}]
    for row in data["models"][::4]:
        found.append({"model": row[0], **legal.switches(legal.find(row[0], data))})
    slugs = [row[0] for row in data["models"]]
    return found + [random_state(rng, slugs) for _ in range(60)]


def random_state(rng: np.random.Generator, slugs: list[str]) -> dict:
    """One legal state."""
    one = lambda values: values[int(rng.integers(len(values)))]  # noqa: E731
    layers = int(rng.integers(1, 61))
    return {
        "model": one(slugs), "norm": one(legal.NORMS), "scale": round(float(rng.uniform(0.1, 1.5)), 2),
        "layers": layers,
        "layer": int(rng.integers(0, 80)), "qk": bool(rng.integers(2)), "grown": one((0.5, 1, 2, 4)),
        "head": one(legal.HEADS), "cap": one((0, 0, 5, 30, 50)), "score": int(rng.integers(201)),
        "gate": one(legal.GATES),
        "parallel": bool(rng.integers(2)), "drafts": int(rng.integers(8)),
        "accept": round(float(rng.uniform(0.05, 0.99)), 2), "loops": int(rng.integers(1, 5)),
        "borrow": int(rng.integers(layers)), "own": bool(rng.integers(2)), "streams": one(legal.STREAMS),
        "rounds": one(legal.ROUNDS),
    }  # fmt: skip
