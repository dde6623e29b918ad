"""Attention whose query heads are experts: a router picks whose queries a token asks, all share keys and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.records import Rope


@dataclass(frozen=True, slots=True)
class ExpertHeads:
    """A mixture of attention heads (JetMoE): every expert has a query and an output matrix for each KV head."""

    num_key_value_heads: int
    head_dim: int
    num_experts: int
    num_experts_per_tok: int
    rope: Rope | None = None
    sliding_window: int = 0

    @property
    def num_attention_heads(self) -> int:
        """Query heads that one token asks with."""
        return self.num_key_value_heads * self.num_experts_per_tok


def graph(m: ExpertHeads, h: int) -> Graph:
    """The chosen experts' queries into one softmax, what they read back through their own output matrices."""
    g, kv, d, e = Wires("self_attn.", "attention"), m.num_key_value_heads, m.head_dim, m.num_experts
    logits = g.linear("router", "x", e, h, part="router")
    facts: dict[str, Any] = {"k": m.num_experts_per_tok, "groups": 1, "topk_group": 1, "group_score": "max"}
    chosen = f"top {m.num_experts_per_tok} of {e} experts"
    choice = g.add("choose", "choose", logits, words=chosen, **facts)
    softmax: dict[str, Any] = {"score": "softmax", "normalise": False, "eps": 0.0, "scale": 1.0}
    weights = g.add("weigh", "weigh", logits, choice, words="softmax over the chosen logits", **softmax)
    asked = {"weight": g.tensor("q_experts.weight", e, kv * d, h)}
    q = g.add("q_experts", "expert_queries", "x", choice, words="each chosen expert's q_proj", tensors=asked,
              heads=kv, k=m.num_experts_per_tok)  # fmt: skip
    k = g.linear("k_proj", "x", kv * d, h, split=(kv, d))
    v = g.linear("v_proj", "x", kv * d, h, split=(kv, d))
    q, k = (g.add(f"{w}_rope", "rope", x, rope=m.rope) if m.rope else x for w, x in (("q", q), ("k", k)))
    k = g.add("keys", "keep", k, keeps=(Keep("kv", kv * d, f"k {kv} × {d}", window=m.sliding_window),))
    v = g.add("values", "keep", v, keeps=(Keep("kv", kv * d, f"v {kv} × {d}", window=m.sliding_window),))
    heads = kv * m.num_experts_per_tok
    out = g.add("attend", "attend", q, k, v, scale=d**-0.5, window=m.sliding_window, heads=heads, d=d, dv=d)
    given = {"weight": g.tensor("o_experts.weight", e, h, kv * d), "bias": g.tensor("o_experts.bias", h)}
    out = g.add("o_experts", "expert_outputs", out, weights, words="each expert's o_proj", tensors=given,
                heads=kv, k=m.num_experts_per_tok)  # fmt: skip
    return g.graph(out)


RECORD, GRAPH = ExpertHeads, graph
