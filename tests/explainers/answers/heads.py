"""Answers of the heads page's beats, from its counting: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.heads import counting, models, reference


def per_token(state: dict, data: dict, kv: int | None) -> int:
    """Bytes that one token leaves in all layers, with so many pairs; None is as the model is built."""
    model = reference.find(state, data)
    shape = model["shapes"][state["shape"]]
    kept = counting.numbers_kept(shape, counting.built_stop(shape) if kv is None else kv)
    return kept * counting.BYTES * counting.layers(shape) * model["loops"]


def all_heads(state: dict, data: dict) -> int:
    """How many query heads a layer has."""
    return reference.find(state, data)["shapes"][state["shape"]]["heads"]


def of_weights(state: dict, data: dict) -> float:
    """The cache of the context against the weights of the page's first model."""
    return reference.compute(state, data)["holds_bytes"] / models.weights_bytes(reference.STATE["model"])


answers = {
    "weights_bytes": lambda state, data: models.weights_bytes(reference.STATE["model"]),
    "of_weights": of_weights,
    "mha_bytes": lambda state, data: per_token(state, data, all_heads(state, data)),
    "mqa_bytes": lambda state, data: per_token(state, data, 1),
    "own_bytes": lambda state, data: per_token(state, data, None),
}
