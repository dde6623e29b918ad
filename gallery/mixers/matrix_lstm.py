"""xLSTM's mLSTM: a matrix memory per head with exponential gates."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.records import Normal


@dataclass(frozen=True, slots=True)
class MatrixLSTM:
    """xLSTM's mLSTM: a matrix memory per head with exponential gates."""

    num_heads: int
    qk_head_dim: int
    v_head_dim: int
    bias: bool = False
    gate_soft_cap: float = 0.0  # the input and forget gates are capped at it; 0 = not
    eps: float = 1e-6  # added to what the memory's answer is divided by
    normal: Normal = Normal("LayerNorm")  # noqa: RUF009 (a tuple, never changed)


def gate(m: MatrixLSTM, g: Wires, word: str, h: int) -> str:
    """The input or the forget gate, one number per head before its exponential."""
    out = g.linear(f"{word}gate_preact", "x", m.num_heads, h, True)
    return g.add(f"{word}_capped", "softcap", out, cap=m.gate_soft_cap) if m.gate_soft_cap else out


def graph(m: MatrixLSTM, h: int) -> Graph:
    """q, k, v and two gates into the memory, a norm per head, an output gate."""
    g, n, dk, dv = Wires("mlstm_layer.", "linear"), m.num_heads, m.qk_head_dim, m.v_head_dim
    q, k, v = (g.linear(w, "x", n * d, h, m.bias, split=(n, d)) for w, d in (("q", dk), ("k", dk), ("v", dv)))
    numbers = n * (dk * dv + dk + 1)  # matrix, normaliser, stabiliser
    out = g.add(
        "memory", "mlstm", q, k, v, gate(m, g, "i", h), gate(m, g, "f", h), eps=m.eps, heads=n, d=dk, dv=dv,
        lines=("C ← f C + i v ⊗ k", "h = C·q / max(|n·q|, 1)"), split=(n * dv,),
        keeps=(Keep("state", numbers, f"{n} × ({dk} × {dv} + {dk} + 1)", fixed=True, dtype="float32"),),
    )  # fmt: skip
    out = g.norm("multihead_norm", out, n * dv, normal=m.normal, groups=n, bias=m.bias)
    opened = g.add("o_act", "act", g.linear("ogate_preact", "x", n * dv, h, m.bias), act="sigmoid", words="σ")
    return g.graph(g.linear("out_proj", g.add("gated", "multiply", out, opened), h, n * dv, m.bias))


RECORD, GRAPH = MatrixLSTM, graph
