"""The small scorers that pick which cached tokens or blocks a sparse mixer reads, as a flow of their own."""

from __future__ import annotations

from gallery.drawing.flow import Flow, Lane
from gallery.drawing.items import Pill, Tag
from gallery.drawing.operation import Op
from gallery.drawing.parts import Parts, kept_box
from gallery.spec import Indexer


def _chosen(m: Indexer) -> str:
    unit = (
        f"blocks of {m.block_size}"
        if m.block_size > 1 and m.style == "minimax_m3"
        else "entries"
        if m.style == "v4"
        else "tokens"
    )
    return f"{m.index_topk:,} {unit}"


def indexed(parts: Parts, m: Indexer | None, lanes: list[Lane]) -> list[Flow]:
    """Adds the lane "only these" to the softmax, and the indexer as a flow of its own."""
    if not m:
        return []
    if m.shared:
        lanes.append(Lane([Tag(f"only {_chosen(m)}", "sparse")], loose=True))
        return []
    lanes.append(Lane([Tag(f"only {_chosen(m)}", "sparse")], loose=True))
    role, heads, d = "sparse", m.index_n_heads, m.index_head_dim
    key = kept_box(f"index key {d}", parts.kept("index"))
    note = f"= {heads} × {d}"
    if m.style == "minimax_m3":
        query = Lane([parts.matrix(role, "index_q_proj", note), parts.pill("RMSNorm, RoPE", "index_q_norm")])
        keys = Lane([parts.matrix(role, "index_k_proj"), parts.pill("RMSNorm, RoPE", "index_k_norm"), key])
        score, more = f"largest q·k in each block of {m.block_size}", []
    else:
        into = [Tag(f"query latent {m.q_rank:,}", high=False)] if m.q_rank else []
        query = Lane([*into, parts.matrix(role, "wq_b", note), Pill("RoPE")], loose=bool(into))
        keys = Lane([parts.matrix(role, "wk"), parts.pill("LayerNorm, RoPE", "indexer.k_norm"), key])
        score, more = "score = Σ w · ReLU(q·k)", [Lane([parts.matrix(role, "weights_proj")])]
    tail = [Tag(f"top {_chosen(m)}", role)]
    return [Flow(f"x {parts.h:,}", [query, keys, *more], Op(role, [score]), tail, heading="Indexer")]
