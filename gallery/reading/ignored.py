"""IGNORED: config keys that are deliberately not read, in groups, each with its reason."""

from __future__ import annotations

_BOOKKEEPING = """architectures model_type transformers_version _name_or_path auto_map torch_dtype_original
 name_or_path _from_model_config _commit_hash _attn_implementation _attn_implementation_autoset
 for_llm_compressor model_name tokenizer_name tokenizer_class license
 unsloth_fixed unsloth_version transformers.js_config _experts_implementation
 _attn_implementation_internal text_config_dict vision_config_dict custom_pipelines
 base_model_tp_plan keys_to_ignore_at_inference is_llm_config init_device verbose onnx_safe
 logit_scale_type output_past"""
_TOKENS = """bos_token_id eos_token_id pad_token_id unk_token_id sep_token_id mask_token_id cls_token_id
 decoder_start_token_id image_token_id video_token_id audio_token_id image_token_index
 video_token_index vision_start_token_id vision_end_token_id vision_token_id boi_token_index
 eoi_token_index boi_token_id eoi_token_id boa_token_id eoa_token_id eoa_token_index
 boa_token_index media_placeholder_token_id image_placeholder video_placeholder ignore_index
 prefix eod_token_id im_end_id im_newline_id im_start_id mask_init_id pad_id text_end_id
 text_start_id video_end_id video_start_id image_start_token_id image_end_token_id
 forced_bos_token_id forced_eos_token_id num_media_embeds suppress_tokens begin_suppress_tokens
 bad_words_ids skip_cls_token image_token user_token_id assistant_token_id audio_start_token_id
 audio_end_token_id force_bos_token_insert"""
_TRAINING = """L_bp_cycles initializer_range initializer_factor init_std init_config init_method attention_dropout
 attn_pdrop embd_pdrop resid_pdrop hidden_dropout hidden_dropout_prob attention_dropout_prob
 attention_probs_dropout_prob resid_dropout mlp_dropout initializer_cutoff_factor
 embedding_dropout_prob ffn_dropout_prob dropout dropout_p emb_pdrop embed_dropout attn_dropout_prob
 emb_dropout_prob classifier_dropout activation_dropout layerdrop summary_first_dropout
 use_cache pretraining_tp aux_loss_alpha seq_aux router_aux_loss_coef output_router_logits
 router_z_loss_coef z_loss_weight ep_size input_jitter_noise moe_jitter_eps
 moe_loss_weight ffn_config.moe_jitter_eps ffn_config.moe_loss_weight attn_config.attn_pdrop
 gradient_checkpointing rescale_prenorm_residual moe_drop_tokens
 moe_random_routing_dropped_token moe_norm_min residual_dropout embedding_dropout
 add_embedding_dropout weight_init_normal_std aux_loss_coef load_balance_coeff
 hidden_dropout_rate moe_capacity moe_dropout_prob moe_use_aux_free use_moe_aux_loss bf16 fp16
 fp32 w_init_variance_scale final_w_init_variance_scale moe_train_capacity_factor
 moe_eval_capacity_factor moe_token_dropping moe_min_capacity enable_expert_tensor_parallelism
 a_initializer_range time_step_scale fuse_norm fuse_cross_entropy fuse_swiglu
 mtp_loss_scaling_factor learnable_sink_init embedding_initializer_range"""
_GENERATION = """return_dict output_hidden_states output_attentions output_scores torchscript use_bfloat16
 tf_legacy_loss pruned_heads chunk_size_feed_forward is_encoder_decoder is_decoder
 cross_attention_hidden_size add_cross_attention tie_encoder_decoder max_length min_length
 do_sample early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p
 typical_p repetition_penalty length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size
 num_return_sequences return_dict_in_generate remove_invalid_values
 exponential_decay_length_penalty finetuning_task id2label label2id task_specific_params
 problem_type num_logits_to_keep cache_implementation num_labels add_classification_head
 class_num pool_type num_reward_heads summary_type summary_use_proj summary_activation
 summary_proj_to_labels max_new_tokens keep_last_n_tokens"""
_POSITIONS = """rope_scaling rope_parameters rope_position_scale rope_interleaved
 original_rope use_dynamic_ntk use_logn_attn
 attn_config.rope_impl attn_config.rope rope_type rope_traditional use_mrope
 mrope_section use_rotary_pos_emb position_embedding_xdrope xdrope_section
 attn_config.alibi_bias_max alibi_bias_max attn_rotary_emb use_long_context
 rope_scaling_factor mrope_interleaved yarn_only_types rope_freq_constant_value
 rotary_percentage rope"""
_ARITHMETIC = """eps cell_norm_eps rms_norm_eps_moe_gate reorder_and_upcast_attn attention_softmax_in_fp32
 fp32_residual_connection residual_in_fp32
 moe_apply_router_weight_on_input enable_moe_fp32_combine activation_situ_beta
 activation_situ_linear_beta gegelu_pad_to_256 altup_coef_clip
 time_step_max time_step_floor
 time_step_init_scheme igate_bias_init_range
 norm_reduction_force_float32 apply_query_key_layer_scaling
 attention_scaling expert_dtype mamba_ssm_dtype mamba_ssm_cache_dtype
 logit_soft_cap
 attn_config.attn_uses_sequence_id use_grouped_topk shared_moe_mode layer_norm_type_eps
 residual_scale norm_after_topk mamba_d_ssm_norm hidden_act_scale ffn_multipliers
 score_correction routing_method expert_swiglu_limit_list
 share_expert_swiglu_limit_list sparse_attention_config.sparse_score_type mlp_expansion_factor
 moe_router_topk_scaling_factor router_topk_scaling_factor use_expert_choice
 offset_alibi skip_bias_add skip_bias_add_qkv masked_softmax_fusion"""
_RUNTIME = """use_mamba_kernels use_mem_eff_path use_flash_attn attn_config.attn_impl bias_dropout_fusion
 chunkwise_kernel sequence_kernel step_kernel mode use_biases causal return_last_states
 autocast_kernel_dtype inference_state_dtype max_inference_chunksize add_forward_backend_padding
 use_grouped_mm blocksparse_triton_kernel_block_size pad_sequence_to_multiple_of_64
 att_impl_type attention_method attn_mode fuse_qkv use_kernels max_tokenizer_truncation
 attn_config.prefix_lm weight_mode process_image_mode use_flash_attention use_cuda_kernels
 falcon_mamba_mixer_rms_eps_kernel"""
_SAID_TWICE = """qk_head_dim block_dim gating_types embedding_fraction attn_config.attn_type
 attn_config.model_type attn_config.architectures ffn_config.model_type norm_type normalization_function rmsnorm
 post_layer_norm postnorm use_gemma_norm block_size
 attention_other_setting.attention_type attention_other_setting.true_head_dim
 mtp_use_dedicated_embeddings zero_expert_type use_mixed_mlp_moe group_limited_greedy dense_list
 mamba_use_mlp sparse_attention_config.sparse_disable_index_value
 sparse_attention_config.sparse_init_block norm_first
 attn use_mla_cache layernorm_type mlp_type add_out_norm add_post_blocks_norm
 sparse_attention_config.sparse_init_block norm_first
 attn use_mla_cache layernorm_type mlp_type add_out_norm add_post_blocks_norm
 add_post_norm add_qk_norm mlstm_round_up_to_multiple_of use_bidirectional_attention
 mtp_local_layer_ids mtp_hidden_states_first chain_hidden_post_norm
 mtp_layer_types mtp_mlp_layer_types is_causal prefix_lm index_share_for_mtp_iteration
 moe_shared_expert_overlap number_of_conv_states language_model_only
 moe_router_dtype attn_implementation
 lm_head rm_head"""
_OTHER_TOWERS = """vision_config audio_config speech_config embd_layer img_processor vision_feature_layer
 vision_feature_select_strategy multimodal_projector_bias projector_hidden_act
 projector_hidden_size projection_dim out_hidden_size image_seq_length image_grid_pinpoints
 img_token_compression_config mm_tokens_per_image spatial_merge_size use_unified_vision_chunk
 vision_soft_tokens_per_image audio_soft_tokens_per_image anyres_pooling_size
 anyres_vit_max_image_size anyres_vit_two_views vit_add_patchemb_bias vit_input_resolution
 vit_mapping_type vit_norm_type vit_patch vit_path vit_remove_prenorm vit_token vit_type
 vit_used_rms_norm projector_config aligner_config gen_vision_config gen_aligner_config
 gen_head_config mm_projector_type image_size patch_size select_layer downsample_ratio
 ps_version dynamic_image_size force_image_size max_dynamic_patch min_dynamic_patch
 use_thumbnail template tile_tag global_view_pos candidate_resolutions image_size_cond
 talker_config code2wav_config token2wav_config perceiver_config qformer_config encoder_config
 video_config understand_projector_stride projector_bias use_backbone_lora use_llm_lora
 pad2square mlp_checkpoint audio_processor enable_audio_output vision_lora speech_lora
 projection_hidden_size projection_layer_norm_eps vision_encoder
 vision_tower_cfg mm_projector_cfg enable_talker use_msac visual_tokenizer_config
 conversation_formatter_class multimodal_max_length vit_config disable_tie_weight visual_vocab_size"""

QUANTIZED = ("quantization_config", "compression_config", "quantization")  # the first that says something is read
CACHE_FORMAT = "kv_cache_quant_algo"  # ModelOpt's, also outside its block

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
    ("read by quantization_keys.py", " ".join((*QUANTIZED, CACHE_FORMAT))),
)
IGNORED_WORDS = {word: reason for reason, words in IGNORED for word in words.split()}
