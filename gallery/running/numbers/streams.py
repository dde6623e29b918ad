"""Operations of a residual stream that is several: [tokens, streams, width]."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.running.numbers.experts import softmax
from cutaway.gallery.running.numbers.plain import sigmoid


def copies(run, node, tensors, x):
    """The same vector in every stream."""
    return np.repeat(x[:, None], node.facts["streams"], axis=1)


def flatten(run, node, tensors, x):
    """All streams of a token as one vector."""
    return x.reshape(len(x), -1)


def stream_weights(run, node, tensors, raw):
    """[token, stream] times · σ(scale · raw + base) + eps, of one part of the raw weights."""
    facts, n, part = node.facts, node.facts["streams"], node.facts["part"]
    rows = slice(part * n, (part + 1) * n)
    return facts["times"] * sigmoid(raw[:, rows] * tensors["scale"][part] + tensors["base"][rows]) + facts["eps"]


def sinkhorn(run, node, tensors, raw):
    """[token, from, to] a matrix whose rows and columns sum to one, made so in turn."""
    n, eps = node.facts["streams"], node.facts["eps"]
    mix = (raw[:, 2 * n :] * tensors["scale"][2] + tensors["base"][2 * n :]).reshape(-1, n, n)
    mix = softmax(mix) + eps
    mix = mix / (mix.sum(1, keepdims=True) + eps)
    for _ in range(node.facts["iters"] - 1):
        mix = mix / (mix.sum(2, keepdims=True) + eps)
        mix = mix / (mix.sum(1, keepdims=True) + eps)
    return mix


def collapse(run, node, tensors, streams, share):
    """Σ share · stream."""
    return np.einsum("tnh,tn->th", streams, share)


def expand(run, node, tensors, x, share):
    """One vector to every stream, by its share."""
    return share[:, :, None] * x[:, None, :]


def mix_streams(run, node, tensors, streams, mix):
    """Each stream as a sum of all of them."""
    return np.einsum("tjk,tjh->tkh", mix, streams)


def mean_streams(run, node, tensors, streams):
    """Their mean."""
    return streams.mean(1)


NUMBERS = {
    "copies": copies, "flatten": flatten, "stream_weights": stream_weights, "sinkhorn": sinkhorn, "collapse": collapse,
    "expand": expand, "mix_streams": mix_streams, "mean_streams": mean_streams,
}  # fmt: skip
