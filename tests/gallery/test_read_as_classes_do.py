"""What a class does whatever a key says, or does where no other class does: no golden forward shows it."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from cutaway.gallery import catalog, read, weights
from cutaway.gallery.reading.text_part import unwrap
from cutaway.gallery.running.frequencies import frequencies
from cutaway.gallery.running.numbers import NUMBERS
from cutaway.gallery.wiring import closing_graph, layer_graph
from tests.oracle.forward import CASES

SIZES = {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 96, "intermediate_size": 96}


def layers(**said):
    return read({**SIZES, **said}).layers


def said_inside(slug, **said):
    """A catalogued config with keys in its language model's part."""
    config = copy.deepcopy(catalog.load(slug))
    unwrap(config)[0].update(said)
    return config


def scale_of_logits(config):
    nodes = {node.name: node for node in closing_graph(read(config)).nodes}
    return nodes["logits_scaled"].facts["by"]


def test_hyperclova_x_multiplies_by_what_granite_divides_by():
    """HyperCLOVAXForCausalLM: lm_head(x) * logits_scaling."""
    said = {**SIZES, "logits_scaling": 0.125, "attention_multiplier": 0.25}
    found = {kind: scale_of_logits({**said, "model_type": kind}) for kind in ("hyperclovax", "granite")}
    assert found == {"hyperclovax": 0.125, "granite": 8.0}
    assert read({**SIZES, "model_type": "hyperclovax"}).logits_multiplier == 1.0


def test_jetmoe_s_layers_have_the_epsilon_of_their_class():
    """JetMoeDecoderLayer makes its norms without one; the last norm alone reads rms_norm_eps."""
    experts = {"num_local_experts": 8, "num_experts_per_tok": 2, "kv_channels": 16, "num_key_value_heads": 2}
    spec = read({**SIZES, **experts, "model_type": "jetmoe", "rms_norm_eps": 1e-3})
    assert {norm.eps for layer in spec.layers for norm in layer.norms} == {1e-6}
    assert spec.final_norm.eps == 1e-3


def test_bloom_may_send_its_stream_through_its_norms():
    """BloomBlock: with apply_residual_connection_post_layernorm the residual is what the half reads."""
    sums = {}
    for said in (False, True):
        spec = read({**SIZES, "model_type": "bloom", "apply_residual_connection_post_layernorm": said})
        nodes = {node.name: node for node in layer_graph(spec, spec.layers[0]).nodes}
        sums[said] = [nodes[name].inputs[0] for name in ("mixer_add", "mlp_add")]
        assert spec.unread == ()
    assert sums == {False: ["stream", "mixer_add"], True: ["mixer_in_norm", "mlp_in_norm"]}


def test_deepseek_v2_has_biases_on_dense_and_shared_mlps():
    """DeepseekV2MLP reads mlp_bias; the routed experts are matrices alone."""
    sizes = {"q_lora_rank": None, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16}
    experts = {"n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1, "moe_intermediate_size": 32}
    config = {**SIZES, **sizes, **experts, "model_type": "deepseek_v2", "first_k_dense_replace": 1}
    for said in (False, True):
        names = [row[0] for row in weights(read({**config, "mlp_bias": said}))]
        assert ("model.layers.0.mlp.up_proj.bias" in names) is said
        assert any("shared_experts.down_proj.bias" in name for name in names) is said
        assert not any(".experts." in name and name.endswith("bias") for name in names)


def test_exaone_4_rotates_no_full_layer_where_there_is_a_window():
    """Exaone4Attention: RoPE if sliding_window is None or the layer is a sliding one."""
    full = {"model_type": "exaone4", "num_key_value_heads": 4, "layer_types": ["full_attention"] * 4}
    positions = {said: {one.mixer.position for one in layers(**full, sliding_window=said)} for said in (16, None)}
    assert positions == {16: {"nope"}, None: {"rope"}}


def test_nemotron_h_ties_nothing():
    """NemotronHForCausalLM._tied_weights_keys is empty."""
    spec = read({**catalog.load("nvidia/Nemotron-H-56B-Base-8K"), "tie_word_embeddings": True})
    assert not spec.tie_word_embeddings
    assert any("tie_word_embeddings = true is not read" in one for one in spec.contradictions)


def test_qwen3_5_has_its_gate_whatever_the_file_says():
    """Qwen3_5Attention reads no attn_output_gate."""
    spec = read(said_inside("Qwen/Qwen3.5-27B", attn_output_gate=False))
    assert {one.mixer.gate for one in spec.layers[3::4]} == {"elementwise"}
    assert [one for one in spec.contradictions if "attn_output_gate" in one] != []
    assert catalog.spec("Qwen/Qwen3.5-27B").contradictions == ()


def test_persimmon_has_keys_and_values_for_every_head():
    """PersimmonAttention: one fused matrix of 3 · hidden_size rows; num_key_value_heads and head_dim are not read."""
    (mixer, *_) = (one.mixer for one in layers(model_type="persimmon", num_key_value_heads=2, head_dim=8))
    assert (mixer.num_key_value_heads, mixer.head_dim, mixer.v_head_dim, mixer.rope.dims) == (4, 16, 16, 8)


def test_aria_s_routed_experts_are_gated_by_silu_whatever_the_file_says():
    """AriaExperts writes it out; AriaSharedExpertsMLP reads hidden_act."""
    experts = {"moe_num_experts": 8, "moe_topk": 2, "moe_num_shared_experts": 1}
    spec = read({**SIZES, **experts, "model_type": "aria_text", "hidden_act": "gelu"})
    nodes = layer_graph(spec, spec.layers[0]).nodes
    acts = {node.name.partition(".")[2]: node.facts["act"] for node in nodes if node.facts.get("act")}
    assert [acts[name] for name in acts if name.startswith("shared")] == ["gelu"]
    assert acts["experts"] == "silu"


def contradicts(word, **said):
    """Whether a config is told that a key is not read."""
    return any(f"{word} = " in one and "not read by the class" in one for one in read({**SIZES, **said}).contradictions)


MLA = {"q_lora_rank": None, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16}
EXPERTS = {"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "num_local_experts": 8}


def test_keys_that_a_class_does_not_read_change_nothing_and_are_said():
    """Each class of transformers 5.23.0 has one value for the key; `make prove` found these."""
    found = {
        "mpt": contradicts("expansion_ratio", model_type="mpt", expansion_ratio=3),
        "apertus": contradicts("qk_norm", model_type="apertus", qk_norm=False),
        "deepseek_v2": contradicts("moe_layer_freq", model_type="deepseek_v2", moe_layer_freq=2, **MLA, **EXPERTS),
        "minimax_m2": contradicts("use_routing_bias", model_type="minimax_m2", use_routing_bias=False, **EXPERTS),
        "phimoe": contradicts("num_experts_per_tok", model_type="phimoe", **{**EXPERTS, "num_experts_per_tok": 1}),
    }
    assert found == dict.fromkeys(found, True)
    wide = {key: value for key, value in SIZES.items() if key != "intermediate_size"}
    assert read({**wide, "model_type": "mpt", "expansion_ratio": 3}).layers[0].mlp.intermediate_size == 4 * 64
    assert layers(model_type="phimoe", **{**EXPERTS, "num_experts_per_tok": 1})[0].mlp.num_experts_per_tok == 2
    assert not contradicts("expansion_ratio", model_type="mpt", expansion_ratio=4)


def test_phi_3_5_moe_turns_long_texts_by_the_short_factors():
    """PhimoeRotaryEmbedding asks for its frequencies without a length; the page says both."""
    short, long = [1.0] * 8, [4.0] * 8
    rope = {"rope_type": "longrope", "rope_theta": 10_000.0, "short_factor": short, "long_factor": long,
            "original_max_position_embeddings": 8, "short_mscale": 1.2, "long_mscale": 1.3}  # fmt: skip
    config = {**SIZES, **EXPERTS, "model_type": "phimoe", "rope_parameters": rope, "max_position_embeddings": 64}
    factors = [dict(read(config, as_class=flag).layers[0].mixer.rope.scaling)["long_factor"] for flag in (True, False)]
    assert factors == [tuple(short), tuple(long)]
    assert any("long_factor is not read by transformers' class" in one for one in read(config).contradictions)


def test_a_window_as_long_as_the_context_keeps_the_windows_own_base():
    """Mellum's layers of the word sliding_attention turn by its base, though such a window hides nothing."""
    ropes = {"full_attention": {"rope_theta": 500_000.0}, "sliding_attention": {"rope_theta": 10_000.0}}
    said = {"layer_types": ["full_attention", "sliding_attention"] * 2, "rope_parameters": ropes, "head_dim": 16}
    more = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "num_key_value_heads": 2}
    found = layers(model_type="mellum", sliding_window=64, max_position_embeddings=64, **said, **more)
    assert [one.mixer.rope.theta for one in found] == [500_000.0, 10_000.0] * 2
    assert {one.mixer.sliding_window for one in found} == {0}


def test_rope_scaling_stands_alone_where_both_mappings_are_there():
    """convert_rope_params_to_dict: rope_scaling, where it says something, is what rope_parameters become."""
    both = {"rope_scaling": {"rope_type": "linear", "factor": 2.0}, "rope_parameters": {"rope_theta": 100.0}}
    rope = layers(model_type="llama", rope_theta=5_000.0, **both)[0].mixer.rope
    assert (rope.kind, rope.theta) == ("linear", 5_000.0)


def test_dynamic_rotation_grows_from_max_position_embeddings():
    """_compute_dynamic_ntk_parameters reads no original_max_position_embeddings."""
    said = {"rope_type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 16, "rope_theta": 100.0}
    config = {**SIZES, "model_type": "llama", "rope_parameters": said, "max_position_embeddings": 64}
    found = frequencies(read(config).layers[0].mixer.rope, 24)[0]
    assert found == pytest.approx(100.0 ** -(np.arange(0, 16, 2) / 16))


def test_only_gemma_s_classes_read_use_bidirectional_attention():
    """Laguna's and others' masks are causal whatever the key says."""
    found = {
        kind: read({**SIZES, "model_type": kind, "use_bidirectional_attention": True}) for kind in ("gemma", "llama")
    }
    assert {kind: spec.bidirectional for kind, spec in found.items()} == {"gemma": True, "llama": False}
    assert any("use_bidirectional_attention is not read" in one for one in found["llama"].contradictions)


def test_ctrl_s_layers_have_the_epsilon_of_their_class():
    """EncoderLayer writes 1e-6 out; the last norm alone reads layer_norm_epsilon."""
    spec = read({**SIZES, "model_type": "ctrl", "layer_norm_epsilon": 1e-3})
    assert ({norm.eps for layer in spec.layers for norm in layer.norms}, spec.final_norm.eps) == ({1e-6}, 1e-3)


def test_hy_3_and_deepseek_v4_have_biases_on_their_shared_experts():
    """mlp_bias is for dense MLPs and shared experts; `make prove` found it unread here."""
    config = {**SIZES, **EXPERTS, "n_shared_experts": 1, "first_k_dense_replace": 1, "mlp_bias": True}
    hy3 = [row[0] for row in weights(read({**config, "model_type": "hy_v3", "num_key_value_heads": 4}))]
    assert "model.layers.0.mlp.up_proj.bias" in hy3
    assert any("shared_mlp" in name and name.endswith("bias") for name in hy3)
    assert not any(".experts." in name and name.endswith("bias") for name in hy3)
    v4 = read({**catalog.load("deepseek-ai/DeepSeek-V4-Flash"), "mlp_bias": True})
    assert {one.mlp.shared_bias for one in v4.layers} == {True}


def test_routed_experts_of_hy_4_are_gated_by_silu_whatever_the_file_says():
    """HYV4Experts writes it out; its shared experts read hidden_act."""
    case = json.loads((CASES / "hy_v4.json").read_text(encoding="utf-8"))
    spec = read({**case["config"], "hidden_act": "gelu"})
    found = {(one.mlp.hidden_act, one.mlp.shared_act) for one in spec.layers if hasattr(one.mlp, "shared_act")}
    assert found == {("silu", "gelu")}


def test_olmo_3_and_mimo_say_which_constants_their_classes_have_instead():
    """Olmo3Config keeps its own base for windowed layers; MiMoV2FlashConfig both bases and the epsilon."""
    for case, key in (("olmo3", "rope_theta"), ("mimo_v2_flash", "swa_rope_theta")):
        config = json.loads((CASES / f"{case}.json").read_text(encoding="utf-8"))["config"]
        told = read({**config, key: 3_000.0}).contradictions
        assert any(f"regardless of {key}" in one for one in told), case


def golden(case, **said):
    """A golden case's config with other keys; None leaves one out."""
    config = json.loads((CASES / f"{case}.json").read_text(encoding="utf-8"))["config"]
    return {key: value for key, value in (config | said).items() if value is not None}


def test_a_class_without_tied_weights_ties_nothing():
    """Ling 3's _tied_weights_keys is empty, xLSTM has none; `make prove` found it."""
    for case in ("bailing_hybrid__default", "xlstm"):
        spec = read(golden(case, tie_word_embeddings=True))
        assert not spec.tie_word_embeddings, case
        assert any("tie_word_embeddings = true is not read by the class" in one for one in spec.contradictions), case


def test_kimi_linear_rotates_nothing():
    """KimiLinearMLA has no rotation, whether mla_use_nope is false or left out."""
    for said in (False, None):
        spec = read(golden("kimi_linear__groups", mla_use_nope=said))
        assert {one.mixer.rotary_dim for one in spec.layers if hasattr(one.mixer, "kv_lora_rank")} == {0}


def test_deepseek_v4_has_one_shared_expert():
    """DeepseekV4MLP is as wide as one expert whatever n_shared_experts says."""
    spec = read(golden("deepseek_v4__native_keys", n_shared_experts=2))
    assert {one.mlp.shared_expert_intermediate_size for one in spec.layers} == {32}


def test_minimax_m3_rotates_by_the_share_where_it_runs_as_its_class():
    """MiniMaxM3VLRotaryEmbedding reads partial_rotary_factor alone; engines read rotary_dim. A file's own is drawn."""
    config = golden("minimax_m3_vl_text", rotary_dim=12)
    found = {as_class: read(config, as_class).layers[0].mixer.rotary_dim for as_class in (False, True)}
    assert found == {False: 12, True: 8}
    assert any("rotates 8 dimensions of a head regardless of rotary_dim" in one for one in read(config).contradictions)
    assert not any("rotary_dim" in one for one in read(golden("minimax_m3_vl_text")).contradictions)


def test_minimax_m3_norms_each_head():
    """MiniMaxM3VLAttention makes its norms of head_dim; M2's qk_norm_type is not read."""
    assert read(golden("minimax_m3_vl_text", qk_norm_type="per_layer")).layers[0].mixer.qk_norm == "head"
    assert read(golden("minimax_m2", qk_norm_type="per_head")).layers[0].mixer.qk_norm == "full"


def test_dots_3_reads_the_older_width_of_shared_experts_and_the_stride():
    """Dots3NoteTextConfig pops moe_shared_expert_intermediate_size over the newer key, and reads moe_layer_freq."""
    spec = read(golden("dots3_note_text__legacy", shared_experts_intermediate_size=96, moe_layer_freq=2))
    assert [getattr(one.mlp, "shared_expert_intermediate_size", 0) for one in spec.layers] == [0, 0, 2 * 24, 0]


def test_a_class_s_own_number_stands_where_the_key_is_left_out_or_null():
    """CTRL's dff, Flint's dense layers, Step 3.5's experts from layer 3 on, HRM's embedding by initializer_range."""
    assert read(golden("ctrl", dff=None)).layers[0].mlp.intermediate_size == 8192
    flint = read({**golden("flint__plain"), "mlp_only_layers": None}).layers
    assert [hasattr(one.mlp, "num_experts") for one in flint] == [False, False, True]
    step = read(golden("step3p5__limits", moe_layers_enum=None, layer_types=None, num_hidden_layers=4)).layers
    assert [hasattr(one.mlp, "num_experts") for one in step] == [False, False, False, True]
    hrm = golden("hrm_text__cycles", embedding_scale=None, num_layers_per_stack=None, num_hidden_layers=2)
    assert (read(hrm).embedding_multiplier, len(read(hrm).layers)) == (1 / 0.05, 4)


def test_step_3_5_s_newer_spellings():
    """Step3p7TextConfig writes num_sliding_attention_heads and takes share_expert_dims."""
    more = {"num_sliding_attention_heads": 8, "share_expert_dim": None, "share_expert_dims": 40}
    spec = read(golden("step3p5__limits", **more))
    assert [one.mixer.num_attention_heads for one in spec.layers] == [4, 8, 4]
    assert spec.layers[1].mlp.shared_expert_intermediate_size == 40


def test_gemma_3n_s_tokens_beyond_the_table_per_layer_take_its_first_row():
    """get_per_layer_inputs: the rows of images' tokens are in the larger table alone."""
    spec = read(golden("gemma3n_text__sparse", vocab_size=112))
    nodes = {node.name: node for node in spec.opening.nodes}
    table = np.arange(8.0).reshape(4, 2)
    rows = NUMBERS["embed"](None, nodes["embed_tokens_per_layer"], {"weight": table}, np.array([3, 4, 111]))
    assert rows.tolist() == [[6.0, 7.0], [0.0, 1.0], [0.0, 1.0]]


def test_what_engines_read_and_the_class_does_not_is_drawn_as_said_and_run_as_the_class():
    """DeepseekV3TopkRouter has a sigmoid and a bias; the published modeling_deepseek.py and vLLM read both keys."""
    config = golden("deepseek_v3", scoring_func="softmax", topk_method="greedy")
    found = {}
    for as_class in (False, True):
        mlp = read(config, as_class).layers[-1].mlp
        found[as_class] = (mlp.scoring, bool(mlp.selection_bias))
    assert found == {False: ("softmax", False), True: ("sigmoid", True)}


def test_deepseek_ocr_2_has_heads_of_hidden_size_over_their_number():
    """DeepseekOcr2TextAttention works head_dim out; Step3p7TextConfig sets hidden_act to silu."""
    ocr = read(golden("deepseek_ocr2_text__groups", head_dim=8))
    assert {one.mixer.head_dim for one in ocr.layers} == {16}
    assert any("head_dim = 8 is not read by the class" in one for one in ocr.contradictions)
    step = read(golden("step3p5__limits", hidden_act="tanh"))
    assert step.layers[0].mlp.hidden_act == "silu"


def test_ling_3_minimax_m2_and_step_3_5_as_their_classes_have_them():
    """A saved linear_conv_kernel_dim stays; M2 always has its QK-norm; Step3p7MLP reads mlp_bias, shared or not."""
    ling = read(golden("bailing_hybrid__default", short_conv_kernel_size=5)).layers[0].mixer
    assert ling.short_conv_kernel_size == 4
    assert read(golden("minimax_m2", use_qk_norm=False)).layers[0].mixer.qk_norm == "full"
    names = [row[0] for row in weights(read(golden("step3p5__limits", mlp_bias=True)))]
    assert any("share_expert.up_proj.bias" in name for name in names)


def test_nemotron_h_without_a_list_makes_four_layers_of_its_own():
    """NemotronHConfig: linear_attention, moe, full_attention, mlp, whatever num_hidden_layers says; `make prove`."""
    config = golden("nemotron_h__56b", hybrid_override_pattern=None)
    spec = read(config)
    halves = [type(layer.mixer or layer.mlp).__name__ for layer in spec.layers]
    assert halves == ["Mamba2", "MoE", "Attention", "Dense"]
    assert any("without a list of layers it makes 4 of its own" in str(one) for one in spec.contradictions)
