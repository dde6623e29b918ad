"""Mixers that keep a state, by a second route: sums over all earlier tokens, formulas as the papers write them."""

import numpy as np
import pytest

from cutaway.gallery.graph import Graph
from cutaway.gallery.mixers.lightning import LightningAttention
from cutaway.gallery.mixers.lightning import graph as lightning
from cutaway.gallery.mixers.rwkv7 import RwkvTimeMix
from cutaway.gallery.mixers.rwkv7 import graph as rwkv7
from cutaway.gallery.mlps.channel_mix import ChannelMix
from cutaway.gallery.mlps.channel_mix import graph as channel_mix
from cutaway.gallery.records import Normal
from cutaway.gallery.residuals.ngrams import NGrams, multipliers, primes_from, sizes
from cutaway.gallery.running.interpreter import Run, evaluate
from cutaway.gallery.running.numbers.recurrence import delta

TOKENS, WIDTH, HEADS, SIZE = 7, 12, 3, 4
RNG = np.random.default_rng(0)


class Loose:
    """Tensors of one graph under our own names."""

    def __init__(self, graph: Graph) -> None:
        self.held = {t.name: RNG.standard_normal(t.shape) * 0.4 for t in graph.tensors()}

    def get(self, name, layer):
        return self.held[name]


def ran(graph, x, layer=0, **values):
    """(what leaves the graph, its tensors)."""
    state = Loose(graph)
    this = Run(None, state, np.arange(len(x)), values={**values})
    return evaluate(this, graph, {"x": x}, "layer", layer), state.held


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def heads(x):
    return x.reshape(len(x), HEADS, SIZE)


class Node:
    """Facts alone."""

    def __init__(self, **facts):
        self.facts = facts


def test_a_delta_rule_that_forgets_nothing_recalls_what_it_wrote():
    """With orthonormal keys, full strength and no decay, a query that is an old key reads the old value."""
    keys = np.eye(4)[:, None, :]
    values = RNG.standard_normal((4, 1, 5))
    queries = np.repeat(keys[:1], 4, axis=0)
    out = delta(None, Node(scale=1.0), {}, queries, keys, values, np.ones((4, 1)), np.ones((4, 1, 1)))
    assert np.allclose(out[:, 0], values[0, 0])


def test_a_delta_rule_overwrites_what_stands_under_the_same_key():
    """The second value under one key replaces the first."""
    key = np.repeat(np.eye(3)[:1][:, None], 2, axis=0)
    values = RNG.standard_normal((2, 1, 3))
    out = delta(None, Node(scale=1.0), {}, key, key, values, np.ones((2, 1)), np.ones((2, 1, 1)))
    assert np.allclose(out[1, 0], values[1, 0])


@pytest.mark.parametrize("layer", [0, 3])
@pytest.mark.parametrize("by_head", [True, False])
def test_lightning_is_attention_that_fades_with_distance(layer, by_head):
    """The state gives what a sum over all earlier tokens gives, each weighed by λ to the power of its distance."""
    m = LightningAttention(HEADS, SIZE, act="silu" if by_head else "", by_head=by_head, groups=2, scale=0.5, layers=4,
                           qk_norm="" if by_head else "head", normal=Normal(eps=1e-6))  # fmt: skip
    x = RNG.standard_normal((TOKENS, WIDTH))
    out, t = ran(lightning(m, WIDTH), x, layer)
    both = x @ t["self_attn.qkv_proj.weight"].T
    if by_head:
        both = both * sigmoid(both)
        q, k, v = np.split(both.reshape(TOKENS, HEADS, 3 * SIZE), 3, axis=-1)
    else:
        q, k, v = (heads(part) for part in np.split(both, 3, axis=-1))
        q, k = (one / np.sqrt((one**2).mean(-1, keepdims=True) + 1e-6) * t[f"self_attn.{word}_norm.weight"]
                for word, one in (("q", q), ("k", k)))  # fmt: skip
    slopes = 2.0 ** (-8 * np.arange(1, HEADS + 1) / HEADS) * (1 - layer / (3 + 1e-5) + 1e-5)
    distance = np.arange(TOKENS)[:, None] - np.arange(TOKENS)
    fade = np.where(distance >= 0, np.exp(-slopes[:, None, None] * distance), 0)
    want = 0.5 * np.einsum("hqk,qhd,khd,khe->qhe", fade, q, k, v).reshape(TOKENS, 2, -1)
    want = (want / np.sqrt((want**2).mean(-1, keepdims=True) + 1e-6)).reshape(TOKENS, -1) * t["self_attn.norm.weight"]
    want = want * sigmoid(x @ t["self_attn.output_gate.weight"].T) @ t["self_attn.out_proj.weight"].T
    assert np.allclose(out, want)


def low_rank(t, word, x, act):
    down = act(x @ t[f"attn.{word}_lora.lora.0.weight"].T)
    return down @ t[f"attn.{word}_lora.lora.2.weight"].T + t.get(f"attn.{word}_lora.lora.2.bias", 0)


def rwkv7_by_the_paper(t, x, first):
    """RWKV-7's time mix as its paper writes it, one token after the other, one head after the other."""
    before = np.vstack((np.zeros(WIDTH), x[:-1]))
    xr, xw, xk, xv, xa, xg = (x + (before - x) * t[f"attn.x_{word}"].reshape(-1) for word in "rwkvag")
    r, k, v = (one @ t[f"attn.{word}_proj.weight"].T for word, one in (("r", xr), ("k", xk), ("v", xv)))
    v = v + (first.reshape(v.shape) - v) * sigmoid(low_rank(t, "v", xv, lambda y: y))
    w = np.exp(-np.exp(-0.5) * sigmoid(low_rank(t, "w", xw, np.tanh)))
    a = sigmoid(low_rank(t, "a", xa, lambda y: y))
    kappa = heads(k * t["attn.k_k"])
    kappa = kappa / np.sqrt((kappa**2).sum(-1, keepdims=True) + 1e-6)
    k = heads(k * (1 + (a - 1) * t["attn.k_a"]))
    r, v, w, a = heads(r), heads(v), heads(w), heads(a)
    out = np.zeros_like(v)
    for head in range(HEADS):
        state = np.zeros((SIZE, SIZE))
        for token in range(len(x)):
            turn = np.diag(w[token, head]) - np.outer(kappa[token, head], a[token, head] * kappa[token, head])
            state = state @ turn + np.outer(v[token, head], k[token, head])
            out[token, head] = state @ r[token, head]
    out = (out - out.mean(-1, keepdims=True)) / np.sqrt(out.var(-1, keepdims=True) + 64e-5)
    out = heads(out.reshape(len(x), -1) * t["attn.g_norm.weight"] + t["attn.g_norm.bias"])
    out = out + (r * k * t["attn.r_k"]).sum(-1, keepdims=True) * v
    return out.reshape(len(x), -1) * low_rank(t, "g", xg, sigmoid) @ t["attn.o_proj.weight"].T


def test_rwkv7_is_what_its_paper_writes():
    """The graph of RWKV-7, whose modelling code is not in transformers, equals the formulas token by token."""
    x, first = RNG.standard_normal((TOKENS, WIDTH)), RNG.standard_normal((TOKENS, HEADS, SIZE))
    graph = rwkv7(RwkvTimeMix(HEADS, SIZE, 2, 3, 4, 5), WIDTH)
    out, t = ran(graph, x, 1, **{"layer0:mixer.v_proj": first})
    assert np.allclose(out, rwkv7_by_the_paper(t, x, first))
    biases = {name.split("_lora")[0][-1] for name in t if name.endswith("lora.2.bias")}
    assert biases == set("wav")  # the paper's gate has none


def test_rwkv7s_channel_mix_reads_the_token_before():
    """relu² of a matrix on the token and its predecessor, then down."""
    x = RNG.standard_normal((TOKENS, WIDTH))
    out, t = ran(channel_mix(ChannelMix(9), WIDTH), x)
    before = np.vstack((np.zeros(WIDTH), x[:-1]))
    mixed = x + (before - x) * t["mlp.x_k"]
    want = np.maximum(mixed @ t["mlp.up_proj.weight"].T, 0) ** 2 @ t["mlp.down_proj.weight"].T
    assert np.allclose(out, want)


def test_a_layer_of_the_first_kind_keeps_its_own_values():
    """Without a low rank for values, nothing is taken from the first layer."""
    graph = rwkv7(RwkvTimeMix(HEADS, SIZE, 2, 3, 4, 0), WIDTH)
    assert not any("layer0" in source for source, _ in graph.edges())


def test_heads_of_an_n_gram_table_have_primes_of_their_own():
    """Consecutive primes from the base on; a second layer takes the next ones; multipliers are odd."""
    table = NGrams(64, 3, 2, 50, 8, 0, 1234, 96, 2, 4)
    second = NGrams(64, 3, 2, 50, 8, 1, 1234, 96, 2, 4)
    assert primes_from(1, 4) == (2, 3, 5, 7)
    assert sizes(table) == (53, 59, 61, 67)
    assert sizes(second) == (71, 73, 79, 83)
    assert multipliers(table) == (64343153921368269, 59473814669861233, 55314113489879299)
    assert all(one % 2 for one in multipliers(second)) and multipliers(second) != multipliers(table)
