"""The insides of softmax mixers: heads of their own, one latent for all, or one compressed vector."""

from __future__ import annotations

from cutaway.gallery.drawing.band import Band
from cutaway.gallery.drawing.inside import drawn
from cutaway.gallery.drawing.parts import Inside, Parts, per_layer
from cutaway.gallery.spec import Attention, ExpertHeads, LatentAttention


def attention_role(m: Attention | LatentAttention) -> str:
    if m.indexer and not m.indexer.shared:  # a layer that reuses a choice looks like its base, as in GLM-5.2's stripes
        return "sparse"
    if m.sliding_window or getattr(m, "attention_chunk_size", 0):
        return "window"
    return "latent" if isinstance(m, LatentAttention) else "full"


def _sight(m: Attention | LatentAttention) -> str:
    if m.sliding_window:
        return f"each token sees the last {m.sliding_window:,}"
    chunk = getattr(m, "attention_chunk_size", 0)
    return f"each token sees its own chunk of {chunk:,}" if chunk else ""


def _attention_says(m: Attention, parts: Parts) -> str:
    share = m.num_attention_heads // max(m.num_key_value_heads, 1)
    words = [per_layer(parts) if m.weights_of is None else "its weights stand under the picture"]
    if m.kv_source is None and share > 1:
        words.append(
            f"{share} query heads share each KV head"
            if m.num_key_value_heads > 1
            else "all query heads share one KV head"
        )
    words.append(_sight(m))
    if 0 < m.rotary_dim < m.head_dim:
        words.append(f"RoPE on {m.rotary_dim} of {m.head_dim} dimensions")
    words.append({"nope": "no position" if not m.cross else "", "alibi": "ALiBi"}.get(m.position, ""))
    if m.indexer and m.indexer.shared:
        words.append("reads what an earlier layer's indexer chose")
    if m.gate:
        words.append("one gate per head" if m.gate == "headwise" else "a gate on every output")
    return " · ".join(word for word in words if word)


def attention(parts: Parts) -> Inside:
    """Q, K, V side by side into the softmax; yellow where decoding keeps keys and values."""
    m: Attention = parts.m
    role = attention_role(m)
    return drawn(parts, role, attention_name(m), _attention_says(m, parts), Band.of(m, role))


def expert_heads(parts: Parts) -> Inside:
    """JetMoE: the chosen experts' queries against keys and values that all of them share."""
    m: ExpertHeads = parts.m
    says = f"{per_layer(parts)} · each token asks with the heads of {m.num_experts_per_tok} of {m.num_experts} experts"
    return drawn(parts, "full", "Attention with experts of heads", says, None)


def attention_name(m: Attention) -> str:
    heads = (
        "Multi-head"
        if m.num_key_value_heads == m.num_attention_heads
        else "Multi-query"
        if m.num_key_value_heads == 1
        else "Grouped-query"
    )
    if m.cross:
        return "Cross-attention to another tower"
    sight = "sliding window" if m.sliding_window else "chunked" if m.attention_chunk_size else ""
    sight = sight or ("block-sparse" if m.indexer and m.indexer.block_size > 1 else "indexed" if m.indexer else "")
    name = f"{heads} attention" + (f", {sight}" if sight else "")
    return f"Gated {name[0].lower()}{name[1:]}" if m.gate else name


# ---------------------------------------------------------------- multi-head latent attention


def latent(parts: Parts) -> Inside:
    """MLA: one latent per token is kept, and a small rotated key beside it."""
    m: LatentAttention = parts.m
    role, rope = attention_role(m), m.qk_rope_head_dim
    full = m.num_attention_heads * (m.qk_nope_head_dim + rope + m.v_head_dim)
    caches = f"caches {m.kv_lora_rank + rope:,} numbers per token instead of {full:,}" if parts.rules.keeps else ""
    says = [per_layer(parts), caches, _sight(m)]
    if m.kv_source is not None:
        says[1] = f"reads the latent of layer {m.kv_source}"
    if not m.rotary_dim:
        says.append("no rotary position")
    if m.indexer and m.indexer.shared:
        says.append("reads what an earlier layer's indexer chose")
    title = ("Gated m" if m.gate else "M") + "ulti-head latent attention" + (", indexed" if m.indexer else "")
    return drawn(parts, role, title, " · ".join(word for word in says if word), Band.of(m, role))
