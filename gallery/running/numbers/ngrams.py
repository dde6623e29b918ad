"""Operations of n-gram tables: hashes of the last few tokens, and the gate that streams put on what they find."""

from __future__ import annotations

import numpy as np


def token_before(tokens, shift: int, eos: int):
    """The token so many places before each; the end-of-text token where a text does not reach so far back."""
    out = np.full(len(tokens), eos, dtype=np.int64)
    start = 0
    for t in range(len(tokens)):
        if t and tokens[t - 1] == eos:
            start = t
        if t - shift >= start:
            out[t] = tokens[t - shift]
    return out


def ngram_ids(run, node, tensors, tokens):
    """[tokens, heads] rows of the table: xor of token × multiplier, modulo each head's size."""
    facts, out, start, head = node.facts, [], 0, 0
    tokens = np.asarray(tokens, dtype=np.int64)
    mixed = tokens * facts["multipliers"][0]
    for place in range(1, facts["size"]):
        mixed = mixed ^ (token_before(tokens, place, facts["eos"]) * facts["multipliers"][place])
        for _ in range(facts["heads"]):
            out.append(mixed % facts["sizes"][head] + start)
            start, head = start + facts["sizes"][head], head + 1
    return np.stack(out, axis=1)


def signed_root(run, node, tensors, q, k):
    """[tokens, streams] the root of |scale · q·k| with its sign, at least 1e-3 in size."""
    dot = (q * k).sum(-1) * node.facts["scale"]
    return np.sqrt(np.maximum(np.abs(dot), 1e-6)) * np.sign(dot)


NUMBERS = {"ngram_ids": ngram_ids, "signed_root": signed_root}
