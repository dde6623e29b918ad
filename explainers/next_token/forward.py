"""Tokens -> logits: a llama written out in numpy, with a cache that grows, and what every layer and head did.

Twin of forward.js. Weights are those of weights.bin, widened to float64; new tokens see what the cache holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cutaway.explainers.next_token import stored

HERE = Path(__file__).parent


@dataclass
class Layer:
    """What one layer did with the new tokens. n new tokens, m in the cache with them, heads of head_dim numbers."""

    q: np.ndarray  # [n, heads, head_dim], rotated
    k: np.ndarray  # [m, kv_heads, head_dim], rotated
    v: np.ndarray  # [m, kv_heads, head_dim]
    scores: np.ndarray  # [heads, n, m]: q·k / sqrt(head_dim), -inf where a key comes later
    weights: np.ndarray  # [heads, n, m]: softmax of the scores
    mixed: np.ndarray  # [n, heads, head_dim]: the values, summed by the weights
    attended: np.ndarray  # [n, hidden]: the residual stream after attention
    out: np.ndarray  # [n, hidden]: the residual stream after the MLP


@dataclass
class Cache:
    """The keys and values of the tokens so far, of each layer."""

    keys: list[np.ndarray] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        return len(self.keys[0]) if self.keys else 0


@dataclass
class Run:
    """What a run gives: a row of logits and a state of the stream for each new token."""

    embedded: np.ndarray  # [n, hidden]
    layers: list[Layer]
    logits: np.ndarray  # [n, vocab]


@dataclass(frozen=True)
class Model:
    """A config and its tensors, by their names in transformers."""

    config: dict[str, Any]
    tensors: dict[str, np.ndarray]


@cache
def load() -> Model:
    """The model that is shipped."""
    config = json.loads((HERE / "config.json").read_text("utf-8"))
    tensors = stored.unpack((HERE / "weights.bin").read_bytes(), stored.shapes(config))
    return Model(config, {name: array.astype(float) for name, array in tensors.items()})


def rms(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    """RMSNorm: each row over the root of its mean square."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def softmax(scores: np.ndarray) -> np.ndarray:
    """Shares of the last axis."""
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def rotate(x: np.ndarray, start: int, theta: float) -> np.ndarray:
    """RoPE: numbers i and i + head_dim / 2 of a head turn as a pair, by the position over theta^(2i / head_dim)."""
    half = x.shape[-1] // 2
    turns = np.arange(start, start + len(x))[:, None] * theta ** (-np.arange(half) / half)
    cos, sin = np.cos(turns)[:, None, :], np.sin(turns)[:, None, :]
    first, second = x[..., :half], x[..., half:]
    return np.concatenate((first * cos - second * sin, second * cos + first * sin), -1)


def attend(model: Model, at: str, x: np.ndarray, cache: Cache, layer: int) -> dict[str, np.ndarray]:
    """q, k and v of the new tokens, the cache with them, and what each head reads."""
    config, tensors = model.config, model.tensors
    n, dim, theta = len(x), config["head_dim"], config["rope_theta"]
    start = len(cache.keys[layer])
    heads = lambda name: (x @ tensors[f"{at}self_attn.{name}_proj.weight"].T).reshape(n, -1, dim)  # noqa: E731
    q = rotate(heads("q"), start, theta)
    k = cache.keys[layer] = np.concatenate((cache.keys[layer], rotate(heads("k"), start, theta)))
    v = cache.values[layer] = np.concatenate((cache.values[layer], heads("v")))
    shared = q.shape[1] // k.shape[1]  # query heads that read one key head
    scores = np.einsum("nhd,mhd->hnm", q, np.repeat(k, shared, 1)) / np.sqrt(dim)
    scores[:, np.arange(len(k))[None, :] > start + np.arange(n)[:, None]] = -np.inf
    weights = softmax(scores)
    mixed = np.einsum("hnm,mhd->nhd", weights, np.repeat(v, shared, 1))
    return {"q": q, "k": k, "v": v, "scores": scores, "weights": weights, "mixed": mixed}


def run(model: Model, ids: Sequence[int], cache: Cache | None = None) -> Run:
    """The new tokens `ids` through the model; the cache, where one is given, grows by them."""
    config, tensors = model.config, model.tensors
    if cache is None:
        cache = Cache()
    if not cache.keys:
        empty = (0, config["num_key_value_heads"], config["head_dim"])
        cache.keys = [np.zeros(empty) for _ in range(config["num_hidden_layers"])]
        cache.values = [np.zeros(empty) for _ in range(config["num_hidden_layers"])]
    table, eps = tensors["model.embed_tokens.weight"], config["rms_norm_eps"]
    stream = embedded = table[list(ids)]
    layers = []
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        made = attend(model, at, rms(stream, tensors[f"{at}input_layernorm.weight"], eps), cache, layer)
        attended = stream + made["mixed"].reshape(len(stream), -1) @ tensors[f"{at}self_attn.o_proj.weight"].T
        x = rms(attended, tensors[f"{at}post_attention_layernorm.weight"], eps)
        gate, up = (x @ tensors[f"{at}mlp.{name}_proj.weight"].T for name in ("gate", "up"))
        stream = attended + (gate / (1 + np.exp(-gate)) * up) @ tensors[f"{at}mlp.down_proj.weight"].T
        layers.append(Layer(**made, attended=attended, out=stream))
    return Run(embedded, layers, rms(stream, tensors["model.norm.weight"], eps) @ table.T)
