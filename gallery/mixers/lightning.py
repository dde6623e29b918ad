"""Lightning attention: linear attention whose state decays by a fixed factor per head."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.records import Normal, Rope


@dataclass(frozen=True, slots=True)
class LightningAttention:
    """Linear attention with a fixed decay per head (MiniMax-01, Ling 2.5): state heads x head_dim x head_dim."""

    num_heads: int
    head_dim: int
    qk_norm: str = ""
    act: str = "silu"  # on q, k and v; "" = none
    by_head: bool = True  # the rows of qkv_proj go head by head: q, k and v of the first, of the second, ...
    rope: Rope | None = None
    groups: int = 1  # the norm on what the state returns takes so many parts apart
    scale: float = 1.0  # of q·S
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)
    layers: int = 1  # slopes shrink to nothing over so many layers, counted from `first`
    first: int = 0


def project_qkv(m: LightningAttention, g: Wires, h: int) -> tuple[str, str, str]:
    """q, k and v: one matrix, an activation, three parts."""
    n, d = m.num_heads, m.head_dim
    both = g.linear("qkv_proj", "x", 3 * n * d, h, split=(n, 3 * d) if m.by_head else ())
    if m.act:
        both = g.add("qkv_act", "act", both, act=m.act)
    size = d if m.by_head else n * d
    return tuple(
        g.add(word, "slice", both, start=i * size, stop=(i + 1) * size, split=(n, d), note=f"{n} × {d}")
        for i, word in enumerate("qkv")
    )  # type: ignore[return-value]


def graph(m: LightningAttention, h: int) -> Graph:
    """q, k and v of one matrix, the decaying state, a norm, an output gate."""
    g, n, d = Wires("self_attn.", "linear"), m.num_heads, m.head_dim
    q, k, v = project_qkv(m, g, h)
    if m.qk_norm:
        q, k = g.norm("q_norm", q, d, normal=m.normal), g.norm("k_norm", k, d, normal=m.normal)
    if m.rope:
        q, k = g.add("q_rope", "rope", q, rope=m.rope), g.add("k_rope", "rope", k, rope=m.rope)
    out = g.add(
        "state", "lightning", q, k, v, layers=m.layers, first=m.first, scale=m.scale, heads=n, d=d, dv=d,
        split=(n * d,),
        lines=("S ← λ S + k ⊗ v", "o = q·S"),
        keeps=(Keep("state", n * d * d, f"{n} × {d} × {d}", fixed=True),),
    )  # fmt: skip
    out = g.norm("norm", out, n * d, normal=m.normal, groups=m.groups)
    gate = g.add("gate_act", "act", g.linear("output_gate", "x", n * d, h), act="sigmoid", words="σ")
    return g.graph(g.linear("out_proj", g.add("gated", "multiply", out, gate), h, n * d))


RECORD, GRAPH = LightningAttention, graph
