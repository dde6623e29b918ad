"""VaultGemma: Gemma's layer, every other layer windowed."""

from dataclasses import replace

from cutaway.gallery.reading.families.gemma import FAMILY as GEMMA
from cutaway.gallery.reading.families.gemma2 import alternate

FAMILY = replace(
    GEMMA,
    source="transformers 5.23.0, models/vaultgemma",
    reads_direction=False,
    windowed=True,
    acts={},
    defaults={**GEMMA.defaults, "query_pre_attn_scalar": 256, "max_position_embeddings": 8_192},
    words=alternate,
    names=(("post_attention_layernorm", "pre_feedforward_layernorm"),),
)
