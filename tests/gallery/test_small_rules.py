"""Small rules that many numbers stand on: which share of stacked experts is read, which override a weight follows."""

import json
from dataclasses import replace
from math import prod

import pytest

from cutaway.gallery import ConfigError, catalog, flops, read, weights
from cutaway.gallery.counting import blocks
from cutaway.gallery.counting.stored_bytes import Choice, Stored, list_stored
from cutaway.gallery.counting.weights import Weight
from cutaway.gallery.graph import Node, Tensor
from cutaway.gallery.mlps.experts import MoE
from cutaway.gallery.spec import ExpertHeads
from cutaway.gallery.sublayers import graph_of, parts_of
from tests.oracle.forward import CASES


@pytest.mark.parametrize(
    ("op", "shape", "tokens", "share"),
    [
        ("experts", (8, 16, 4), 1, 0.25),
        ("experts", (8, 16), 1, 0.25),  # a bias for each expert
        ("experts", (8, 16), 3, 0.75),
        ("experts", (8, 16), 9, 1.0),
        ("experts", (16,), 1, 1.0),  # shared by all
        ("linear", (8, 16), 1, 1.0),
    ],
)
def test_tokens_read_the_experts_that_they_can_visit(op, shape, tokens, share):
    """Two experts for each token, out of eight; nothing else is read in part."""
    node, size = Node("n", op, ("x",), facts={"k": 2, "experts": 8}), 2 * prod(shape)
    own = (Weight("w", shape, "experts", None),), (Stored("w", "", size, 0),)
    made, block = blocks.Sheets(catalog.spec("Qwen/Qwen3-8B"), *own, str), {"weights": 0, "experts": []}
    made.take(node, block, "w", Tensor("w", shape, "experts"))
    assert blocks.weight_bytes(block, tokens) == share * size


def test_an_override_with_a_star_holds_for_all_that_fit():
    """A pattern reaches every layer, a whole name its own module alone; the rest follows the row of the config."""
    spec = catalog.spec("deepseek-ai/DeepSeek-V3")
    quant = replace(spec.quantization, ignore=(), overrides=(("model.layers.*.mlp.experts*", "mxfp4"),))
    rows = {one.name: one.row for one in list_stored(replace(spec, quantization=quant))}
    experts = [row for name, row in rows.items() if ".mlp.experts" in name]
    others = [row for name, row in rows.items() if "self_attn.o_proj" in name]
    assert set(experts) == {"mxfp4"}
    assert set(others) == {spec.quantization.row}


def test_an_expression_needs_no_star():
    """Of two layers' outputs the one whose number it names."""
    spec = catalog.spec("deepseek-ai/DeepSeek-V3")
    pattern = r"re:model\.layers\.3\.self_attn\.[ox]_proj"
    choice = Choice(replace(spec.quantization, ignore=(), overrides=((pattern, "mxfp4"),)))
    found = {one.name: choice.row(one) for one in weights(spec) if one.name.endswith("self_attn.o_proj.weight")}
    assert [name for name, row in found.items() if row == "mxfp4"] == ["model.layers.3.self_attn.o_proj.weight"]


def test_a_whole_name_is_followed_by_its_weight_alone():
    """Without a star it is no pattern."""
    spec = catalog.spec("deepseek-ai/DeepSeek-V3")
    name = next(one for one in weights(spec) if one.name.endswith("layers.3.self_attn.o_proj.weight"))
    other = next(one for one in weights(spec) if one.name.endswith("layers.7.self_attn.o_proj.weight"))
    quant = replace(spec.quantization, ignore=(), overrides=((name.name.removesuffix(".weight"), "mxfp4"),))
    choice = Choice(quant)
    assert choice.named == []
    assert (choice.row(name), choice.row(other)) == ("mxfp4", spec.quantization.row)


@pytest.mark.parametrize(
    ("size", "heads", "layers", "fits"), [(3, 8, 8, True), (3, 8, 9, False), (5, 8, 4, True), (5, 8, 5, False)]
)
def test_ngram_tables_have_so_many_heads(size, heads, layers, fits):
    """A table for each length from two on: (ngram_size - 1) x heads_per_ngram x layers, at most 128."""
    from tests.gallery.test_unsaid import CASES

    config = {**CASES["qwen4_exp_text"], "num_hidden_layers": 12, "ple_layer_ids": list(range(1, layers + 1)),
              "ngram_size": size, "heads_per_ngram": heads, "ngram_vocab_size_base": 50}  # fmt: skip
    config.pop("layer_types", None)
    if fits:
        read(config)
    else:
        with pytest.raises(ConfigError, match="128 heads of n-grams"):
            read(config)


def test_a_token_asks_with_the_heads_of_its_chosen_experts():
    """JetMoE: each of the two chosen experts has a query head for every KV head."""
    mixer = ExpertHeads(num_key_value_heads=16, head_dim=128, num_experts=8, num_experts_per_tok=2)
    assert mixer.num_attention_heads == 32


@pytest.mark.parametrize(("dtype", "bytes_each"), [("bfloat16", 2), ("float32", 4), ("float8_e4m3fn", 1)])
def test_weights_are_moved_as_wide_as_the_config_says(dtype, bytes_each):
    """FLOPs' bytes of weights follow the model's own dtype, 8 bits included."""
    spec = catalog.spec("Qwen/Qwen3-8B")
    sixteen = flops(replace(spec, dtype="float16"), 1024).weight_bytes
    assert flops(replace(spec, dtype=dtype), 1024).weight_bytes == sixteen * bytes_each // 2


@pytest.mark.parametrize("share", [0, 0.95, 1, 1.5, -0.1, True, "all", [0.5]])
def test_a_gate_is_sparse_by_a_share_below_one(share):
    """A gate of Gemma 3n keeps something of its numbers: what leaves none, or is no number, is refused by name."""
    config = json.loads((CASES / "gemma3n_text.json").read_text(encoding="utf-8"))["config"]
    config = {**config, "activation_sparsity_pattern": share}
    if share in (0, 0.95):
        assert {layer.mlp.sparsity for layer in read(config).layers} == {share}
    else:
        with pytest.raises(ConfigError, match=r"activation_sparsity_pattern.*a share from 0 to 1"):
            read(config)


def test_a_narrow_residual_is_64_wide_where_nothing_says():
    """Gemma 3n's LAuReL, in what runs and in what is counted."""
    config = json.loads((CASES / "gemma3n_text.json").read_text(encoding="utf-8"))["config"]
    spec = read({key: value for key, value in config.items() if key != "laurel_rank"})
    (left,) = {one.shape for one in weights(spec) if one.name.endswith("laurel.linear_left.weight")}
    assert left == (64, spec.hidden_size)
    assert spec.residual.laurel_rank == 64


@pytest.mark.parametrize(("factor", "stretched"), [(0.5, 1.0), (1, 1.0), (1.5, 1.0405465), (40, 1.3688879)])
def test_yarn_stretches_a_scale_from_a_factor_above_one(factor, stretched):
    """1 + 0.1 ln(factor), squared, over the root of 16 + 8: DeepSeek V2's rule, with 40 as it is published."""
    config = json.loads((CASES / "deepseek_v2.json").read_text(encoding="utf-8"))["config"]
    rope = {"rope_type": "yarn", "factor": factor, "mscale_all_dim": 1, "original_max_position_embeddings": 16}
    plain, scaled = (read({**config, "rope_scaling": one}).layers[0].mixer.scale for one in (None, rope))
    assert plain == 0.0
    assert (scaled or 24**-0.5) * 24**0.5 == pytest.approx(stretched**2)  # 0 stands for the plain root


def test_a_head_that_turns_nothing_says_so_everywhere():
    """No rotation, no rotated numbers and no position by rotation are one thing, in every layer that is known."""
    from tests.gallery.test_drawn_is_run import catalogued, golden

    seen = set()
    for name, spec in (*catalogued(), *golden()):
        for layer in {layer.made_of: layer for layer in spec.layers}.values():
            for part in parts_of(layer.mixer):
                if hasattr(part, "rotary_dim"):
                    turns = getattr(part, "position", "rope" if part.rotary_dim else "") == "rope"
                    assert (part.rope is not None) == (part.rotary_dim > 0) == turns, (name, layer.index)
                    of_pairs = dict(part.rope.scaling).get("rotated", part.rope.dims) if part.rope else 0
                    assert of_pairs == part.rotary_dim, (name, layer.index)
                    seen.add(turns)
    assert seen == {True, False}


@pytest.mark.parametrize(("keys", "width"), [({"intermediate_size": 96}, 96), ({"expansion_ratio": 2}, 128),
                                             ({"intermediate_size": None}, 256), ({}, None)])  # fmt: skip
def test_a_width_of_an_unknown_model_is_said_or_asked_for(keys, width):
    """A ratio stands for it, null for four times the hidden size; nothing at all is refused in a sentence."""
    config = {"model_type": "tomorrow", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
              "vocab_size": 96, **keys}  # fmt: skip
    if width is None:
        with pytest.raises(ConfigError, match="looked for intermediate_size, ffn_hidden_size, n_inner"):
            read(config)
    else:
        assert {layer.mlp.intermediate_size for layer in read(config).layers} == {width}


def test_mamba_2_has_the_sizes_of_its_class_where_nothing_says():
    """128 heads of 64, states of 128, 8 groups, a convolution of 4."""
    (layer, _) = read({"model_type": "mamba2", "hidden_size": 4096, "num_hidden_layers": 2, "vocab_size": 96}).layers
    m = layer.mixer
    assert (m.num_heads, m.head_dim, m.state_size, m.n_groups, m.conv_kernel) == (128, 64, 128, 8, 4)


@pytest.mark.parametrize(("base", "said"), [(10_000.0, 0), (500_000.0, 1)])
def test_dbrx_is_told_only_where_its_class_does_otherwise(base, said):
    """Its class rotates with 10,000 whatever attn_config says; a file that says so too is told nothing."""
    config = json.loads((CASES / "dbrx.json").read_text())["config"]
    spec = read({**config, "attn_config": {**config["attn_config"], "rope_theta": base}})
    assert len(spec.contradictions) == said


@pytest.mark.parametrize("parent", ["model.layers.3", "model.layers.3.self_attn", "model.layers.3.self_attn.o_proj"])
def test_a_module_that_is_named_means_all_inside_it(parent):
    """However far above the weight; the nearest name wins."""
    spec = catalog.spec("deepseek-ai/DeepSeek-V3")
    weight = next(one for one in weights(spec) if one.name.endswith("layers.3.self_attn.o_proj.weight"))
    quant = replace(spec.quantization, ignore=(), overrides=((parent, "mxfp4"),))
    assert Choice(quant).row(weight) == "mxfp4"
    both = replace(quant, overrides=((parent, "mxfp4"), (weight.name.removesuffix(".weight"), "nvfp4")))
    assert Choice(both).row(weight) == "nvfp4"


@pytest.mark.parametrize("outside", [{"rope_theta": 5e5}, {"rotary_base": 5e5}])
@pytest.mark.parametrize("first", [True, False])
def test_what_rope_parameters_say_is_used_and_said_to_be(outside, first):
    """A base inside wins over one outside, whichever the file says first; both are named, and the one that turns."""
    inside = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
    both = outside | inside if first else inside | outside
    config = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
              "vocab_size": 96, "num_attention_heads": 4, **both}  # fmt: skip
    spec = read(config)
    assert {layer.mixer.rope.theta for layer in spec.layers} == {1e4}
    (sentence,) = spec.contradictions
    assert sentence.endswith("; rope_parameters.rope_theta = 10000.0 was used.")
    assert next(iter(outside)) in sentence


@pytest.mark.parametrize("said", [{}, {"rope_theta": None}, {"rope_theta": 7e5}])
def test_muse_turns_all_but_every_fourth_layer_from_the_last(said):
    """Where no list of bases says which; a null base is its class's."""
    config = json.loads((CASES / "muse_glimmer_text.json").read_text())["config"]
    gone = ("layer_rope_theta", "layer_types", "rope_parameters", "rope_theta")
    layers = read({**{key: value for key, value in config.items() if key not in gone}, **said}).layers
    bases = [layer.mixer.rope.theta if layer.mixer.rope else 0 for layer in layers]
    turned = said.get("rope_theta") or 5e5
    assert bases == [0, turned, turned, turned, 0]


def test_shared_experts_are_counted_where_they_have_a_width():
    """Over every golden case: no shared expert without a width, no width without a shared expert."""
    from tests.gallery.test_unsaid import CASES

    found = {(name, mlp.n_shared_experts, mlp.shared_expert_intermediate_size)
             for name, config in CASES.items() for layer in read(config).layers
             if isinstance(mlp := layer.mlp, MoE)}  # fmt: skip
    assert {one for one in found if bool(one[1]) != bool(one[2])} == set()
    assert {bool(width) for name, _, width in found if name.startswith("granitemoe")} == {True, False}


@pytest.mark.parametrize(
    "said, groups, wide",
    [
        ({}, 1, 32),
        ({"n_groups": 2}, 2, 32),
        ({"mamba_head_dim": "auto"}, 1, 32),
        ({"mamba_head_dim": None, "expand": 4}, 1, 64),
    ],
)
def test_an_unknown_familys_mamba_is_that_of_the_paper(said, groups, wide):
    """Mamba-2 (arXiv 2405.21060): one group of B and C, a kernel of 4, 128 a state, biases and norms as released."""
    config = {"model_type": "new_hybrid", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
              "vocab_size": 96, "num_attention_heads": 4, "layer_types": ["mamba", "full_attention"],
              "mamba_num_heads": 4, "mamba_head_dim": 32, **said}  # fmt: skip
    one = read(config).layers[0].mixer
    found = (one.n_groups, one.conv_kernel, one.state_size, one.conv_bias, one.proj_bias, one.gated_norm, one.head_dim)
    assert found == (groups, 4, 128, True, False, True, wide)


@pytest.mark.parametrize(("said", "rows"), [({}, 16_512), ({"vision_vocab_size": 300}, 300)])
def test_the_head_of_glm_image_knows_image_tokens_alone(said, rows):
    """GlmImageTextConfig.vision_vocab_size is 16,512 where a config leaves it out; the embedding has every token."""
    config = {"model_type": "glm_image_text", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
              "vocab_size": 50_000, "num_attention_heads": 4, "num_key_value_heads": 2, **said}  # fmt: skip
    assert ((spec := read(config)).embedding_rows, spec.vocab_size) == (50_000, rows)


def test_an_indexer_scales_its_scores_by_heads_and_width():
    """DeepSeek-V3.2's model.py: weights · n_heads ** -0.5 · head_dim ** -0.5, for 64 heads of 128."""
    graph = graph_of(catalog.spec("deepseek-ai/DeepSeek-V3.2").layers[0].mixer, 7168)
    (node,) = (node for node in graph.nodes if node.op == "index_scores")
    assert node.facts["scale"] == pytest.approx(64**-0.5 * 128**-0.5)


def test_a_narrow_xlstm_keeps_one_number_a_head():
    """However narrow a model is, queries and values have a width."""
    config = {"model_type": "xlstm", "hidden_size": 8, "num_heads": 8, "num_hidden_layers": 2, "vocab_size": 96,
              "qk_dim_factor": 0.5, "v_dim_factor": 0.5}  # fmt: skip
    cell = read(config).layers[0].mixer
    assert (cell.num_heads, cell.qk_head_dim, cell.v_head_dim) == (8, 1, 1)
