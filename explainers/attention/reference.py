"""A sentence, a head and a token -> scores, weights and what the head returns.

The vectors are those of the small llama of next-token (sentences.py): stored in 16 bits for four sentences, in full for
a text of one's own, which the page runs. Twin of compute.js.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from cutaway.explainers.attention import sentences
from cutaway.explainers.legal_numbers import is_integer
from cutaway.explainers.next_token import forward, tokens
from cutaway.explainers.next_token import reference as next_token

STATE: dict[str, Any] = {
    "text": 0,  # which sentence
    "own": "",  # a text of one's own, in its place
    "layer": 2,
    "head": 3,
    "at": -1,  # the token whose query is used, <s> being 0; -1 is the last
    "scaled": True,  # scores are divided by the root of head_dim
    "masked": True,  # a token sees no later one
}
ROUNDED = 1e-9  # sums in another order
LONGEST = 1000  # characters of a text of one's own
FEW = 0.01  # a weight that counts
CONFIG = ("num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim")


def softmax(scores: np.ndarray) -> np.ndarray:
    """Weights of the last axis: positive, and 1 in sum."""
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def weights_of(q: np.ndarray, k: np.ndarray, scaled: bool, masked: bool) -> tuple[np.ndarray, np.ndarray]:
    """Dot products [n, n] of queries and keys [n, head_dim], and the weights that they become."""
    dots = q @ k.T
    scores = dots / np.sqrt(q.shape[1]) if scaled else dots
    if masked:
        scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    return dots, softmax(scores)


def shared_of(head: int) -> int:
    """The KV head that a query head reads."""
    config = forward.load().config
    return head * config["num_key_value_heads"] // config["num_attention_heads"]


def ids_of(state: dict[str, Any]) -> tuple[tuple[int, ...], int]:
    """The tokens that are shown, and how many are left out."""
    return sentences.ids_typed(state["own"]) if state["own"] else (sentences.ids_of(state["text"]), 0)


def vectors(state: dict[str, Any]) -> sentences.Vectors:
    """The vectors of the state's layer."""
    if state["own"]:
        return sentences.layers_of(ids_of(state)[0])[state["layer"]]
    return sentences.stored(state["text"], state["layer"])


def head_of(state: dict[str, Any], head: int) -> tuple[np.ndarray, np.ndarray]:
    """Dot products and weights of one head of the state's layer."""
    held = vectors(state)
    return weights_of(held.q[:, head], held.k[:, shared_of(head)], state["scaled"], state["masked"])


def place(state: dict[str, Any], count: int) -> int:
    """The token whose query is used."""
    return state["at"] if 0 <= state["at"] < count else count - 1


def summary(weights: np.ndarray, ids: tuple[int, ...], at: int, names: list[str]) -> dict[str, Any]:
    """What one head does: where the token looks, and the mean weights on the token before, <s> and the same word."""
    count, best = len(ids), int(weights[at].argmax())
    same = [sum(weights[i, j] for j in range(1, i) if ids[j] == ids[i]) for i in range(2, count) if ids[i] in ids[1:i]]
    return {
        "best": {"at": best, "name": names[best], "weight": float(weights[at, best])},
        "previous": float(np.mean([weights[i, i - 1] for i in range(2, count)])),
        "first": float(np.mean([weights[i, 0] for i in range(2, count)])),
        "same": float(np.mean(same)) if same else 0.0,
    }


def look(state: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """One token's query against every key: scores, weights, and the values summed by them."""
    held, at, shared = vectors(state), place(state, len(names)), shared_of(state["head"])
    dots, weights = head_of(state, state["head"])
    root = np.sqrt(held.q.shape[2]) if state["scaled"] else 1.0
    rows = [
        {
            "name": names[j],
            "dot": float(dots[at, j]),
            "score": float(dots[at, j] / root),
            "weight": float(weights[at, j]),
            "seen": not state["masked"] or j <= at,
            "key": held.k[j, shared].tolist(),
            "value": held.v[j, shared].tolist(),
        }
        for j in range(len(names))
    ]
    best = int(weights[at].argmax())
    return {
        "at": at,
        "name": names[at],
        "shared": shared,
        "query": held.q[at, state["head"]].tolist(),
        "rows": rows,
        "best": {"at": best, "name": names[best], "weight": float(weights[at, best])},
        "counting": int((weights[at] >= FEW).sum()),
        "read": (weights[at] @ held.v[:, shared]).tolist(),
    }


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the page prints."""
    ids, cut = ids_of(state)
    names, count = [tokens.name_of(one) for one in ids], len(ids)
    grids = [head_of(state, head)[1] for head in range(data["config"]["num_attention_heads"])]
    seen = look(state, names)
    return {
        "tokens": [{"id": one, "name": name} for one, name in zip(ids, names, strict=True)],
        "count": count,
        "cut": cut,
        "pairs": {"all": count * count, "computed": count * (count + 1) // 2 if state["masked"] else count * count},
        "model": data["config"],
        "few": FEW,
        "look": seen,
        "heads": [{"head": head} | summary(grid, ids, seen["at"], names) for head, grid in enumerate(grids)],
        "grids": [grid.tolist() for grid in grids],
    }


def check(state: dict[str, Any], data: dict[str, Any]) -> str:
    """The sentence that says what is legal, or ""."""
    config = data["config"]
    for key, most, named in (
        ("text", len(data["texts"]) - 1, "A sentence"),
        ("layer", config["num_hidden_layers"] - 1, "A layer"),
        ("head", config["num_attention_heads"] - 1, "A head"),
    ):
        if not is_integer(state[key], 0, most):
            return f"{named} is a whole number from 0 to {most}."
    if len(state["own"].encode("utf-16-le", "surrogatepass")) > 2 * LONGEST:
        return (
            f"A text of your own has at most {LONGEST:,} characters here; its first {sentences.MOST - 1} tokens "
            "are shown after <s>."
        )
    names = data["texts"][int(state["text"])]["names"]
    last = (sentences.MOST if state["own"] else len(names)) - 1
    if not is_integer(state["at"], -1, last):
        return f"A token of this sentence is a whole number from -1 (the last) to {last}."
    return (
        "" if isinstance(state["scaled"], bool) and isinstance(state["masked"], bool) else "A switch is true or false."
    )


# ---------------------------------------------------------------- what the page starts from


def data() -> dict[str, Any]:
    """The sentences, the vectors of the first one's layer, and apart from the page those of all."""
    config, model = {key: forward.load().config[key] for key in CONFIG}, next_token.data()
    layers = range(config["num_hidden_layers"])
    every = b"".join(sentences.packed(text, layer) for text in range(len(sentences.TEXTS)) for layer in layers)
    shown = sentences.packed(STATE["text"], STATE["layer"])
    rows = [
        {
            "words": words,
            "ids": list(sentences.ids_of(text)),
            "names": [tokens.name_of(one) for one in sentences.ids_of(text)],
            "steps": [sentences.step_of(text, layer) for layer in layers],
        }
        for text, words in enumerate(sentences.TEXTS)
    ]
    return {
        "config": config,
        "texts": rows,
        "first": {
            "text": STATE["text"],
            "layer": STATE["layer"],
            "numbers": sentences.coded(shown),
        },
        "digest": hashlib.sha256(every).hexdigest()[:7],
        "size": len(every),
        "model": {"config": model["config"], "digest": model["digest"], "bytes": model["facts"]["file"]},
        "apart": {"vectors": sentences.coded(every)},
    }


def separate_files() -> list[str]:
    """The names of the files apart."""
    return ["vectors"]


# ---------------------------------------------------------------- states that both languages are held to


def cases() -> list[dict[str, Any]]:
    """Every head of every sentence, with and without scale and mask, from several tokens."""
    rows = []
    for text in range(len(sentences.TEXTS)):
        for place_of in range(16):
            layer, head = divmod(place_of, 4)
            switches = {"scaled": place_of % 3 > 0, "masked": (place_of + text) % 4 > 0}
            rows.append({"text": text, "layer": layer, "head": head, "at": place_of % 12 - 1, **switches})
    return rows


def bad_cases() -> list[dict[str, Any]]:
    """States that are refused."""
    texts: list[dict[str, Any]] = [
        {"own": "a" * (LONGEST + 1)},
        {"own": "a", "at": sentences.MOST},
        {"text": 4},
        {"text": 1, "at": 13},
    ]
    return [*texts, {"layer": -1}, {"head": 1.5}, {"at": 14}]
