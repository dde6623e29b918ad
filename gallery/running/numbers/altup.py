"""Operations of AltUp's streams, [tokens, streams, width], and of what is kept per layer."""

from __future__ import annotations

import numpy as np


def stack(run, node, tensors, *values):
    """Several values as the streams of one."""
    return np.stack(values, axis=1)


def pick(run, node, tensors, x):
    """One stream of many, or one layer's part."""
    return x[:, node.facts["index"]]


def match(run, node, tensors, x, size):
    """x as large as another value: its root mean square, never below 1e-5 squared."""
    own = np.sqrt(np.maximum((x * x).mean(-1, keepdims=True), 1e-5))
    return x * np.sqrt((size * size).mean(-1, keepdims=True)) / own


def predict(run, node, tensors, x, coefs):
    """Every stream plus a mixture of all, with coefficients of the token's own."""
    streams = x.shape[1]
    return x + np.einsum("tba,tah->tbh", coefs.reshape(len(x), streams, streams), x)


def correct(run, node, tensors, x, now, coefs):
    """What the active stream learned reaches every stream with 1 + its coefficient."""
    learned = now - x[:, node.facts["active"]]
    return x + learned[:, None, :] * (coefs + 1)[:, :, None]


def add_to(run, node, tensors, x, value):
    """Added to every stream from the first one named on."""
    out = x.copy()
    out[:, node.facts["first"] :] += value[:, None, :]
    return out


NUMBERS = {"stack": stack, "pick": pick, "match": match, "predict": predict, "correct": correct, "add_to": add_to}
