"""GPT-J: parallel halves behind one LayerNorm, biases on the MLP and the head only."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    unread={"scale_attn_weights": True},
    source="transformers 5.23.0, models/gptj",
    defaults={"hidden_act": "gelu_new", "lm_head_bias": True, "rotary_dim": 64},
    norms="single",
    norm="LayerNorm",
    rope_interleaved=True,
    norm_bias=True,
    final_norm="ln_f",
    parallel=True,
    qkv_bias=False,
    o_bias=False,
    mlp_bias=True,
    gated=False,
    names=(
        ("self_attn.o_proj", "attn.out_proj"),
        ("self_attn", "attn"),
        ("mlp.up_proj", "mlp.fc_in"),
        ("mlp.down_proj", "mlp.fc_out"),
        ("input_layernorm", "ln_1"),
        ("model.embed_tokens", "transformer.wte"),
        ("model.ln_f", "transformer.ln_f"),
        ("model.layers", "transformer.h"),
    ),
)
