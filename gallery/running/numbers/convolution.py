"""The causal depthwise convolution: each channel over its own last few tokens."""

from __future__ import annotations

import numpy as np

from gallery.running.numbers.plain import ACTS, flat


def conv(run, node, tensors, x):
    """Channel by channel Σ weight[k] · x[token - k], the newest token last in the kernel; then the activation, if any.

    `dilation` in the facts: only every so many tokens back.
    """
    x, kernel = flat(x), tensors["weight"][:, 0, :]
    step, size = node.facts.get("dilation", 1), kernel.shape[1]
    out = np.zeros(x.shape)
    for place in range(size):
        back = (size - 1 - place) * step
        out[back:] += kernel[:, place] * x[: max(len(x) - back, 0)]
    if "bias" in tensors:
        out = out + tensors["bias"]
    return ACTS[node.facts["act"]](out) if node.facts.get("act") else out


NUMBERS = {"conv": conv}
