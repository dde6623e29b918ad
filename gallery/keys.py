"""KEYS turns every spelling of a config key into one name: one row per meaning, with its unit and who spells it how.

`IGNORED` lists, with a reason, the keys that say nothing about shapes. A key in neither table is reported as unread.
A dotted spelling is looked up inside a dict. The first spelling of a row that a config carries wins.
"""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """One meaning: `name` is what the code asks for, `unit` decides the type and the limits of its value."""

    name: str
    unit: str
    meaning: str
    spellings: tuple[str, ...] = ()
    used_by: str = ""


# unit -> (smallest, largest) whole number that is believed; the caps keep every reading under a second
LIMITS = {
    "layers": (1, 2_000),
    "width": (1, 1_000_000),  # GPT-3 has 12,288
    "vocabulary": (1, 100_000_000),
    "heads": (1, 100_000),
    "experts": (0, 100_000),
    "rank": (0, 1_000_000),
    "tokens": (0, 10**15),
    "count": (0, 1_000_000),
}

KEYS = (
    # ---- the frame
    Key("num_hidden_layers", "layers", "how many layers", ("num_layers", "n_layer", "n_layers", "num_blocks"),
        "ChatGLM, EXAONE 3, LongCat; GPT-2, Falcon, Bloom; DBRX, MPT, Mistral params.json; xLSTM"),
    Key("hidden_size", "width", "width of the residual stream", ("d_model", "n_embd", "embedding_dim", "model_dim",
        "dim"), "DBRX, MPT, Mamba; GPT-2; xLSTM; OpenELM; Mistral params.json"),
    Key("vocab_size", "vocabulary", "rows of the embedding table", ("padded_vocab_size",), "ChatGLM"),
    Key("max_position_embeddings", "tokens", "longest context it was prepared for", ("seq_length", "max_seq_len",
        "max_sequence_length", "model_max_length", "n_positions", "n_ctx", "max_context_length"),
        "ChatGLM, Bloom; DBRX, MPT; Baichuan; GPT-2"),
    Key("original_max_position_embeddings", "tokens", "context before stretching", ("initial_context_length",),
        "Phi-3, gpt-oss"),
    Key("tie_word_embeddings", "flag", "the head is the embedding table", ("tie_embedding", "tie_embeddings",
        "tied_embeddings", "share_input_output_layers", "use_tied_embeddings"), "LFM2, Mistral params.json"),
    Key("dtype", "word", "number format of the weights", ("torch_dtype", "params_dtype"),
        "files written before transformers 4.56"),
    Key("use_parallel_residual", "flag", "mixer and MLP read the same input", ("parallel_attn",),
        "GPT-NeoX, StableLM; Falcon"),
    Key("loops", "count", "how often the same stack runs", ("total_ut_steps",), "Ouro"),
    Key("embedding_size", "width", "width of the embedding table where it differs", ("word_embed_proj_dim",), "OPT"),
    Key("type_vocab_size", "count", "rows of a token-type table"),
    # ---- attention
    Key("num_attention_heads", "heads", "query heads", ("n_head", "n_heads", "num_heads", "encoder_attention_heads"),
        "GPT-2, Falcon, Bloom; DBRX, MPT; xLSTM"),
    Key("num_key_value_heads", "heads", "key and value heads", ("num_kv_heads", "n_head_kv", "n_kv_heads",
        "attn_config.kv_n_heads", "multi_query_group_num", "num_attention_groups", "num_query_groups",
        "num_key_value_groups_count"), "Falcon; Mistral params.json; DBRX; ChatGLM; Step 3.5; Zamba2"),
    Key("multi_query", "flag", "one KV head for all", ("multi_query_attention",), "Falcon, StarCoder; ChatGLM"),
    Key("head_dim", "width", "size of one head", ("attention_head_dim", "kv_channels", "head_size", "d_kv"),
        "Nemotron-H, Hunyuan; ChatGLM, Qwen 1"),
    Key("v_head_dim", "width", "size of one value head where it differs"),
    Key("rotary_dim", "width", "how many numbers of a head are rotated"),
    Key("partial_rotary_factor", "number", "share of a head that is rotated", ("rotary_pct", "rope_percent",
        "rope_pct", "rope_parameters.partial_rotary_factor"), "GPT-NeoX, StableLM, Qwen 1"),
    Key("attention_bias", "flag", "biases on the projections", ("add_qkv_bias", "use_qkv_bias", "qkv_bias",
        "attn_config.qkv_bias", "attn_bias", "enable_bias"), "ChatGLM; StableLM, Ling; OPT"),
    Key("attention_out_bias", "flag", "a bias on the output projection", ("o_bias",), "Seed-OSS"),
    Key("use_bias", "flag", "biases everywhere", ("bias", "add_bias_linear"),
        "StarCoder2, ERNIE; InternLM2, Falcon; ChatGLM"),
    Key("no_bias", "flag", "no biases anywhere", (), "MPT, Qwen 1"),
    Key("mlp_bias", "flag", "biases on the MLP"),
    Key("lm_head_bias", "flag", "a bias on the head", ("head_bias",), "Phi, Phi-MoE"),
    Key("use_qk_norm", "flag", "queries and keys are normalised", ("qk_norm", "qk_layernorm", "qk_layernorms",
        "attn_config.qk_ln", "attn_config.qk_gn", "use_query_key_norm"), "Apertus; StableLM, Phi; MPT; Hunyuan"),
    Key("qk_norm_type", "word", "per head or over the whole projection", (), "MiniMax"),
    Key("use_mla", "flag", "latent attention is on", (), "Hunyuan"),
    Key("q_lora_rank", "rank", "query latent of MLA"),
    Key("kv_lora_rank", "rank", "key-value latent of MLA"),
    Key("qk_nope_head_dim", "width", "part of a query head without position"),
    Key("qk_rope_head_dim", "width", "part of a query head with position"),
    Key("mla_use_nope", "flag", "the rope part is not rotated", (), "Kimi Linear"),
    Key("mla_use_output_gate", "flag", "MLA has an output gate", (), "Kimi K3"),
    Key("o_lora_rank", "rank", "rank of the grouped output projection", (), "DeepSeek V4"),
    Key("o_groups", "count", "groups of the output projection", (), "DeepSeek V4"),
    Key("attn_output_gate", "flag", "a gate on what attention returns", ("attention_output_gate",),
        "Qwen3.5; MiniMax-M3"),
    Key("use_head_wise_attn_gate", "flag", "one gate per head", (), "Step 3.5"),
    Key("gating", "any", "per-head gate", (), "Laguna"),
    Key("sliding_window", "tokens", "how far a windowed layer sees", ("sliding_window_size",
        "local_attention_window", "attention_window_size", "window_size", "attn_window_size", "local_attn_size",
        "attn_config.sliding_window_size"), "Gemma 2; RecurrentGemma; GPT-Neo"),
    Key("use_sliding_window", "flag", "whether the window is on", (), "Qwen"),
    Key("attention_chunk_size", "tokens", "size of an attention chunk", (), "Llama 4"),
    Key("add_swa_attention_sink_bias", "flag", "windowed layers have sinks", (), "MiMo-V2"),
    Key("add_full_attention_sink_bias", "flag", "full layers have sinks", (), "MiMo-V2"),
    Key("num_attention_heads_per_layer", "list", "query heads, layer by layer", (), "Laguna"),
    Key("num_kv_heads_per_layer", "list", "KV heads, layer by layer", (), "OpenELM-like"),
    Key("swa_num_attention_heads", "heads", "query heads of windowed layers",
        ("attention_other_setting.num_attention_heads",), "MiMo-V2; Step 3.5"),
    Key("swa_num_key_value_heads", "heads", "KV heads of windowed layers",
        ("attention_other_setting.num_attention_groups",), "MiMo-V2; Step 3.5"),
    Key("swa_head_dim", "width", "head size of windowed layers", ("attention_other_setting.head_dim",),
        "MiMo-V2; Step 3.5"),
    Key("swa_v_head_dim", "width", "value head size of windowed layers", (), "MiMo-V2"),
    Key("global_head_dim", "width", "head size of full layers", (), "Gemma 4"),
    Key("num_global_key_value_heads", "heads", "KV heads of full layers", (), "Gemma 4"),
    Key("attention_k_eq_v", "flag", "full layers take their keys as values", (), "Gemma 4"),
    Key("num_kv_shared_layers", "count", "last layers that reuse K and V", (), "Gemma 3n, Gemma 4"),
    Key("use_cla", "flag", "neighbouring layers share K and V", (), "Hunyuan"),
    Key("cla_share_factor", "count", "how many layers share", (), "Hunyuan"),
    Key("alibi", "flag", "ALiBi instead of rotary", ("attn_config.alibi", "use_alibi"), "Falcon; MPT"),
    Key("position_embedding_type", "word", "rope, nope, learned...", (), "Granite 4"),
    Key("index_n_heads", "count", "heads of the indexer", ("sparse_attention_config.sparse_num_index_heads",
        "indexer_n_heads"), "DeepSeek V3.2, GLM-5; MiniMax-M3"),
    Key("index_head_dim", "width", "head size of the indexer", ("sparse_attention_config.sparse_index_dim",
        "indexer_head_dim"), "DeepSeek V3.2, GLM-5; MiniMax-M3"),
    Key("index_topk", "count", "how many entries the indexer keeps", ("sparse_attention_config.sparse_topk_blocks",
        "index_topk_blocks", "indexer_budget"), "DeepSeek V3.2; MiniMax-M3"),
    Key("index_block_size", "count", "tokens per scored block", ("sparse_attention_config.sparse_block_size",),
        "MiniMax-M3"),
    Key("use_sparse_attention", "flag", "block-sparse attention is on",
        ("sparse_attention_config.use_sparse_attention",), "MiniMax-M3"),
    # ---- which mixer each layer has
    Key("layer_types", "list", "mixer of each layer, as words"),
    Key("layers_block_type", "list", "mixer or MLP of each layer, as words", ("layer_block_types",),
        "Nemotron 3 Ultra, Zamba2"),
    Key("hybrid_override_pattern", "word", "M, E, *, - per layer", ("hybrid_pattern",), "Nemotron-H"),
    Key("attn_type_list", "list", "1 = softmax, 0 = linear", (), "MiniMax"),
    Key("hybrid_layer_pattern", "list", "1 = windowed, 0 = full", (), "MiMo-V2"),
    Key("kda_layers", "list", "1-based layers with KDA", ("linear_attn_config.kda_layers",), "Kimi Linear"),
    Key("full_attn_layers", "list", "1-based layers with full attention", ("linear_attn_config.full_attn_layers",),
        "Kimi Linear"),
    Key("full_attn_idxs", "list", "0-based layers with attention", (), "LFM2"),
    Key("attn_layer_indices", "list", "0-based layers with attention", ("attn_layers",), "Bamba"),
    Key("attn_layer_period", "count", "every n-th layer attends", (), "Jamba"),
    Key("attn_layer_offset", "count", "first of them", (), "Jamba"),
    Key("layer_group_size", "count", "last of each group has full attention", (), "Ling 2.5"),
    Key("full_attention_interval", "count", "every n-th layer has full attention", (), "Qwen3-Next"),
    Key("cross_attention_layers", "list", "0-based layers that read images", (), "Llama 3.2 Vision"),
    Key("sliding_window_pattern", "any", "every n-th layer is full, or letters L and G",
        ("_sliding_window_pattern",), "Gemma 3, Cohere 2, EXAONE 4"),
    Key("global_attn_every_n_layers", "count", "every n-th layer is full", ("global_attention_interval",),
        "Trinity"),
    Key("compress_ratios", "list", "0, 4 or 128 tokens per cache entry", (), "DeepSeek V4"),
    Key("sparse_attention_freq", "list", "1 = block-sparse", ("sparse_attention_config.sparse_attention_freq",),
        "MiniMax-M3"),
    Key("hybrid_layer_ids", "list", "layers with the shared transformer", (), "Zamba2"),
    Key("attention_layers", "list", "global or local, layer by layer", (), "GPT-Neo"),
    Key("block_types", "list", "repeating pattern of mixers", ("_block_types",), "RecurrentGemma"),
    Key("dense_attention_every_n_layers", "count", "every n-th layer is dense, the others block-sparse", (),
        "Phi-3-small"),
    Key("max_window_layers", "count", "layers before the window starts", (), "Qwen2"),
    Key("indexer_types", "list", "full, or shared with an earlier layer", (), "GLM-5.2"),
    Key("index_topk_freq", "count", "every n-th layer has its own indexer", (), "GLM-5.2"),
    Key("index_skip_topk_offset", "count", "layers before the sharing starts", (), "GLM-5.2"),
    Key("no_rope_layers", "list", "1 = has rotary position", (), "Llama 4, SmolLM3"),
    Key("no_rope_layer_interval", "count", "every n-th layer has no position", (), "SmolLM3, Llama 4"),
    Key("layer_rope_theta", "list", "0 = no rotary position", (), "Muse Glimmer"),
    Key("block_configs", "list", "every layer spelled out", (), "Nemotron-NAS"),
    Key("parallel_hybrid", "flag", "attention and SSM side by side"),
    # ---- dense MLP
    Key("intermediate_size", "any", "width of the MLP (a list: layer by layer)", ("ffn_hidden_size",
        "ff_intermediate_size", "block_ff_dim", "ffn_config.ffn_hidden_size", "n_inner", "ffn_dim", "d_ff",
        "hidden_dim", "d_inner"), "ChatGLM; Phi-3-small; LFM2; DBRX; GPT-2; OPT; Mistral params.json"),
    Key("dense_intermediate_size", "width", "width of the dense MLP beside experts", ("intermediate_size_mlp",),
        "MiniMax-M3; Llama 4"),
    Key("expansion_ratio", "number", "MLP width over hidden_size", ("mlp_ratio", "hidden_ratio",
        "mlp_expansion_ratio"), "MPT; RWKV"),
    Key("ffn_proj_factor", "number", "MLP width over hidden_size before rounding", (), "xLSTM"),
    Key("ffn_round_up_to_multiple_of", "count", "what that width is rounded up to", (), "xLSTM"),
    Key("block_auto_adjust_ff_dim", "flag", "the MLP width is 2/3 of what it says", (), "LFM2"),
    Key("block_ffn_dim_multiplier", "number", "and then multiplied", ("ffn_dim_multiplier",), "LFM2"),
    Key("block_multiple_of", "count", "and rounded up", ("multiple_of",), "LFM2"),
    Key("use_double_wide_mlp", "flag", "KV-shared layers have twice the MLP", (), "Gemma 4"),
    Key("hidden_act", "word", "activation of the MLP", ("hidden_activation", "activation_function", "mlp_hidden_act",
        "activation", "ffn_config.ffn_act_fn.name"), "Gemma; GPT-2, OPT; Nemotron-H"),
    # ---- experts
    Key("num_experts", "experts", "routed experts", ("n_routed_experts", "num_local_experts", "moe_num_experts",
        "ffn_config.moe_num_experts", "moe.num_experts"),
        "DeepSeek; Mixtral, gpt-oss; ERNIE, Step 3.5; DBRX; Mistral params.json"),
    Key("num_experts_per_tok", "any", "experts a token visits", ("num_experts_per_token", "top_k_experts",
        "moe_topk", "moe_k", "moe_top_k", "ffn_config.moe_top_k", "experts_per_token", "moe.num_experts_per_tok",
        "num_selected_experts"), "Kimi Linear; Gemma 4; Hunyuan, LongCat; ERNIE; Step 3.5; DBRX; gpt-oss"),
    Key("moe_intermediate_size", "any", "width of one expert (a list: layer by layer)", ("expert_ffn_hidden_size",
        "expert_intermediate_size", "moe_ffn_hidden_size", "moe.expert_hidden_dim"),
        "LongCat; Gemma 4; Mistral params.json"),
    Key("moe_latent_size", "rank", "width the experts work in", ("routed_expert_hidden_size",),
        "Nemotron 3 Super; Kimi K3"),
    Key("latent_moe_use_norm", "flag", "a norm in the latent", (), "Kimi K3"),
    Key("n_shared_experts", "any", "how many experts every token visits", ("num_shared_experts",
        "moe_num_shared_experts", "num_shared_expert", "n_shared_expert"), "Kimi; ERNIE; Hunyuan"),
    Key("shared_expert_intermediate_size", "rank", "width of the shared expert",
        ("moe_shared_expert_intermediate_size", "share_expert_dim", "shared_intermediate_size",
        "shared_expert_ffn_hidden_size"), "Qwen; Nemotron; Step; MiniMax, Granite"),
    Key("n_group", "any", "groups of experts", ("num_expert_group", "num_expert_groups"),
        "DeepSeek; Kimi Linear; Trinity"),
    Key("topk_group", "any", "groups a token may visit", ("num_limited_groups",), "DeepSeek; Trinity"),
    Key("zero_expert_num", "experts", "experts that return their input", (), "LongCat"),
    Key("scoring_func", "word", "how router logits become weights", ("score_func", "score_function",
        "moe_router_activation_func", "moe_router_activation", "router_score_function"),
        "DeepSeek; Trinity; Ling; Kimi Linear; Step"),
    Key("num_hash_layers", "count", "first layers routed by a hash of the token", (), "DeepSeek V4"),
    Key("enable_moe_block", "flag", "experts are on", (), "Gemma 4"),
    Key("router_hidden_size", "width", "width of the router's own network", (), "ZAYA"),
    Key("parallel_attn_mlp_res", "flag", "experts beside a dense residual MLP", (), "Arctic"),
    Key("residual_moe", "flag", "experts beside a dense MLP", (), "Grok"),
    Key("use_routing_bias", "flag", "a score-correction buffer on the router", ("moe_router_enable_expert_bias",
        "use_moe_router_bias", "use_expert_bias", "moe_router_use_expert_bias"), "MiniMax; Ling; Step; LFM2"),
    # ---- which MLP each layer has
    Key("mlp_layer_types", "list", "dense or sparse, layer by layer"),
    Key("first_k_dense_replace", "count", "dense layers before the experts", ("num_dense_layers",
        "moe_layer_num_skipped", "n_dense_layers", "num_dense_first_layers"), "DeepSeek; Trinity, LFM2; Hunyuan"),
    Key("moe_layer_freq", "any", "every n-th layer, or a 0/1 list", ("moe_layer_frequency",),
        "DeepSeek, MiMo-V2; Arctic"),
    Key("mlp_only_layers", "list", "layers that stay dense", (), "Qwen2-MoE"),
    Key("decoder_sparse_step", "count", "every n-th layer has experts", (), "Qwen2-MoE"),
    Key("moe_layers", "list", "0-based layers with experts"),
    Key("moe_layers_enum", "word", "the same as a string", (), "Step 3.5"),
    Key("interleave_moe_layer_step", "count", "every n-th layer has experts", (), "Llama 4"),
    Key("expert_layer_period", "count", "every n-th layer has experts", (), "Jamba"),
    Key("expert_layer_offset", "count", "first of them", (), "Jamba"),
    Key("moe_layer_start_index", "count", "first layer with experts", (), "ERNIE"),
    Key("moe_layer_end_index", "any", "last layer with experts", (), "ERNIE"),
    Key("moe_layer_interval", "count", "stride between them", (), "ERNIE"),
    # ---- recurrent mixers
    Key("linear_num_key_heads", "heads", "key heads of the delta rule"),
    Key("linear_num_value_heads", "heads", "value heads of the delta rule"),
    Key("linear_key_head_dim", "width", "their size"),
    Key("linear_value_head_dim", "width", "their size"),
    Key("linear_conv_kernel_dim", "count", "convolution before it"),
    Key("linear_allow_neg_eigval", "flag", "beta may reach 2", ("allow_neg_eigval",), "OLMo Hybrid"),
    Key("kda_num_heads", "heads", "heads of KDA", ("linear_attn_config.num_heads", "linear_num_heads"),
        "Kimi Linear"),
    Key("kda_head_dim", "width", "their size", ("linear_attn_config.head_dim", "linear_head_dim"), "Kimi Linear"),
    Key("kda_conv", "count", "convolution before it", ("linear_attn_config.short_conv_kernel_size",
        "short_conv_kernel_size"), "Kimi Linear"),
    Key("kda_full_rank_gate", "flag", "the output gate is one full matrix",
        ("linear_attn_config.use_full_rank_gate",), "Kimi K3"),
    Key("mamba_num_heads", "any", "heads of Mamba-2", ("mamba_n_heads", "n_mamba_heads"),
        "Nemotron-H; Granite 4, Falcon-H1; Zamba2"),
    Key("mamba_head_dim", "any", "their size", ("mamba_d_head", "mamba_headdim"), "Nemotron-H; Granite 4; Zamba2"),
    Key("mamba_intermediate_size", "width", "inner width of the SSM", ("mamba_d_ssm", "mamba_inner_size"),
        "Falcon-H1"),
    Key("state_size", "count", "state per channel", ("ssm_state_size", "mamba_d_state"),
        "Mamba; Nemotron-H; Granite 4"),
    Key("n_groups", "count", "groups of B and C", ("mamba_n_groups", "mamba_ngroups"),
        "Nemotron-H; Granite 4; Zamba2"),
    Key("conv_kernel", "count", "convolution before the scan", ("mamba_d_conv", "conv1d_width", "d_conv"),
        "Mamba; Granite 4; RecurrentGemma"),
    Key("expand", "number", "inner width over hidden_size", ("mamba_expand",), "Mamba; Granite 4"),
    Key("mamba_dt_rank", "any", "rank of the step size", ("time_step_rank",), "Jamba; Mamba"),
    Key("use_conv_bias", "flag", "bias of the convolution", ("mamba_conv_bias",), "Mamba; Granite 4"),
    Key("mamba_proj_bias", "flag", "biases of the projections"),
    Key("mamba_rms_norm", "flag", "a norm after the scan", (), "Falcon-H1"),
    Key("chunk_size", "count", "chunk of the scan", ("mamba_chunk_size",), "Mamba-2; Granite 4"),
    Key("lru_width", "width", "width of the recurrent block", (), "RecurrentGemma"),
    Key("conv_L_cache", "count", "taps of the short convolution", (), "LFM2"),
    Key("conv_bias", "flag", "its bias", (), "LFM2"),
    Key("conv_dim", "width", "its width", (), "LFM2"),
    Key("group_norm_size", "count", "groups of the norm after linear attention", (), "Ling 2.5"),
    Key("qk_dim_factor", "number", "query width over hidden_size", (), "xLSTM"),
    Key("v_dim_factor", "number", "value width over hidden_size", (), "xLSTM"),
    Key("decay_low_rank_dim", "width", "rank of the decay", (), "RWKV-7"),
    Key("gate_low_rank_dim", "width", "rank of the gate", (), "RWKV-7"),
    Key("a_low_rank_dim", "width", "rank of the learning rate", (), "RWKV-7"),
    Key("v_low_rank_dim", "width", "rank of the value mix", (), "RWKV-7"),
    # ---- beside the halves
    Key("hidden_size_per_layer_input", "rank", "width of the per-layer embeddings", (), "Gemma 3n, Gemma 4"),
    Key("vocab_size_per_layer_input", "vocabulary", "rows of their table", (), "Gemma 3n, Gemma 4"),
    Key("altup_num_inputs", "count", "parallel copies of the stream", (), "Gemma 3n"),
    Key("laurel_rank", "rank", "rank of the learned residual", (), "Gemma 3n"),
    Key("hc_mult", "count", "hyper-connection streams", ("hc_count",), "DeepSeek V4"),
    Key("hc_sinkhorn_iters", "count", "Sinkhorn iterations", (), "DeepSeek V4"),
    Key("hc_lowrank", "rank", "rank of their mixing", (), "Qwen4"),
    Key("attn_res_block_size", "count", "layers per attention-residual block", (), "Kimi K3"),
    Key("num_mem_blocks", "count", "shared transformer blocks", (), "Zamba2"),
    Key("adapter_rank", "rank", "rank of the adapters of shared blocks", (), "Zamba2"),
    Key("use_shared_attention_adapter", "flag", "adapters on the shared attention", ("use_shared_attention_lora",),
        "Zamba2"),
    Key("use_shared_mlp_adapter", "flag", "adapters on the shared MLP", ("use_shared_mlp_lora",), "Zamba2"),
    Key("attention_hidden_size", "width", "width the shared attention reads", (), "Zamba2"),
    Key("cca_time0", "count", "first convolution of CCA", (), "ZAYA"),
    Key("cca_time1", "count", "second convolution of CCA", (), "ZAYA"),
    # ---- multi-token prediction
    Key("num_nextn_predict_layers", "any", "MTP layers", ("mtp_num_hidden_layers", "num_mtp_modules",
        "num_mtp_layers", "mtp_num_layers"), "DeepSeek; Qwen3.5; MiniMax"),
    Key("mtp_transformer_layers", "count", "layers per MTP module", (), "MiniMax"),
    Key("use_mtp", "flag", "MTP is on", (), "MiniMax"),
    Key("mtp_hybrid_override_pattern", "word", "halves of the MTP layers", (), "Nemotron 3 Super"),
    Key("mtp_layers_block_type", "list", "the same as words", (), "Nemotron 3 Ultra"),
    # ---- variants that change shapes
    Key("new_decoder_architecture", "flag", "Falcon's second layout", (), "Falcon"),
    Key("num_ln_in_parallel_attn", "count", "norms before the parallel halves", (), "Falcon"),
    Key("do_layer_norm_before", "flag", "pre-norm", (), "OPT"),
    Key("learned_pos_emb", "flag", "a table of positions", (), "MPT"),
    Key("attention_type", "any", "kind of attention"),
    Key("attention_types", "list", "patterns of global and local, with repeats", (), "GPT-Neo"),
    Key("use_post_norm", "flag", "norms after each half too", (), "HyperCLOVA X"),
    Key("projectors_bias", "flag", "biases of in and out projections", (), "Falcon-H1"),
)  # fmt: skip

SPELLINGS = {word: (key.name, rank) for key in KEYS for rank, word in enumerate((key.name, *key.spellings))}
UNITS = {key.name: key.unit for key in KEYS}
NESTED = frozenset(word.split(".")[0] for word in SPELLINGS if "." in word)

_BOOKKEEPING = """architectures model_type transformers_version _name_or_path auto_map torch_dtype_original name_or_path
 _from_model_config _commit_hash _attn_implementation _attn_implementation_autoset for_llm_compressor model_name
 org_vocab_size tokenizer_name tokenizer_class license unsloth_fixed unsloth_version transformers.js_config
 _experts_implementation _attn_implementation_internal text_config_dict vision_config_dict custom_pipelines
 base_model_tp_plan keys_to_ignore_at_inference is_llm_config init_device verbose onnx_safe logit_scale_type
 output_past"""
_TOKENS = """bos_token_id eos_token_id pad_token_id unk_token_id sep_token_id mask_token_id cls_token_id
 decoder_start_token_id image_token_id video_token_id audio_token_id image_token_index video_token_index
 vision_start_token_id vision_end_token_id vision_token_id boi_token_index eoi_token_index boi_token_id
 eoi_token_id boa_token_id eoa_token_id eoa_token_index boa_token_index media_placeholder_token_id
 image_placeholder video_placeholder ignore_index prefix eod_token_id im_end_id im_newline_id im_start_id
 mask_init_id pad_id text_end_id text_start_id video_end_id video_start_id image_start_token_id
 image_end_token_id forced_bos_token_id forced_eos_token_id num_media_embeds suppress_tokens
 begin_suppress_tokens bad_words_ids skip_cls_token image_token user_token_id assistant_token_id
 audio_start_token_id audio_end_token_id force_bos_token_insert"""
_TRAINING = """initializer_range initializer_factor init_std init_config init_method attention_dropout attn_pdrop embd_pdrop
 resid_pdrop hidden_dropout hidden_dropout_prob attention_dropout_prob embedding_dropout_prob ffn_dropout_prob
 dropout emb_pdrop embed_dropout attn_dropout_prob emb_dropout_prob classifier_dropout activation_dropout
 layerdrop summary_first_dropout use_cache pretraining_tp aux_loss_alpha seq_aux router_aux_loss_coef
 output_router_logits router_z_loss_coef z_loss_weight ep_size router_jitter_noise input_jitter_noise
 moe_jitter_eps moe_loss_weight ffn_config.moe_jitter_eps ffn_config.moe_loss_weight attn_config.attn_pdrop
 gradient_checkpointing rescale_prenorm_residual moe_drop_tokens moe_random_routing_dropped_token moe_norm_min
 residual_dropout embedding_dropout add_embedding_dropout weight_init_normal_std aux_loss_coef load_balance_coeff
 hidden_dropout_rate moe_capacity moe_dropout_prob moe_use_aux_free use_moe_aux_loss bf16 fp16 fp32
 w_init_variance_scale final_w_init_variance_scale moe_train_capacity_factor moe_eval_capacity_factor
 moe_token_dropping moe_min_capacity enable_expert_tensor_parallelism a_initializer_range time_step_scale
 fuse_norm fuse_cross_entropy fuse_swiglu"""
_GENERATION = """return_dict output_hidden_states output_attentions output_scores torchscript use_bfloat16 tf_legacy_loss
 pruned_heads chunk_size_feed_forward is_encoder_decoder is_decoder cross_attention_hidden_size
 add_cross_attention tie_encoder_decoder max_length min_length do_sample early_stopping num_beams num_beam_groups
 diversity_penalty temperature top_k top_p typical_p repetition_penalty length_penalty no_repeat_ngram_size
 encoder_no_repeat_ngram_size num_return_sequences return_dict_in_generate remove_invalid_values
 exponential_decay_length_penalty finetuning_task id2label label2id task_specific_params problem_type
 num_logits_to_keep cache_implementation num_labels add_classification_head class_num pool_type num_reward_heads
 summary_type summary_use_proj summary_activation summary_proj_to_labels max_new_tokens keep_last_n_tokens"""
_POSITIONS = """rope_theta rope_scaling rope_parameters rope_local_base_freq swa_rope_theta rotary_emb_base rope_embedding_base
 rope_position_scale rope_interleave rope_interleaved indexer_rope_interleave rope_ratio original_rope
 use_dynamic_ntk use_logn_attn compress_rope_theta attn_config.rope_theta attn_config.rope_impl attn_config.rope
 rope_type rope_traditional use_mrope mrope_section use_rotary_pos_emb position_embedding_xdrope xdrope_section
 global_rope_theta attn_config.alibi_bias_max alibi_bias_max attn_rotary_emb use_mem_rope use_long_context
 rope_scaling_factor rope_base mrope_interleaved local_rope_theta rotary_base yarn_only_types
 rope_freq_constant_value rotary_percentage rope"""
_ARITHMETIC = """rms_norm_eps layer_norm_epsilon layer_norm_eps layernorm_epsilon norm_eps norm_epsilon post_norm_eps eps
 cell_norm_eps hc_eps routed_scaling_factor norm_topk_prob topk_method moe_renormalize route_scale route_norm
 router_scaling_factor moe_router_scaling_factor moe_routed_scaling_factor attention_multiplier
 embedding_multiplier logits_scaling residual_multiplier logit_scale lm_head_multiplier mlp_multipliers
 key_multiplier attention_out_multiplier attention_in_multiplier ssm_multipliers ssm_in_multiplier
 ssm_out_multiplier attention_value_scale attn_logit_softcapping final_logit_softcapping query_pre_attn_scalar
 qk_scale_factor output_multiplier scale_emb scale_depth dim_model_base swiglu_limit swiglu_alpha
 scale_attn_weights scale_attn_by_inverse_layer_idx reorder_and_upcast_attn attention_softmax_in_fp32
 fp32_residual_connection residual_in_fp32 attn_temperature_tuning floor_scale attn_scale clip_qkv
 attn_config.clip_qkv mup_enabled mup_attn_multiplier mup_embedding_multiplier mup_use_scaling
 mup_width_multiplier layernorm_full_attention_alpha layernorm_full_attention_beta
 layernorm_linear_attention_alpha layernorm_linear_attention_beta layernorm_mlp_alpha layernorm_mlp_beta
 linear_attn_alpha_factor linear_attn_beta_factor full_attn_alpha_factor full_attn_beta_factor mlp_alpha_factor
 mlp_beta_factor moe_router_logit_softcapping moe_apply_router_weight_on_input enable_moe_fp32_combine
 activation_situ_beta activation_situ_linear_beta gegelu_limit gegelu_pad_to_256 altup_coef_clip altup_active_idx
 altup_correct_scale activation_sparsity_pattern time_step_min time_step_max time_step_floor time_step_limit
 time_step_init_scheme gate_soft_cap output_logit_soft_cap igate_bias_init_range norm_reduction_force_float32
 mamba_norm_before_gate softmax_scale attn_config.softmax_scale apply_query_key_layer_scaling attention_scaling
 expert_dtype mamba_ssm_dtype mamba_ssm_cache_dtype mamba_hidden_act output_gate_type gate_lower_bound
 linear_attn_config.gate_lower_bound logit_soft_cap attn_config.attn_uses_sequence_id use_grouped_topk
 shared_moe_mode layer_norm_type_eps residual_scale norm_after_topk mamba_d_ssm_norm hidden_act_scale
 ffn_multipliers score_correction routing_method final_logit_softcap logits_soft_cap embedding_scale
 sparse_attention_config.sparse_score_type mlp_expansion_factor moe_router_topk_scaling_factor
 router_topk_scaling_factor use_expert_choice attn_logit_cap scale_embedding logits_soft_capping"""
_RUNTIME = """use_mamba_kernels use_mem_eff_path use_flash_attn attn_config.attn_impl bias_dropout_fusion chunkwise_kernel
 sequence_kernel step_kernel mode use_biases causal return_last_states autocast_kernel_dtype
 inference_state_dtype max_inference_chunksize add_forward_backend_padding use_grouped_mm
 blocksparse_triton_kernel_block_size pad_sequence_to_multiple_of_64 att_impl_type attention_method attn_mode
 fuse_qkv use_kernels max_tokenizer_truncation attn_config.prefix_lm weight_mode process_image_mode
 use_flash_attention use_cuda_kernels falcon_mamba_mixer_rms_eps_kernel mixer_rms_eps"""
_SAID_TWICE = """qk_head_dim block_dim gating_types embedding_fraction attn_config.attn_type attn_config.model_type
 ffn_config.model_type norm_type normalization_function rmsnorm post_layer_norm postnorm use_gemma_norm
 block_size apply_residual_connection_post_layernorm attention_other_setting.attention_type
 attention_other_setting.true_head_dim mtp_use_dedicated_embeddings zero_expert_type use_mixed_mlp_moe
 group_limited_greedy dense_list mamba_use_mlp sparse_attention_config.sparse_disable_index_value
 sparse_attention_config.sparse_local_block sparse_attention_config.sparse_init_block norm_first norm_bias attn
 use_mla_cache layernorm_type mlp_type add_out_norm add_post_blocks_norm add_post_norm add_qk_norm
 mlstm_round_up_to_multiple_of use_bidirectional_attention mtp_layer_types mtp_mlp_layer_types is_causal
 prefix_lm index_share_for_mtp_iteration index_topk_pattern moe_shared_expert_overlap language_model_only
 moe_router_dtype attn_implementation"""
_OTHER_TOWERS = """vision_config audio_config speech_config embd_layer img_processor vision_feature_layer
 vision_feature_select_strategy multimodal_projector_bias projector_hidden_act projector_hidden_size
 projection_dim out_hidden_size image_seq_length image_grid_pinpoints img_token_compression_config
 mm_tokens_per_image spatial_merge_size use_unified_vision_chunk vision_soft_tokens_per_image
 audio_soft_tokens_per_image anyres_pooling_size anyres_vit_max_image_size anyres_vit_two_views
 vit_add_patchemb_bias vit_input_resolution vit_mapping_type vit_norm_type vit_patch vit_path vit_remove_prenorm
 vit_token vit_type vit_used_rms_norm projector_config aligner_config gen_vision_config gen_aligner_config
 gen_head_config mm_projector_type image_size patch_size select_layer downsample_ratio ps_version
 dynamic_image_size force_image_size max_dynamic_patch min_dynamic_patch use_thumbnail template tile_tag
 global_view_pos candidate_resolutions image_size_cond talker_config code2wav_config token2wav_config
 perceiver_config qformer_config encoder_config video_config understand_projector_stride projector_bias
 use_backbone_lora use_llm_lora pad2square mlp_checkpoint audio_processor enable_audio_output vision_lora
 speech_lora projection_hidden_size projection_layer_norm_eps vision_encoder"""

IGNORED = (
    ("bookkeeping: who wrote the file, for which library", _BOOKKEEPING),
    ("token ids and placeholders: no shape hangs on them", _TOKENS),
    ("training only: dropout, losses, initialisation", _TRAINING),
    ("generation defaults that old files drag along (never read top_k as experts per token)", _GENERATION),
    ("how positions are rotated: no weight hangs on it", _POSITIONS),
    ("arithmetic without weights: epsilons, scales, caps, clamps", _ARITHMETIC),
    ("which kernel runs it", _RUNTIME),
    ("says again what another key says", _SAID_TWICE),
    ("belongs to another tower or its plumbing; see towers.py", _OTHER_TOWERS),
    ("read by quantization.py", "quantization_config compression_config quantization kv_cache_quant_algo"),
)
IGNORED_WORDS = {word: reason for reason, words in IGNORED for word in words.split()}
