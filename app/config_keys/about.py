"""Which mechanism of the glossary a config key belongs to, and which explainer teaches what it sets."""

from __future__ import annotations

from cutaway.app.model import ideas

ABOUT = {  # key of an idea -> config keys
    "gqa": "num_attention_heads num_key_value_heads head_dim num_attention_heads_per_layer num_kv_heads_per_layer",
    "mqa": "multi_query",
    "mla": "use_mla q_lora_rank kv_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim mla_use_nope "
    "mla_scale_q_lora mla_scale_kv_lora swa_q_lora_rank swa_kv_lora_rank swa_qk_nope_head_dim swa_qk_rope_head_dim",
    "mla-gate": "mla_use_output_gate gated_attention_proj_granularity_type",
    "output-gate": "attn_output_gate",
    "headwise-gate": "use_head_wise_attn_gate gating",
    "grouped-output": "o_lora_rank o_groups",
    "qk-norm": "use_qk_norm qk_norm_type",
    "softcap": "attn_logit_softcapping",
    "clip": "clip_qkv",
    "temperature": "llama_4_scaling attn_temperature_tuning attn_scale floor_scale log_scaling_n_floor "
    "log_scaling_alpha",
    "value-scale": "attention_value_scale",
    "k-is-v": "attention_k_eq_v",
    "shared-kv": "num_kv_shared_layers use_cla cla_share_factor kv_source_layers",
    "cross": "cross_attention_layers",
    "dynamic-mask": "keep_window_size",
    "relative": "d_rel rel_extent rel_l2_clip_threshold",
    "cca": "cca_time0 cca_time1",
    "window": "sliding_window use_sliding_window max_window_layers swa_num_attention_heads swa_num_key_value_heads "
    "swa_head_dim swa_v_head_dim local_rope_theta",
    "window-mix": "layer_types sliding_window_pattern prefix_dense_window_pattern hybrid_layer_pattern local_layer_ids "
    "global_attn_every_n_layers global_head_dim num_global_key_value_heads attention_layers attention_types",
    "chunks": "attention_chunk_size",
    "sinks": "add_swa_attention_sink_bias add_full_attention_sink_bias",
    "dsa": "index_n_heads index_head_dim index_topk use_dsa indexer_rope_interleave indexer_kv_heads",
    "shared-indexer": "indexer_types index_topk_freq index_topk_pattern index_skip_topk_offset",
    "block-indexer": "index_block_size index_local_blocks use_sparse_attention sparse_attention_freq",
    "pooled-indexer": "index_kpool index_kpool_always_select_tail indexer_compress_ratio",
    "csa": "compress_ratios compress_rate_csa compress_rope_theta",
    "hca": "compress_rate_hca",
    "rope": "rope_theta rope_ratio rope_interleave position_embedding_type layer_rope_theta use_mem_rope",
    "yarn": "original_max_position_embeddings",
    "partial-rope": "rotary_dim partial_rotary_factor partial_rotary_factors",
    "nope": "no_rope_layers no_rope_layer_interval",
    "alibi": "alibi",
    "learned-position": "learned_pos_emb",
    "qkv-bias": "attention_bias",
    "o-bias": "attention_out_bias",
    "mlp-bias": "mlp_bias",
    "rmsnorm": "norm_eps",
    "layernorm": "norm_bias",
    "post-norm": "post_norm_eps use_sandwich_norm use_post_norm swin_norm",
    "gated-norm": "gated_norm_rank",
    "normed-stream": "apply_residual_connection_post_layernorm",
    "parallel": "use_parallel_residual num_ln_in_parallel_attn",
    "tied": "tie_word_embeddings",
    "logit-softcap": "final_logit_softcapping",
    "residual-scale": "residual_multiplier scale_depth",
    "scaled-stream": "full_attn_alpha_factor full_attn_beta_factor linear_attn_alpha_factor linear_attn_beta_factor "
    "mlp_alpha_factor mlp_beta_factor",
    "swiglu": "hidden_act",
    "swigluoai": "swiglu_alpha swiglu_limit swiglu_limits swiglu_limits_shared",
    "sparse-gate": "activation_sparsity_pattern",
    "moe": "num_experts num_experts_per_tok moe_intermediate_size enable_moe_block norm_topk_prob "
    "routed_scaling_factor mlp_layer_types first_k_dense_replace moe_layer_freq mlp_only_layers decoder_sparse_step "
    "moe_layers moe_layers_enum interleave_moe_layer_step expert_layer_period expert_layer_offset "
    "moe_layer_start_index moe_layer_end_index moe_layer_interval dense_mlp_idx moe_router_logit_softcapping",
    "shared-expert": "n_shared_experts shared_expert_intermediate_size shared_experts_intermediate_size "
    "shared_expert_combination_strategy",
    "shared-routed": "shared_expert_sink",
    "groups": "n_group topk_group topk_method",
    "sigmoid-router": "scoring_func",
    "sparsemixer": "router_jitter_noise",
    "loss-free": "use_routing_bias",
    "zero-experts": "zero_expert_num",
    "latent-experts": "moe_latent_size latent_moe_use_norm",
    "hash-router": "num_hash_layers",
    "router-network": "router_hidden_size",
    "dense-beside": "dense_intermediate_size parallel_attn_mlp_res residual_moe",
    "gated-deltanet": "linear_num_key_heads linear_num_value_heads linear_key_head_dim linear_value_head_dim "
    "linear_conv_kernel_dim linear_allow_neg_eigval output_gate_type",
    "kda": "kda_num_heads kda_head_dim kda_conv kda_full_rank_gate no_kda_lora kda_lower_bound kda_safe_gate "
    "kda_layers",
    "lightning": "attn_type_list group_norm_size",
    "mamba": "state_size conv_kernel expand mamba_dt_rank use_conv_bias mamba_proj_bias mamba_rms_norm mixer_rms_eps "
    "mamba_intermediate_size mamba_hidden_act time_step_limit time_step_min mamba_norm_before_gate",
    "mamba2": "mamba_num_heads mamba_head_dim n_groups chunk_size ssm_multipliers ssm_in_multiplier ssm_out_multiplier",
    "mlstm": "gate_soft_cap mlstm_eps qk_dim_factor v_dim_factor",
    "rg-lru": "lru_width block_types",
    "rwkv4": "rescale_every",
    "rwkv7": "decay_low_rank_dim gate_low_rank_dim a_low_rank_dim v_low_rank_dim",
    "short-conv": "conv_L_cache conv_bias conv_dim full_attn_idxs",
    "hybrid": "layers_block_type attn_layer_indices attn_layer_period attn_layer_offset layer_group_size "
    "full_attention_interval full_attn_layers",
    "lone-halves": "hybrid_override_pattern",
    "both-mixers": "parallel_hybrid",
    "hyper-connections": "hc_mult hc_eps hc_sinkhorn_iters hc_lowrank hc_magnitude",
    "depth-attention": "attn_res_block_size n_layers_per_attn_res_block",
    "altup": "altup_num_inputs altup_active_idx altup_correct_scale",
    "laurel": "laurel_rank",
    "per-layer": "hidden_size_per_layer_input vocab_size_per_layer_input",
    "ngrams": "ple_layer_ids ple_embed_dim ple_conv_kernel_size ngram_size heads_per_ngram ngram_vocab_size_ratio "
    "ngram_vocab_size_base make_ngram_vocab_size_divisible_by split_ngram_parts seed",
    "shared-block": "num_mem_blocks hybrid_layer_ids attention_hidden_size",
    "lora-shared": "adapter_rank use_shared_attention_adapter use_shared_mlp_adapter",
    "loops": "loops",
    "two-speeds": "num_layers_per_stack H_cycles L_cycles",
    "mtp": "num_nextn_predict_layers mtp_transformer_layers use_mtp mtp_hybrid_override_pattern mtp_layers_block_type",
}
EXPLAINED = {  # config key -> explainer, where no mechanism leads to one
    "dtype": "bits",
    "hidden_size": "norms",
    "max_position_embeddings": "long-context",
}
IDEAS = {name: key for key, names in ABOUT.items() for name in names.split()}


def idea(name: str) -> ideas.Idea | None:
    """The glossary's entry on what a key sets."""
    return ideas.BY_KEY[IDEAS[name]] if name in IDEAS else None


def explainers_of(name: str) -> tuple[str, ...]:
    """The explainers that teach what a key sets."""
    found = idea(name)
    return found.learn if found else tuple(EXPLAINED[one] for one in (name,) if one in EXPLAINED)
