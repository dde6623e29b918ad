"""MPT: ALiBi, one fused projection, LayerNorm without biases, no gate."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/mpt",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu", "expansion_ratio": 4},
    unread={"expansion_ratio": 4, "logit_scale": None},
    run_as={"use_qk_norm": False},
    norm="LayerNorm",
    final_norm="norm_f",
    qkv_bias=False,
    o_bias=False,
    mlp_bias=False,
    gated=False,
    position="alibi",
    names=(
        ("self_attn.q_proj + self_attn.k_proj + self_attn.v_proj", "attn.Wqkv"),
        ("self_attn.o_proj", "attn.out_proj"),
        ("mlp", "ffn"),
        ("input_layernorm", "norm_1"),
        ("post_attention_layernorm", "norm_2"),
        ("model.embed_tokens", "transformer.wte"),
        ("model.norm_f", "transformer.norm_f"),
        ("model.layers", "transformer.blocks"),
    ),
)
