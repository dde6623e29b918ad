"""A mixer and a stream -> what the decoder computes, by `gallery.run`: logits, looks, states, the road of one token.

The forward pass is the graph interpreter's. Beside it stand only what a graph does not hand out: how a query shares its
look, and what a state holds after each token.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from cutaway.explainers.decoder import mixers, stored, task
from cutaway.gallery import run

HERE = Path(__file__).parent
ROAD = {"embedding": "model:embed", "mixer": "layer0:mixed", "mlp": "layer0:out"}  # the stream after each


def file(name: str) -> bytes:
    """A mixer's weights as they are shipped."""
    return (HERE / "weights" / f"{name}.bin").read_bytes()


@cache
def load_decoder(name: str) -> tuple:
    """(the decoder as a model of the gallery, its tensors by the names that run wants)."""
    kind = mixers.KINDS[name]
    return mixers.spec(kind), mixers.name_tensors(kind, stored.unpack(file(name), mixers.shapes(kind)))


@lru_cache(256)
def run_tokens(name: str, tokens: tuple[int, ...]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(logits of every token, the value of every node of the graph)."""
    values: dict[str, np.ndarray] = {}
    spec, tensors = load_decoder(name)
    return run(spec, tensors, tokens, watch=values.__setitem__), values


def softmax(x: np.ndarray) -> np.ndarray:
    """Over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def looks(name: str, values: dict[str, np.ndarray], at: int) -> np.ndarray:
    """[heads, tokens up to this one]: how each head's query shares its look."""
    kind = mixers.KINDS[name]
    q = values["layer0:mixer.q_rope"][at]
    k = values["layer0:mixer.k" if kind.latent else "layer0:mixer.keys"][: at + 1]
    k = np.repeat(k, kind.heads // k.shape[1], axis=1)
    scores = np.einsum("hd,khd->hk", q, k) * q.shape[-1] ** -0.5
    if kind.window:
        scores[:, : max(0, at + 1 - kind.window)] = -np.inf
    return softmax(scores)


def writes(name: str, values: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """(keys, values, how much of the state stays, how strongly is written), token by token."""
    kind = mixers.KINDS[name]
    node = lambda word: values[f"layer0:mixer.{word}"]  # noqa: E731
    k, v = node("k_unit"), node("v_proj")
    if kind.delta:
        return k, v, node("alpha").reshape(len(k), -1), node("beta").reshape(len(k), -1)
    step = node("step").reshape(len(k), -1)
    rate = np.exp(load_decoder(name)[1]["model.layers.0.A_log"])
    return k, v, np.exp(-step * rate), step


def stays(name: str) -> list[float]:
    """How much of each head's state a reset leaves."""
    resets = (task.RESET,) * 3
    return writes(name, run_tokens(name, resets)[1])[2].prod(0).tolist()


def state(name: str, values: dict[str, np.ndarray], at: int) -> np.ndarray:
    """[heads, key channels, value channels] after this token."""
    k, v, stays, strength = writes(name, values)
    held = np.zeros((k.shape[1], k.shape[2], v.shape[2]))
    for t in range(at + 1):
        held = held * stays[t][:, None, None]
        new = v[t] - np.einsum("hk,hkv->hv", k[t], held) if mixers.KINDS[name].delta else v[t]
        held = held + np.einsum("hk,hv->hkv", k[t], strength[t][:, None] * new)
    return held


def road(values: dict[str, np.ndarray], logits: np.ndarray, at: int) -> dict[str, list[float]]:
    """The vectors of one token on its way to the next."""
    return {word: values[name][at].tolist() for word, name in ROAD.items()} | {"logits": logits[at].tolist()}
