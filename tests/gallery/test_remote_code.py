"""Families whose code is not in transformers, so that no golden logits exist: facts in rows, each with its source."""

import numpy as np
import pytest

from cutaway.gallery import catalog, read, run, weights
from cutaway.gallery.drawing.annotations import lines_of
from cutaway.gallery.drawing.card_units import units
from cutaway.gallery.drawing.formulas import FORMULAS
from cutaway.gallery.mlps.experts import MoE
from cutaway.gallery.spec import Combined, Dense
from cutaway.gallery.sublayers import graph_of, parts_of
from cutaway.gallery.wiring import course, layer_graph

LING2 = ("sigmoid", True, 2.5, True)
ROUTERS = {  # scoring, normalised, scaled by, with a bias that only chooses
    "inclusionAI/Ling-flash-2.0": LING2,  # modeling_bailing_moe_v2.py, BailingMoeV2Gate; its config.json
    "inclusionAI/Ling-1T": LING2,
    "inclusionAI/Ling-2.5-1T": LING2,
    "sarvamai/sarvam-30b": LING2,  # vllm-project/vllm, models/sarvam.py
    "sarvamai/sarvam-105b": LING2,
    "Snowflake/snowflake-arctic-instruct": ("softmax", True, 1.0, False),  # vllm, models/arctic.py: do_normalize
    "xai-org/grok-2": ("softmax", False, 1.0, False),  # sgl-project/sglang, models/grok.py
}
ROTATED = {  # numbers of a head that turn, base
    "inclusionAI/Ling-flash-2.0": (64, 6e5), "sarvamai/sarvam-30b": (64, 8e6), "xai-org/grok-2": (128, 208_533_496),
    "ByteDance/Ouro-1.4B": (128, 1e6),
}  # fmt: skip


def experts(spec) -> MoE:
    """The routed experts of the last layer."""
    return next(part for part in parts_of(spec.layers[-1].mlp) if isinstance(part, MoE))


@pytest.mark.parametrize("slug", ROUTERS)
def test_a_router_scores_as_its_code_does(slug):
    """Which experts are chosen and how their answers are weighed."""
    one = experts(catalog.spec(slug))
    assert ROUTERS[slug] == (one.scoring, one.norm_topk_prob, one.routed_scaling_factor, bool(one.selection_bias))


@pytest.mark.parametrize("slug", ROTATED)
def test_heads_turn_by_the_base_of_their_file(slug):
    """A share of each head, and how slow the slowest pair is."""
    rope = catalog.spec(slug).layers[-1].mixer.rope
    assert ROTATED[slug] == (rope.dims, rope.theta)


def test_ling_1_scores_by_softmax_and_has_no_bias():
    """modeling_bailing_moe.py; Ling 2.0 has another class, whose file has the same model_type."""
    config = {"model_type": "bailing_moe", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
              "vocab_size": 96, "num_attention_heads": 4, "num_key_value_heads": 2, "num_experts": 4,
              "num_experts_per_tok": 2, "moe_intermediate_size": 32, "norm_topk_prob": True}  # fmt: skip
    first, second = (
        experts(read({**config, "architectures": [name]}))
        for name in ("BailingMoeForCausalLM", "BailingMoeV2ForCausalLM")
    )
    assert (first.scoring, bool(first.selection_bias), first.norm_topk_prob) == ("softmax", False, True)
    assert (second.scoring, bool(second.selection_bias), second.norm_topk_prob) == ("sigmoid", True, True)


def test_arctics_experts_read_what_entered_the_layer():
    """modeling_arctic.py: residual_layernorm before the MLP, post_attention_layernorm of the layer's input."""
    spec = catalog.spec("Snowflake/snowflake-arctic-instruct")
    nodes = {node.name: node for node in layer_graph(spec, spec.layers[0]).nodes}
    before, behind = nodes["mlp_in_norm.0"], nodes["mlp_in_norm.1"]
    assert [one.tensors["weight"].name for one in (before, behind)] == [
        "post_attention_layernorm.weight", "residual_layernorm.weight"
    ]  # fmt: skip
    assert (before.inputs, behind.inputs) == (("stream",), ("mixer_add",))
    dense, early = nodes["experts_add"].inputs
    assert dense == "mlp_add" and early.startswith("mlp.experts.")


def test_grok_2_caps_and_scales_as_its_file_says():
    """sglang, models/grok.py: caps of 30, 30 and 50, √8192 and 1/2 at the two ends, (MLP + experts) / √2."""
    spec = catalog.spec("xai-org/grok-2")
    layer = spec.layers[0]
    assert isinstance(layer.mlp, Combined)
    assert layer.mlp.scale == pytest.approx(2**-0.5)
    assert (layer.mixer.softcap, experts(spec).router_softcap, spec.logits_softcap) == (30, 30, 50)
    assert (round(spec.embedding_multiplier, 4), spec.logits_multiplier, layer.mixer.scale) == (90.5097, 0.5, 0)
    assert {norm.normal.eps for norm in layer.norms} == {1e-5}


def test_ouro_normalises_between_its_runs():
    """modeling_ouro.py, OuroModel: each of four passes returns self.norm(hidden_states), and the next begins there."""
    runs = course(catalog.spec("ByteDance/Ouro-1.4B"))
    assert [[node.tensors["weight"].name for node in run.then.nodes] for run in runs] == [["model.norm.weight"]] * 3 + [
        []
    ]


def test_a_looped_stack_runs_with_the_norm_in_between():
    """Two runs of layers that add nothing: logits = head · norm(norm(embedding)), by hand."""
    config = {"model_type": "ouro", "architectures": ["OuroForCausalLM"], "hidden_size": 16, "intermediate_size": 24,
              "num_hidden_layers": 2, "vocab_size": 32, "num_attention_heads": 2, "num_key_value_heads": 2,
              "rms_norm_eps": 1e-6, "total_ut_steps": 2, "tie_word_embeddings": False}  # fmt: skip
    spec, draws = read(config), np.random.default_rng(5)
    tensors = {one.name: draws.normal(size=one.shape) for one in weights(spec)}
    for name in tensors:
        if name.endswith(("o_proj.weight", "down_proj.weight")):
            tensors[name][:] = 0
    tokens, weight = np.array([3, 1, 4, 1, 5]), tensors["model.norm.weight"]

    def norm(x):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight

    expected = norm(norm(tensors["model.embed_tokens.weight"][tokens])) @ tensors["lm_head.weight"].T
    assert np.abs(run(spec, tensors, tokens) - expected).max() < 1e-9 * expected.std()


@pytest.mark.parametrize(("said", "factor"), [({}, 8.0), ({"embedding_multiplier_scale": 78.4}, 78.4)])
def test_groks_embedding_is_multiplied_by_what_its_file_says(said, factor):
    """sglang, models/grok.py: embedding_multiplier_scale; √hidden_size in both published files."""
    config = {"model_type": "git", "architectures": ["Grok1ForCausalLM"], "hidden_size": 64, "intermediate_size": 96,
              "num_hidden_layers": 2, "vocab_size": 96, "num_attention_heads": 4, "num_key_value_heads": 2}  # fmt: skip
    assert read({**config, **said}).embedding_multiplier == factor


def test_baichuan_says_that_its_head_is_normalised_and_13b_has_no_rotation():
    """modeling_baichuan.py: NormHead of version 2, ALiBi of 13B."""
    assert any("NormHead" in words for words in catalog.spec("baichuan-inc/Baichuan2-7B-Chat").not_understood)
    config = {
        "model_type": "baichuan",
        "architectures": ["BaichuanForCausalLM"],
        "hidden_size": 5120,
        "vocab_size": 64000,
        "intermediate_size": 13696,
        "num_hidden_layers": 2,
        "num_attention_heads": 40,
    }
    assert {layer.mixer.position for layer in read(config).layers} == {"alibi"}


def test_nemotron_nas_has_the_epsilon_of_its_file():
    """modeling_decilm.py: rms_norm_eps everywhere."""
    spec = catalog.spec("nvidia/Llama-3_3-Nemotron-Super-49B-v1")
    assert {norm.normal.eps for layer in spec.layers for norm in layer.norms} == {spec.final_norm.normal.eps} == {1e-5}


@pytest.mark.parametrize(
    ("slug", "boxes"),
    [
        ("xai-org/grok-2", [("half", "Attention"), ("half", "MoE"), ("half", "Dense MLP"), ("pill", "× 0.7071")]),
        ("Snowflake/snowflake-arctic-instruct", [("half", "MoE"), ("half", "Attention"), ("half", "Dense MLP")]),
    ],
)
def test_a_card_shows_each_half_once(slug, boxes):
    """Experts beside a dense MLP are two boxes, and what scales their sum is a small step."""
    spec = catalog.spec(slug)
    _, found = units(spec, spec.layers[0])
    names = {"Attention": "Attention", "MoE": "MoE", "Dense": "Dense MLP"}
    assert sorted(boxes) == sorted(
        (one.kind, names[type(one.part).__name__] if one.part else one.words)
        for one in found
        if one.kind in ("half", "pill")
    )


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("microsoft/Phi-3-small-8k-instruct", "gate · σ(1.702 gate) × (up + 1), clamped at 20"),
        ("MiniMaxAI/MiniMax-M3", "gate · σ(1.702 gate) × (up + 1), clamped at 7"),
        ("meta-llama/Llama-3.1-8B", "SiLU(gate) × up"),
    ],
)
def test_a_dense_mlp_says_how_gate_and_up_meet(slug, words):
    """On its panel as in its formula: quick_gelu and a one are no SiLU."""
    spec = catalog.spec(slug)
    dense = next(part for layer in spec.layers for part in parts_of(layer.mlp) if isinstance(part, Dense))
    (node,) = (node for node in graph_of(dense, spec.hidden_size).nodes if node.op == "glu")
    assert words == ", ".join(lines_of(node)) == FORMULAS["glu"](node)
