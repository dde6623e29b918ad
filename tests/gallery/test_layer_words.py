"""Every spelling of "which layer is what", one row each: the keys of a file -> a word per layer."""

import importlib
from collections.abc import Mapping
from types import MappingProxyType

import pytest

from cutaway.gallery.reading import families
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.layer_words import depth_of, mixer_words, rotary_flags, window_words
from cutaway.gallery.reading.mlp_words import mlp_words
from cutaway.gallery.spec import ConfigError

SHORT = {"F": "full", "S": "sliding", "L": "linear", "M": "mamba", "C": "conv", "X": "cross", "P": "sparse",
         "E": "moe", "D": "dense", "-": "mlp", "W": "window", "c": "csa", "h": "hca", "R": "recurrent"}  # fmt: skip


def facts(config: dict, spellings: Mapping[str, str] = MappingProxyType({})) -> Facts:
    """A config of these keys alone."""
    return Facts(config, config, {}, spellings)


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


FAMILIES = [  # (family, keys, eight layers by the class's own rule): where a file lists none
    ("beam", {}, "SSSSSFSF"), ("doge", {}, "FFFFFFFF"), ("doge", {"sliding_window": 9}, "SSSSSSSS"),
    ("dots3_note", {}, "PPSSSPSS"), ("dots3_note", {"use_dsa": False}, "FFSSSFSS"),
    ("dots3_note", {"use_dsa": True, "use_sliding_window": False}, "PPPPPPPP"),
    ("flint", {}, "FFSSSFSF"), ("gemma2", {}, "SFSFSFSF"), ("vaultgemma", {}, "SFSFSFSF"), ("gpt_oss", {}, "SFSFSFSF"),
    ("gemma4", {}, "SSSSSFSF"), ("glm5_next", {}, "LLLPLLLP"), ("gpt_neo", {}, "FSFSFSFS"),
    ("gpt_neo", {"attention_types": [[["local", "global", "local"], 2], [["global"], 1]]}, "SFSSFSFF"),
    ("inkling", {}, "hhhhhHhh"), ("inkling2", {}, "hhhhhHhh"), ("inkling", {"local_layer_ids": [1]}, "HhHHHHHH"),
    ("kolibri1", {}, "SSSSFSSS"), ("lfm3", {}, "CCFCSCFC"), ("llama4", {"no_rope_layers": [1, 0]}, "KFKKKKKK"),
    ("mimo_v2", {}, "FSSSSFSS"), ("minimax", {}, "FLFLFLFL"), ("muse_spark", {}, "SSSFSSSF"),
    ("muse_glimmer", {}, "SSSFSSSF"), ("cwm", {}, "FSSSFSSS"), ("granite_swa", {}, "FSSSFSSS"),
    ("granitemoe_swa", {}, "FSSSFSSS"), ("dots1", {}, "FFFFFFFF"), ("dots1", {"max_window_layers": 3}, "FFFSSSSS"),
    ("olmo_hybrid", {}, "LLLFLLLF"), ("plamo2", {}, "MFMFMFMF"), ("plamo2", {"mamba_step": 5}, "MMFMMMMF"),
    ("plamo2", {"mamba_step": 16}, "MMMMMMMF"), ("plamo2", {"mamba_step": 15}, "MMMMMMMF"),
    ("plamo2", {"mamba_enabled": False}, "FFFFFFFF"),
    ("plamo2", {"sliding_window": 9, "full_attention_idx": [3]}, "MSMFMSMS"),
    ("qwen2_moe", {}, "FFFFFFFF"), ("qwen2_moe", {"use_sliding_window": True}, "SFSFSFSF"),
    ("qwen2_moe", {"use_sliding_window": True, "max_window_layers": 4}, "SFSFFFFF"),
    ("qwen3_moe", {}, "FFFFFFFF"), ("qwen3_moe", {"use_sliding_window": True}, "SSSSSSSS"),
    ("qwen3_vl_moe", {}, "FFFFFFFF"), ("recurrent_gemma", {}, "RRSRRSRR"),
    ("smollm3", {"sliding_window": 9, "no_rope_layer_interval": 4}, "FFFFFFFF"),
    ("smollm3", {"sliding_window": 9, "no_rope_layer_interval": 4, "use_sliding_window": True}, "FFFSFFFS"),
    ("smollm3", {"no_rope_layer_interval": 4, "use_sliding_window": True}, "FFFFFFFF"),
]  # fmt: skip
LETTERS = {**SHORT, "h": "hybrid_sliding", "H": "hybrid", "K": "chunked"}


def own_words(stem: str, keys: dict, depth: int = 8) -> list[str]:
    """What a family file's own rule makes of a config."""
    family = families.load(stem)
    rule = family.words or importlib.import_module(f"cutaway.gallery.reading.families.{stem}").words
    return rule(facts(keys, family.spellings), depth)


@pytest.mark.parametrize(("stem", "keys", "letters"), FAMILIES)
def test_a_class_has_a_pattern_of_its_own(stem, keys, letters):
    """Which layers of eight see everything, a window or a state, where the config does not say."""
    assert [LETTERS[letter] for letter in letters] == own_words(stem, keys)


def test_every_family_with_a_pattern_has_a_row():
    """A new one needs its row here; Falcon-H1's layers are all alike."""
    stems = {stem for stem in families.files().values() if families.load(stem).words}
    assert stems - {"falcon_h1"} == {stem for stem, _, _ in FAMILIES} - {"dots3_note"}


def test_olmo_hybrid_and_plamo_end_with_attention():
    """However few layers there are."""
    assert own_words("olmo_hybrid", {}, 3) == long("LLF")
    assert own_words("gemma4", {}, 2) == long("SF")
    assert own_words("plamo2", {"mamba_step": 8}, 4) == long("MMMF")
