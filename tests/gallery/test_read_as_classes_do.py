"""What a class does whatever a key says, or does where no other class does: no golden forward shows it."""

from __future__ import annotations

import copy

from cutaway.gallery import catalog, read, weights
from cutaway.gallery.reading.text_part import unwrap
from cutaway.gallery.wiring import closing_graph, layer_graph

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
