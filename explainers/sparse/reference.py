"""A text, a budget and a length -> what each method reads, keeps and misses, and what choosing costs.

Twin of compute.js. The text has 128 tokens, whose last one attends; costs are for any length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.explainers.legal_numbers import is_integer
from cutaway.explainers.sparse import methods, models, texts

V32 = "deepseek-ai/DeepSeek-V3.2"
STATE: dict[str, Any] = {
    "text": "needle",
    "seed": 1,
    "needle": 50,  # the token that a made text hides
    "method": "dsa",
    "budget": 32,  # tokens that a chooser may read
    "block": 8,  # tokens of a block
    "window": 8,  # tokens beside compressed entries
    "gated": True,  # an entry weighs its tokens; otherwise it is their mean
    "model": V32,
    "tokens": 2**17,  # of the costs
}
CONTEXT = "tokens"  # the key that says how many tokens there are
ROUNDED = 1e-9  # sums in another order, exp and ln of two languages
BUDGETS, BLOCKS, WINDOWS = (16, 32, 64), (4, 8, 16), (8, 16, 32)
SEEDS, NEEDLES, MOST = (1, 99), (1, 119), 2**20
MUCH = 0.9  # of the attention


def data() -> dict[str, Any]:
    """The texts, the methods with their facts, the stored head, and the catalogue's models."""
    told = [
        {**{key: getattr(one, key) for key in ("key", "label", "kind", "says", "source", "setting", "scores")},
         "parts": [list(part) for part in one.parts]}
        for one in methods.METHODS
    ]  # fmt: skip
    names = [{"value": one.name, "label": one.label} for one in texts.TEXTS]
    return {
        "texts": [*names, {"value": texts.REAL, "label": "a head of a real model"}],
        "made": [one._asdict() for one in texts.TEXTS],
        "stored": texts.stored(),
        "methods": told,
        "models": models.table(),
    }


def beat_data(data: dict[str, Any], beat: Any) -> dict[str, Any]:
    """What a beat alone needs: the stored head is the first one's, models are the last one's, sentences the lab's."""
    own = dict(data)
    if beat.figure != "weights":
        own["stored"] = {"steps": [], "numbers": "", "heads": 0}
        own["texts"] = [one for one in data["texts"] if one["value"] != texts.REAL]
    keep = [one for one in data["models"] if beat.figure == "costs" or one["slug"] == STATE["model"]]
    blank = {"says": "", "source": ""} | ({} if beat.figure == "costs" else {"setting": "", "parts": []})
    return {**own, "methods": [{**one, **blank} for one in data["methods"]], "models": keep}


def check(state: dict[str, Any], data: dict[str, Any]) -> str:
    """The sentence that says what is legal, or ""."""
    for key, allowed in (
        ("text", [one["value"] for one in data["texts"]]),
        ("method", [one["key"] for one in data["methods"]]),
    ):
        if state[key] not in allowed:
            return f"The {key} is one of {', '.join(allowed)}."
    for key, (low, high) in (("seed", SEEDS), ("needle", NEEDLES), ("tokens", (1, MOST))):
        if not is_integer(state[key]) or not low <= state[key] <= high:
            return f"The {key} is a whole number from {low} to {high}."
    for key, sizes in (("budget", BUDGETS), ("block", BLOCKS), ("window", WINDOWS)):
        if not is_integer(state[key]) or state[key] not in sizes:
            return f"The {key} is one of {', '.join(map(str, sizes))}."
    if not isinstance(state["gated"], bool):
        return "A switch is true or false."
    if state["model"] not in [one["slug"] for one in data["models"]]:
        return "The model is one of the catalogue’s that read sparsely."
    return ""


def row(method: methods.Method, state: dict[str, Any], text: texts.Text, exact: np.ndarray) -> dict[str, Any]:
    """One method on the text: what it reads, what it keeps of the attention, and how far off its output is."""
    read = method.read(text, state)
    wanted = exact @ text.v
    singly = (exact * read.single).sum(1)
    touched = read.single | (read.weights > 0)
    off = read.weights @ text.v - wanted
    found = [float(read.weights[head, place]) for head, place in enumerate(text.needles)]
    return {
        "key": method.key,
        "label": method.label,
        "reads": read.reads,
        "scored": read.scored,
        "heads": singly.tolist(),
        "mass": float(singly.mean()),
        "blended": float((exact * (touched & ~read.single)).sum(1).mean()),
        "needle": float(np.mean(found)) if found else 0.0,
        "finders": sum(bool(read.single[head, place]) for head, place in enumerate(text.needles)),
        "error": float(np.sqrt((off * off).sum() / (wanted * wanted).sum())),
        "cells": [
            int(single) if single else -1 if soft else 0
            for single, soft in zip(read.single.sum(0), np.atleast_1d(touched.any(0)), strict=True)
        ],
    }


def holding(weights: np.ndarray) -> list[int]:
    """How many of its largest weights each head needs for MUCH of its attention."""
    return [int((np.sort(one)[::-1].cumsum() < MUCH).sum()) + 1 for one in weights]


def block_rank(state: dict[str, Any], text: texts.Text) -> int:
    """The rank by mean key of the block with the first head's needle, 1 being the best; 0 without a needle."""
    if not text.needles:
        return 0
    found = text.q[0] @ methods.means(text.k, state["block"]).T
    return 1 + int((found > found[text.needles[0] // state["block"]]).sum())


def published(data: dict[str, Any], tokens: int) -> list[dict[str, Any]]:
    """What the published settings score and read for one new token, in each layer."""
    found = []
    for one in (row for row in data["methods"] if row["parts"]):
        scored = tokens // one["scores"] if one["scores"] else 0
        read = methods.reads_at(one["parts"], tokens)
        found.append(
            {"label": one["label"], "setting": one["setting"], "scored": scored, "read": read, "share": read / tokens}
        )
    return found


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the page prints."""
    text = texts.text_of(state, data)
    exact = methods.softmax(methods.scores_of(text))
    rows = [row(one, state, text, exact) for one in methods.METHODS]
    costs = [models.cost(one, int(state["tokens"])) for one in data["models"]]
    held, chosen = holding(exact), methods.KEYS.index(state["method"])
    return {
        "count": texts.TOKENS,
        "heads": len(exact),
        "weights": exact.mean(0).tolist(),
        "needles": text.needles,
        "on_needle": float(np.mean([exact[h, place] for h, place in enumerate(text.needles)])) if text.needles else 0.0,
        "much": MUCH,
        "held": held,
        "holding": max(held),
        "rank": block_rank(state, text),
        "blocks": texts.TOKENS // state["block"],
        "rows": rows,
        "says": data["methods"][chosen]["says"],
        "source": data["methods"][chosen]["source"],
        "chosen": rows[chosen],
        "of": dict(zip(methods.KEYS, rows, strict=True)),
        "published": published(data, int(state["tokens"])),
        "models": costs,
        "cost": costs[[one["slug"] for one in data["models"]].index(state["model"])],
    }


# ---------------------------------------------------------------- states that both languages are held to


def cases(seed: int = 31) -> list[dict[str, Any]]:
    """Random states over every text, and one for each model."""
    from cutaway import explainers

    held, rng = explainers.data("sparse"), np.random.default_rng(seed)
    pick = lambda options: options[int(rng.integers(len(options)))]  # noqa: E731
    found = []
    for place in range(90):
        found.append({
            "text": held["texts"][place % len(held["texts"])]["value"], "seed": int(rng.integers(1, 100)),
            "needle": int(rng.integers(1, 120)), "method": pick(methods.KEYS), "budget": pick(BUDGETS),
            "block": pick(BLOCKS), "window": pick(WINDOWS), "gated": bool(rng.integers(2)),
            "model": held["models"][place % len(held["models"])]["slug"],
            "tokens": pick((1, 127, 128, 4096, 131072, MOST)) if place % 3 else int(rng.integers(1, MOST)),
        })  # fmt: skip
    return found


def bad_cases() -> list[dict[str, Any]]:
    """States that are refused."""
    return [
        {"text": "haystack"}, {"method": "gpt"}, {"seed": 0}, {"needle": 120}, {"tokens": 1.5}, {"tokens": 2**20 + 1},
        {"budget": 48}, {"block": 5}, {"window": 0}, {"gated": 1}, {"model": "meta-llama/Llama-3.1-8B"},
    ]  # fmt: skip
