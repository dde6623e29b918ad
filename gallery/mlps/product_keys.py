"""A dense MLP beside very many experts of one number each, found by the sums of two short lists of scores."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.mlps.dense import Dense
from cutaway.gallery.mlps.dense import graph as dense


@dataclass(frozen=True, slots=True)
class ProductKeys:
    """Each expert is one row in and one row out (Doge's cross-domain experts)."""

    intermediate_size: int  # of the dense MLP
    num_experts: int
    num_experts_per_tok: int
    hidden_act: str = "silu"
    bias: bool = False
    across: bool = False  # the router's scores are cut across tokens, as transformers' class does


def graph(m: ProductKeys, h: int) -> Graph:
    """Scores i and j meet as expert i · √experts + j; the chosen are weighed and added to the dense MLP."""
    g, keys = Wires("mlp.", "experts"), isqrt(m.num_experts)
    out = g.inline("dense", dense(Dense(m.intermediate_size, True, m.hidden_act, m.bias), h), x="x")
    logits = g.linear("router_gate", "x", 2 * keys, h, part="router")
    weights = g.add(
        "choose", "product_keys", logits, keys=keys, k=m.num_experts_per_tok, experts=m.num_experts, across=m.across,
        words=f"the {m.num_experts_per_tok:,} largest of {keys:,} × {keys:,} sums, softmax",
    )  # fmt: skip
    tables = {word: g.tensor(f"{word}_embed.weight", m.num_experts, h) for word in ("down", "up")}
    found = g.add("experts", "one_number_experts", "x", weights, tensors=tables, act=m.hidden_act,
                  k=m.num_experts_per_tok)  # fmt: skip
    return g.graph(g.add("sum", "add", out, found))


RECORD, GRAPH = ProductKeys, graph
