"""Keys of position, RoPE's base and layout; and those that layers of one kind have instead of the common ones."""

from __future__ import annotations

from cutaway.gallery.reading.key_rows.row import Key

ROWS = (
    Key("mla_scale_q_lora", "flag", "the query latent is multiplied by √(hidden_size / q_lora_rank)", (), "LongCat"),
    Key("mla_scale_kv_lora", "flag", "the key-value latent is multiplied by √(hidden_size / kv_lora_rank)", (),
        "LongCat"),
    Key("per_layer_config", "any", "values of keys for single layers, by layer number", (),
        "Gemma 4, Step 3.7, dots 3"),
    Key("use_dsa", "flag", "layers called full_attention use an indexer (sparse attention)", (), "dots 3"),
    Key("swa_q_lora_rank", "rank", "width of MLA's query latent in sliding-window layers", (), "dots 3"),
    Key("swa_kv_lora_rank", "rank", "width of MLA's key-value latent in sliding-window layers", (), "dots 3"),
    Key("swa_qk_nope_head_dim", "width", "width of the part of a query head without position, in sliding-window layers",
        (), "dots 3"),
    Key("swa_qk_rope_head_dim", "width",
        "width of the part of a query head that RoPE rotates, in sliding-window layers", (), "dots 3"),
    Key("shared_experts_intermediate_size", "width", "width of each shared expert", (), "dots 3"),
    Key("kv_source_layers", "list", "which layer's latent each layer reads", (), "Mistral Large 4"),
    Key("hc_magnitude", "number", "scale of what a sublayer adds to a stream (hyper-connections)", (), "Hy4"),
    Key("index_local_blocks", "count", "how many blocks nearest to the query are always attended to",
        ("sparse_attention_config.sparse_local_block",), "MiniMax-M3"),
    Key("index_kpool", "count", "tokens that are pooled into one key of the indexer", (), "GLM-5.3-Flash"),
    Key("index_kpool_always_select_tail", "flag", "tokens not yet pooled into an indexer key are always attended to",
        (), "GLM-5.3-Flash"),
    Key("gated_norm_rank", "rank", "rank of the gate on a norm", (), "A.X K2"),
    Key("rope_interleave", "flag", "RoPE rotates pairs of neighbouring dimensions", (), "DeepSeek V3, GLM-4.7-Flash",
        moot=True),
    Key("indexer_rope_interleave", "flag", "RoPE of the indexer rotates pairs of neighbouring dimensions", (), "GLM-5",
        moot=True),
    Key("rope_theta", "base", "base of RoPE's frequencies", ("rotary_emb_base", "rope_embedding_base", "rope_base",
        "rotary_base", "global_rope_theta", "attn_config.rope_theta", "rope_parameters.rope_theta"),
        "GPT-NeoX; MPT; ModernBERT", moot=True),
    Key("local_rope_theta", "base", "base of RoPE's frequencies in sliding-window layers", ("rope_local_base_freq",
        "swa_rope_theta"), "ModernBERT; Gemma 3; MiMo-V2", moot=True),
    Key("rope_ratio", "number", "RoPE's base is multiplied by this number", (), "ChatGLM, GLM-4-9B"),
)  # fmt: skip
