"""A model, a stop on the slider and a number of ranks -> heads, bytes, weights and copies: the truth of the heads page.

The slider's stops other than the model's own are hypothetical; `words.made` says how each is computed.
The attention itself is executed in forward.py; tests hold the counts to gallery.memory and gallery.weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.heads import counting as c
from cutaway.explainers.heads import models, toy, words

ROUNDED = 1e-9  # a float may be off by that share in JavaScript: sums in another order
STATE: dict[str, Any] = {
    "model": "meta-llama/Llama-3.1-70B",
    "shape": 0,  # which of the model's attention shapes, where it has several
    "kv": -1,  # key/value heads; 0 = a latent (MLA), -1 = what the model has
    "context": 131_072,
    "head": 27,  # the query head that is looked at
    "tp": 8,
    "path": "expanded",  # how MLA decodes: "expanded" | "absorbed"
    "rope": "apart",  # where the toy puts RoPE: "apart" | "inside"
}
CONTEXT = "context"  # the key that says how many tokens there are


def data() -> dict:
    """Numbers of every catalogued model that fits on the slider."""
    return {
        "columns": models.COLUMNS,
        "shape": models.SHAPE,
        "models": models.rows(),
        "toy": toy.NUMBERS,
        "weights_bytes": models.weights_bytes(STATE["model"]),
    }


def find(state: dict, data: dict) -> dict:
    """The model's row by names, with its shapes by names; {} where there is none."""
    for row in data["models"]:
        if row[0] == state["model"]:
            model = dict(zip(data["columns"], row, strict=True))
            model["shapes"] = [dict(zip(data["shape"], one, strict=True)) for one in model["shapes"]]
            return model
    return {}


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    model = find(state, data)
    wrong = words.check_model(model, state)
    if wrong:
        return wrong
    shape = model["shapes"][state["shape"]]
    return words.check_heads(state, shape) or words.check_ranks(state["tp"], shape["heads"], c.resolve(state, shape))


def settle(state: dict, given: list[str], data: dict) -> dict:
    """The state with what a link did not set moved to the nearest legal value, so that ?model=X is enough."""
    model = find(state, data)
    shape = state["shape"] if "shape" in given or not model else min(state["shape"], len(model["shapes"]) - 1)
    if not model or not words.whole_text(shape, 0, len(model["shapes"]) - 1):
        return state
    one = model["shapes"][shape]
    below = [t for t in c.legal_ranks(one["heads"], c.resolve(state, one)) if t <= state["tp"]]
    nearest = {"shape": shape, "head": min(state["head"], one["heads"] - 1), "tp": below[-1] if below else state["tp"]}
    return {**state, **{key: value for key, value in nearest.items() if key not in given}}


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    model = find(state, data)
    shape = model["shapes"][state["shape"]]
    heads, kv = shape["heads"], c.resolve(state, shape)
    deep = c.layers(shape) * model["loops"]
    per_token = c.numbers_kept(shape, kv) * c.BYTES * deep
    tp = c.spread_tiles(shape, kv, state["tp"], per_token)
    return {
        "title": model["title"],
        "width_in": model["width_in"],
        "heads": heads,
        "layers": deep,
        "pairs": kv * deep,
        "width": words.width(shape, kv),
        "kv": kv,
        "own": c.built_stop(shape),
        "variant": c.variant(kv, heads),
        "group": state["head"] * kv // heads,
        "reads": words.reads(state["head"], kv, heads),
        "keeps": words.keeps(shape, kv),
        "stops": [c.stop(shape, n, deep, kv) for n in c.stops(shape, kv)],
        "bytes_per_token": per_token,
        "formula": words.formula(shape, kv, model["loops"]),
        "times_less": c.numbers_kept(shape, heads) / c.numbers_kept(shape, kv),
        "holds_bytes": c.bytes_at_context(shape, kv, state["context"], model["loops"]),
        "in_all_bytes": c.in_all(model, state, kv),
        "weights": c.weights_kv(shape, kv, model["width_in"]),
        "words": words.sentences(model, shape, state, kv),
        "tp": {**tp, "words": words.spread(tp["query_heads"], kv, state["tp"], tp["copies"])},
        "mla": c.mla(shape),
        "toy": toy.compute(state["rope"], data["toy"]),
    }


# ---------------------------------------------------------------- shared cases


def cases(data: dict | None = None, seed: int = 1) -> list[dict]:
    """States for both sides: every shape of every model at every stop, random heads, contexts, ranks; some illegal."""
    data = data or cached("heads")
    rng = np.random.default_rng(seed)
    wrong: list[dict[str, Any]] = [
        {"model": "no/such"},
        {"shape": 3},
        {"tp": 7},
        {"tp": 0},
        {"kv": 5},
        {"head": 64},
        {"context": 0},
        {"path": ""},
    ]
    found = [dict(STATE), *({**STATE, **one} for one in wrong)]
    for row in data["models"]:
        for i, one in enumerate(row[-1]):
            shape = dict(zip(data["shape"], one, strict=True))
            for kv in [-1, *c.stops(shape, 1)]:
                found.append(case(rng, row[0], i, kv, shape))
    return found


def case(rng: np.random.Generator, slug: str, i: int, kv: int, shape: dict) -> dict:
    """One state; one in five with any number of ranks, so often an illegal one."""
    legal = c.legal_ranks(shape["heads"], c.built_stop(shape) if kv == -1 else kv)
    return {
        "model": slug,
        "shape": i,
        "kv": kv,
        "context": int(rng.integers(1, 2**21)),
        "head": int(rng.integers(shape["heads"])),
        "tp": int(rng.integers(1, 66)) if rng.random() < 0.2 else int(rng.choice(legal)),
        "path": str(rng.choice(["expanded", "absorbed"])),
        "rope": str(rng.choice(["apart", "inside"])),
    }
