"""The small scorer that picks which kept entries a sparse mixer reads: DSA, MiniMax-M3's blocks, and their kin."""

from __future__ import annotations

from dataclasses import dataclass

from cutaway.gallery.graph import Graph, Keep, Wires
from cutaway.gallery.mixers.pooling import APE, Pooling, pool
from cutaway.gallery.records import Normal, Rope


@dataclass(frozen=True, slots=True)
class Indexer:
    """A small scorer that picks which cached entries a sparse mixer reads (DSA, MiniMax-M3, V4's CSA)."""

    index_n_heads: int
    index_head_dim: int
    index_topk: int  # tokens, or blocks where `block_size` > 1
    block_size: int = 1  # scores are pooled over blocks of this many tokens
    shared: bool = False  # True: no weights and no index keys of its own, reuses the choice of an earlier layer
    q_rank: int = 0  # width its queries are projected from (q_lora_rank); 0 = hidden_size
    style: str = "dsa"  # "dsa" | "minimax_m3" | "v4" | "means" | "pools"
    rope: Rope | None = None
    normal: Normal = Normal("LayerNorm")  # noqa: RUF009 (a tuple, never changed)
    local_blocks: int = 0  # so many blocks up to the query's own are always read (MiniMax-M3)
    tail: bool = True  # tokens that no complete block holds yet are always read
    input_norm: bool = False  # what queries are made from is normalised first (Mistral Large 4)
    every: int = 1  # tokens per entry that it scores; V4's attention says so
    overlap: bool = False  # two windows feed each of its keys; the same
    learned_temperature: bool = False  # queries × (scale · ln(position + 1) + bias), learned per head

    @property
    def at_most(self) -> int:
        """How many entries it lets a query read; MiniMax-M3 chooses blocks of tokens."""
        return self.index_topk * (self.block_size if self.style == "minimax_m3" else 1)


def choose(m: Indexer, g: Wires, x: str, h: int, latent: str = "") -> str:
    """Nodes that end in the choice of entries; the name of that choice. `latent` is what its queries are made from."""
    if m.shared:
        return "earlier:mixer.indexer.chosen"
    prefix = g.prefix + {"minimax_m3": "index_", "v4": "compressor.indexer."}.get(m.style, "indexer.")
    return g.inline("indexer", STYLES[m.style](m, Wires(prefix, "indexer"), h), x=x, latent=latent or x)


def tokens(m: Indexer, g: Wires, h: int) -> Graph:
    """DSA: each head scores every earlier token, the heads are weighed, the best tokens are read."""
    heads, d = m.index_n_heads, m.index_head_dim
    reads, source = m.q_rank or h, "latent"
    if m.input_norm:
        source = g.norm("q_input_norm", "x", h, bias=True, normal=m.normal)
    q = g.linear("wq_b", source, heads * d, reads, split=(heads, d), note=f"= {heads} × {d}")
    if m.learned_temperature:
        tensors = {word: g.tensor("softmax_scaling." + word, heads) for word in ("scale", "bias")}
        q = g.add("q_temperature", "learned_temperature", q, tensors=tensors)
    k = g.norm("k_norm", g.linear("wk", "x", d, h), d, bias=True, normal=m.normal)
    q, k = rotate_queries_keys(m, g, q, k)
    weights = g.linear("weights_proj", "x", heads, h)
    scores = g.add("scores", "index_scores", q, k, weights, scale=(d * heads) ** -0.5, heads=heads, d=d,
                   lines=("score = Σ w · ReLU(q·k)",))  # fmt: skip
    return g.graph(g.add("chosen", "best_tokens", scores, k=m.index_topk, words=f"top {m.index_topk:,} tokens"))


def entries(m: Indexer, g: Wires, h: int) -> Graph:
    """V4's CSA: the same over compressed entries, by keys that a small compressor of its own makes."""
    heads, d = m.index_n_heads, m.index_head_dim
    box = Keep("index", d, f"index key {d}", "index", every=m.every, pending=2 * m.every if m.overlap else 0)
    k = g.inline("compressor", pool(Pooling(d, m.every, m.overlap, m.normal, m.rope), g.same_prefix(), h, box), x="x")
    q = g.linear("q_b_proj", "latent", heads * d, m.q_rank or h, split=(heads, d), note=f"= {heads} × {d}")
    q = g.rope("q_rope", q, m.rope)
    weights = g.linear("scorer.weights_proj", "x", heads, h)
    scores = g.add("scores", "index_scores", q, k, weights, scale=(d * heads) ** -0.5, heads=heads, d=d, every=m.every,
                   lines=("score = Σ w · ReLU(q·k)",))  # fmt: skip
    return g.graph(g.add("chosen", "best_tokens", scores, k=m.index_topk, words=f"top {m.index_topk:,} entries"))


def blocks(m: Indexer, g: Wires, h: int) -> Graph:
    """MiniMax-M3: the best token speaks for its block of tokens; each KV head's group reads blocks of its own."""
    heads, d, size = m.index_n_heads, m.index_head_dim, m.block_size
    q = g.norm("q_norm", g.linear("q_proj", "x", heads * d, h, split=(heads, d), note=f"= {heads} × {d}"), d,
               normal=m.normal)  # fmt: skip
    k = g.norm("k_norm", g.linear("k_proj", "x", d, h), d, normal=m.normal)
    q, k = rotate_queries_keys(m, g, q, k)
    scores = g.add("scores", "block_scores", q, k, size=size, heads=heads, d=d,
                   lines=(f"largest q·k in each block of {size}",))  # fmt: skip
    chosen = g.add("chosen", "best_blocks", scores, k=m.index_topk, size=size, local=m.local_blocks,
                   words=f"top {m.index_topk:,} blocks of {size}")  # fmt: skip
    return g.graph(chosen)


def pools(m: Indexer, g: Wires, h: int) -> Graph:
    """GLM-5.3-Flash: DSA over weighed means of a few tokens' keys; the best bring their tokens."""
    heads, d, size = m.index_n_heads, m.index_head_dim, m.block_size
    q = g.linear("wq_b", "latent", heads * d, m.q_rank or h, split=(heads, d), note=f"= {heads} × {d}")
    k = g.norm("k_norm", g.linear("wk", "x", d, h), d, bias=True, normal=m.normal)
    weight = {"weight": g.tensor("index_kpool_compress_gate", d, h)}
    gate = g.add("gate", "linear", "x", tensors=weight)
    ape = {"position_bias": g.tensor("index_kpool_compress_ape", size, d)}
    k = g.add("pool", "pool", k, gate, tensors=ape, ratio=size, overlap=False, size=d, words=APE,
              lines=("Σ softmax(gate + ape) · k", f"over {size} tokens"))  # fmt: skip
    box = Keep("index", d, f"index key {d}", "index", every=size, pending=2 * size)
    k = g.add("keys", "keep", k, keeps=(box,))
    weights = g.linear("weights_proj", "x", heads, h)
    scores = g.add("scores", "index_scores", q, k, weights, scale=(d * heads) ** -0.5, heads=heads, d=d, every=size,
                   lines=("score = Σ w · ReLU(q·k)",))  # fmt: skip
    best = g.add("best", "best_tokens", scores, k=m.index_topk // size, words=f"top {m.index_topk // size:,} means")
    last = ", and the last" if m.tail else ""
    return g.graph(g.add("chosen", "their_tokens", best, size=size, tail=m.tail, words=f"their {size} tokens{last}"))


def means(m: Indexer, g: Wires, h: int) -> Graph:
    """Qwen4-Exp: one key stands for the mean of a few tokens' keys; the best means bring their tokens, the unfinished
    ones at the end are always read."""
    heads, d, size = m.index_n_heads, m.index_head_dim, m.block_size
    both = g.linear("index_qk_proj", "x", (heads + 1) * d, h)
    q = g.norm("q_layernorm", g.add("q", "slice", both, start=0, stop=heads * d, split=(heads, d)), d, normal=m.normal)
    k = g.add("k", "slice", both, start=heads * d, stop=(heads + 1) * d)
    k = g.add("keys", "keep", k, keeps=(Keep("index", d, f"index key {d}", "index"),))
    k = g.norm("k_layernorm", g.add("means", "means", k, size=size, words=f"mean of {size} keys"), d, normal=m.normal)
    if m.rope:
        q = g.add("q_rope", "rope", q, rope=m.rope)
        k = g.add("k_rope", "rope", k, rope=m.rope, every=size)
    scores = g.add("scores", "index_scores", q, k, scale=d**-0.5, heads=heads, d=d, every=size,
                   lines=("score = Σ ReLU(q·k)",))  # fmt: skip
    best = g.add("best", "best_tokens", scores, k=m.index_topk // size, words=f"top {m.index_topk // size:,} means")
    return g.graph(g.add("chosen", "their_tokens", best, size=size, words=f"their {size} tokens each, and the last"))


def rotate_queries_keys(m: Indexer, g: Wires, q: str, k: str) -> tuple[str, str]:
    """Queries and keys with their positions; the key is kept."""
    q, k = g.rope("q_rope", q, m.rope), g.rope("k_rope", k, m.rope)
    box = Keep("index", m.index_head_dim, f"index key {m.index_head_dim}", "index")
    return q, g.add("keys", "keep", k, keeps=(box,))


STYLES = {"dsa": tokens, "v4": entries, "minimax_m3": blocks, "means": means, "pools": pools}
