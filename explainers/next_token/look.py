"""One token of a run -> what a head reads there; and of all tokens their bytes and merges."""

from __future__ import annotations

from typing import Any

from cutaway.explainers.next_token import forward, tokens

NUMBERS = 3  # of a vector, the first


def look(state: dict[str, Any], ids: list[int], made: forward.Run) -> dict[str, Any]:
    """What one head of one token reads: scores, weights and the first numbers of each vector."""
    config, layer, head = forward.load().config, made.layers[state["layer"]], state["head"]
    at = place(state, len(ids))
    shared = head * config["num_key_value_heads"] // config["num_attention_heads"]
    first = lambda vector: [float(one) for one in vector[:NUMBERS]]  # noqa: E731
    rows = [
        {
            "name": tokens.name_of(ids[j]),
            "score": float(layer.scores[head, at, j]),
            "weight": float(layer.weights[head, at, j]),
            "key": first(layer.k[j, shared]),
            "value": first(layer.v[j, shared]),
        }
        for j in range(at + 1)
    ]
    best = int(layer.weights[head, at].argmax())
    return {
        "at": at,
        "name": tokens.name_of(ids[at]),
        "shared": shared,
        "query": first(layer.q[at, head]),
        "rows": rows,
        "best": {"at": best, "name": rows[best]["name"], "weight": rows[best]["weight"]},
        "read": first(layer.mixed[at, head]),
    }


def place(state: dict[str, Any], count: int) -> int:
    """The token that is opened: the last one where `at` is -1, or past the text's end."""
    return state["at"] if 0 <= state["at"] < count else count - 1


def token_rows(ids: list[int]) -> list[dict[str, Any]]:
    """Each token with its bytes and the merges that made one of them."""
    return [{"id": one, "name": tokens.name_of(one), **pieces_of(one)} for one in ids]


def pieces_of(token: int) -> dict[str, Any]:
    """A token's bytes as they are printed, and the merges that join them."""
    return {"bytes": [tokens.name_of(byte) for byte in tokens.vocabulary()[token]], "merges": tokens.merges_of(token)}
