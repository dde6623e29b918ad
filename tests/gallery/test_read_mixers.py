"""One key changed -> one field of a mixer or an MLP, for keys that no measured model turns alone."""

import math
from dataclasses import replace

import pytest

from cutaway.gallery import ConfigError, catalog, read
from cutaway.gallery import spec as s
from cutaway.gallery.sublayers import graph_of

PLAIN = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 4,
    "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 100,
    "tie_word_embeddings": False,
}  # fmt: skip
ODD = {**PLAIN, "architectures": ["OddForCausalLM"], "model_type": "odd"}  # a family that nobody knows
WINDOW = {"sliding_window": 32, "layer_types": ["sliding_attention"] * 4}


def fields(half: object, want: dict) -> dict:
    return {name: getattr(half, name) for name in want}


ATTENTION = [  # (keys, fields of the last layer's attention)
    ({}, {"num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 8, "v_head_dim": 8, "rotary_dim": 8}),
    ({"num_key_value_heads": None}, {"num_key_value_heads": 8}), ({"head_dim": 16}, {"head_dim": 16, "v_head_dim": 16}),
    ({"head_dim": 16, "v_head_dim": 12}, {"head_dim": 16, "v_head_dim": 12}),
    ({"partial_rotary_factor": 0.5}, {"rotary_dim": 4}), ({"partial_rotary_factor": 2.0}, {"rotary_dim": 8}),
    ({"partial_rotary_factors": [1, 1, 1, 0.25]}, {"rotary_dim": 2}),
    ({"partial_rotary_factors": [0.25]}, {"rotary_dim": 8}),
    ({"rotary_dim": 6}, {"rotary_dim": 6}), ({"rotary_dim": 600}, {"rotary_dim": 8}),
    ({"no_rope_layers": [1, 1, 1, 0]}, {"rotary_dim": 0, "position": "nope", "rope": None}),
    ({"alibi": True}, {"position": "alibi", "rotary_dim": 0}), ({"alibi": False}, {"position": "rope"}),
    ({"position_embedding_type": "none"}, {"position": "nope"}),
    ({"position_embedding_type": "learned"}, {"position": "learned"}),
    ({"position_embedding_type": "rope"}, {"position": "rope"}),
    ({"attn_output_gate": True}, {"gate": "elementwise"}), ({"attn_output_gate": False}, {"gate": ""}),
    ({"use_head_wise_attn_gate": True}, {"gate": "headwise"}), ({"use_head_wise_attn_gate": False}, {"gate": ""}),
    ({"gating": True}, {"gate": "headwise"}), ({"gating": "per-head"}, {"gate": "headwise"}),
    ({"gating": "elementwise"}, {"gate": "separate"}),
    ({"add_full_attention_sink_bias": True}, {"sinks": True}),
    ({"add_swa_attention_sink_bias": True}, {"sinks": False}),
    ({"add_swa_attention_sink_bias": True, **WINDOW}, {"sinks": True, "sliding_window": 32}),
    ({"add_full_attention_sink_bias": True, **WINDOW}, {"sinks": False}),
    ({"clip_qkv": 3.0}, {"clip": 3.0}), ({"attn_logit_softcapping": 5.0}, {"softcap": 5.0}),
    ({"attention_value_scale": 0.5}, {"value_scale": 0.5}), ({}, {"value_scale": 1.0, "clip": 0.0, "softcap": 0.0}),
    ({"swa_num_attention_heads": 4, "swa_num_key_value_heads": 1, "swa_head_dim": 10, **WINDOW},
     {"num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 10, "v_head_dim": 10}),
    ({"swa_num_attention_heads": 4, "swa_num_key_value_heads": 1, "swa_head_dim": 10},
     {"num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 8}),
    ({"swa_head_dim": 10, "swa_v_head_dim": 12, **WINDOW}, {"head_dim": 10, "v_head_dim": 12}),
    ({"swa_head_dim": 10, "head_dim": 8, "v_head_dim": 6, **WINDOW}, {"head_dim": 10, "v_head_dim": 6}),
    ({"rope_parameters": {"llama_4_scaling_beta": 0.1, "original_max_position_embeddings": 50}},
     {"temperature": (0.1, 50.0, 0.0)}),
    ({"rope_parameters": {"llama_4_scaling_beta": 0.1}}, {"temperature": ()}),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "want"), ATTENTION)
def test_a_key_is_a_field_of_attention(keys, want):
    """The last of four layers, of a family that nobody knows."""
    assert want == fields(read({**ODD, **keys}).layers[-1].mixer, want)


SAID = [
    ({"hidden_size": 66, "num_key_value_heads": 8},
     "hidden_size 66 is not a multiple of 8 heads and there is no head_dim; 8 was used"),
    ({"num_key_value_heads": 3}, "8 query heads cannot be shared evenly by num_key_value_heads = 3"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "words"), SAID)
def test_heads_that_do_not_divide_are_said(keys, words):
    """In a sentence with both numbers, and the one that was used."""
    assert any(words in one for one in read({**PLAIN, **keys}).contradictions)


def test_more_heads_than_width_are_refused():
    """As many are not."""
    assert read({**PLAIN, "num_attention_heads": 64}).layers[0].mixer.head_dim == 1
    with pytest.raises(ConfigError, match="hidden_size 64 is smaller than num_attention_heads 65"):
        read({**PLAIN, "num_attention_heads": 65, "num_key_value_heads": 1})


LINEAR = {"layer_types": ["linear_attention"] * 4}
MAMBA = {"layer_types": ["mamba"] * 4}
DELTA = {**LINEAR, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 5,
         "linear_value_head_dim": 6}  # fmt: skip
KDA = {**LINEAR, "kda_num_heads": 4, "kda_head_dim": 5}
STATES = [  # (keys, kind, fields)
    (DELTA, s.GatedDeltaNet, {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_conv_kernel_dim": 4,
                              "fused": False, "allow_neg_eigval": False}),
    ({**DELTA, "linear_conv_kernel_dim": 3}, s.GatedDeltaNet, {"linear_conv_kernel_dim": 3}),
    (KDA, s.KimiDelta, {"num_heads": 4, "head_dim": 5, "short_conv_kernel_size": 4, "lower_bound": 0.0}),
    ({**KDA, "kda_lower_bound": -5}, s.KimiDelta, {"lower_bound": -5.0}),
    ({**KDA, "kda_lower_bound": 0}, s.KimiDelta, {"lower_bound": 0.0}),
    ({**KDA, "kda_lower_bound": -1e6}, s.KimiDelta, {"lower_bound": 0.0}),
    ({**KDA, "kda_lower_bound": -5, "kda_safe_gate": False}, s.KimiDelta, {"lower_bound": 0.0}),
    ({**MAMBA, "mamba_num_heads": 4}, s.Mamba2, {
        "num_heads": 4, "head_dim": 32, "state_size": 128, "n_groups": 1, "conv_kernel": 4, "conv_bias": True,
        "proj_bias": False, "gated_norm": True, "chunk_size": 0, "time_step_limit": (0.0, math.inf)}),
    ({**MAMBA, "mamba_num_heads": 4, "mamba_head_dim": "auto", "expand": 3}, s.Mamba2, {"head_dim": 48}),
    ({**MAMBA, "mamba_num_heads": 4, "mamba_head_dim": 7}, s.Mamba2, {"head_dim": 7}),
    ({**MAMBA, "mamba_num_heads": 1}, s.Mamba2, {"num_heads": 1, "head_dim": 128}),
    ({**MAMBA, "mamba_num_heads": 4, "time_step_limit": [0.5, 3]}, s.Mamba2, {"time_step_limit": (0.5, 3.0)}),
    ({**MAMBA, "mamba_num_heads": 4, "time_step_limit": [0, "inf"]}, s.Mamba2, {"time_step_limit": (0.0, math.inf)}),
    ({**MAMBA, "mamba_num_heads": 4, "time_step_limit": [-1, 0]}, s.Mamba2, {"time_step_limit": (0.0, 0.0)}),
    ({**MAMBA, "mamba_num_heads": 4, "time_step_limit": [1]}, s.Mamba2, {"time_step_limit": (0.0, math.inf)}),
    ({**MAMBA, "mamba_num_heads": 1000}, s.Mamba2, {"head_dim": 1}),
    ({**LINEAR, "mamba_num_heads": 4}, s.Mamba2, {"num_heads": 4}),
    ({**LINEAR, "state_size": 9}, s.Mamba1, {"d_inner": 128, "state_size": 9, "conv_kernel": 4, "dt_rank": 4,
                                             "conv_bias": True, "proj_bias": False}),
    ({**LINEAR, "mamba_dt_rank": "auto"}, s.Mamba1, {"d_inner": 128, "state_size": 16, "dt_rank": 4}),
    ({**LINEAR, "mamba_dt_rank": 3, "expand": 4, "hidden_size": 72}, s.Mamba1, {"d_inner": 288, "dt_rank": 3}),
    ({**LINEAR, "mamba_dt_rank": "auto", "hidden_size": 72}, s.Mamba1, {"dt_rank": 5}),
    ({"layer_types": ["conv"] * 4}, s.ShortConv, {"conv_dim": 64, "conv_L_cache": 3, "bias": False}),
    (LINEAR, s.NotUnderstood, {"what": "linear"}),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "kind", "want"), STATES)
def test_a_key_is_a_field_of_a_mixer_with_a_state(keys, kind, want):
    """With every size said, and with those left out that classes assume."""
    mixer = read({**ODD, **keys}).layers[-1].mixer
    assert (kind, want) == (type(mixer), fields(mixer, want))


MOE = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
EXPERTS = [
    (MOE, {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "n_shared_experts": 0,
           "shared_expert_intermediate_size": 0, "n_group": 1, "topk_group": 1, "scoring": "softmax",
           "routed_scaling_factor": 1.0, "joined": 1.0, "limit": 0.0, "jitter": 0.0, "router_softcap": 0.0,
           "zero_expert_num": 0, "table_rows": 0, "norm_topk_prob": False}),
    ({**MOE, "moe_intermediate_size": None}, {"moe_intermediate_size": 128}),
    ({**MOE, "n_shared_experts": 3}, {"n_shared_experts": 3, "shared_expert_intermediate_size": 72}),
    ({**MOE, "shared_expert_intermediate_size": 50}, {"n_shared_experts": 1, "shared_expert_intermediate_size": 50}),
    ({**MOE, "shared_expert_intermediate_size": 50, "n_shared_experts": 2},
     {"n_shared_experts": 2, "shared_expert_intermediate_size": 50}),
    ({**MOE, "n_shared_experts": 1, "shared_expert_combination_strategy": "average"}, {"joined": 0.5}),
    ({**MOE, "shared_expert_combination_strategy": "average"}, {"joined": 1.0}),
    ({**MOE, "n_group": 4, "topk_group": 2}, {"n_group": 4, "topk_group": 2}),
    ({**MOE, "n_group": 4, "topk_group": 2, "topk_method": "greedy"}, {"n_group": 1, "topk_group": 1}),
    ({**MOE, "scoring_func": "sigmoid", "routed_scaling_factor": 2.5}, {"scoring": "sigmoid",
                                                                        "routed_scaling_factor": 2.5}),
    ({**MOE, "norm_topk_prob": True}, {"norm_topk_prob": True}), ({**MOE, "swiglu_limit": 7.0}, {"limit": 7.0}),
    ({**MOE, "num_hash_layers": 4}, {"table_rows": 100}), ({**MOE, "num_hash_layers": 3}, {"table_rows": 0}),
    ({**MOE, "mlp_layer_types": ["sparse"] * 3 + ["hash_moe"]}, {"table_rows": 100}),
    ({**MOE, "hidden_act": "relu2"}, {"gated": False}), ({**MOE, "hidden_act": "gelu"}, {"gated": True}),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "want"), EXPERTS)
def test_a_key_is_a_field_of_the_experts(keys, want):
    """The last of four layers, of a family that nobody knows."""
    mlp = read({**ODD, **keys}).layers[-1].mlp
    assert (s.MoE, want) == (type(mlp), fields(mlp, want))


@pytest.mark.parametrize(
    ("keys", "bias"), [({}, True), ({"topk_method": "noaux_tc"}, True), ({"topk_method": None}, False),
                       ({"topk_method": "greedy"}, False)],
    ids=["unsaid", "noaux_tc", "null", "greedy"],
)  # fmt: skip
def test_a_choice_that_is_not_noaux_tc_has_no_bias(keys, bias):
    """DeepSeek-V3's file: what topk_method says, be it null (Mistral Large 3), decides on the gate's bias."""
    config = {key: value for key, value in catalog.load("deepseek-ai/DeepSeek-V3").items() if key != "topk_method"}
    spec = read({**config, **keys})
    assert bool(spec.layers[-1].mlp.selection_bias) is bool(spec.buffers) is bias


def test_mistral_large_3_draws_a_softmax_without_a_bias():
    """Its file says topk_method null, as vLLM writes it for every file of Mistral's own format."""
    spec = catalog.spec("mistralai/Mistral-Large-3-675B-Instruct-2512")
    assert (spec.layers[-1].mlp.scoring, spec.layers[-1].mlp.selection_bias, spec.buffers) == ("softmax", "", ())


def test_a_matrix_is_not_said_to_have_a_part_of_no_rows():
    """Where MLA has no rotated part (GLM-5.3-Flash), its matrices are not "= 512 + 0"."""
    notes = {
        node.note
        for row in catalog.drawable_rows()
        for layer in catalog.spec(row.slug).layers
        for node in (graph_of(layer.mixer, 4096).nodes if layer.mixer else ())
    }
    assert {"= 64 × 256", "= 512 + 64"} <= notes
    assert not [note for note in notes if "+ 0" in note]


def test_llama_4_scaling_is_the_growth_of_queries():
    """The same growth under the two spellings: a key of Mistral's own format, and one in rope_parameters."""
    config = catalog.load("mistralai/Mistral-Large-3-675B-Instruct-2512")
    spec = read({**config, "llama_4_scaling": {"beta": 0.1, "original_max_position_embeddings": 8192}})
    rope = {**config["rope_parameters"], "llama_4_scaling_beta": 0.1}
    same = read({**config, "rope_parameters": rope})
    assert spec.layers[0].mixer.temperature == same.layers[0].mixer.temperature == (0.1, 8192.0, 0.0)
    assert spec.unread == ()


def test_a_token_cannot_visit_more_experts_than_there_are():
    """As many it can; what gives nothing back counts too."""
    assert read({**ODD, **MOE, "num_experts_per_tok": 8}).contradictions == ()
    assert read({**ODD, **MOE, "num_experts_per_tok": 9, "zero_expert_num": 1}).contradictions == ()
    found = read({**ODD, **MOE, "num_experts_per_tok": 9}).contradictions
    assert any("A token cannot visit 9 of 8 experts" in one for one in found)


DENSE = [
    ({}, s.Dense(128, True, "silu", False)), ({"mlp_bias": True}, s.Dense(128, True, "silu", True)),
    ({"use_bias": True}, s.Dense(128, True, "silu", True)),
    ({"mlp_bias": True, "no_bias": True}, s.Dense(128, True, "silu", False)),
    ({"intermediate_size": [8, 16, 24, 32]}, s.Dense(32, True, "silu", False)),
    ({"intermediate_size": None, "expansion_ratio": 3}, s.Dense(192, True, "silu", False)),
    ({"hidden_act": "relu"}, s.Dense(128, False, "relu", False)),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "want"), DENSE)
def test_a_key_is_a_field_of_a_dense_mlp(keys, want):
    """Width, gate, activation, bias."""
    mlp = read({**ODD, **keys}).layers[-1].mlp
    assert want == replace(want, **fields(mlp, dict.fromkeys(("intermediate_size", "gated", "hidden_act", "bias"))))


def test_kimi_k3_convolves_with_silu():
    """Its MLPs have an activation of their own."""
    spec = catalog.spec("moonshotai/Kimi-K3")
    acts = {layer.mixer.hidden_act for layer in spec.layers if isinstance(layer.mixer, s.KimiDelta)}
    assert ({"silu"}, True) == (acts, any(layer.mlp.hidden_act == "situ" for layer in spec.layers))
