"""A model's rotation, a base and a stretching -> how long each pair takes to turn once, and what a score sees of it.

The frequencies are gallery.running's, which are held to golden logits; queries and keys are rotated for real.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers.position import models
from cutaway.gallery.records import Rope
from cutaway.gallery.running.frequencies import frequencies

STATE = {
    "model": "meta-llama/Llama-3.1-8B",
    "theta": 0,  # the base; 0 is the model's own
    "stretch": "own",  # "own" as the config says, "none", or one of BORROWED
    "query": 12,  # positions in the text
    "key": 4,
    "pair": 16,  # the one that is read out; a model with fewer pairs shows its last
}
ROUNDED = 1e-9  # powers and cosines of two languages differ by the last bits
FURTHEST = 255
PAIRS = 64
BASES = (0, 10_000, 20_000, 25_000, 30_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000)
BORROWED = {  # with the usual numbers of their papers and classes
    "linear": {"factor": 8},
    "llama3": {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4},
    "yarn": {"factor": 8, "beta_fast": 32, "beta_slow": 1},
}
STRETCHES = ("own", "none", *BORROWED)
NAMES = {
    "default": "no scaling", "linear": "linear", "llama3": "llama3", "yarn": "YaRN",
    "longrope": "longrope, with its own list: drawn unscaled", "dynamic": "a permanently larger base",
    "proportional": "unscaled, and its slow pairs do not rotate",
}  # fmt: skip
PLAIN = ("longrope", "dynamic")  # drawn as if their kind were default
DIALS = 4
FAR = 1000  # tokens: the distance whose score is printed
DISTANCES = sorted({round(2 ** (i / 8)) for i in range(8 * 17 + 1)})  # up to 131,072


def data() -> dict:
    """The models, and what may be chosen."""
    return {"models": models.rows(), "bases": list(BASES), "borrowed": BORROWED, "names": NAMES}


def find(slug: str, data: dict) -> dict:
    """The model's row; {} where there is none."""
    one: list = next((row for row in data["models"] if row[0] == slug), [])
    return {"scaling": {}, **dict(zip(models.COLUMNS, one, strict=False))} if one else {}


def is_integer(value: object, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= high


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if not find(state["model"], data):
        return f"No model here is called “{state['model']}”; choose one from the list."
    if isinstance(state["theta"], bool) or state["theta"] not in BASES:
        return "The base is one of those in the list; 0 stands for the model's own."
    if state["stretch"] not in STRETCHES:
        return f"The scaling is one of {', '.join(STRETCHES)}."
    for key in ("query", "key"):
        if not is_integer(state[key], FURTHEST):
            return f"The {key} is at a token from 0 to {FURTHEST}."
    if not is_integer(state["pair"], PAIRS - 1):
        return f"A pair is a whole number from 0 to {PAIRS - 1}."
    return ""


# ---------------------------------------------------------------- rotation


def original(row: dict) -> int:
    """How many tokens the model was trained on before it was stretched; 0 where its config does not say so."""
    return int(row["scaling"].get("original_max_position_embeddings") or 0)


def trained_length(row: dict) -> int:
    """The same, or else the length of its config, which may have room beyond what it was trained on."""
    return original(row) or row["context"]


def rope_of(state: dict, row: dict) -> Rope:
    """The rotation as it is asked for, of all the pairs that set its paces."""
    kind, said = row["kind"], row["scaling"]
    whole = said.get("whole", row["dims"])
    if state["stretch"] == "none":
        kind, said = "default", {}
    elif state["stretch"] != "own":
        kind = state["stretch"]
        said = BORROWED[kind] | {"original_max_position_embeddings": trained_length(row)}
    if kind == "proportional":
        said = {"factor": said["factor"], "rotated": row["dims"]}
    return Rope(
        dims=whole,
        theta=state["theta"] or row["theta"],
        kind=kind,
        scaling=tuple(sorted(said.items())),
        context=row["context"],
    )


def rotate_unit(position: int, each: np.ndarray) -> np.ndarray:
    """A vector with (1, 0) in every pair, rotated as the token at this position is."""
    return np.stack([np.cos(position * each), np.sin(position * each)])


def score(query: int, key: int, each: np.ndarray, row: dict) -> float:
    """What the query scores with a key of its own numbers, 1 at most; numbers that do not turn fit always."""
    turning = float((rotate_unit(query, each) * rotate_unit(key, each)).sum())
    return (turning + (row["head"] - row["dims"]) / 2) / (row["head"] / 2)


def by_distance(distances: list[int], each: np.ndarray, row: dict) -> tuple[np.ndarray, np.ndarray]:
    """(mean, standard deviation) of what a random query scores with a key of its own numbers, by their distance.

    Of normal numbers, a pair's share of a query's squares is as likely as any other split (Dirichlet), so the deviation
    is that of the pairs' cosines over √(pairs + 1).
    """
    turning, still = np.cos(np.outer(distances, each)), (row["head"] - row["dims"]) / 2
    pairs = row["head"] / 2
    mean, square = ((np.sum(part, axis=1) + still) / pairs for part in (turning, turning * turning))
    return mean, np.sqrt(np.maximum(square - mean * mean, 0) / (pairs + 1))


def summary(row: dict, rope: Rope, waves: np.ndarray, plain: np.ndarray) -> dict:
    """The rotation in numbers."""
    scaling: dict[str, Any] = dict(rope.scaling)
    factor = float(scaling.get("factor", 1))
    kept = int((waves / plain < 1 + 1e-9).sum())
    slowed = int((waves / plain > factor * (1 - 1e-9)).sum()) if factor > 1 else 0
    pairs = len(waves)
    return {
        "title": row["title"],
        "head": row["head"],
        "dims": row["dims"],
        "share": row["dims"] / row["head"],
        "pairs": pairs,
        "theta": rope.theta,
        "trained": trained_length(row),
        "original": original(row),
        "kind": NAMES[rope.kind],
        "factor": factor,
        "unfinished": int((plain > trained_length(row)).sum()),
        "kept": kept,
        "slowed": slowed,
        "between": pairs - kept - slowed,
        "fastest": float(waves[0]) if pairs else 0.0,
        "slowest": float(waves[-1]) if pairs else 0.0,
        "slowest_plain": float(plain[-1]) if pairs else 0.0,
    }


def dial(pair: int, each: np.ndarray, state: dict) -> dict:
    """One pair: where both hands stand and the angle between them, in degrees."""
    degrees = float(each[pair]) * 180 / pi
    return {
        "pair": pair,
        "query": state["query"] * degrees % 360,
        "key": state["key"] * degrees % 360,
        "between": abs(state["query"] - state["key"]) * degrees,
    }


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    row = find(state["model"], data)
    rope = rope_of(state, row)
    pairs = row["dims"] // 2
    turns = pairs > 0
    own = rope._replace(kind="default") if rope.kind in PLAIN else rope
    each = frequencies(own, 0)[0][:pairs] if turns else np.zeros(0)
    base = frequencies(rope._replace(kind="default"), 0)[0][:pairs] if turns else np.zeros(0)
    waves, plain = 2 * pi / each, 2 * pi / base
    pair = min(state["pair"], max(pairs - 1, 0))
    here = {"pair": pair, "wave": 0.0, "plain": 0.0, "times": 1.0}
    if turns:
        wave, before = float(waves[pair]), float(plain[pair])
        here |= {"wave": wave, "plain": before, "times": wave / before}
    means, spreads = by_distance([FAR, *DISTANCES], each, row)
    return {
        "rope": summary(row, rope, waves, plain),
        "far": {"tokens": FAR, "mean": float(means[0]), "twice": 2 * float(spreads[0])},
        "distances": {"mean": means[1:].tolist(), "spread": spreads[1:].tolist()},
        "waves": [float(w) for w in waves],
        "plain": [float(w) for w in plain],
        "dials": [dial(i * pairs // (2 * DIALS), each, state) for i in range(DIALS if turns else 0)],
        "here": here,
        "offset": abs(state["query"] - state["key"]),
        "score": score(state["query"], state["key"], each, row),
    }


def cases(seed: int = 4) -> list[dict]:
    """The listed models under every stretching, others under some; the rest is random, a few states are illegal."""
    rng = np.random.default_rng(seed)
    found: list[dict] = [{"model": "no/such"}, {"theta": 5}, {"stretch": "rubber"}, {"query": 256}, {"pair": 64}]
    for i, row in enumerate(cached("position")["models"]):
        few = i >= len(models.LISTED)
        for stretch in [STRETCHES[i % 5]] if few else STRETCHES:
            for _ in range(1 if few else 4):
                found.append(
                    {
                        "model": row[0],
                        "stretch": stretch,
                        "theta": int(rng.choice(BASES)),
                        "query": int(rng.integers(FURTHEST + 1)),
                        "key": int(rng.integers(FURTHEST + 1)),
                        "pair": int(rng.integers(PAIRS)),
                    }
                )
    return found
