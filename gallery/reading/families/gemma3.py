"""Gemma 3: Gemma 2's norms, a norm on each head, five windowed layers to one full."""

from dataclasses import replace

from cutaway.gallery.reading.families.gemma import FAMILY as GEMMA

FAMILY = replace(
    GEMMA,
    source="transformers 5.23.0, models/gemma3",
    windowed=True,
    acts={},
    unread={"attn_logit_softcapping": None},  # kept by the class, and given to no attention
    defaults={**GEMMA.defaults, "sliding_window_pattern": 6, "query_pre_attn_scalar": 256,
              "max_position_embeddings": 131_072, "rope_theta": 1_000_000.0, "local_rope_theta": 10_000.0},
    norms="sandwich",
    stretched=("full_attention",),
    qk_norm="head",
)  # fmt: skip
