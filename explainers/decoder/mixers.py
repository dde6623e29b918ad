"""A kind of mixer -> the decoder as a graph of the gallery's operations, and the tensors it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from cutaway.explainers.decoder import task
from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.records import Normal, Rope
from cutaway.gallery.spec import Layer, ModelSpec, Norm

HIDDEN, INNER, TAPS, THETA = 48, 96, 4, 1e5
DT_BIAS = {True: -2.0, False: -4.0}  # before training, by `steps`: little fades
UNIT, MEAN = Normal("L2Norm", 1e-6), Normal("RMSNorm", 1e-6)


class Kind(NamedTuple):
    """A mixer, the same decoder around it."""

    name: str
    title: str
    family: str  # "softmax" keeps tokens, "state" rewrites one
    steps_trained: int
    heads: int = 4
    kv: int = 4
    d: int = 12
    latent: int = 0  # width of MLA's latent; 0: keys and values of their own
    rotated: int = 12  # numbers of a head turned by the position
    window: int = 0
    delta: bool = False  # what is written is what the state lacks
    gated: bool = False  # the state fades as each token says
    steps: bool = False  # as in Mamba-2: one number says how much fades and how strongly is written
    resets: bool = False  # trained on streams with resets: two tokens more

    @property
    def vocabulary(self) -> int:
        """How many tokens it knows."""
        return task.VOCABULARY + 2 * self.resets


KINDS = {
    kind.name: kind
    for kind in (
        Kind("full", "Full", "softmax", 400),
        Kind("mqa", "MQA", "softmax", 400, kv=1),
        Kind("mla", "MLA", "softmax", 550, latent=16, rotated=4),
        Kind("window", "Window 24", "softmax", 400, window=24),
        Kind("linear", "Linear", "state", 1000),
        Kind("decay", "Decay", "state", 1000, steps=True),
        Kind("delta", "Delta", "state", 650, delta=True),
        Kind("gated", "Gated delta", "state", 700, delta=True, gated=True),
        Kind("full8", "Full with heads of 8", "softmax", 500, d=8, rotated=8),
        Kind("delta8", "Delta with heads of 8", "state", 700, d=8, delta=True),
        Kind("decay-x", "Decay with resets", "state", 1000, steps=True, resets=True),
        Kind("delta-x", "Delta with resets", "state", 1000, delta=True, resets=True),
        Kind("gated-x", "Gated delta with resets", "state", 1000, delta=True, gated=True, resets=True),
    )
}


def convolve(g: Wires, word: str, x: str, width: int) -> str:
    """Each channel over its last four tokens."""
    kept = (Keep("conv", width * (TAPS - 1), f"{width} × {TAPS - 1}", fixed=True),)
    weight = {"weight": g.tensor(f"{word}_conv.weight", width, 1, TAPS)}
    return g.add(f"{word}_conv", "conv", x, tensors=weight, keeps=kept, kernel=TAPS)


def attend(kind: Kind, g: Wires, q: str, k: str, v: str) -> str:
    """The softmax over what is in sight."""
    d = kind.d + (kind.rotated if kind.latent else 0)
    facts = {"heads": kind.heads, "d": d, "dv": kind.d, "window": kind.window, "scale": d**-0.5}
    return g.add("attend", "attend", q, k, v, **facts)


def softmax_mixer(kind: Kind, g: Wires) -> str:
    """Queries, keys and values of their own; keys and values are kept."""
    n, kv, d = kind.heads, kind.kv, kind.d
    rope = Rope(kind.rotated, THETA)
    q = convolve(g, "q", g.linear("q_proj", "x", n * d, HIDDEN), n * d)
    k = convolve(g, "k", g.linear("k_proj", "x", kv * d, HIDDEN), kv * d)
    v = g.linear("v_proj", "x", kv * d, HIDDEN, split=(kv, d))
    q, k = (g.add(f"{word}_heads", "keep", one, split=(h, d)) for word, one, h in (("q", q, n), ("k", k, kv)))
    q, k = (g.rope(f"{word}_rope", one, rope) for word, one in (("q", q), ("k", k)))
    keep = lambda word: (Keep("kv", kv * d, f"{word} {kv} × {d}", window=kind.window),)  # noqa: E731
    k, v = g.add("keys", "keep", k, keeps=keep("k")), g.add("values", "keep", v, keeps=keep("v"))
    return attend(kind, g, q, k, v)


def latent(kind: Kind, g: Wires) -> str:
    """One latent and one rotated key per token are kept; every head's keys and values come out of the latent."""
    n, d, c, r = kind.heads, kind.d, kind.latent, kind.rotated
    q = convolve(g, "q", g.linear("q_proj", "x", n * (d + r), HIDDEN), n * (d + r))
    q = g.rope("q_rope", g.add("q_heads", "keep", q, split=(n, d + r)), Rope(r, THETA, last=True))
    down = convolve(g, "kv", g.linear("kv_a", "x", c + r, HIDDEN), c + r)
    low = g.norm("kv_norm", g.add("kv_low", "slice", down, start=0, stop=c), c, normal=MEAN)
    low = g.add("latent", "keep", low, keeps=(Keep("kv", c, f"latent {c}", "latent"),))
    key = g.rope("k_rope", g.add("k_low", "slice", down, start=c, stop=c + r), Rope(r, THETA))
    key = g.add("key", "keep", key, keeps=(Keep("kv", r, f"k {r}", "latent", rotated=r),))
    up = g.linear("kv_b", low, 2 * n * d, c, split=(n, 2 * d))
    k = g.add("k", "concat", g.add("k_up", "slice", up, start=0, stop=d), key)
    return attend(kind, g, q, k, g.add("v", "slice", up, start=d, stop=2 * d))


def ones(g: Wires, name: str, like: str, split: tuple[int, ...] = ()) -> str:
    """A one for every number of a value: the exponential of nothing."""
    return g.add(name, "act", g.add(f"{name}_none", "scale", like, by=0.0), act="exp", split=split)


def state(kind: Kind, g: Wires) -> str:
    """Queries and keys of length one, a state of d × d per head that every token rewrites."""
    n, d = kind.heads, kind.d
    q, k = (convolve(g, w, g.linear(f"{w}_proj", "x", n * d, HIDDEN), n * d) for w in "qk")
    q, k = (g.add(f"{w}_heads", "keep", one, split=(n, d)) for w, one in (("q", q), ("k", k)))
    q, k = (g.norm(f"{w}_unit", one, 0, normal=UNIT) for w, one in (("q", q), ("k", k)))
    v = g.linear("v_proj", "x", n * d, HIDDEN, split=(n, d))
    kept = (Keep("state", n * d * d, f"{n} × {d} × {d}", fixed=True),)
    if not kind.delta:
        return scan(kind, g, q, k, v, kept)
    beta = g.add("beta", "act", g.linear("b_proj", "x", n, HIDDEN, True), act="sigmoid")
    if kind.gated:
        rates = {"A_log": g.tensor("A_log", n), "dt_bias": g.tensor("dt_bias", n)}
        alpha = g.add("alpha", "decay", g.linear("a_proj", "x", n, HIDDEN), tensors=rates)
    else:
        alpha = ones(g, "alpha", "beta", (n, 1))
    facts = {"scale": d**-0.5, "heads": n, "d": d, "dv": d}
    return g.add("state", "delta", q, k, v, beta, alpha, keeps=kept, **facts)


def scan(kind: Kind, g: Wires, q: str, k: str, v: str, kept: tuple[Keep, ...]) -> str:
    """Mamba-2's scan: keys write values, whatever was there. Without steps nothing fades: linear attention."""
    n, d = kind.heads, kind.d
    own = {"A_log": g.tensor("A_log", n, part="" if kind.steps else "buffer"), "D": g.tensor("D", n, part="buffer")}
    if kind.steps:
        bias = {"bias": g.tensor("dt_bias", n)}
        step = g.add("step", "step", g.linear("dt_proj", "x", n, HIDDEN), tensors=bias)
    else:
        step = ones(g, "step", g.add("per_head", "slice", "x", start=0, stop=n))
    facts: dict[str, Any] = {"heads": n, "groups": n, "state_size": d, "per_state": False, "d": d, "dv": d}
    return g.add("state", "scan", v, step, k, q, tensors=own, keeps=kept, **facts)


def layer(kind: Kind) -> Graph:
    """The one layer: mixer and MLP, each reading a norm of the stream and adding to it."""
    g, inside = Wires("", "layer"), Wires("", "mixer")
    mix = latent if kind.latent else softmax_mixer if kind.family == "softmax" else state
    width = kind.heads * kind.d
    out = inside.norm("out_norm", mix(kind, inside), width, normal=MEAN, flat=True)
    mixer = inside.graph(inside.linear("o_proj", out, HIDDEN, width))
    x = g.norm("mixer_norm", "stream", HIDDEN, normal=MEAN)
    mid = g.add("mixed", "add", "stream", g.inline("mixer", mixer, x=x))
    inner = g.linear("up_proj", g.norm("mlp_norm", mid, HIDDEN, normal=MEAN), INNER, HIDDEN)
    inner = g.add("act", "act", inner, act="gelu_pytorch_tanh")
    return g.graph(g.add("out", "add", mid, g.linear("down_proj", inner, HIDDEN, INNER)))


def spec(kind: Kind) -> ModelSpec:
    """The decoder as a model of the gallery; its layer's graph is written here, since no catalogued mixer convolves
    queries and keys alone."""
    one = Layer(0, None, None, ())
    made = ModelSpec(
        model_type="dictionary", architecture="", hidden_size=HIDDEN, vocab_size=kind.vocabulary, num_hidden_layers=1,
        layers=(one,), max_position_embeddings=task.LENGTH, tie_word_embeddings=True, dtype="float32",
        final_norm=Norm("final", eps=1e-6),
    )  # fmt: skip
    made.graphs[0] = (one, layer(kind))
    return made


AROUND = {"embed.weight": "model.embed_tokens.weight", "final_norm.weight": "model.norm.weight"}


def shapes(kind: Kind) -> dict[str, tuple[int, ...]]:
    """The stored tensors in the order in which they run."""
    inside = {tensor.name: tensor.shape for tensor in layer(kind).tensors() if tensor.part != "buffer"}
    return {"embed.weight": (kind.vocabulary, HIDDEN), **inside, "final_norm.weight": (HIDDEN,)}


def name_tensors(kind: Kind, tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Stored tensors under the names that `gallery.run` looks for; a scan that does not fade has none of its own."""
    buffers = {"A_log": np.full(kind.heads, -1e4), "D": np.zeros(kind.heads)}
    return {AROUND.get(name, f"model.layers.0.{name}"): array for name, array in {**buffers, **tensors}.items()}
