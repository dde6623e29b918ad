"""Operations around vectors that stand in front of the tokens: they join, are told apart, and are left out again."""

from __future__ import annotations

import math

import numpy as np


def rows(run, node, tensors):
    """The same rows of a table, whatever the tokens."""
    return tensors["weight"][node.facts["start"] : node.facts["stop"]]


def in_front(run, node, tensors, first, x):
    """One after the other, as tokens."""
    return np.concatenate((first, x))


def drop_first(run, node, tensors, x):
    """Without the first few."""
    return x[node.facts["start"] :]


def kinds(node, tokens):
    """The segment of each vector: 0 in front and for padding, one kind for the tokens."""
    return np.concatenate((np.zeros(node.facts["before"], int), np.where(tokens != 0, node.facts["kind"], 0)))


def segments(run, node, tensors, tokens):
    """A row for the segment of each."""
    return tensors["weight"][kinds(node, tokens)]


def distance_bias(run, node, tensors, tokens):
    """[heads, query, key]: a row of the table for the distance, or across segments for the pair of segments.

    Half of the buckets are for keys ahead; in each half short distances have a bucket each, long ones share.
    """
    facts, kind = node.facts, kinds(node, tokens)
    half = facts["buckets"] // 2
    exact, place = half // 2, np.arange(len(kind))
    away = place[None, :] - place[:, None]
    far = np.log(np.maximum(abs(away), 1) / exact) / math.log(facts["longest"] / exact) * (half - exact)
    near = np.where(abs(away) < exact, abs(away), np.minimum(exact + far.astype(int), half - 1))
    bucket = near + np.where(away > 0, half, 0)
    across = facts["buckets"] + kind[:, None] * facts["types"] + kind[None, :]
    chosen = np.where(kind[:, None] == kind[None, :], bucket, across)
    return np.moveaxis(tensors["weight"][chosen], -1, 0)


NUMBERS = {
    "rows": rows,
    "in_front": in_front,
    "behind": drop_first,
    "segments": segments,
    "distance_bias": distance_bias,
}
