"""Operations of DeepSeek-V4's attention: tokens pooled into entries, attention over both, a way out in groups."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.running.numbers.attention import softmax, visible
from cutaway.gallery.running.numbers.indexing import past


def pool(run, node, tensors, kv, gate):
    """[entry, size] Σ softmax(gate + ape) · kv over each window of `ratio` tokens; columns of the first half serve the
    next window where two overlap."""
    ratio, size, whole = node.facts["ratio"], node.facts["size"], len(kv) // node.facts["ratio"]
    kv, gate = (x[: whole * ratio].reshape(whole, ratio, x.shape[-1]) for x in (kv, gate))
    gate = gate + tensors["position_bias"]
    if node.facts["overlap"]:
        before = np.full((1, ratio, size), -np.inf)
        gate = np.concatenate((np.concatenate((before, gate[:-1, :, :size]))[:whole], gate[:, :, size:]), axis=1)
        kv = np.concatenate(
            (np.concatenate((np.zeros(before.shape), kv[:-1, :, :size]))[:whole], kv[:, :, size:]), axis=1
        )
    if not whole:
        return np.zeros((0, size))
    weights = np.exp(gate - gate.max(1, keepdims=True))
    return (weights / weights.sum(1, keepdims=True) * kv).sum(1)


def attend_entries(run, node, tensors, q, kv, entries=None, chosen=None):
    """softmax(scale · q·kv) kv over a window of raw vectors and the complete entries, or those that are chosen."""
    seen = visible(node, len(run.tokens))
    if entries is not None:
        closed = past(run, node.facts["every"], len(entries))
        seen = np.concatenate((seen, closed if chosen is None else closed & chosen), axis=1)
        kv = np.concatenate((kv, entries))
    scores = np.where(seen, np.einsum("qhd,kd->hqk", q, kv) * node.facts["scale"], -np.inf)
    return np.einsum("hqk,kd->qhd", softmax(scores, tensors.get("sinks")), kv)


def grouped_linear(run, node, tensors, x):
    """Each group of heads through its own rows."""
    groups = node.facts["groups"]
    x = x.reshape(len(x), groups, -1)
    return np.einsum("tgi,goi->tgo", x, tensors["weight"].reshape(groups, -1, x.shape[-1])).reshape(len(x), -1)


NUMBERS = {"pool": pool, "attend_entries": attend_entries, "grouped_linear": grouped_linear}
