"""Catalogued models -> what context parallelism deals out and sends: heads, keys and values, latents, states.

A row's `pair` is how many numbers of a token travel for one KV head: a key and a value, or one latent for all heads.
Counted are layers that see everything; `windows` and `states` are the others, `state` the bytes one passes on.
"""

from __future__ import annotations

from typing import Any

from cutaway.gallery import spec as s

LISTED = (
    "meta-llama/Llama-3.1-70B",
    "meta-llama/Meta-Llama-3.1-405B",
    "allenai/OLMo-2-1124-7B-Instruct",
    "Qwen/Qwen3-235B-A22B",
    "openai/gpt-oss-120b",
    "Snowflake/snowflake-arctic-instruct",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "deepseek-ai/DeepSeek-V3",
    "moonshotai/Kimi-K3",
)


def window_of(mixer: Any) -> int:
    """How many tokens back a mixer sees; 0 where it sees everything."""
    return mixer.sliding_window if isinstance(mixer, s.Attention | s.LatentAttention) else 0


def widths(mixer: s.Attention | s.LatentAttention) -> dict[str, int]:
    """Heads, and how many numbers a query, a head's output, and what travels of a token have."""
    if isinstance(mixer, s.LatentAttention):
        key = mixer.qk_nope_head_dim + mixer.qk_rope_head_dim
        pair = mixer.kv_lora_rank + mixer.qk_rope_head_dim
        return {"heads": mixer.num_attention_heads, "kv": 1, "key": key, "value": mixer.v_head_dim, "pair": pair}
    key, value = mixer.head_dim, mixer.v_head_dim
    kv = mixer.num_key_value_heads
    return {"heads": mixer.num_attention_heads, "kv": kv, "key": key, "value": value, "pair": key + value}


def row(slug: str, title: str, spec: s.ModelSpec) -> dict[str, Any]:
    """One model."""
    from cutaway.gallery.counting.kv_cache import rules_for
    from cutaway.gallery.counting.memory import cache_per_layer

    attention = [layer.mixer for layer in spec.layers if isinstance(layer.mixer, s.Attention | s.LatentAttention)]
    whole = [mixer for mixer in attention if not window_of(mixer)]
    states = [
        sum(one.bits for one in kept if one.kind == "state") // 8
        for kept in cache_per_layer(spec, rules_for(spec))
        if any(one.kind == "state" for one in kept)
    ]
    return {
        "slug": slug,
        "title": title,
        **widths(whole[0]),
        "latent": isinstance(whole[0], s.LatentAttention),
        "layers": len(whole),
        "windows": len(attention) - len(whole),
        "states": len(states),
        "state": max(states, default=0),
    }


def rows() -> list[dict[str, Any]]:
    """The listed models."""
    from cutaway.gallery import catalog, read

    return [row(slug, catalog.BY_SLUG[slug].title, read(catalog.load(slug))) for slug in LISTED]
