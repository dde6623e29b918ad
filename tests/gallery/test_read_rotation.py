"""Rotation, scales and gates that a class states and no golden forward can show: read from configs as published."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway.gallery import ConfigError, catalog, read
from cutaway.gallery.counting.naming import rename
from cutaway.gallery.running.proofs import proof
from cutaway.gallery.wiring import layer_graph

SIZES = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 96, "intermediate_size": 96}


def rope(config):
    return read(config).layers[0].mixer.rope


@pytest.mark.parametrize(("slug", "base"), [("zai-org/glm-4-9b-chat", 500), ("zai-org/chatglm3-6b", 1)])
def test_chatglm_rotates_neighbours_in_half_of_a_head(slug, base):
    """rope_ratio multiplies the base; 64 of 128 numbers are rotated, in neighbouring pairs."""
    config = {**catalog.load(slug), "rope_ratio": base}
    found = rope(config)
    assert (found.dims, found.interleaved, found.theta) == (64, True, 10_000.0 * base)


def test_a_class_may_assume_a_stretched_rotation():
    """Apertus without rope keys is stretched as its class assumes; what the file says wins."""
    silent = {**SIZES, "model_type": "apertus"}
    assert (rope(silent).kind, rope(silent).theta) == ("llama3", 12_000_000.0)
    plain = {**silent, "rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}
    assert (rope(plain).kind, rope(plain).theta) == ("default", 500_000.0)


def test_a_stretch_said_once_may_hold_for_full_layers_alone():
    """OLMo 3 and Gemma 3 leave their windowed layers as they are."""
    stretch = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64}
    words = ["sliding_attention", "full_attention", "sliding_attention"]
    config = {**SIZES, "model_type": "olmo3", "layer_types": words, "sliding_window": 6, "rope_scaling": stretch}
    assert [layer.mixer.rope.kind for layer in read(config).layers] == ["default", "yarn", "default"]


@pytest.mark.parametrize("said", [7, True, "full_attention", {"full_attention": 1}])
def test_the_words_that_are_stretched_are_a_list(said):
    """Anything else is refused in one sentence; a list without words says nothing."""
    config = {**catalog.load("stepfun-ai/Step-3.5-Flash"), "yarn_only_types": said}
    with pytest.raises(ConfigError, match=r"yarn_only_types is .*; a list of layer words was looked for\. Correct it"):
        read(config)
    assert read({**config, "yarn_only_types": []}) == read({**config, "yarn_only_types": None})


def test_bases_may_be_listed_layer_by_layer():
    """A base of 0 means no rotation."""
    config = {**SIZES, "model_type": "granite_swa", "sliding_window": 6, "layer_rope_theta": [10_000.0, 5e5, 0]}
    found = [layer.mixer.rope for layer in read(config).layers]
    assert [one.theta if one else 0 for one in found] == [10_000.0, 500_000.0, 0]


def test_scores_may_shrink_with_the_layer():
    """GPT-2 divides by the layer's number where a key says so."""
    config = {**SIZES, "model_type": "gpt2", "n_inner": 96, "scale_attn_by_inverse_layer_idx": True}
    scales = [layer.mixer.scale or 16**-0.5 for layer in read(config).layers]
    assert scales == pytest.approx([0.25, 0.125, 0.25 / 3])


def test_layers_that_read_images_have_a_gate_behind_each_half():
    """Llama 3.2 Vision: a tanh of one learned number each, in the graph of these layers alone."""
    config = {**SIZES, "model_type": "mllama_text_model", "cross_attention_layers": [1]}
    spec = read(config)
    gates = [[t.name for t in layer_graph(spec, layer).tensors() if "gate" in t.name] for layer in spec.layers]
    assert gates[0] == gates[2] == ["mlp.gate_proj.weight"]
    assert gates[1] == ["cross_attn_attn_gate", "mlp.gate_proj.weight", "cross_attn_mlp_gate"]


def test_internlm_fuses_by_kv_head():
    """Each KV head's queries stand in front of its key and its value, in the rule's letters."""
    spec = read({**SIZES, "model_type": "internlm2", "num_key_value_heads": 2})
    assert spec.names[0][1] == "I2 attention.wqkv"
    names = [f"self_attn.{one}_proj.weight" for one in "qkv"]
    tensors = [(name, (rows, 64), "attention") for name, rows in zip(names, (64, 32, 32), strict=True)]
    assert rename(tensors, spec.names)[0][:2] == ("attention.wqkv.weight", (128, 64))


def test_alibi_of_an_odd_number_of_heads_has_slopes_between():
    """Bloom's rule: the powers of the next smaller power of two, then every other of twice as many."""
    from cutaway.gallery.running.numbers.attention import slopes

    assert slopes(4) == pytest.approx([2**-2, 2**-4, 2**-6, 2**-8])
    assert slopes(6) == pytest.approx([2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3])
    assert np.all(slopes(6) > 0)


LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
}  # fmt: skip
STRANGE = [
    ({"rope_type": "longrope2", "factor": 8}, "rope_type 'longrope2' is not understood yet"),
    ({"type": "longrope2", "factor": 8}, "rope_type 'longrope2' is not understood yet"),
    ({"rope_type": 7, "factor": 8}, "rope_type 7 is not understood yet"),
    ({"rope_type": "longrope", "factor": 8}, "rope_type longrope has no long_factor and short_factor"),
    ({"rope_type": "linear"}, "rope_type linear has no factor"),
]


@pytest.mark.parametrize(("said", "words"), STRANGE)
@pytest.mark.parametrize("key", ["rope_scaling", "rope_parameters"])
def test_a_stretching_that_nobody_knows_is_not_understood(key, said, words):
    """It is drawn without, says so in one sentence, and is not called proved."""
    spec = read({**LLAMA, key: said})
    assert spec.layers[0].mixer.rope.kind == "default"
    assert len(spec.not_understood) == 1
    assert spec.not_understood[0] == f"{words}: positions are drawn as they turn unstretched."
    assert not proof(spec).proved


KNOWN = [
    {"rope_type": "default"}, {"type": "mrope", "mrope_section": [2, 3, 3]}, {"factor": 8},
    {"rope_type": "linear", "factor": 8}, {"type": "ntk", "factor": 8}, {"rope_type": "deepseek_yarn", "factor": 8},
]  # fmt: skip


@pytest.mark.parametrize("said", KNOWN)
def test_a_stretching_that_is_known_is_drawn_in_silence(said):
    """Ours, transformers' and vLLM's words for it."""
    assert read({**LLAMA, "rope_scaling": said}).not_understood == ()


def test_a_share_inside_the_mapping_wins_over_that_outside():
    """standardize_rope_params: rope_scaling is rope_parameters' older name, and neither is overwritten."""
    outside = {**SIZES, "model_type": "glm4", "head_dim": 16, "partial_rotary_factor": 0.25}
    for name in ("rope_parameters", "rope_scaling"):
        inside = {"rope_type": "linear", "factor": 2.0, "rope_theta": 10_000.0, "partial_rotary_factor": 0.5}
        assert rope({**outside, name: inside}).dims == 8, name
        assert read({**outside, name: inside}).unread == ()
    assert rope(outside).dims == 4


def test_phi_3_s_own_length_wins_over_that_inside_the_mapping():
    """Phi3Config has original_max_position_embeddings of its own, 4,096 where no key says so; Llama's has not."""
    inside = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}
    found = [
        dict(rope({**SIZES, "rope_scaling": inside, **said}).scaling)["original_max_position_embeddings"]
        for said in (
            {"model_type": "phi3", "original_max_position_embeddings": 16},
            {"model_type": "phi3"},
            {"model_type": "llama", "original_max_position_embeddings": 16},
        )
    ]
    assert found == [16, 4096, 32]
