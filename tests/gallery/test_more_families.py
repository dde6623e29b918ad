"""Families that the catalogue lacks, from configs shaped like the published ones; totals where they are published."""

import pytest

from cutaway.gallery import catalog, draw, memory, parameters, read, weights
from cutaway.gallery.spec import MoE
from cutaway.gallery.sublayers import graph_of

LLADA = {
    "activation_type": "silu", "alibi": False, "alibi_bias_max": 8.0, "architectures": ["LLaDAModelLM"],
    "attention_dropout": 0.0, "attention_layer_norm": False, "attention_layer_norm_with_affine": True,
    "bias_for_layer_norm": False, "block_group_size": 1, "block_type": "llama", "d_model": 4096,
    "embedding_dropout": 0.0, "embedding_size": 126464, "eos_token_id": 126081, "flash_attention": False,
    "include_bias": False, "include_qkv_bias": False, "init_cutoff_factor": None, "init_device": "meta",
    "init_fn": "mitchell", "init_std": 0.02, "input_emb_norm": False, "layer_norm_type": "rms",
    "layer_norm_with_affine": True, "mask_token_id": 126336, "max_sequence_length": 4096, "mlp_hidden_size": 12288,
    "mlp_ratio": 4, "model_type": "llada", "multi_query_attention": None, "n_heads": 32, "n_kv_heads": 32,
    "n_layers": 32, "pad_token_id": 126081, "precision": "amp_bf16", "residual_dropout": 0.0, "rms_norm_eps": 1e-05,
    "rope": True, "rope_full_precision": True, "rope_theta": 500000.0, "scale_logits": False, "use_cache": False,
    "vocab_size": 126464, "weight_tying": False,
}  # fmt: skip
LLADA2 = {
    "model_type": "llada2_moe", "architectures": ["LLaDA2MoeModelLM"], "vocab_size": 157184, "hidden_size": 2048,
    "intermediate_size": 5120, "moe_intermediate_size": 512, "num_hidden_layers": 20, "num_attention_heads": 16,
    "num_key_value_heads": 4, "head_dim": 128, "num_experts": 256, "num_experts_per_tok": 8, "num_shared_experts": 1,
    "n_group": 8, "topk_group": 4, "first_k_dense_replace": 1, "use_qk_norm": True, "score_function": "sigmoid",
    "moe_router_enable_expert_bias": True, "partial_rotary_factor": 0.5, "tie_word_embeddings": False,
}  # fmt: skip
QWEN2_7B = {
    "hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
    "intermediate_size": 18944, "vocab_size": 152064, "max_position_embeddings": 131072,
}  # fmt: skip
DREAM = {**QWEN2_7B, "model_type": "Dream", "architectures": ["DreamModel"], "mask_token_id": 151666}
DEEPSEEK = {
    "model_type": "deepseek", "architectures": ["DeepseekForCausalLM"], "vocab_size": 102400, "hidden_size": 2048,
    "intermediate_size": 10944, "moe_intermediate_size": 1408, "num_hidden_layers": 28, "num_attention_heads": 16,
    "num_key_value_heads": 16, "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6,
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "norm_topk_prob": False, "scoring_func": "softmax",
    "aux_loss_alpha": 0.001, "seq_aux": True, "attention_bias": False,
}  # fmt: skip
ORION = {
    "model_type": "orion", "architectures": ["OrionForCausalLM"], "vocab_size": 84608, "hidden_size": 5120,
    "intermediate_size": 15360, "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 40,
    "max_sequence_length": 4096, "tie_word_embeddings": False, "rope_theta": 10000.0,
}  # fmt: skip
INTERNLM = {
    "model_type": "internlm", "architectures": ["InternLMForCausalLM"], "vocab_size": 103168, "hidden_size": 4096,
    "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "bias": True,
}  # fmt: skip
INTERNLM2 = {
    "model_type": "internlm2", "architectures": ["InternLM2ForCausalLM"], "vocab_size": 92544, "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "bias": False, "tie_word_embeddings": False,
}  # fmt: skip
INTERNLM3 = {
    "model_type": "internlm3", "architectures": ["InternLM3ForCausalLM"], "vocab_size": 128512, "hidden_size": 4096,
    "intermediate_size": 10240, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 2,
    "head_dim": 128, "bias": False, "qkv_bias": False, "tie_word_embeddings": False,
}  # fmt: skip
TELECHAT = {
    "model_type": "telechat", "architectures": ["TelechatForCausalLM"], "vocab_size": 160256, "hidden_size": 4096,
    "ffn_hidden_size": 12288, "n_layer": 30, "n_head": 32, "seq_length": 8192, "layer_norm_epsilon": 1e-5,
    "apply_residual_connection_post_layernorm": False, "embed_layernorm": False, "training_seqlen": 8192,
    "logn": True, "base_seqlen": 8192,
}  # fmt: skip
PLAMO = {
    "model_type": "plamo", "architectures": ["PlamoForCausalLM"], "vocab_size": 50432, "hidden_size": 5120,
    "intermediate_size": 13824, "num_hidden_layers": 40, "num_attention_heads": 40, "n_shared_head": 8,
    "max_position_embeddings": 4096, "tie_word_embeddings": False,
}  # fmt: skip
JAIS = {
    "model_type": "jais", "architectures": ["JAISLMHeadModel"], "vocab_size": 84992, "n_embd": 5120, "n_layer": 40,
    "n_head": 40, "n_inner": 13653, "n_positions": 2048, "activation_function": "swiglu",
    "position_embedding_type": "alibi", "embeddings_scale": 14.6, "width_scale": 0.11100000000000002,
    "scale_qk_dot_by_d": True, "layer_norm_epsilon": 1e-5,
}  # fmt: skip
MOONDREAM = {"model_type": "moondream1", "architectures": ["HfMoondream"], "config": {}, "torch_dtype": "bfloat16"}
DANUBE = {
    "model_type": "mistral", "architectures": ["MistralForCausalLM"], "vocab_size": 32010, "hidden_size": 2560,
    "intermediate_size": 6912, "num_hidden_layers": 24, "num_attention_heads": 32, "num_key_value_heads": 8,
    "sliding_window": None, "tie_word_embeddings": False,
}  # fmt: skip
H2OVL = {
    "model_type": "h2ovl_chat", "architectures": ["H2OVLChatModel"], "llm_config": DANUBE, "use_msac": True,
    "vision_config": {"model_type": "intern_vit_6b", "hidden_size": 1024, "num_hidden_layers": 24},
}  # fmt: skip
OVIS = {
    "model_type": "ovis", "architectures": ["Ovis"], "hidden_size": 3584, "conversation_formatter_class": "Qwen2",
    "multimodal_max_length": 32768, "visual_tokenizer_config": {"backbone_config": {"hidden_size": 1024}},
    "llm_config": {**QWEN2_7B, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]},
}  # fmt: skip
QWEN3_8B = {
    "model_type": "qwen3", "vocab_size": 151936, "hidden_size": 4096, "intermediate_size": 12288,
    "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    "tie_word_embeddings": False,
}  # fmt: skip
INTERN_S1 = {
    "model_type": "interns1", "architectures": ["InternS1ForConditionalGeneration"], "text_config": QWEN3_8B,
    "vision_config": {"model_type": "interns1_vision", "hidden_size": 1024, "num_hidden_layers": 24},
}  # fmt: skip
STEP3 = {
    "model_type": "step3_vl", "architectures": ["Step3VLForConditionalGeneration"],
    "vision_config": {"model_type": "step3_vision_encoder", "hidden_size": 1792, "num_hidden_layers": 63},
    "text_config": {
        "model_type": "step3_text", "architectures": ["Step3TextForCausalLM"], "hidden_size": 7168,
        "intermediate_size": 18432, "num_attention_heads": 64, "num_attention_groups": 1, "num_hidden_layers": 61,
        "max_seq_len": 65536, "vocab_size": 128815, "rms_norm_eps": 1e-5, "moe_intermediate_size": 5120,
        "moe_num_experts": 48, "moe_top_k": 3, "rope_theta": 500000, "rope_scaling": None, "share_expert_dim": 5120,
        "share_q_dim": 2048, "head_dim": 256, "norm_expert_weight": False,
        "moe_layers_enum": ",".join(str(i) for i in range(4, 60)),
    },
}  # fmt: skip


TOTALS = {  # total of the language model: published, or of the sizes that the config gives
    "LLaDA-8B": (LLADA, 8_015_581_184),  # published
    "Dream-7B": (DREAM, 7_615_616_512),  # published, as Qwen2.5-7B
    "DeepSeekMoE-16B": (DEEPSEEK, 16_375_728_128),  # published
    "Orion-14B": (ORION, 14_498_703_360),
    "InternLM-7B": (INTERNLM, 7_321_948_160),
    "InternLM2-7B": (INTERNLM2, 7_737_708_544),  # published
    "InternLM3-8B": (INTERNLM3, 8_804_241_408),
    "Moondream 2": (MOONDREAM, 1_418_270_720),  # Phi-1.5's, published
    "H2OVL-2B": (H2OVL, 1_831_252_480),  # H2O-Danube's 1,831,201,280 and 10 further tokens
    "Ovis on Qwen2.5-7B": (OVIS, 7_615_616_512),
    "Intern-S1 on Qwen3-8B": (INTERN_S1, 8_190_735_360),  # published
}


@pytest.mark.parametrize("name", TOTALS)
def test_the_language_model_has_the_known_total(name):
    """Known by name, every key read, and the total to the last number."""
    config, total = TOTALS[name]
    spec = read(config)
    assert parameters(spec).total == total
    assert (spec.read_from_keys, spec.unread, spec.contradictions, spec.has_head) == (False, (), (), True)


def test_embedding_and_head_have_their_own_rows():
    """LLaDA may pad them; without the key they have the vocabulary's."""
    padded, plain = ({**LLADA, "embedding_size": size, "vocab_size": 126_349} for size in (126_464, None))
    assert [read(padded).vocab_size, read(plain).vocab_size] == [126_464, 126_349]


@pytest.mark.parametrize("config", [LLADA, LLADA2, DREAM], ids=["LLaDA", "LLaDA 2", "Dream"])
def test_diffusion_models_are_bidirectional_and_keep_nothing(config):
    """Masked tokens see each other: no cache, whatever the class is called."""
    spec = read(config)
    assert (spec.bidirectional, spec.has_head, spec.read_from_keys) == (True, True, False)
    assert memory(spec, 4096).total_bytes == 0
    draw(spec)


def test_llada_2_is_ling_2_read_both_ways():
    """LLaDA2.0-mini: 16 B in 256 experts; a sentence says what serving code may keep."""
    spec = read(LLADA2)
    assert round(parameters(spec).total / 1e9, 1) == 16.3
    assert isinstance(spec.layers[1].mlp, MoE)
    assert "may keep the keys of finished blocks" in spec.not_understood[0]


def test_telechat_has_two_biases_a_layer():
    """On the matrices that write to the residual stream, o_proj and down_proj, and nowhere else."""
    spec = read(TELECHAT)
    named = [one.name for one in weights(spec) if one.name.startswith("transformer.h.0.") and "bias" in one.name]
    assert named == ["transformer.h.0.self_attention.dense.bias", "transformer.h.0.mlp.down_proj.bias"]
    assert (spec.read_from_keys, spec.unread) == (False, ())


def test_plamo_shares_heads_and_runs_its_halves_in_parallel():
    """Eight query heads share one KV head; one norm serves both halves."""
    layer = read(PLAMO).layers[0]
    assert (layer.mixer.num_key_value_heads, layer.parallel, len(layer.norms)) == (5, True, 1)


def test_jais_is_gpt2_with_a_gate_and_alibi():
    """13.0 B, a tied head, no table of positions, scores over head_dim, scaled logits."""
    spec = read(JAIS)
    mixer = spec.layers[0].mixer
    assert round(parameters(spec).total / 1e9, 2) == 13.02
    assert (mixer.position, mixer.scale, spec.layers[0].mlp.gated) == ("alibi", 1 / 128, True)
    assert (round(spec.logits_multiplier, 3), spec.embedding_multiplier, spec.unread) == (0.111, 14.6, ())


def test_step_3_draws_its_queries_from_a_latent():
    """316 B in 61 layers, 38 B active, 56 of them with experts; one KV head of 256."""
    spec = read(STEP3)
    counted = parameters(spec)
    assert [round(one / 1e9) for one in (counted.total, counted.active)] == [316, 38]
    named = {one.name: one.shape for one in weights(spec) if ".5.self_attn" in one.name}
    assert named["model.layers.5.self_attn.wq.weight"] == (16384, 2048)
    assert named["model.layers.5.self_attn.inter_norm.weight"] == (2048,)
    assert memory(spec, 1000).per_token_bytes == 61 * 2 * 256 * 2
    assert (spec.read_from_keys, spec.unread) == (False, ())
    assert "q_b_proj" in draw(spec) or "wq" in draw(spec)


def test_step3_attends_with_a_low_rank_query_and_no_biases():
    """The names of Step3's modeling_step3.py: q_proj makes 2048 numbers, inter_norm and wq 64 heads of 256 of them."""
    own = [w.name.removeprefix("model.layers.0.self_attn.") for w in weights(read(STEP3)) if ".0.self_attn." in w.name]
    assert [name for name in own if "bias" in name] == []
    assert len(own) == 6


def test_attention_that_looks_ahead_says_so_in_its_graph():
    """What runs has no causal mask, and keeps nothing by itself."""
    graph = graph_of(read(DREAM).layers[0].mixer, 3584)
    assert [node.facts["causal"] for node in graph.nodes if node.op == "attend"] == [False]
    assert not [keep for node in graph.nodes for keep in node.keeps]


PLAMO2 = {
    "model_type": "plamo2", "architectures": ["Plamo2ForCausalLM"], "vocab_size": 100032, "hidden_size": 2048,
    "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 1,
    "hidden_size_per_head": 128, "mamba_d_conv": 4, "mamba_d_state": 64, "mamba_num_heads": 16, "mamba_step": 2,
    "mamba_chunk_size": 256, "mamba_enabled": True, "full_attention_idx": [], "attention_window_size": 2048,
    "max_position_embeddings": 10485760,
}  # fmt: skip


def test_plamo_2_weighs_a_mamba_of_its_own():
    """Mamba and windowed attention in turn; the Mamba is counted, and said not to be wired."""
    spec = read(PLAMO2)
    kinds = [type(layer.mixer).__name__ for layer in spec.layers]
    assert kinds == ["NotUnderstood", "Attention"] * 8
    shapes = {one.name: one.shape for one in weights(spec)}
    assert shapes["model.layers.layers.0.mixer.bcdt_proj.weight"] == (128 + 2 * 64, 2048)
    assert shapes["model.layers.layers.1.mixer.qkv_proj.weight"] == (2048 + 2 * 128, 2048)
    assert (spec.layers[1].mixer.sliding_window, spec.layers[1].mixer.qk_norm) == (2048, "per_head")
    assert "its weights are counted, its state and its FLOPs are not" in spec.not_understood[0]
    assert (spec.unread, spec.read_from_keys, spec.tie_word_embeddings) == ((), False, True)
    draw(spec)


def test_phi_3_small_clamps_its_gate_and_divides_its_logits():
    """modeling_phi3_small.py: quick_gelu(gate) · (up + 1), clamped at gegelu_limit; logits / mup_width_multiplier."""
    spec = catalog.spec("microsoft/Phi-3-small-8k-instruct")
    m = spec.layers[0].mlp
    assert (m.glu, m.alpha, m.limit, m.bias) == ("swigluoai", 1.702, 20.0, True)
    assert (spec.embedding_multiplier, spec.logits_multiplier) == (10.0, 0.125)
    assert parameters(spec).total == 7_392_274_432 - 32 * 64  # the published file also stores inv_freq, layer by layer


def test_phi_3_small_says_once_that_its_sparse_heads_are_drawn_full():
    """Every other layer is block-sparse; the sentence stands once, not sixteen times."""
    spec = catalog.spec("microsoft/Phi-3-small-8k-instruct")
    assert [words for words in spec.not_understood if "Block-sparse heads" in words] == [
        "Block-sparse heads are drawn as full attention: their pattern changes no weight."
    ]


def test_lfm2_chooses_experts_with_a_bias_unless_told_not_to():
    """Lfm2MoeConfig.use_expert_bias is true where a config leaves it out (transformers 5.23.0)."""
    config = catalog.load("LiquidAI/LFM2-8B-A1B")
    left_out = {key: value for key, value in config.items() if key != "use_expert_bias"}
    chosen = [read({**left_out, **more}).layers[-1].mlp.selection_bias for more in ({}, {"use_expert_bias": False})]
    assert chosen == ["feed_forward.expert_bias", ""]


def test_arctic_is_told_of_only_where_its_config_leaves_layers_without_experts():
    """A frequency of 1 contradicts nothing; the published 2 does, since the published total has experts everywhere."""
    config = catalog.load("Snowflake/snowflake-arctic-instruct")
    assert [len(read({**config, "moe_layer_frequency": every}).contradictions) for every in (1, 2)] == [0, 1]


@pytest.mark.parametrize("said", [[1.0] * 4, [1.0, 1.0, "a", 1.0, 1.0]])
def test_falcon_h1_takes_five_multipliers_or_says_so(said):
    """A list of another length, or with anything but numbers in it, is refused by name."""
    config = {**catalog.load("tiiuae/Falcon-H1-7B-Instruct"), "ssm_multipliers": said}
    with pytest.raises(ValueError, match=r"ssm_multipliers is .*; a list of 5 numbers was looked for"):
        read(config)
