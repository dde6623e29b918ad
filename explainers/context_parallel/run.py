"""One layer's attention, whole and on c ranks in four ways: the same answer, and a log of what the ranks send.

The copy that runs has a model's own query and KV heads, but 32 tokens and heads 4 numbers wide (a latent: 6, of which 4
are also the value). What is sent really travels over `gallery.mesh`; no rank sees what it was not sent. Softmax is
kept as three things per query: its largest score, its sum, its output; two of them merge into one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from cutaway.explainers.tensor_parallel import arithmetic
from cutaway.gallery.mesh import Mesh, Network

TOKENS, WIDE, LATENT = 32, 4, 6
ORDERS = ("contiguous", "zigzag", "striped")
Array = np.ndarray
Parts = dict[int, Array]


def owners(order: str, ranks: int) -> list[int]:
    """Which rank holds each of the tokens that run."""
    if order == "striped":
        return [p % ranks for p in range(TOKENS)]
    if order == "contiguous":
        return [p * ranks // TOKENS for p in range(TOKENS)]
    chunk = [p * 2 * ranks // TOKENS for p in range(TOKENS)]
    return [min(i, 2 * ranks - 1 - i) for i in chunk]


class Soft(NamedTuple):
    """A softmax over some of the keys: largest score and sum [..., head, query], and output [..., head, query, d]."""

    top: Array
    total: Array
    out: Array


def attend(q: Array, kv: Array, seen: Array, latent: bool) -> Soft:
    """Queries [..., query, head, d] over keys and values [..., key, KV head, pair], where `seen` [..., query, key]."""
    heads, kv_heads, key = q.shape[-2], kv.shape[-2], q.shape[-1]
    groups = [j * kv_heads // heads for j in range(heads)]
    pairs = np.moveaxis(kv[..., groups, :], -2, -3)
    k, v = pairs[..., :key], pairs[..., :WIDE] if latent else pairs[..., key:]
    q = np.moveaxis(q, -2, -3)
    scores = np.zeros((*q.shape[:-1], k.shape[-2]))
    for d in range(key):
        scores = scores + q[..., d, None] * k[..., None, :, d]
    scores = np.where(seen[..., None, :, :], scores / np.sqrt(float(key)), -np.inf)
    top = scores.max(-1)
    p = arithmetic.exp(scores - np.where(np.isneginf(top), 0.0, top)[..., None])
    out = np.zeros((*top.shape, WIDE))
    for i in range(v.shape[-2]):
        out = out + p[..., i, None] * v[..., None, i, :]
    return Soft(top, arithmetic.total(p), out)


def merge_softmaxes(a: Soft, b: Soft) -> Soft:
    """Two softmaxes over different keys as one over all of them."""
    top = np.maximum(a.top, b.top)
    safe = np.where(np.isneginf(top), 0.0, top)
    here, there = arithmetic.exp(a.top - safe), arithmetic.exp(b.top - safe)
    return Soft(top, a.total * here + b.total * there, a.out * here[..., None] + b.out * there[..., None])


def finish_attention(soft: Soft) -> Array:
    """What attention gives: [..., query, head, d]."""
    return np.moveaxis(soft.out / soft.total[..., None], -2, -3)


def ln(x: Array) -> Array:
    """The natural logarithm of numbers of at least 1, the same bit for bit in both languages."""
    x, halved = x.copy(), np.zeros_like(x)
    while (x > 1.5).any():
        x, halved = np.where(x > 1.5, x / 2, x), np.where(x > 1.5, halved + 1, halved)
    z = (x - 1) / (x + 1)
    out = np.zeros_like(x)
    for n in range(35, 0, -2):
        out = out * (z * z) + 1 / n
    return 2 * z * out + halved * arithmetic.LN2


# ---------------------------------------------------------------- the layer and its tokens


class Layer(NamedTuple):
    """Queries, keys and values of all tokens, and what attention gives on one rank."""

    q: Array
    kv: Array
    out: Array
    latent: bool


@lru_cache(maxsize=32)
def layer(heads: int, kv_heads: int, latent: bool) -> Layer:
    """The layer with so many heads."""
    key, pair = (LATENT, LATENT) if latent else (WIDE, 2 * WIDE)
    q = 8 * arithmetic.numbers(1, TOKENS, heads * key).reshape(TOKENS, heads, key)
    kv = 2 * arithmetic.numbers(2, TOKENS, kv_heads * pair).reshape(TOKENS, kv_heads, pair)
    return Layer(q, kv, finish_attention(attend(q, kv, np.tri(TOKENS, dtype=bool), latent)), latent)


class Run(NamedTuple):
    """What one way gave: the largest difference from one rank, what the busiest rank sent of each tensor, messages."""

    off: float
    sent: dict[str, int]  # numbers, not bytes
    messages: int


def check_outputs(net: Network, parts: Parts, places: list[Array], one: Layer) -> Run:
    """The outputs of all ranks against the layer's, and the log in numbers."""
    off = max(float(np.abs(parts[r] - one.out[places[r]]).max()) for r in parts)
    sent: dict[int, dict[str, int]] = {rank: {} for rank in parts}
    for move in net.log:
        of = sent[move.source]
        of[move.tensor] = of.get(move.tensor, 0) + move.bytes // 8
    messages = {(move.time, move.source, move.destination) for move in net.log}
    return Run(off, max(sent.values(), key=lambda row: sum(row.values())), len(messages))


def stack_parts(parts: Parts) -> Array:
    return np.stack([parts[rank] for rank in sorted(parts)])


# ---------------------------------------------------------------- four ways


def ring(net: Network, q: Parts, kv: Parts, places: list[Array], latent: bool) -> Parts:
    """Queries stay; keys and values go to the next rank, step by step, until every rank has met all of them."""
    ranks, at = len(q), np.stack(places)
    softmaxes: list[Soft] = []
    here = dict(kv)
    for step in range(ranks):
        whose = [(rank - step) % ranks for rank in range(ranks)]
        seen = at[:, :, None] >= at[whose][:, None, :]
        softmaxes.append(attend(stack_parts(q), stack_parts(here), seen, latent))
        if step < ranks - 1:
            here = net.send(here, {rank: (rank + 1) % ranks for rank in here}, "cp", "kv")
    return dict(enumerate(finish_attention(reduce(merge_softmaxes, softmaxes))))


def gather(net: Network, q: Parts, kv: Parts, places: list[Array], latent: bool) -> Parts:
    """Everyone first gets all keys and values."""
    all_kv, at = net.all_gather(kv, "cp", "kv"), np.stack(places)
    seen = at[:, :, None] >= at.reshape(1, 1, -1)
    return dict(enumerate(finish_attention(attend(stack_parts(q), stack_parts(all_kv), seen, latent))))


def ulysses(net: Network, q: Parts, kv: Parts, places: list[Array], latent: bool) -> Parts:
    """Tokens are exchanged for heads, each rank attends with its heads over all tokens, outputs go back."""
    ranks, order = len(q), np.concatenate(places)
    exchange: Callable[[Parts, str, Callable], dict] = lambda parts, name, cut: net.all_to_all(  # noqa: E731
        {rank: [cut(part, to) for to in range(ranks)] for rank, part in parts.items()}, "cp", name
    )
    of_rank = lambda x, to: x[:, to * x.shape[1] // ranks : -(-(to + 1) * x.shape[1] // ranks)]  # noqa: E731
    mine = {rank: np.concatenate(got) for rank, got in exchange(q, "q", of_rank).items()}
    keys = {rank: np.concatenate(got) for rank, got in exchange(kv, "kv", of_rank).items()}
    seen = order[:, None] >= order[None, :]
    out = dict(enumerate(finish_attention(attend(stack_parts(mine), stack_parts(keys), seen, latent))))
    back = exchange(out, "o", lambda x, to: x[to * len(x) // ranks : (to + 1) * len(x) // ranks])
    return {rank: np.concatenate(got, 1) for rank, got in back.items()}


WAYS = {"ring": ring, "gather": gather, "ulysses": ulysses}


def splits(heads: int, kv_heads: int, ranks: int) -> bool:
    """Whether so many ranks can share the heads; fewer KV heads than ranks are copied."""
    return heads % ranks == 0 and (kv_heads % ranks == 0 or ranks % kv_heads == 0)


@lru_cache(maxsize=512)
def way(name: str, order: str, ranks: int, heads: int, kv_heads: int, latent: bool) -> Run | None:
    """One way, run; None where its heads cannot be shared."""
    if name == "ulysses" and not splits(heads, kv_heads, ranks):
        return None
    one, own = layer(heads, kv_heads, latent), np.array(owners(order, ranks))
    places = [np.flatnonzero(own == rank) for rank in range(ranks)]
    net = Network(Mesh({"cp": ranks}, per_node=8))
    q, kv = ({rank: x[places[rank]] for rank in range(ranks)} for x in (one.q, one.kv))
    return check_outputs(net, WAYS[name](net, q, kv, places, latent), places, one)


@lru_cache(maxsize=128)
def decode(ranks: int, heads: int, kv_heads: int, latent: bool) -> dict[str, Any]:
    """The last token's query against a cache whose position p lies on rank p mod c."""
    one, net = layer(heads, kv_heads, latent), Network(Mesh({"cp": ranks}, per_node=8))
    cache = np.stack([one.kv[rank::ranks] for rank in range(ranks)])
    query = np.broadcast_to(one.q[-1:], (ranks, 1, *one.q.shape[1:]))
    soft = attend(query, cache, np.ones((ranks, 1, cache.shape[1]), dtype=bool), latent)
    lse = soft.top + ln(soft.total)
    packed = np.concatenate([soft.out / soft.total[..., None], lse[..., None]], -1)[:, :, 0]
    met = net.all_gather({rank: packed[rank][None] for rank in range(ranks)}, "cp", "partial")[0]
    parts, lse = met[..., :WIDE], met[..., WIDE]
    weight = arithmetic.exp(lse - lse.max(0))
    weight = weight / arithmetic.total(weight.T)
    whole = one.out[-1]
    added, mean = np.zeros_like(whole), np.zeros_like(whole)
    for rank in range(ranks):
        added, mean = added + weight[rank][:, None] * parts[rank], mean + parts[rank] / ranks
    sent = sum(move.bytes for move in net.log if move.source == 0) // 8
    return {
        "weight": [float(w) for w in weight[:, 0]],
        "off": float(np.abs(added - whole).max()),
        "mean_off": float(np.abs(mean - whole).max()),
        "extra": sent // (ranks - 1) // heads - WIDE,
    }
