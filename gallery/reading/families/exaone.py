"""EXAONE 3 and 3.5: Llama's layer under GPT-2's names."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct, modeling_exaone.py",
    final_norm="ln_f",
    names=(
        ("self_attn.o_proj", "attn.attention.out_proj"),
        ("self_attn", "attn.attention"),
        ("mlp.gate_proj", "mlp.c_fc_0"),
        ("mlp.up_proj", "mlp.c_fc_1"),
        ("mlp.down_proj", "mlp.c_proj"),
        ("input_layernorm", "ln_1"),
        ("post_attention_layernorm", "ln_2"),
        ("model.embed_tokens", "transformer.wte"),
        ("model.ln_f", "transformer.ln_f"),
        ("model.layers", "transformer.h"),
    ),
)
