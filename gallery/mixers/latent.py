"""Multi-head latent attention: one latent per token serves all heads; position has a small key of its own."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.indexer import Indexer, choose
from cutaway.gallery.records import Normal, Rope


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """MLA: one latent per token serves all heads; RoPE is kept apart."""

    num_attention_heads: int
    q_lora_rank: int  # 0 = a full q projection
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int  # 0 = no key beside the latent (GLM-5.5)
    v_head_dim: int
    rotary_dim: int = 0  # 0 = the "rope" half is not rotated (NoPE)
    bias: frozenset[str] = frozenset()
    gate: str = ""  # "" | "elementwise" | "headwise" | "with_queries" (its rows stand in the queries' matrix, which
    #                 reads the query latent before and after its norm: A.X K2)
    sliding_window: int = 0
    kv_source: int | None = None
    indexer: Indexer | None = None
    rope: Rope | None = None
    normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)
    scale: float | None = 0.0  # 0 = 1 / √(qk_nope_head_dim + qk_rope_head_dim), None = not known
    sinks: bool = False  # one learned logit per head
    q_scale: float = 1.0  # what the normed query latent is multiplied by (LongCat, dots 3: √(hidden_size / rank))
    kv_scale: float = 1.0  # the same for the kept latent
    key_norm: bool = False  # the rotated key is normalised first (dots 3)
    temperature: tuple[float, float, float] = ()  # type: ignore[assignment]  # queries grow with their position
    learned_temperature: bool = False  # queries × (scale · ln(position + 1) + bias), learned per head (Mistral Large 4)


def queries(m: LatentAttention, g: Wires, h: int) -> tuple[str, str, str]:
    """(queries, the latent that an indexer reads, the gate if it stands in the same matrix)."""
    heads, d, dv = m.num_attention_heads, m.qk_nope_head_dim + m.qk_rope_head_dim, m.v_head_dim
    rope = m.qk_rope_head_dim
    note = f"= {heads} × ({m.qk_nope_head_dim} + {rope})" if rope else f"= {heads} × {d}"
    if not m.q_lora_rank:
        return g.linear("q_proj", "x", heads * d, h, split=(heads, d), note=note), "", ""
    raw = g.linear("q_a_proj", "x", m.q_lora_rank, h, "q" in m.bias)
    latent = g.norm("q_a_layernorm", raw, m.q_lora_rank, normal=m.normal)
    if m.q_scale != 1.0:
        latent = g.add("q_a_scaled", "scale", latent, by=m.q_scale)
    if m.gate != "with_queries":
        return g.linear("q_b_proj", latent, heads * d, m.q_lora_rank, split=(heads, d), note=note), latent, ""
    both = g.add("q_a_both", "concat", latent, raw, words="before and after the norm")
    both = g.linear("q_gate_proj", both, heads * (d + dv), 2 * m.q_lora_rank, split=(heads, d + dv))
    return g.add("q", "slice", both, start=0, stop=d), latent, g.add("gate", "slice", both, start=d, stop=d + dv)


def rotate_queries(m: LatentAttention, g: Wires, q: str) -> str:
    """Queries with their position in the last numbers of each head."""
    d, rope = m.qk_nope_head_dim + m.qk_rope_head_dim, m.rope
    if rope:
        q = g.rope("q_rope", q, rope._replace(last=True), words=f"RoPE on {rope.dims} of {d}")
    if m.temperature:
        q = g.add("q_temperature", "temperature", q, temperature=m.temperature)
    if m.learned_temperature:
        heads = m.num_attention_heads
        tensors = {word: g.tensor("softmax_scaling." + word, heads) for word in ("scale", "bias")}
        q = g.add("q_temperature", "learned_temperature", q, tensors=tensors)
    return q


def cached_latent(m: LatentAttention, g: Wires, h: int) -> tuple[str, str]:
    """The two things that decoding keeps: the latent and the rotated key; or those of an earlier layer."""
    rank, rope = m.kv_lora_rank, m.qk_rope_head_dim
    if m.kv_source is not None:
        return f"layer{m.kv_source}:mixer.latent", f"layer{m.kv_source}:mixer.key" if rope else ""
    note = f"= {rank} + {rope}" if rope else ""
    down = g.linear("kv_a_proj_with_mqa", "x", rank + rope, h, "k" in m.bias, note=note)
    latent = g.add("kv_a", "slice", down, start=0, stop=rank) if rope else down
    latent = g.norm("kv_a_layernorm", latent, rank, normal=m.normal)
    if m.kv_scale != 1.0:
        latent = g.add("kv_a_scaled", "scale", latent, by=m.kv_scale)
    box = Keep("kv", rank, f"latent c {rank}", "latent", window=m.sliding_window)
    latent = g.add("latent", "keep", latent, keeps=(box,))
    if not rope:
        return latent, ""
    key = g.add("k_rotated", "slice", down, start=rank, stop=rank + rope)
    if m.key_norm:
        key = g.norm("k_rope_only_layernorm", key, rope, normal=m.normal)
    key = g.rope("k_rope", key, m.rope)
    box = Keep("kv", rope, f"k {rope}", "latent", rotated=rope, window=m.sliding_window)
    return latent, g.add("key", "keep", key, keeps=(box,))


def expand_latent(m: LatentAttention, g: Wires, latent: str, key: str) -> tuple[str, str]:
    """Keys and values of every head out of the latent; the rotated key is shared by all heads."""
    heads, nope, dv = m.num_attention_heads, m.qk_nope_head_dim, m.v_head_dim
    up = g.linear("kv_b_proj", latent, heads * (nope + dv), m.kv_lora_rank, split=(heads, nope + dv),
                  note=f"= {heads} × ({nope} + {dv})")  # fmt: skip
    k = g.add("k_nope", "slice", up, start=0, stop=nope)
    if key:
        k = g.add("k", "concat", k, key, words="one rotated key for all heads")
    return k, g.add("v", "slice", up, start=nope, stop=nope + dv)


def graph(m: LatentAttention, h: int) -> Graph:
    """Queries, the latent and its key, up to every head, into the softmax, back to the width of the stream."""
    g = Wires("self_attn.", "attention")
    heads, dv, d = m.num_attention_heads, m.v_head_dim, m.qk_nope_head_dim + m.qk_rope_head_dim
    q, query_latent, gate = queries(m, g, h)
    q = rotate_queries(m, g, q)
    k, v = expand_latent(m, g, *cached_latent(m, g, h))
    chosen = (choose(m.indexer, g, "x", h, query_latent),) if m.indexer else ()
    tensors = {"sinks": g.tensor("sinks", heads)} if m.sinks else {}
    out = g.add("attend", "attend", q, k, v, *chosen, tensors=tensors, window=m.sliding_window, heads=heads, d=d, dv=dv,
                absorbed=2 * m.kv_lora_rank + m.qk_rope_head_dim, at_most=m.indexer.at_most if m.indexer else 0,
                scale=m.scale if m.scale is None or m.scale else d**-0.5)  # fmt: skip
    if m.gate in ("elementwise", "headwise"):
        size = dv if m.gate == "elementwise" else 1
        gate = g.linear("g_proj", "x", heads * size, h, split=(heads, size))
    if gate:
        out = g.add("gated", "multiply", out, g.add("gate_act", "act", gate, act="sigmoid"))
    return g.graph(g.linear("o_proj", out, h, heads * dv, "o" in m.bias, note=f"{heads} × {dv} in"))


RECORD, GRAPH = LatentAttention, graph
