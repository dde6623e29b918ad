"""The causal convolution, each channel over its own last tokens, and what CCA has beside it: means, a delay."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.running.numbers.plain import ACTS, flat


def conv(run, node, tensors, x):
    """Channel by channel Σ weight[k] · x[token - k], the newest token last in the kernel; then the activation, if any.

    `dilation` in the facts: only every so many tokens back. A weight of several numbers per channel mixes as many
    neighbouring channels. `before` stands where there was no token yet (zero, if nothing does).
    """
    x, weight = flat(x), tensors["weight"]
    step, size = node.facts.get("dilation", 1), weight.shape[2]
    earlier = np.zeros(((size - 1) * step, x.shape[1])) + tensors.get("before", 0.0)
    all_x, out = np.concatenate((earlier, x)), np.zeros((len(x), len(weight)))
    for place in range(size):
        out += mix_tap(weight[:, :, place], all_x[place * step : place * step + len(x)])
    if "bias" in tensors:
        out = out + tensors["bias"]
    return ACTS[node.facts["act"]](out) if node.facts.get("act") else out


def mix_tap(weight, x):
    """One tap: each channel times its number, or each group of channels times its matrix."""
    per = weight.shape[1]
    if per == 1:
        return x * weight[:, 0]
    parts = x.reshape(len(x), -1, per)
    return np.einsum("tgi,goi->tgo", parts, weight.reshape(parts.shape[1], -1, per)).reshape(len(x), -1)


def delay(run, node, tensors, x):
    """The value of the token before."""
    first = np.zeros((1, *x.shape[1:])) + tensors.get("before", 0.0)
    return np.concatenate((first, x[:-1]))


def head_mean(run, node, tensors, q, k):
    """(q + its key) / 2 for every query head, keys shared by groups of them."""
    heads, groups = node.facts["heads"], node.facts["groups"]
    q, k = q.reshape(len(q), heads, -1), k.reshape(len(k), groups, -1)
    return (q + np.repeat(k, heads // groups, axis=1)) / 2


def group_mean(run, node, tensors, x):
    """The mean of the heads of each group."""
    return x.reshape(len(x), node.facts["groups"], -1, x.shape[-1]).mean(axis=2)


NUMBERS = {"head_mean": head_mean, "group_mean": group_mean, "conv": conv, "delay": delay}
