"""What `make prove` found read otherwise than by classes of transformers 5.23.0: golden cases with a key changed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cutaway.gallery import catalog, memory, read
from tests.oracle.forward import CASES


def golden(case, **said):
    """A golden case's config with other keys; None leaves one out."""
    config = json.loads((CASES / f"{case}.json").read_text(encoding="utf-8"))["config"]
    return {key: value for key, value in (config | said).items() if value is not None}


def told(config, words):
    """Whether the reading contradicts the file in these words."""
    return any(words in one for one in read(config).contradictions)


SIZES_OF_FULL = {"swa_num_attention_heads": 8, "swa_head_dim": 16, "swa_v_head_dim": 8}


def test_mimo_s_windowed_layers_have_the_sizes_of_full_ones_where_it_runs_as_its_class():
    """MiMoV2FlashAttention reads num_attention_heads, head_dim and v_head_dim alone; the published code reads more."""
    config = golden("mimo_v2_flash", **SIZES_OF_FULL)
    found = {}
    for as_class in (False, True):
        mixer = read(config, as_class).layers[1].mixer
        found[as_class] = (mixer.num_attention_heads, mixer.head_dim, mixer.v_head_dim)
    assert found == {False: (8, 16, 8), True: (4, 24, 16)}
    assert all(told(config, f"regardless of {key};") for key in SIZES_OF_FULL)


def test_mimo_s_windowed_layers_alone_have_sinks_where_it_runs_as_its_class():
    """MiMoV2FlashAttention: sinks if the layer is a windowed one."""
    config = golden("mimo_v2_flash", add_full_attention_sink_bias=True, add_swa_attention_sink_bias=False)
    found = {flag: [one.mixer.sinks for one in read(config, flag).layers[:2]] for flag in (False, True)}
    assert found == {False: [True, False], True: [False, True]}
    assert told(config, "add_full_attention_sink_bias = true is not read by transformers' class")


def test_mimo_s_class_has_its_own_share_and_its_own_lists():
    """MiMoV2FlashConfig keeps 0.334 and reads layer_types and mlp_layer_types, not the files' lists."""
    said = {"partial_rotary_factor": 1.0, "hybrid_layer_pattern": [0, 1, 1, 1, 0, 1, 0], "moe_layer_freq": [1] * 7}
    config = golden("mimo_v2_flash", **said)
    drawn, run = (read(config, flag).layers for flag in (False, True))
    assert [layers[0].mixer.rope.dims for layers in (drawn, run)] == [24, 8]
    assert [bool(one.mixer.sliding_window) for one in drawn] == [False, True, True, True, False, True, False]
    assert [bool(one.mixer.sliding_window) for one in run] == [False, True, True, True, True, False, True]
    assert [hasattr(layers[0].mlp, "num_experts") for layers in (drawn, run)] == [True, False]
    assert all(told(config, f"{key}") for key in said)


def test_layer_words_of_deepseek_v4_win_over_its_ratios():
    """DeepseekV4Config: layer_types, or else compress_ratios."""
    words = ["heavily_compressed_attention", "compressed_sparse_attention"] * 2 + ["sliding_attention"]
    layers = read(golden("deepseek_v4", layer_types=words)).layers
    assert [one.mixer.compress_ratio for one in layers] == [128, 4, 128, 4, 0]


def test_deepseek_v4_s_share_wins_over_its_width_and_a_mapping_s_over_both():
    """DeepseekV4Config works qk_rope_head_dim out of partial_rotary_factor; the rotation reads the mapping's."""
    share = read(golden("deepseek_v4", partial_rotary_factor=0.5)).layers
    assert {one.mixer.qk_rope_head_dim for one in share} == {8}
    case = golden("deepseek_v4__nested_rope", partial_rotary_factor=0.25)
    assert [one.mixer.qk_rope_head_dim for one in read(case).layers] == [8, 8, 8]
    del case["rope_parameters"]["compress"]["partial_rotary_factor"]
    assert [one.mixer.qk_rope_head_dim for one in read(case).layers] == [8, 16, 16]
    assert read(case).unread == ()


def test_olmo_3_lays_rope_scaling_over_the_mapping_of_full_layers():
    """Olmo3Config.convert_rope_params_to_dict, as Gemma 3's; `truncate` inside a layer word's mapping is not read."""
    own = {"full_attention": {"rope_theta": 900.0}, "sliding_attention": {"rope_theta": 700.0, "rope_type": "default"}}
    stretch = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64, "truncate": False}
    sliding, *_, full, _ = read(golden("olmo3", rope_parameters=own, rope_scaling=stretch)).layers
    assert (sliding.mixer.rope.kind, sliding.mixer.rope.theta) == ("default", 700.0)
    assert (full.mixer.rope.kind, full.mixer.rope.theta) == ("yarn", 900.0)
    assert "truncate" not in dict(full.mixer.rope.scaling)


def test_step_3_5_s_mappings_win_over_its_lists():
    """Step3p7TextConfig: where every layer word has a mapping, no list of a layer each is read."""
    words = ("full_attention", "sliding_attention")
    config = golden("step3p5__limits", rope_parameters={word: {"rope_theta": 800.0} for word in words})
    assert {(one.mixer.rope.theta, one.mixer.rope.dims) for one in read(config).layers} == {(800.0, 16)}


def test_step_3_5_s_class_reads_the_first_layer_of_a_kind():
    """Step3p7TextConfig: a base and a share for each layer word; a list that disagrees is drawn as it is."""
    config = golden("step3p5__limits", rope_theta=[500.0, 10.0, 600.0], partial_rotary_factors=[0.5, 1.0, 1.0])
    found = {flag: [(one.mixer.rope.theta, one.mixer.rope.dims) for one in read(config, flag).layers]
             for flag in (False, True)}  # fmt: skip
    assert found[False] == [(500.0, 8), (10.0, 16), (600.0, 16)]
    assert found[True] == [(500.0, 8), (10.0, 16), (500.0, 8)]
    assert told(config, "transformers' class reads rope_theta for the first layer of a kind")
    assert read(golden("step3p5__limits")).contradictions == ()


def test_minicpm3_s_values_are_as_wide_as_a_head_where_no_key_says_so():
    """MiniCPM3Config: hidden_size over heads; MiniCPM3-4B's file leaves v_head_dim out."""
    for said in ({}, {"v_head_dim": None}):
        config = {**golden("minicpm3", hidden_size=80, v_head_dim=None), **said}
        assert {one.mixer.v_head_dim for one in read(config).layers} == {80 // config["num_attention_heads"]}
    assert {one.mixer.v_head_dim for one in catalog.spec("openbmb/MiniCPM3-4B").layers} == {64}


def test_nemotron_h_has_as_many_layers_as_it_lists():
    """NemotronHConfig takes num_hidden_layers from its list, whatever the file says."""
    for case in ("nemotron_h__56b", "nemotron_h__ultra"):
        for depth in (2, 9):
            spec = read(golden(case, num_hidden_layers=depth))
            assert (spec.num_hidden_layers, len(spec.layers)) == (5, 5)
            assert any(f"num_hidden_layers = {depth} is not read" in one for one in spec.contradictions)
        assert not any("num_hidden_layers" in one for one in read(golden(case)).contradictions)


def test_recurrent_gemma_s_class_does_not_read_the_older_name_of_its_blocks():
    """RecurrentGemmaConfig has block_types; files say `_block_types`, all of them what the class assumes."""
    config = golden("recurrent_gemma", _block_types=["recurrent"])
    found = {flag: [hasattr(one.mixer, "lru_width") for one in read(config, flag).layers] for flag in (False, True)}
    assert found == {False: [True] * 4, True: [True, True, False, True]}
    assert told(config, "_block_types is not read by transformers' class")


def test_mpt_norms_no_queries_where_it_runs_as_its_class():
    """MptAttention reads no qk_ln; the published code does."""
    config = golden("mpt")
    config["attn_config"] = {**config["attn_config"], "qk_ln": True}
    found = {flag: bool(read(config, flag).layers[0].mixer.qk_norm) for flag in (False, True)}
    assert found == {False: True, True: False}


def test_hunyuan_s_experts_are_as_wide_as_its_class_makes_them():
    """HunYuanMoEV1MLP is intermediate_size wide; the published code reads moe_intermediate_size, layer by layer."""
    config = golden("hunyuan_v1_moe", moe_intermediate_size=[32, 16, 32])
    found = {flag: [one.mlp.moe_intermediate_size for one in read(config, flag).layers] for flag in (False, True)}
    assert found == {False: [32, 16, 32], True: [config["intermediate_size"]] * 3}
    assert told(config, "moe_intermediate_size is not read by transformers' class")
    assert not told(golden("hunyuan_v1_moe"), "moe_intermediate_size")


def test_hunyuan_norms_queries_and_keys_where_it_runs_as_its_class():
    """HunYuanMoEV1Attention reads no use_qk_norm; the published code does."""
    config = golden("hunyuan_v1_moe", use_qk_norm=False)
    assert [read(config, flag).layers[0].mixer.qk_norm for flag in (False, True)] == ["", "head"]


def test_hunyuan_has_experts_in_every_layer_where_it_runs_as_its_class():
    """HunYuanMoEV1DecoderLayer reads no moe_layer_num_skipped; the published code has that many dense layers first."""
    config = golden("hunyuan_v1_moe", moe_layer_num_skipped=2)
    found = {flag: [hasattr(one.mlp, "num_experts") for one in read(config, flag).layers] for flag in (False, True)}
    assert found == {False: [False, False, True], True: [True] * 3}
    assert told(config, "regardless of moe_layer_num_skipped")


@pytest.mark.parametrize(("case", "word"), [("qwen3", ""), ("qwen3_moe", ""), ("lfm3", "full_attention")])
def test_most_classes_rotate_whole_heads_whatever_partial_rotary_factor_says(case, word):
    """compute_default_rope_parameters of 90 classes reads no share of a head, as engines do: drawn, not run."""
    plain = {"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 0.5}
    ropes = {**golden(case)["rope_parameters"], word: plain} if word else plain
    config = golden(case, rope_parameters=ropes)
    mixers = [read(config, flag).layers[2 if word else 0].mixer for flag in (False, True)]
    assert [one.rope.dims for one in mixers] == [mixers[0].head_dim // 2, mixers[0].head_dim]
    assert told(config, "partial_rotary_factor is not read by transformers' class")
    assert not told(golden(case), "partial_rotary_factor")


def test_a_class_that_reads_partial_rotary_factor_follows_it():
    """StableLmRotaryEmbedding multiplies the size of a head by it."""
    config = golden("stablelm")
    mixer = read(config, as_class=True).layers[0].mixer
    assert mixer.rope.dims < mixer.head_dim and not told(config, "partial_rotary_factor")


def test_ernie_4_5_with_experts_has_a_bias_on_its_head_though_every_layer_is_dense():
    """Ernie4_5_MoeForCausalLM's head follows use_bias; Ernie4_5ForCausalLM's has none."""
    dense = {"use_bias": True, "moe_num_experts": None, "moe_layer_start_index": 3}
    assert read(golden("ernie4_5_moe", **dense)).head_bias
    assert not read(golden("ernie4_5", use_bias=True)).head_bias


def test_older_names_of_hunyuan_and_dbrx():
    """HunYuanVLTextConfig takes org_vocab_size; DbrxConfig its KV heads from attn_config, whatever stands beside it."""
    assert read(golden("hunyuan_v1_moe", vocab_size=None, org_vocab_size=80)).vocab_size == 80
    spec = read(golden("dbrx__plain", attn_config={"kv_n_heads": 4, "clip_qkv": 0.5}))
    assert {one.mixer.num_key_value_heads for one in spec.layers} == {4}


def test_window_layers_of_deepseek_v4_keep_their_base_beside_one_flat_mapping():
    """DeepseekV4Config: the mapping is for compressed layers, whose base is compress_rope_theta."""
    flat = {"rope_type": "linear", "rope_theta": 100.0, "factor": 8.0}
    layers = read(golden("deepseek_v4__two_streams", rope_parameters=flat)).layers
    found = [(one.mixer.rope.kind, one.mixer.rope.theta) for one in layers]
    assert found == [("linear", 3000.0), ("linear", 3000.0), ("default", 500.0), ("linear", 3000.0)]


@pytest.mark.parametrize(("case", "measured"), [("ple", 28_928), ("two_tables", 19_712)])
def test_qwen4_keeps_the_last_columns_of_its_convolutions_over_n_grams(case, measured):
    """Bytes in the past_key_values of its class after 24 tokens, four to a number."""
    spec = replace(read(golden(f"qwen4_exp_text__{case}")), dtype="float32")
    found = memory(spec, 24, "float32", convention="transformers")
    assert found.total_bytes == sum(one.bytes for one in found.layers) == measured


def test_hyperclova_x_scales_by_its_own_heads_where_no_key_says_so():
    """HyperCLOVAXConfig: head_dim ** -0.5, which the class's own heads of 128 are no measure of."""
    config = golden("hyperclovax", attention_multiplier=None)
    assert {one.mixer.scale for one in read(config).layers} == {0.0}


UNREAD = [
    ("zamba2", "use_conv_bias", False),
    ("minimax_m2", "shared_intermediate_size", 32),
    ("afmoe__plain", "n_group", 2),
    ("kimi_linear", "moe_layer_freq", 2),
    ("cohere2_moe", "rope_scaling", {"rope_type": "linear", "factor": 2.0}),
]


@pytest.mark.parametrize(("case", "key", "value"), UNREAD, ids=[row[0] for row in UNREAD])
def test_a_key_that_a_class_does_not_read_changes_nothing_and_is_said(case, key, value):
    """Neither transformers nor a published file uses it: the drawing is that of the class."""
    plain, changed = read(golden(case)), read(golden(case, **{key: value}))
    assert changed.layers == plain.layers
    assert told(golden(case, **{key: value}), f"{key} ")


def test_kimi_linear_s_first_layer_alone_is_dense_where_the_file_says_nothing():
    """KimiLinearConfig: first_k_dense_replace is 1 where it is left out."""
    kinds = [type(layer.mlp).__name__ for layer in read(golden("kimi_linear", first_k_dense_replace=None)).layers]
    assert kinds == ["Dense", "MoE", "MoE", "MoE", "MoE"]


def test_zamba2_s_mlp_has_adapters_whatever_the_file_says():
    """Zamba2MLP makes adapters of adapter_rank without a look at use_shared_mlp_adapter; the reading says so."""
    config = golden("zamba2", use_shared_mlp_adapter=False)
    found = {layer.mlp.adapter[0] for layer in read(config).layers if layer.mlp}
    assert found == {8}
    assert told(config, "use_shared_mlp_adapter")


@pytest.mark.parametrize("said", [{"mlp_only_layers": [1]}, {"decoder_sparse_step": 2}, {}])
def test_laguna_s_first_layer_alone_is_dense_where_no_words_say_otherwise(said):
    """LagunaConfig reads mlp_layer_types; the older keys beside it change nothing, and are told where they differ."""
    config = golden("laguna", mlp_layer_types=None, **said)
    kinds = [type(layer.mlp).__name__ for layer in read(config).layers]
    assert kinds == ["Dense", *["MoE"] * 5]
    assert all(told(config, f"{key} = ") for key in said)


@pytest.mark.parametrize(("bound", "kept"), [(0.125, 0.0), (0, 0.0), (-0.125, -0.125)])
def test_a_lower_bound_that_is_no_logarithm_of_a_decay_is_told(bound, kept):
    """A state under a decay above one would grow without end; a bound below zero is drawn as it is."""
    config = golden("glm5_next_text", linear_lower_bound=bound)
    assert {layer.mixer.lower_bound for layer in read(config).layers if hasattr(layer.mixer, "lower_bound")} == {kept}
    assert told(config, "linear_lower_bound = ") == (not kept)


def test_laguna_s_windowed_layers_turn_all_of_a_head_where_no_rope_parameters_say_otherwise():
    """LagunaConfig: half of a head in full layers, all of it in windowed ones, whatever partial_rotary_factor says."""
    config = golden("laguna", rope_parameters=None, partial_rotary_factor=0.5)
    found = {(bool(one.mixer.sliding_window), one.mixer.rope.dims / one.mixer.head_dim) for one in read(config).layers}
    assert found == {(False, 0.5), (True, 1.0)}


def test_gpt_oss_takes_the_base_beside_the_stretching_that_its_class_assumes():
    """GptOssConfig assumes YaRN without a base: rope_theta of a file that has no mapping is the base, else 150,000."""
    said = golden("gpt_oss", rope_parameters=None, rope_theta=10_000.0)
    ropes = [read(config).layers[0].mixer.rope for config in (said, golden("gpt_oss", rope_parameters=None))]
    assert [(rope.theta, rope.kind) for rope in ropes] == [(10_000.0, "yarn"), (150_000.0, "yarn")]


def test_inkling_s_class_calls_the_divisor_of_its_logits_by_an_older_word_too():
    """InklingTextConfig maps embedding_multiplier to logits_mup_width_multiplier: no embedding is multiplied by it."""
    spec = read(golden("inkling_text", logits_mup_width_multiplier=None, embedding_multiplier=8.0))
    assert (spec.logits_multiplier, spec.embedding_multiplier) == (1 / 8, 1.0)
