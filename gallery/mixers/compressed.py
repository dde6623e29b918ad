"""DeepSeek-V4's attention: one vector per token is key and value for all heads; behind a window they are compressed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.indexer import Indexer, choose
from cutaway.gallery.mixers.pooling import Pooling, pool
from cutaway.gallery.records import Normal, Rope


@dataclass(frozen=True, slots=True)
class CompressedAttention:
    """DeepSeek-V4: one vector is key and value for all heads; a window of them, plus compressed entries."""

    num_attention_heads: int
    head_dim: int
    qk_rope_head_dim: int
    q_lora_rank: int
    o_groups: int
    o_lora_rank: int
    sliding_window: int
    compress_ratio: int  # 0 = window only; 4 = CSA (overlapping, indexed); 128 = HCA (dense over entries)
    overlap: bool = False  # CSA: two windows feed each entry
    sinks: bool = True
    indexer: Indexer | None = None
    rope: Rope | None = None
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)


def queries(m: CompressedAttention, g: Wires, h: int) -> tuple[str, str]:
    """(queries with norm and position, the latent that an indexer reads)."""
    heads, d = m.num_attention_heads, m.head_dim
    latent = g.norm("q_a_norm", g.linear("q_a_proj", "x", m.q_lora_rank, h), m.q_lora_rank, normal=m.normal)
    q = g.linear("q_b_proj", latent, heads * d, m.q_lora_rank, split=(heads, d), note=f"= {heads} × {d}")
    q = g.norm("q_b_norm", q, 0, normal=m.normal, words="norm, no weight")
    return g.rope("q_rope", q, m.rope), latent


def entries(m: CompressedAttention, g: Wires, h: int, latent: str) -> tuple[str, ...]:
    """(compressed entries, which of them a query reads where an indexer chooses)."""
    if not m.compress_ratio:
        return ()
    ratio = m.compress_ratio
    box = Keep("compressed", m.head_dim, f"entry {m.head_dim}", "entry", m.qk_rope_head_dim, ratio,
               pending=2 * ratio if m.overlap else 0)  # fmt: skip
    how = Pooling(m.head_dim, ratio, m.overlap, m.normal, m.rope)
    found = g.inline("compressor", pool(how, Wires(g.prefix + "compressor.", g.part), h, box), x="x")
    if not m.indexer:
        return (found,)
    scorer = replace(m.indexer, every=ratio, overlap=m.overlap, rope=m.rope, normal=m.normal, q_rank=m.q_lora_rank)
    return found, choose(scorer, g, "x", h, latent)


def graph(m: CompressedAttention, h: int) -> Graph:
    """Queries against a window of raw vectors and the compressed entries behind it; a low-rank way out, in groups."""
    g, heads, d = Wires("self_attn.", "attention"), m.num_attention_heads, m.head_dim
    q, latent = queries(m, g, h)
    kv = g.norm("kv_norm", g.linear("kv_proj", "x", d, h), d, normal=m.normal)
    kv = g.rope("kv_rope", kv, m.rope)
    box = Keep("kv", d, f"kv {d}, key and value in one", "entry", m.qk_rope_head_dim, window=m.sliding_window,
               doubled=not m.compress_ratio)  # fmt: skip
    kv = g.add("kv", "keep", kv, keeps=(box,))
    tensors = {"sinks": g.tensor("sinks", heads)} if m.sinks else {}
    out = g.add("attend", "attend_entries", q, kv, *entries(m, g, h, latent), tensors=tensors, scale=d**-0.5,
                window=m.sliding_window, every=m.compress_ratio, at_most=m.indexer.at_most if m.indexer else 0,
                heads=heads, d=d, lines=(f"softmax(q·kv / √{d}) · kv",))  # fmt: skip
    out = g.rope("out_rope", out, m.rope, back=True)
    groups, rank = m.o_groups, m.o_lora_rank
    down = {"weight": g.tensor("o_a_proj.weight", groups * rank, heads * d // groups)}
    out = g.add("o_a_proj", "grouped_linear", out, tensors=down, groups=groups, note=f"{groups} groups")
    return g.graph(g.linear("o_b_proj", out, h, groups * rank))


RECORD, GRAPH = CompressedAttention, graph
