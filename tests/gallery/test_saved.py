"""A config as transformers' own class writes it, and lists of layers that the class works out, read as the case itself.

tests/oracle/saved.json was made by tests/oracle/make_saved.py.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.gallery import ConfigError, read

ORACLE = Path(__file__).parents[1] / "oracle"
MADE = json.loads((ORACLE / "saved.json").read_text())
DEPTH = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
OTHERWISE = {  # cases that a saved file tells otherwise, and why
    "dbrx": "the class runs a base of 10,000 and saves it; the file's own says 500,000, which the page follows",
    "mimo_v2_flash": "the class adds one to the window, and saves the sum",
    "mpt__six_heads": "the class's own longest context is in the saved file alone",
    "gpt-sw3": "it is saved under the model_type of GPT-2",
    "codegen__layers": "n_ctx is in the saved file alone, and disagrees with n_positions",
    "lfm2__vl": "the width is saved under one name, so that two no longer disagree",
    "zamba2__plain": "num_query_groups is in the saved file alone, and disagrees with num_key_value_heads",
}
NO_LIST = {"nemotron_h__groups", "nemotron_h__ultra"}  # no list and no depth either: refused in a sentence


def config_of(name):
    return json.loads((ORACLE / "forward" / f"{name}.json").read_text())["config"]


def spec_of(config):
    """What is read; a refusal is one like any other. Which keys were asked for is not compared."""
    try:
        return replace(read(config), unread=())
    except ConfigError as refusal:
        return type(refusal)


def saved(name):
    """The config of a case as its class writes it."""
    row = MADE["saved"][name]
    return {key: value for key, value in config_of(name).items() if key not in row["gone"]} | row["set"]


def test_a_saved_config_is_the_same_model(verified):
    """Keys that the class renames, fills in, or writes layer by layer change nothing of what is read."""
    wrong = [name for name in MADE["saved"] if spec_of(saved(name)) != spec_of(config_of(name))]
    verified("configs that still read the same after their classes save them",
             len(MADE["saved"]), len(set(wrong) - OTHERWISE.keys()), "transformers 5.23.0")  # fmt: skip
    assert set(wrong) == OTHERWISE.keys() and len(MADE["saved"]) > 340


def test_sizes_of_single_layers_are_read():
    """Gemma 4's full layers have heads of their own, said layer by layer; without that entry they have not."""
    config = saved("gemma4_text__31b")
    assert config["per_layer_config"] == {"3": {"head_dim": 48}}
    apart, alike = read(config), read({**config, "per_layer_config": {}})
    assert [layer.mixer.head_dim for layer in apart.layers] == [24, 24, 24, 48]
    assert [layer.mixer.head_dim for layer in alike.layers][:3] == [24, 24, 24]
    assert apart.unread == ()


PLAIN = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 12, "vocab_size": 96,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64}  # fmt: skip


def test_any_family_may_differ_layer_by_layer():
    """Keys of one layer come before the model's: heads, widths, in any spelling; numbers may have zeros in front."""
    spec = read({**PLAIN, "per_layer_config": {"03": {"num_key_value_heads": 1, "intermediate_size": 32},
                                               "11": {"num_attention_heads": 2, "head_dim": 8}}})  # fmt: skip
    heads = [(layer.mixer.num_attention_heads, layer.mixer.num_key_value_heads, layer.mixer.head_dim)
             for layer in spec.layers]  # fmt: skip
    assert heads == [(4, 2, 16)] * 3 + [(4, 1, 16)] + [(4, 2, 16)] * 7 + [(2, 2, 8)]
    assert [layer.mlp.intermediate_size for layer in spec.layers] == [96] * 3 + [32] + [96] * 8
    assert spec.unread == () and len({layer.made_of for layer in spec.layers}) == 3


@pytest.mark.parametrize("keys", [
    {"skip": ["mlp"]}, {"hidden_size": 128}, {"sliding_window": 4}, {"layer_types": ["x"]}, {"num_experts": 4},
    {"rope_parameters": {"rope_theta": 1}}, {"attn_config": {"rope_theta": 1}}, {"per_layer_config": {}},
])  # fmt: skip
def test_what_a_layer_says_and_nobody_reads_is_told(keys):
    """A key of one layer that changes nothing is named with its layer, known here or not; what is read is not."""
    spec = read({**PLAIN, "per_layer_config": {"3": {**keys, "head_dim": 8}}})
    assert spec.unread == tuple(f"per_layer_config.3.{key}" for key in keys)
    assert [layer.mixer.head_dim for layer in spec.layers][2:5] == [16, 8, 16]


def test_many_layers_may_say_the_same_wrong_thing_once():
    """Sizes that do not fit each other are told of the first layer; keys in another spelling are read too."""
    spec = read({**PLAIN, "per_layer_config": {str(n): {"num_kv_heads": 3, "n_head": 8} for n in (2, 5)}})
    assert len(spec.contradictions) == 1 and "per_layer_config.2" in spec.contradictions[0]
    assert [layer.mixer.num_key_value_heads for layer in spec.layers][1:3] == [2, 3]


@pytest.mark.parametrize(("each", "words"), [
    ([1], "per_layer_config is [1]; an object with an entry for each layer that differs"),
    ({"12": {}}, "per_layer_config has '12': a dict of 0 keys; the number of one of the 12 layers"),
    ({"-1": {}}, "per_layer_config has '-1'"), ({"x": {}}, "per_layer_config has 'x'"), ({"9" * 5000: {}}, "999…"),
    ({"3": 7}, "per_layer_config has '3': 7; the number of one of the 12 layers and an object of its keys"),
    ({"3": {"head_dim": -1}}, "per_layer_config.3.head_dim is -1; a whole number from"),
    ({"3": {"intermediate_size": "wide"}}, "per_layer_config.3.intermediate_size is 'wide'"),
])  # fmt: skip
def test_an_entry_that_cannot_be_is_refused_in_words(each, words):
    """What was read, what was looked for, what to do."""
    with pytest.raises(ConfigError) as refusal:
        read({**PLAIN, "per_layer_config": each})
    assert words in str(refusal.value) and len(str(refusal.value)) < 400


@pytest.mark.whole
def test_lists_of_layers_are_worked_out_as_the_class_does(verified):
    """Without its lists, and at other depths, a config reads as with those that the class makes."""
    wrong, checked = set(), 0
    for name, row in MADE["lists"].items():
        bare = {key: value for key, value in config_of(name).items() if key not in row["without"]}
        for depth, found in row["made"]:
            own = {**bare, next(key for key in DEPTH if key in bare): depth} if depth else bare
            checked += 1
            if spec_of(own) != spec_of({**own, **found}):
                wrong.add(name)
    verified(
        "default lists of layer types that a config leaves out", checked, len(wrong - NO_LIST), "transformers 5.23.0"
    )
    assert wrong == NO_LIST and checked > 500
