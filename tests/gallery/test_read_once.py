"""Single keys, and what stands for them where a config leaves them out: each read once, and seen in what follows."""

import json
from pathlib import Path

import pytest

from cutaway.gallery import catalog, draw, memory, read
from cutaway.gallery.command.report import _memory_rows
from cutaway.gallery.drawing.figure_words import outline
from cutaway.gallery.spec import Attention, Dense

HERE = Path(__file__).parent.parent
LLAMA = "meta-llama/Llama-3.1-8B"


def of(slug, **changes):
    return {**catalog.load(slug), **changes}


# ---------------------------------------------------------------- every token sees every other

YELLOW = "#ffd23f"  # what decoding keeps
AHEAD = [
    {"is_causal": False},
    {"model_type": "gemma", "architectures": ["GemmaForCausalLM"], "use_bidirectional_attention": True},
    {"architectures": ["LlamaBidirectionalModel"]},
]


@pytest.mark.parametrize("keys", AHEAD, ids=["is_causal", "use_bidirectional_attention", "class"])
def test_a_bidirectional_model_keeps_nothing(keys):
    """No bytes at any context, no yellow in the drawing, and a sentence in each place."""
    spec = read(of(LLAMA, **keys))
    kept = memory(spec, 131_072)
    assert spec.bidirectional
    assert (kept.total_bytes, kept.per_token_bytes, kept.by_kind) == (0, 0, {})
    assert kept.layers[0].what == "nothing: every token sees every other"
    svg = draw(spec)
    assert YELLOW not in svg
    assert "no cache" in outline(spec)
    assert "keeps" not in outline(spec)
    assert _memory_rows(spec) == [("kept while decoding", "nothing: bidirectional, no cache")]


def test_pictures_may_be_seen_both_ways_and_text_not():
    """Gemma 4 says "vision": its text is causal, and keeps its cache."""
    assert not catalog.spec("google/gemma-4-31B-it").bidirectional
    assert YELLOW in draw(catalog.spec(LLAMA))


@pytest.mark.parametrize(("said", "layers"), [(0, 0), (1, 1), (3, 3), ([2, 5], 2), ([0], 0), (17, 16), (None, 0)])
def test_as_many_mtp_layers_as_the_config_says(said, layers):
    """num_nextn_predict_layers, or a list's first entry; at most sixteen; the class's own where it is silent."""
    config = of("deepseek-ai/DeepSeek-V4-Flash", num_nextn_predict_layers=said)
    assert len(read(config).mtp) == layers
    del config["num_nextn_predict_layers"]
    assert len(read(config).mtp) == 1
    silent = of("stepfun-ai/Step-3.5-Flash")
    silent.pop("num_nextn_predict_layers", None)
    assert len(read(silent).mtp) == 0


def test_a_stack_runs_once_where_its_config_says_no_times():
    """Zero rounds and none said are one round: a model that runs never is no model."""
    ouro = "ByteDance/Ouro-1.4B"
    assert read(of(ouro, total_ut_steps=0)).loops == 1
    assert read({key: one for key, one in of(ouro).items() if key != "total_ut_steps"}).loops == 1
    assert read(of(ouro, total_ut_steps=3)).loops == 3


@pytest.mark.parametrize(("said", "block"), [({}, 6), ({"n_layers_per_attn_res_block": 0}, 1)])
def test_inkling_2_sums_six_layers_a_block_unless_told(said, block):
    """The class's own number where the config has none; a block of no layers is one of one."""
    config = json.loads((HERE / "oracle/forward/inkling2_text__blocks.json").read_text())["config"]
    left = {key: one for key, one in config.items() if key != "n_layers_per_attn_res_block"}
    assert read({**left, **said}).residual.block == block


@pytest.mark.parametrize(("said", "width"), [({}, 8192), ({"hidden_ratio": 3.5}, 7168), ({"hidden_ratio": 3.51}, 7200)])
def test_rwkv_7s_mlp_is_a_multiple_of_32(said, width):
    """Four times the stream unless said otherwise, rounded up; an explicit width is taken as it is."""
    config = {**of("fla-hub/rwkv7-2.9B-world"), "hidden_size": 2048, "intermediate_size": None, "hidden_ratio": None}
    assert read({**config, **said}).layers[0].mlp.intermediate_size == width
    assert read({**config, "intermediate_size": 8999}).layers[0].mlp.intermediate_size == 8999


@pytest.mark.parametrize(
    ("said", "head", "told"),
    [
        ({}, 128, False),
        ({"attention_head_dim": 64}, 128, True),
        ({"attention_head_dim": 64, "head_dim": 64}, 64, False),
    ],
)
def test_nemotron_h_reads_head_dim_alone(said, head, told):
    """A file that says attention_head_dim only is told that the class does not read it."""
    config = of("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")
    left = {key: one for key, one in config.items() if key not in ("head_dim", "attention_head_dim")}
    spec = read({**left, **said})
    mixer = next(layer.mixer for layer in spec.layers if isinstance(layer.mixer, Attention))
    assert mixer.head_dim == head
    assert any("attention_head_dim" in str(one) for one in spec.contradictions) == told


@pytest.mark.parametrize(
    ("said", "kernel"), [({}, 4), ({"linear_conv_kernel_dim": 3}, 3), ({"kda_conv": 5, "linear_conv_kernel_dim": 3}, 3)]
)
def test_a_convolution_is_as_long_as_its_config_says(said, kernel):
    """Either spelling; four tokens where there is none."""
    config = json.loads((HERE / "oracle/forward/bailing_hybrid__default.json").read_text())["config"]
    spec = read({**{key: one for key, one in config.items() if "conv" not in key}, **said})
    assert {layer.mixer.short_conv_kernel_size for layer in spec.layers if hasattr(layer.mixer, "full_rank_decay")} == {
        kernel
    }


def test_grok_1s_dense_layers_have_a_gate():
    """Where a layer of Grok has no experts, its MLP is gated, as the experts are."""
    config = {**of("xai-org/grok-2"), "num_local_experts": 0, "num_experts": 0}
    assert {layer.mlp.gated for layer in read(config).layers if isinstance(layer.mlp, Dense)} == {True}
