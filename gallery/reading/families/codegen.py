"""CodeGen: GPT-J's layer with one fused projection, in four groups of query, value, key."""

from dataclasses import replace

from cutaway.gallery.reading.families.gptj import FAMILY as GPTJ

FAMILY = replace(
    GPTJ,
    source="transformers 5.23.0, models/codegen",
    names=(("self_attn.q_proj + self_attn.v_proj + self_attn.k_proj", "I4 attn.qkv_proj"), *GPTJ.names),
)
