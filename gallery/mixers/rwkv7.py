"""RWKV-7's time mix: a generalised delta rule whose decay, learning rate and gate come through low ranks."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.gated_delta import L2
from cutaway.gallery.records import Normal


@dataclass(frozen=True, slots=True)
class RwkvTimeMix:
    """RWKV-7: a generalised delta rule with vector decay; state heads x head_dim x head_dim."""

    num_heads: int
    head_dim: int
    decay_low_rank_dim: int
    gate_low_rank_dim: int
    a_low_rank_dim: int
    v_low_rank_dim: int
    normal: Normal = Normal("LayerNorm", 64e-5)  # noqa: RUF009 (a tuple, never changed)


def low_rank(g: Wires, word: str, x: str, rank: int, h: int, act: str, bias: bool = True) -> str:
    """Down, an activation or none, up."""
    down = g.linear(f"{word}_lora.lora.0", x, rank, h)
    if act:
        down = g.add(f"{word}_lora.act", "act", down, act=act)
    return g.linear(f"{word}_lora.lora.2", down, h, rank, bias)


def token_mix(g: Wires, word: str, before: str, h: int) -> str:
    """A token mixed with the one before it, channel by channel."""
    tensors = {"mix": g.tensor(f"x_{word}", 1, 1, h)}
    return g.add(f"x_{word}", "lerp", before, "x", tensors=tensors, words="+ last token")


def values(m: RwkvTimeMix, g: Wires, x: str, h: int) -> str:
    """Values; layers after the first move theirs towards the first layer's."""
    v = g.linear("v_proj", x, h, h, split=(m.num_heads, m.head_dim))
    if not m.v_low_rank_dim:
        return v
    share = g.add("v_share", "act", low_rank(g, "v", x, m.v_low_rank_dim, h, ""), act="sigmoid", words="σ")
    return g.add("v", "blend", v, "layer0:mixer.v_proj", share, words="towards the first layer's v")


def graph(m: RwkvTimeMix, h: int) -> Graph:
    """r, k and v, decay, learning rate, the state, the current token once more, a norm per head, the gate."""
    g, n, d = Wires("attn.", "linear"), m.num_heads, m.head_dim
    kept = Keep("conv", 2 * n * d, f"last token, for both halves: 2 × {n * d}", fixed=True)
    before = g.add("token_shift", "previous", "x", words="the token before", keeps=(kept,))
    xr, xw, xk, xv, xa, xg = (token_mix(g, word, before, h) for word in "rwkvag")
    r, k = (g.linear(f"{w}_proj", x, h, h, split=(n, d)) for w, x in (("r", xr), ("k", xk)))
    v = values(m, g, xv, h)
    w = g.add("w", "act", low_rank(g, "w", xw, m.decay_low_rank_dim, h, "tanh"), act="rwkv7_decay", words="decay w")
    a = g.add("a", "act", low_rank(g, "a", xa, m.a_low_rank_dim, h, ""), act="sigmoid", words="rate a")
    kappa = g.add("k_k", "scale", k, tensors={"weight": g.tensor("k_k", h)}, words="× k_k")
    kappa = g.norm("kappa", kappa, 0, normal=L2)
    k = g.add("k_a", "rated", k, a, tensors={"weight": g.tensor("k_a", h)}, words="k grows with a")
    out = g.add(
        "state", "wkv7", r, w, k, v, kappa, a, heads=n, d=d, dv=d, split=(n * d,),
        lines=("S ← S (diag(w) − κ ⊗ (a κ)) + v ⊗ k", "o = S·r"),
        keeps=(Keep("state", n * d * d, f"{n} × {d} × {d}", fixed=True, dtype="float32"),),
    )  # fmt: skip
    out = g.norm("g_norm", out, h, normal=m.normal, groups=n, bias=True, split=(n, d))
    once = g.add("r_k", "bonus", r, k, v, tensors={"weight": g.tensor("r_k", n, d)}, words="(Σ r k r_k) v")
    out = g.add("with_bonus", "add", out, once)
    gate = low_rank(g, "g", xg, m.gate_low_rank_dim, h, "sigmoid", bias=False)
    return g.graph(g.linear("o_proj", g.add("gated", "multiply", out, gate), h, h))


RECORD, GRAPH = RwkvTimeMix, graph
