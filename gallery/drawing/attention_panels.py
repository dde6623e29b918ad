"""A mixer with attention -> its panel: MHA to MQA, MLA, compressed and convolved attention, experts of heads."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.drawing.mask_picture import Band
from cutaway.gallery.drawing.node_items import Parts, per_layer
from cutaway.gallery.drawing.panel_content import PanelContent, graph_panel

# ---------------------------------------------------------------- attention


def attention_role(m: s.Attention | s.LatentAttention) -> str:
    if m.indexer and not m.indexer.shared:  # a layer that reuses a choice looks like its base, as in GLM-5.2's stripes
        return "sparse"
    if m.sliding_window or getattr(m, "attention_chunk_size", 0):
        return "window"
    return "latent" if isinstance(m, s.LatentAttention) else "full"


def _sight(m: s.Attention | s.LatentAttention) -> str:
    if m.sliding_window:
        return f"each token sees the last {m.sliding_window:,}"
    chunk = getattr(m, "attention_chunk_size", 0)
    return f"each token sees its own chunk of {chunk:,}" if chunk else ""


def _attention_says(m: s.Attention, parts: Parts) -> str:
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
    words.append({"nope": "NoPE" if not m.cross else "", "alibi": "ALiBi"}.get(m.position, ""))
    if m.indexer and m.indexer.shared:
        words.append("reads what an earlier layer's indexer chose")
    if m.gate:
        words.append("one gate per head" if m.gate == "headwise" else "a gate on every output")
    return " · ".join(word for word in words if word)


def attention(parts: Parts) -> PanelContent:
    """Q, K, V side by side into the softmax; yellow where decoding keeps keys and values."""
    m: s.Attention = parts.m
    role = attention_role(m)
    return graph_panel(parts, role, attention_name(m), _attention_says(m, parts), Band.of(m, role))


def expert_heads(parts: Parts) -> PanelContent:
    """JetMoE: the chosen experts' queries against keys and values that all of them share."""
    m: s.ExpertHeads = parts.m
    says = f"{per_layer(parts)} · each token asks with the heads of {m.num_experts_per_tok} of {m.num_experts} experts"
    return graph_panel(parts, "full", "Attention with experts of heads", says, None)


def attention_name(m: s.Attention) -> str:
    heads = (
        "Multi-head"
        if m.num_key_value_heads == m.num_attention_heads
        else "Multi-query"
        if m.num_key_value_heads == 1
        else "Grouped-query"
    )
    if m.cross:
        return "Cross-attention to the image encoder"
    if m.differential or m.dynamic_mask:
        return "Differential attention" if m.differential else "Dynamic-mask attention"
    sight = "sliding window" if m.sliding_window else "chunked" if m.attention_chunk_size else ""
    sight = sight or ("block-sparse" if m.indexer and m.indexer.block_size > 1 else "indexed" if m.indexer else "")
    name = f"{heads} attention" + (f", {sight}" if sight else "")
    return f"Gated {name[0].lower()}{name[1:]}" if m.gate else name


# ---------------------------------------------------------------- multi-head latent attention


def latent(parts: Parts) -> PanelContent:
    """MLA: one latent per token is kept, and a small rotated key beside it."""
    m: s.LatentAttention = parts.m
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
    return graph_panel(parts, role, title, " · ".join(word for word in says if word), Band.of(m, role))


# ---------------------------------------------------------------- one vector as key and value


def compressed(parts: Parts) -> PanelContent:
    """One vector is key and value for all heads: a window of raw ones, and compressed entries for what lies behind."""
    m: s.CompressedAttention = parts.m
    role = compressed_role(m)
    rope = f"RoPE on {m.qk_rope_head_dim} of {m.head_dim}"
    says = [per_layer(parts), "one vector is key and value for all heads", rope]
    if m.compress_ratio:
        says.append(f"one entry per {m.compress_ratio} tokens behind it")
    return graph_panel(parts, role, compressed_name(m), " · ".join(says), Band.of(m, role))


def compressed_role(m: s.CompressedAttention) -> str:
    return "window" if not m.compress_ratio else "sparse" if m.indexer else "latent"


def compressed_name(m: s.CompressedAttention) -> str:
    if not m.compress_ratio:
        return "Attention with K = V, window only"
    return "Compressed sparse attention" if m.indexer else "Heavily compressed attention"


# ---------------------------------------------------------------- keys through convolutions


def convolved(parts: Parts) -> PanelContent:
    """q and k through both convolutions; half of each value one token late."""
    m: s.ConvolvedAttention = parts.m
    sight = m.first_kernel + m.second_kernel - 1
    says = f"{per_layer(parts)} · queries and keys are convolved over the last {sight} tokens"
    return graph_panel(parts, attention_role(m), f"{attention_name(m)}, convolved", says)


def relative(parts: Parts) -> PanelContent:
    """Keys and values through short convolutions; a bias of the token's own for every distance."""
    m: s.RelativeAttention = parts.m
    says = f"{per_layer(parts)} · no rotation: {m.d_rel} profiles over {m.rel_extent:,} distances, mixed by each token"
    return graph_panel(
        parts, attention_role(m), f"{attention_name(m)}, positions as a bias", says, Band.of(m, attention_role(m))
    )
