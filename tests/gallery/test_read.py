"""What read() makes of a config: envelopes, spellings, defaults, contradictions, and everything that can be wrong."""

import json
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from cutaway.gallery import ConfigError, catalog, parameters, read, weights
from cutaway.gallery.spec import Attention, Combined, Dense, LatentAttention, MoE

PLAIN = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 4,
    "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 100,
    "tie_word_embeddings": False,
}  # fmt: skip


def plain(**changes):
    return {**PLAIN, **changes}


def mixers(spec):
    return [type(layer.mixer).__name__ for layer in spec.layers]


# ---------------------------------------------------------------- envelopes and families


@pytest.mark.parametrize("name", ["text_config", "llm_config", "language_config"])
def test_a_text_part_is_read_wherever_it_lies(name):
    """The text part of a multimodal config may stand under any of the three names."""
    nested = {"model_type": "some_vlm", "architectures": ["SomeVLM"], name: PLAIN, "vision_config": {"depth": 3}}
    assert read(PLAIN).layers == read(nested).layers
    assert [tower.name for tower in read(nested).towers] == ["vision_config"]


def test_a_flat_config_may_carry_a_vision_config():
    """Qwen2-VL: text keys at top level and another tower beside them."""
    assert len(read(plain(vision_config={"depth": 3, "embed_dim": 8})).towers) == 1


def test_the_text_part_wins_over_the_top_level():
    """tie_word_embeddings at both levels: the text part's value counts (SHAPES.md)."""
    nested = {"text_config": plain(tie_word_embeddings=False), "tie_word_embeddings": True}
    assert read(nested).tie_word_embeddings is False


def test_the_architecture_wins_over_the_model_type():
    """Grok-2's model_type is "git", which is something else in transformers."""
    spec = catalog.spec("xai-org/grok-2")
    assert (spec.model_type, spec.architecture, spec.read_from_keys) == ("git", "Grok1ForCausalLM", False)
    assert isinstance(spec.layers[0].mlp, Combined)


def test_a_renamed_model_type_is_read_by_its_architecture():
    """Qwen3 under a name nobody knows keeps its QK-norm."""
    spec = read(plain(model_type="renamed", architectures=["Qwen3ForCausalLM"]))
    assert (spec.layers[0].mixer.qk_norm, spec.read_from_keys) == ("head", False)


def test_an_unknown_family_is_read_from_its_keys_and_says_so():
    """An unknown model_type gives a drawing under a visible mark, and lists the key nobody read."""
    spec = read(plain(model_type="brand_new", architectures=["BrandNewForCausalLM"], mystery=7))
    assert (spec.read_from_keys, spec.unread) == (True, ("mystery",))
    assert parameters(read(PLAIN)).total == parameters(spec).total


def test_mistral_params_json_is_read():
    """Mistral's own params.json has keys and tensor names of its own."""
    own = {"dim": 64, "n_layers": 2, "n_heads": 8, "n_kv_heads": 2, "head_dim": 8, "hidden_dim": 128, "vocab_size": 100}
    spec = read(own)
    assert (spec.hidden_size, spec.num_hidden_layers, *heads(spec)) == (64, 2, 8, 2)
    assert [weight.name for weight in weights(spec)[1:3]] == [
        "layers.0.attention_norm.weight",
        "layers.0.attention.wq.weight",
    ]


def heads(spec):
    return spec.layers[0].mixer.num_attention_heads, spec.layers[0].mixer.num_key_value_heads


# ---------------------------------------------------------------- defaults


def test_null_is_an_answer_and_a_missing_key_is_not():
    """q_lora_rank: null means a full q projection; without the key the class default of 1,536 holds."""
    config = catalog.load("deepseek-ai/DeepSeek-V3")
    assert read({**config, "q_lora_rank": None}).layers[0].mixer.q_lora_rank == 0
    del config["q_lora_rank"]
    assert read(config).layers[0].mixer.q_lora_rank == 1536


def test_missing_kv_heads_mean_one_per_query_head():
    """No num_key_value_heads: multi-head attention."""
    config = plain()
    del config["num_key_value_heads"]
    assert read(config).layers[0].mixer.num_key_value_heads == 8


def test_gemma_3_multimodal_leaves_its_heads_to_the_class():
    """google/gemma-3-4b-it states neither heads nor vocabulary."""
    spec = catalog.spec("google/gemma-3-4b-it")
    assert heads(spec) == (8, 4)
    assert spec.vocab_size == 262_208


def test_head_dim_is_noise_beside_mla():
    """GLM-5 says head_dim 64; its heads have 192 + 64."""
    mixer = catalog.spec("zai-org/GLM-5").layers[0].mixer
    assert isinstance(mixer, LatentAttention)
    assert (mixer.qk_nope_head_dim, mixer.qk_rope_head_dim, mixer.v_head_dim) == (192, 64, 256)


def test_a_window_needs_to_be_on():
    """Qwen2.5 carries a window size that use_sliding_window switches off."""
    assert {0} == {layer.mixer.sliding_window for layer in catalog.spec("Qwen/Qwen2.5-7B").layers}
    assert {4096} == {layer.mixer.sliding_window for layer in catalog.spec("mistralai/Mistral-7B-v0.1").layers}


def test_top_k_is_never_experts_per_token():
    """Kimi K2.5 drags the generation default top_k: 50 along; a token visits 8 experts."""
    assert catalog.spec("moonshotai/Kimi-K2.5").layers[5].mlp.num_experts_per_tok == 8


# ---------------------------------------------------------------- layer kinds, spelling by spelling

DENSE_AND_SPARSE = [
    ({"first_k_dense_replace": 1}, "DMMM"),
    ({"moe_layer_freq": [0, 1, 0, 1]}, "DMDM"),
    ({"moe_layer_freq": 2, "first_k_dense_replace": 1}, "DDMD"),
    ({"decoder_sparse_step": 2, "mlp_only_layers": [3]}, "DMDD"),
    ({"mlp_layer_types": ["dense", "sparse", "sparse", "dense"]}, "DMMD"),
    ({"moe_layers": [2]}, "DDMD"),
    ({"moe_layers_enum": "1,3"}, "DMDM"),
    ({"interleave_moe_layer_step": 2}, "DMDM"),
    ({"expert_layer_period": 2, "expert_layer_offset": 1}, "DMDM"),
    ({"moe_layer_start_index": 1, "moe_layer_end_index": 2, "moe_layer_interval": 1}, "DMMD"),
    ({}, "MMMM"),
]


@pytest.mark.parametrize(("keys", "expected"), DENSE_AND_SPARSE, ids=[str(list(keys)) for keys, _ in DENSE_AND_SPARSE])
def test_dense_and_sparse_layers_from_every_spelling(keys, expected):
    """Nine encodings of which layers have experts."""
    spec = read(plain(model_type="x", architectures=[], num_experts=4, num_experts_per_tok=2, **keys))
    assert expected == "".join("M" if isinstance(layer.mlp, MoE) else "D" for layer in spec.layers)


WINDOWS = [
    ({"layer_types": ["sliding_attention", "full_attention"] * 2}, "SFSF"),
    ({"sliding_window_pattern": 2}, "SFSF"),
    ({"sliding_window_pattern": "LLG"}, "SSFS"),
    ({"global_attn_every_n_layers": 4}, "SSSF"),
    ({"hybrid_layer_pattern": [0, 1, 1, 0]}, "FSSF"),
    ({"use_sliding_window": True, "max_window_layers": 2}, "FFSS"),
    ({"use_sliding_window": False}, "FFFF"),
    ({"layer_types": ["full_attention"] * 3 + ["sliding_attention"] * 3}, "FFFS"),
]


@pytest.mark.parametrize(("keys", "expected"), WINDOWS, ids=[str(keys)[:40] for keys, _ in WINDOWS])
def test_windowed_layers_from_every_spelling(keys, expected):
    """Patterns of windowed and full layers; a list that is longer than the model is cut."""
    spec = read(plain(model_type="x", architectures=[], sliding_window=16, **keys))
    assert expected == "".join("S" if layer.mixer.sliding_window else "F" for layer in spec.layers)


def test_one_based_lists_are_one_based():
    """Kimi Linear's full_attn_layers [4, 8, ...] are layers 3, 7, ... counted from nought."""
    spec = catalog.spec("moonshotai/Kimi-Linear-48B-A3B-Instruct")
    assert [i for i, name in enumerate(mixers(spec)) if name == "LatentAttention"] == [3, 7, 11, 15, 19, 23, 26]


def test_no_rope_layers_says_one_for_has_position():
    """SmolLM3: every fourth layer has no rotary position."""
    spec = catalog.spec("HuggingFaceTB/SmolLM3-3B-Base")
    assert [layer.index for layer in spec.layers if layer.mixer.position == "nope"][:3] == [3, 7, 11]


def test_nemotron_letters_are_halves():
    """In "MEM*" a layer is one mixer or one MLP, and MTP layers are apart."""
    spec = catalog.spec("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")
    assert tuple(
        sum(test(layer) for layer in spec.layers)
        for test in (
            lambda layer: type(layer.mixer).__name__ == "Mamba2",
            lambda layer: isinstance(layer.mlp, MoE),
            lambda layer: isinstance(layer.mixer, Attention),
        )
    ) == (23, 23, 6)
    assert all((layer.mixer is None) != (layer.mlp is None) for layer in spec.layers)


def test_layers_that_share_keys_and_values_say_whose():
    """Gemma 3n: the last 15 layers reuse K and V of the last layer of their kind, and hold no such weights."""
    spec = catalog.spec("google/gemma-3n-E4B")
    assert {None, 18, 19} == {layer.mixer.kv_source for layer in spec.layers}
    assert sum(layer.mixer.kv_source is not None for layer in spec.layers) == 15


def test_a_layer_word_nobody_knows_is_drawn_and_said():
    """An unknown mixer is a marked half, never left out."""
    spec = read(plain(layer_types=["full_attention", "warp_drive"] * 2))
    assert mixers(spec) == ["Attention", "NotUnderstood"] * 2
    assert "warp_drive" in spec.not_understood[0]


# ---------------------------------------------------------------- what does not fit


def test_two_spellings_that_disagree_are_said():
    """A meaning spelled twice with two values: a sentence says which one was used."""
    spec = read(plain(num_local_experts=4, num_experts=8, num_experts_per_tok=2))
    assert spec.layers[0].mlp.num_experts == 8
    assert (
        "the config has different values for num_local_experts and num_experts; num_experts = 8 was used."
        in spec.contradictions
    )


def test_boring_keys_are_not_called_unread():
    """Keys that say nothing about shapes are set aside with a reason, in a table."""
    spec = read(plain(transformers_version="4.57", bos_token_id=1, rope_theta=1e4, initializer_range=0.02))
    assert spec.unread == ()


BAD = {
    "num_hidden_layers": [10**9, 0, -3, True, "32", 3.5, None, [4], float("nan"), 10**30],
    "hidden_size": [0, -1, "64", 10**12, {}, float("inf")],
    "num_attention_heads": [0, 10**9, "8", []],
    "vocab_size": [-5, "many", 1e30],
    "intermediate_size": ["wide", -1, True],
    "layer_types": [["full_attention"], "full_attention", [7, 8, 9, 10], 5],
    "num_key_value_heads": [0, -2, "2"],
    "tie_word_embeddings": ["yes", 5, []],
    "head_dim": [-8, "x", 0],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in BAD.items() for value in values], ids=str)
def test_a_wrong_value_is_refused_in_one_sentence(key, value):
    """The message says what was read, what was looked for and what to do, on one line."""
    with pytest.raises(ConfigError) as refused:
        read(plain(**{key: value}))
    message = str(refused.value)
    assert key in message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize("value", [None, [], 5, "text", [PLAIN], float("nan")], ids=str)
def test_what_is_no_object_is_refused(value):
    """A config is a JSON object."""
    with pytest.raises(ConfigError, match="A config is a JSON object"):
        read(value)


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "vocab_size", "num_attention_heads"])
def test_a_missing_size_is_named_with_its_spellings(key):
    """A flat file always states its frame; what is missing is named."""
    config = plain()
    del config[key]
    with pytest.raises(ConfigError, match=f"The config has no {key}: looked for {key}, "):
        read(config)


def test_the_deepest_model_allowed_is_read_at_once():
    """1,000 layers take well under a second, weights and all."""
    started = time.process_time()
    spec = read(plain(num_hidden_layers=1000))
    assert len(weights(spec)) == 1000 * 9 + 3
    assert parameters(spec).total > 0
    assert time.process_time() - started < 5


def test_a_spec_is_frozen_and_hashable():
    """Equal configs give equal specs; a changed one differs."""
    assert read(PLAIN) == read(json.loads(json.dumps(PLAIN)))
    assert len({read(PLAIN), read(PLAIN), read(plain(vocab_size=101))}) == 2
    with pytest.raises(AttributeError):
        read(PLAIN).hidden_size = 1


def test_layers_of_one_kind_share_their_parts():
    """Each distinct kind is built once, which is what makes reading fast."""
    layers = catalog.spec("meta-llama/Llama-3.1-8B").layers
    assert 1 == len({id(layer.mixer) for layer in layers}) == len({id(layer.mlp) for layer in layers})
    assert replace(layers[0], index=5) == layers[5]


def test_dense_width_follows_the_config():
    """Qwen 1 counts gate and up together; LFM2 takes two thirds and rounds up; xLSTM multiplies."""
    widths = {
        slug: catalog.spec(slug).layers[0].mlp for slug in ("Qwen/Qwen-7B", "LiquidAI/LFM2-1.2B", "NX-AI/xLSTM-7b")
    }
    assert [mlp.intermediate_size for mlp in widths.values()] == [11008, 8192, 10944]
    assert all(isinstance(mlp, Dense) for mlp in widths.values())


# ---------------------------------------------------------------- the package


def test_importing_gallery_pulls_nothing_in():
    """cutaway.gallery loads no third-party module, and its public functions are functions whoever imports first."""
    code = (
        "import sys, cutaway.gallery.counting.weights, cutaway.gallery.reading.read, cutaway.gallery.counting.memory\n"
        "from cutaway.gallery import read, weights, parameters, memory, draw, ConfigError\n"
        "assert all(callable(f) for f in (read, weights, parameters, memory, draw))\n"
        "assert issubclass(ConfigError, ValueError)\n"
        "foreign = {'numpy', 'panel', 'bokeh', 'jinja2', 'huggingface_hub', 'torch'} & set(sys.modules)\n"
        "print(sorted(foreign))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
