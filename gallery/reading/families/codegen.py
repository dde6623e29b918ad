"""CodeGen: GPT-J's layer with one fused projection."""

from dataclasses import replace

from gallery.reading.families.gptj import FAMILY as GPTJ

FAMILY = replace(
    GPTJ,
    source="transformers 5.23.0, models/codegen",
    names=(("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "attn.qkv_proj"), *GPTJ.names),
)
