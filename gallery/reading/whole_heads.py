"""The model types whose class in transformers rotates whole heads, whatever partial_rotary_factor says beside them."""

# source: transformers 5.23.0, whose compute_default_rope_parameters reads no partial_rotary_factor in these classes.
# Engines read it for every model (vLLM's get_rope), so the drawing has what the file says.
WHOLE_HEADS = frozenset((
    "afmoe", "apertus", "arcee", "aria_text", "beam", "bitnet", "blt", "cohere", "cohere2", "cohere2_moe",
    "cohere_compass_text", "cosmos3_edge_text", "cwm", "dbrx", "diffllama", "doge", "dots1", "emu3",
    "emu3_text_model", "ernie4_5", "ernie4_5_moe", "ernie4_5_vl_moe_text", "exaone4", "exaone_moe", "falcon",
    "falcon_h1", "flex_olmo", "flint", "gemma", "gemma2", "gemma3", "gemma3_text", "gemma3n", "gemma3n_text",
    "gpt_oss", "granite", "granite4_vision_text", "granite_docling_text", "granite_swa", "granitemoe",
    "granitemoe_swa", "granitemoehybrid", "granitemoeshared", "helium", "hrm_text", "hunyuan_v1_dense",
    "hunyuan_v1_moe", "hunyuan_vl_text", "hy_v3", "hy_v4", "hyperclovax", "jais2", "jetmoe", "kolibri1", "lfm2",
    "lfm2_moe", "lfm3", "llama", "llama4", "llama4_text", "minimax", "ministral", "ministral3", "mistral",
    "mixtral", "mllama", "mllama_text_model", "modernbert-decoder", "molmo2_text", "moshi", "nanochat", "olmo",
    "olmo2", "olmo3", "olmo_hybrid", "olmoe", "paddleocr_vl_text", "phimoe", "qwen2", "qwen2_5_omni_text",
    "qwen2_5_vl_text", "qwen2_moe", "qwen2_vl_text", "qwen3", "qwen3_moe", "qwen3_omni_moe_text",
    "qwen3_vl_moe_text", "qwen3_vl_text", "seed_oss", "smollm3", "starcoder2", "vaultgemma", "zamba2",
))  # fmt: skip
