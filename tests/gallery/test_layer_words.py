"""Every spelling of "which layer is what", one row each: the keys of a file -> a word per layer."""

import pytest

from gallery.reading.facts import Facts
from gallery.reading.layer_words import depth_of, mixer_words, rotary_flags, window_words
from gallery.reading.mlp_words import mlp_words
from gallery.spec import ConfigError

SHORT = {"F": "full", "S": "sliding", "L": "linear", "M": "mamba", "C": "conv", "X": "cross", "P": "sparse",
         "E": "moe", "D": "dense", "-": "mlp", "W": "window", "c": "csa", "h": "hca", "R": "recurrent"}  # fmt: skip


def facts(config: dict) -> Facts:
    """A config of these keys alone."""
    return Facts(config, config, {}, {})


def long(letters: str) -> list[str]:
    return [SHORT[letter] for letter in letters]


MIXERS = [
    ({"layer_types": ["full_attention", "sliding_attention", "linear_attention", "conv"]}, "FSLC"),
    ({"layer_types": ["full_attention", "sliding_attention", "full_attention", "conv", "conv"]}, "FSFC"),  # cut
    ({"layers_block_type": ["mamba", "attention", "recurrent", "mlp"]}, "MFR-"),
    ({"hybrid_override_pattern": "M|E*-"}, "MEF-"),
    ({"compress_ratios": [0, 1, 16, 17]}, "Wcch"),
    ({"attn_type_list": [0, 1, 1, 0]}, "LFFL"),
    ({"hybrid_layer_pattern": [0, 1, 1, 0]}, "FSSF"),
    ({"sparse_attention_freq": [0, 1, 0, 1]}, "FPFP"),
    ({"kda_layers": [1, 2, 4]}, "LLFL"),
    ({"full_attn_layers": [4]}, "LLLF"),
    ({"full_attn_idxs": [2, 3]}, "CCFF"),
    ({"attn_layer_indices": [0]}, "FMMM"),
    ({"attn_layer_period": 3, "attn_layer_offset": 1}, "MFMM"),
    ({"attn_layer_period": 2}, "FMFM"),
    ({"layer_group_size": 3}, "LLFF"),
    ({"layer_group_size": 2}, "LFLF"),
    ({"full_attention_interval": 4}, "LLLF"),
    ({"global_attn_every_n_layers": 2}, "SFSF"),
    ({"sliding_window_pattern": 3}, "SSFS"),
    ({"sliding_window_pattern": "LLG"}, "SSFS"),
    ({"sliding_window_pattern": ""}, "FFFF"),
    ({"block_types": ["recurrent", "recurrent", "attention"]}, "RRSR"),
    ({"dense_attention_every_n_layers": 2}, "PFPF"),
    ({"cross_attention_layers": [1]}, "FXFF"),
    ({"sliding_window_pattern": 2, "cross_attention_layers": [3]}, "SFSX"),
    ({"layer_types": ["conv"] * 4, "full_attention_interval": 2}, "CCCC"),  # the first key of the table decides
]


@pytest.mark.parametrize(("keys", "letters"), MIXERS, ids=[",".join(keys) for keys, _ in MIXERS])
def test_each_spelling_says_which_mixer_a_layer_has(keys, letters):
    """Four layers, by list, letters, bits, numbers, period, group or interval."""
    assert long(letters) == mixer_words(facts(keys), 4)


def test_a_file_without_a_pattern_says_nothing_of_mixers():
    """Then every layer is alike."""
    assert mixer_words(facts({"num_hidden_layers": 4}), 4) is None


EXPERTS = {"num_experts": 8}
MLPS = [
    ({}, "DDDD"),
    (EXPERTS, "EEEE"),
    ({**EXPERTS, "enable_moe_block": False}, "DDDD"),
    ({**EXPERTS, "enable_moe_block": True}, "EEEE"),
    ({**EXPERTS, "mlp_layer_types": ["dense", "sparse", "hash_moe", "mlp"]}, "DEED"),
    ({**EXPERTS, "moe_layers": [0, 3]}, "EDDE"),
    ({**EXPERTS, "moe_layers_enum": "1, 2,"}, "DEED"),
    ({**EXPERTS, "moe_layer_start_index": 1}, "DEEE"),
    ({**EXPERTS, "moe_layer_start_index": 1, "moe_layer_end_index": 2}, "DEED"),
    ({**EXPERTS, "moe_layer_start_index": 0, "moe_layer_end_index": -1, "moe_layer_interval": 2}, "DEDE"),
    ({**EXPERTS, "moe_layer_start_index": [2, 1], "moe_layer_end_index": [2, 3]}, "DDEE"),
    ({**EXPERTS, "interleave_moe_layer_step": 2}, "DEDE"),
    ({**EXPERTS, "expert_layer_period": 2, "expert_layer_offset": 1}, "DEDE"),
    ({**EXPERTS, "expert_layer_period": 3}, "EDDE"),
    ({**EXPERTS, "moe_layer_freq": 2, "first_k_dense_replace": 1}, "DDED"),
    ({**EXPERTS, "moe_layer_freq": 1}, "EEEE"),
    ({**EXPERTS, "moe_layer_freq": [0, 1, 1, 0]}, "DEED"),
    ({**EXPERTS, "first_k_dense_replace": 3}, "DDDE"),
    ({**EXPERTS, "decoder_sparse_step": 2}, "DEDE"),
    ({**EXPERTS, "decoder_sparse_step": 2, "mlp_only_layers": [3]}, "DEDD"),
    ({**EXPERTS, "mlp_only_layers": [0]}, "DEEE"),
    ({"first_k_dense_replace": 1}, "DDDD"),  # no experts at all
]


@pytest.mark.parametrize(("keys", "letters"), MLPS, ids=[",".join(keys) or "none" for keys, _ in MLPS])
def test_each_spelling_says_which_layers_have_experts(keys, letters):
    """Four layers; a model without experts is dense, one without a pattern has them everywhere."""
    assert long(letters) == mlp_words(facts(keys), 4)


WINDOWS = [
    ({}, "FFFF"), ({"sliding_window": 0}, "FFFF"), ({"sliding_window": 64}, "SSSS"),
    ({"sliding_window": 64, "use_sliding_window": False}, "FFFF"),
    ({"sliding_window": 64, "use_sliding_window": True}, "SSSS"),
    ({"sliding_window": 64, "use_sliding_window": True, "max_window_layers": 3}, "FFFS"),
    ({"sliding_window": 64, "max_window_layers": 3}, "SSSS"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "letters"), WINDOWS)
def test_a_window_without_a_pattern_covers_every_layer_or_the_last_ones(keys, letters):
    """Only Qwen2's switch makes max_window_layers count."""
    assert long(letters) == window_words(facts(keys), 4)


ROTARY = [
    ({}, "1111"), ({"no_rope_layers": [1, 0, 1, 0]}, "1010"), ({"no_rope_layers": [0, 1]}, "0111"),
    ({"no_rope_layer_interval": 2}, "1010"), ({"no_rope_layer_interval": 4}, "1110"),
    ({"layer_rope_theta": [1e4, 0]}, "1011"), ({"no_rope_layers": [0], "no_rope_layer_interval": 2}, "0111"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "bits"), ROTARY)
def test_which_layers_rotate(keys, bits):
    """1 in no_rope_layers means that a layer has it; an interval says that every n-th has not."""
    assert [bit == "1" for bit in bits] == rotary_flags(facts(keys), 4)


DEPTHS = [
    ({"num_hidden_layers": 7, "layer_types": ["full"] * 3}, 7), ({"layer_types": ["full"] * 3}, 3),
    ({"hybrid_override_pattern": "M*M*M"}, 5), ({"layers_block_type": ["mamba"] * 2}, 2),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "depth"), DEPTHS)
def test_a_list_of_layers_says_how_many_there_are(keys, depth):
    """num_hidden_layers decides where it stands."""
    assert depth == depth_of(facts(keys))


WRONG = [
    ({"layer_types": ["full"] * 3}, "layer_types has 3 entries for num_hidden_layers 4"),
    ({"layer_types": [1] * 4}, "a list of layer words such as full_attention was looked for"),
    ({**EXPERTS, "moe_layers_enum": "1,x"}, "layer numbers separated by commas was looked for"),
    ({**EXPERTS, "moe_layers_enum": "1,1234567"}, "layer numbers separated by commas was looked for"),
    ({**EXPERTS, "mlp_layer_types": ["dense"]}, "mlp_layer_types has 1 entries for num_hidden_layers 4"),
]


@pytest.mark.parametrize(("keys", "words"), WRONG)
def test_a_list_that_cannot_be_is_refused(keys, words):
    """Too short a list, or no words, gets a sentence."""
    with pytest.raises(ConfigError, match=words):
        (mlp_words if "num_experts" in keys else mixer_words)(facts(keys), 4)


def test_a_word_nobody_knows_stays_marked():
    """It is drawn as not understood, under the name the file gives."""
    assert mixer_words(facts({"layer_types": ["full", "brand_new"]}), 2) == ["full", "?brand_new"]
