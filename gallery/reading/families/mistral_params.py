"""Mistral's own params.json, and the tensor names of the consolidated files beside it."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="mistralai/mistral-inference, transformer_layers.py and moe.py",
    windowed=True,
    defaults={"tie_word_embeddings": False},
    names=(
        ("self_attn.q_proj", "attention.wq"),
        ("self_attn.k_proj", "attention.wk"),
        ("self_attn.v_proj", "attention.wv"),
        ("self_attn.o_proj", "attention.wo"),
        ("mlp.gate.weight", "feed_forward.gate.weight"),
        ("mlp.experts.{expert}.gate_proj", "feed_forward.experts.{expert}.w1"),
        ("mlp.experts.{expert}.up_proj", "feed_forward.experts.{expert}.w3"),
        ("mlp.experts.{expert}.down_proj", "feed_forward.experts.{expert}.w2"),
        ("mlp.gate_proj", "feed_forward.w1"),
        ("mlp.up_proj", "feed_forward.w3"),
        ("mlp.down_proj", "feed_forward.w2"),
        ("input_layernorm", "attention_norm"),
        ("post_attention_layernorm", "ffn_norm"),
        ("model.embed_tokens", "tok_embeddings"),
        ("model.norm", "norm"),
        ("model.layers", "layers"),
        ("lm_head", "output"),
    ),
)
