"""Counts of tiny models and single parts, each by hand: what is kept, read, saved for the way back, renamed, stored."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest

from cutaway.gallery import catalog, flops, memory, parameters, read
from cutaway.gallery.counting import activations, cache_growth, kv_cache, naming
from cutaway.gallery.counting.module_patterns import steps
from cutaway.gallery.counting.stored_bytes import is_matrix, is_table, list_stored
from cutaway.gallery.counting.weights import Weight, weights
from cutaway.gallery.graph import Graph, Keep, Node, Tensor

# 2 layers of width 8 with 4 heads of 2, one of keys and values; MLP of 16; 10 tokens, a head of its own.
TINY = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 1,
    "vocab_size": 10,
    "max_position_embeddings": 64,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "hidden_act": "silu",
    "rms_norm_eps": 1e-6,
}
ATTENTION, MLP = 8 * 8 + 2 * (8 * 2) + 8 * 8, 3 * 8 * 16


def tiny(**keys):
    return read({**TINY, **keys})


def test_flops_of_a_tiny_llama():
    """Twice its matrices, and for each of 4 heads of 2 as much again for each past token's key and value."""
    matrices, entry = 2 * (2 * (ATTENTION + MLP) + 8 * 10), 2 * 4 * (2 * 2 + 2 * 2)
    assert flops(tiny(), 0).total_flops == matrices
    for context in (1, 5, 9):
        found = flops(tiny(), context)
        assert found.total_flops - flops(tiny(), context - 1).total_flops == entry
        assert found.core_flops == found.total_flops - matrices
        assert sum(found.by_what.values()) == found.total_flops == sum(one.flops for one in found.layers)
    prompt = flops(tiny(), 5, prefill=True)
    assert prompt.core_flops == entry * (1 + 2 + 3 + 4 + 5)
    assert sum(found.core_flops for found in prompt.layers) == prompt.core_flops


def test_bytes_of_a_tiny_llama():
    """A key and a value of 2 numbers in 2 layers; every weight but the embedding's other rows is read by a token."""
    found = flops(tiny(), 7)
    assert memory(tiny(), 7).total_bytes == 7 * 2 * 2 * 2 * 2 == found.cache_bytes
    norms = 5 * 8
    assert found.weight_bytes == 2 * (2 * (ATTENTION + MLP) + norms + 80)
    assert (
        parameters(tiny()).total
        == 2 * (ATTENTION + MLP) + norms + 160
        == sum(prod(one.shape) for one in weights(tiny()))
    )


def test_a_batch_keeps_as_much_as_its_sequences():
    """Of one upwards; none and half a sequence are no batch."""
    one = memory(tiny(), 5)
    assert (one.batch, memory(tiny(), 5, batch=3).total_bytes) == (1, 3 * one.total_bytes)
    for batch in (0, 1.5, True):
        with pytest.raises(ValueError, match="batch must be a whole number of at least 1"):
            memory(tiny(), 5, batch=batch)
    assert memory(tiny(), 0).total_bytes == 0


def test_a_window_keeps_its_tokens_or_one_fewer():
    """Of 3 tokens a serving engine keeps 3, transformers 2; of a window of one it keeps none; no window keeps all."""
    engine, library = (kv_cache.rules_for(tiny(), convention=name) for name in ("window", "transformers"))
    assert [engine.window(tokens) for tokens in (3, 1, 0)] == [3, 1, None]
    assert [library.window(tokens) for tokens in (3, 1, 0)] == [2, 0, None]
    assert [engine.window(tokens) for tokens in (63, 64, 65)] == [63, None, None]


def test_states_are_never_narrower_than_sixteen_bits():
    """A model in FP8 keeps its convolutions in 16 bits, one in FP32 in 32; a recurrence kept in FP32 stays so."""
    state, other = Keep("conv", 10, ""), Keep("state", 10, "", dtype="float32")
    assert [kv_cache.bits_of(state, kv_cache.rules_for(replace(tiny(), dtype=dtype))) for dtype in
            ("float8_e4m3fn", "bfloat16", "float32")] == [160, 160, 320]  # fmt: skip
    assert kv_cache.bits_of(other, kv_cache.rules_for(tiny())) == 320


@pytest.mark.parametrize(
    ("dtype", "latent", "entry", "index", "plain"),
    [
        ("bfloat16", 16 * 576, 16 * 512, 16 * 128, 16 * 100),
        ("float8_e4m3fn", 8 * 576, 8 * 512, 8 * 128, 8 * 100),
        ("fp8_ds_mla", 8 * 656, 8 * 584, 8 * 132, 8 * 100),
        ("fp8_bf16rope_fp4index", 8 * 512 + 16 * 64, 8 * 448 + 16 * 64, 4 * 128, 8 * 100),
    ],
)
def test_an_entry_takes_the_published_bytes(dtype, latent, entry, index, plain):
    """656 bytes of a latent of 512 and a key of 64 (FlashMLA), 584 of V4's entry, 132 of an indexer's key (vLLM)."""
    rules = kv_cache.rules_for(tiny(), dtype)
    kept = (
        Keep("kv", 576, "", layout="latent", rotated=64),
        Keep("compressed", 512, "", layout="entry", rotated=64),
        Keep("index", 128, "", layout="index"),
        Keep("kv", 100, ""),
    )
    assert [kv_cache.bits_of(one, rules) for one in kept] == [latent, entry, index, plain]


def test_entries_that_come_every_few_tokens():
    """Of 11 tokens two whole entries of four; at most one where a cap says so; a state is there from the start."""
    one = kv_cache.CacheItem("compressed", 10, every=4)
    assert [one.bits_at(context) for context in (3, 4, 11, 12)] == [0, 10, 20, 30]
    assert (one.slope_bits, one.fixed_bits) == (10 / 4, 0)
    capped, state = one._replace(cap=1), one._replace(fixed=True)
    assert (capped.bits_at(11), capped.slope_bits, capped.fixed_bits) == (10, 0, 10)
    assert (state.bits_at(0), state.slope_bits, state.fixed_bits) == (10, 0, 10)


def test_the_usual_formula_by_hand():
    """2 x layers x KV heads x head size x bytes a token: a byte a number where it is packed, half bytes rounded up."""
    told = {"usual": [3, 1, 5]}
    assert [cache_growth.usual_bytes(told, 7, dtype, 2) for dtype in ("bfloat16", "float8_e4m3fn", "fp8_ds_mla")] == [
        2 * 3 * 5 * 2 * 7 * 2, 2 * 3 * 5 * 7 * 2, 2 * 3 * 5 * 7 * 2,
    ]  # fmt: skip
    assert cache_growth.usual_bytes({"usual": [1, 1, 1]}, 1, "float4_e2m1fn") == 1
    assert cache_growth.usual_bytes({"usual": None}, 1) == 0


def rows(*kept: list) -> dict:
    return {"loops": 1, "longest": None, "usual": None, "kinds": [[1, [one]] for one in kept]}


def test_lines_cross_at_the_token_where_one_begins_to_keep_more():
    """6,000 numbers at once against two a token: equal at 3,000, more from 3,001 on, whichever comes first."""
    flat, steep = rows(["state", 6000, 0, 1, None, 1, {}]), rows(["kv", 2, 0, 1, None, 0, {}])
    assert cache_growth.crossings(flat, steep) == [3001] and cache_growth.crossings(steep, flat) == [3001]
    assert cache_growth.crossings(rows(["state", 2048, 0, 1, None, 1, {}]), steep) == []
    window = rows(["kv", 4, 0, 1, 2048, 0, {}])
    assert cache_growth.crossings(window, steep) == [4097]
    assert cache_growth.layer_bytes(steep, 0, 10, "bfloat16") == (40, 0)
    assert cache_growth.layer_bytes(flat, 0, 10, "bfloat16") == (0, 12_000)
    assert cache_growth.layer_bytes(window, 0, 10_000, "bfloat16") == (0, 2048 * 8)


# ---------------------------------------------------------------- what training saves


def node(op: str, inputs: tuple[str, ...] = ("x",), tensors: dict | None = None, **facts) -> Node:
    return Node("n", op, inputs, tensors or {}, facts)


def matrix(*shape: int) -> Tensor:
    return Tensor("t", shape, "dense")


@pytest.mark.parametrize(("gated", "first"), [(True, 2 * 3 * 5), (False, 3 * 5)])
def test_experts_save_what_arrives_what_is_made_and_what_is_read(gated, first):
    """Three visits with a width of 5 in a stream of 7: 21 arrive, 15 or 30 are made, 15 read (Megatron-LM)."""
    one = node("experts", tensors={"up": matrix(4, 5, 7), "down": matrix(4, 7, 5)}, k=3, gated=gated)
    assert activations.expert_widths(one, 99) == (3 * 7, first, 3 * 5)
    lone = node("experts", tensors={"up": matrix(4, 5, 7)}, k=3, gated=gated)
    assert activations.expert_widths(lone, 7) == (3 * 7, first, 3 * 5)
    assert activations.expert_widths(node("expert_queries", tensors={"up": matrix(4, 5, 7)}, k=3), 7) == (0, 0, 0)


def test_shapes_of_values():
    """Slices of their own length, sums of joined ends, heads of what attention gives, one stream of several."""
    known = {"x": (4, 6), "y": (6,), "z": (2, 6)}
    stream = (3, 6)
    made = {
        (4, 2): node("slice", start=2, stop=4),
        (4, 6): node("concat", ("y",), split=(4, 6)),
        (4, 18): node("concat", ("x", "y", "z")),
        (2, 5): node("attend", heads=2, d=3, dv=5),
        (2, 3): node("attend", heads=2, d=3),
        (8,): node("linear", tensors={"weight": matrix(8, 6)}),
        (3, 6): node("copies"),
        (6,): node("collapse"),
        (24,): node("norm", split=()),
    }
    for shape, one in made.items():
        assert activations.node_shape(one, known, stream) == shape, one
    assert activations.node_shape(node("add", ("y", "x")), known, stream) == (4, 6)
    none = Graph((), "stream")
    assert [activations.shapes(none, 6, many)["stream"] for many in (1, 2, 4)] == [(6,), (2, 6), (4, 6)]


def test_a_pooled_value_stands_for_several_tokens():
    """One of four tokens, and what is made of it too; attention is of every token again."""
    assert activations.tokens_each(node("pool", ratio=4, size=2), {}) == 4
    assert activations.tokens_each(node("means", ratio=4, size=2), {}) == 2
    assert activations.tokens_each(node("norm"), {"x": 4}) == 4 and activations.tokens_each(node("norm"), {}) == 1
    assert activations.tokens_each(node("attend"), {"x": 4}) == 1 and activations.tokens_each(node("norm", ()), {}) == 1


# ---------------------------------------------------------------- names and bytes


@pytest.mark.parametrize(
    ("letters", "shape", "laid"),
    [
        ("T", (2, 3), (3, 2)),
        ("T", (5, 2, 3), (5, 3, 2)),
        ("T", (2,), (2,)),
        ("F", (5, 2, 3), (10, 3)),
        ("F", (2, 3), (2, 3)),
        ("TF", (5, 2, 3), (15, 2)),
        ("", (2, 3), (2, 3)),
    ],
)
def test_letters_lay_out_a_shape(letters, shape, laid):
    """Transposed, experts into rows, both in this order."""
    assert naming.lay_out(shape, letters) == laid
    assert prod(laid) == prod(shape)


def test_stacked_experts_are_fused_along_their_own_rows():
    """Of two stacks of 4 experts the rows add up, not the experts; of plain matrices the first axis."""
    fused = naming.rename([("a.weight", (4, 3, 5), "e"), ("b.weight", (4, 2, 5), "e")], (("a + b", "c"),))
    assert fused == [("c.weight", (4, 5, 5), "e")]
    plain = naming.rename([("a.weight", (3, 5), "d"), ("x", (1,), "d"), ("b.weight", (2, 5), "d")], (("a + b", "c"),))
    assert plain == [("c.weight", (5, 5), "d"), ("x", (1,), "d")]
    assert naming.rename([("a.weight", (3, 5), "d")], (("a + b", "c"),)) == [("a.weight", (3, 5), "d")]
    assert naming.count_interleaved("I8") == 8 and naming.count_interleaved("T") == naming.count_interleaved("8") == 1


def test_a_rule_with_a_condition_holds_where_its_tensor_is():
    """The third word names a tensor that must be there, under the name that earlier rules gave it."""
    rules = (("a", "b"), ("c", "d", "b.weight"))
    assert naming.trace_names(["a.weight", "c.weight"], rules) == {"a.weight": "b.weight", "c.weight": "d.weight"}
    assert naming.trace_names(["c.weight"], rules) == {"c.weight": "c.weight"}
    tensors = [("a.weight", (1,), ""), ("c.weight", (1,), "")]
    assert [name for name, *_ in naming.rename(tensors, rules)] == ["b.weight", "d.weight"]
    assert [name for name, *_ in naming.rename([("c.weight", (1,), "")], rules)] == ["c.weight"]


@pytest.mark.parametrize(
    ("name", "shape", "part", "found"),
    [
        ("a.weight", (2, 2), "dense", True),
        ("a.weight", (1, 2), "dense", False),
        ("a.weight", (2, 1), "dense", False),
        ("a.weight", (4,), "dense", False),
        ("a.weight", (4, 2, 2), "dense", False),
        ("a.gate_up_proj", (4, 2, 2), "experts", True),
        ("a.w1", (4, 2, 2), "experts", True),
        ("a.w1", (2, 2), "experts", False),
        ("a.conv1d.weight", (2, 2), "ssm", False),
        ("a.weight", (2, 2), "embedding", False),
        ("a.indexer.weights_proj.weight", (2, 2), "indexer", False),
    ],
)
def test_what_a_tool_that_converts_linear_layers_takes(name, shape, part, found):
    """Matrices with two sides, stacks of experts; no vector, convolution or table."""
    assert is_matrix(Weight(name, shape, part, 0)) is found


def test_tables_are_two_sided_weights():
    """An embedding is one; a router's bias and a matrix are none."""
    found = [is_table(Weight(name, shape, part, None)) for name, shape, part in
             (("e.weight", (2, 2), "embedding"), ("g.weight", (2,), "router"), ("g.bias", (2, 2), "router"),
              ("a.weight", (2, 2), "dense"))]  # fmt: skip
    assert found == [True, False, False, False]


@pytest.mark.parametrize(("dtype", "bytes_each"), [("bfloat16", 2), ("float32", 4), ("float8_e4m3fn", 1)])
def test_what_is_not_quantized_takes_its_formats_bytes(dtype, bytes_each):
    """Each tensor its own numbers, and no scale."""
    spec = replace(tiny(), dtype=dtype)
    for one, kept in zip(weights(spec), list_stored(spec), strict=True):
        assert (kept.bytes, kept.scales, kept.row) == (bytes_each * prod(one.shape), 0, "")


def test_the_work_of_a_pattern_by_hand():
    """100 for the call, and how 50 letters can be dealt to its stars: 50 to one, 1,225 to two; each choice doubles."""
    assert steps(("re:abc",)) == 101 and steps(("re:a.*b",)) == 150 and steps(("re:a.*b.*c",)) == 100 + 1225
    assert steps(("re:a|b",)) == 102 and steps(("re:(a|b|c)d",)) == 103 and steps(("re:ab?",)) == 102
    assert steps(("re:(?:a|b).*",)) == 102 and steps(("a.b",)) == 0 and steps(("a*b",)) == 150 and steps(("a*",)) == 101
    assert steps(("a*b", "a*")) == 251


def test_active_parameters_of_a_tiny_mixture():
    """2 of 4 experts work: half of theirs is left out; where all are visited nothing is; MTP layers stand apart."""
    moe = {**TINY, "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_local_experts": 4}
    experts = 2 * 4 * MLP
    for visits in (1, 2, 4):
        found = parameters(read({**moe, "num_experts_per_tok": visits}))
        assert found.total - found.active - found.looked_up == experts - experts * visits // 4
        assert found.by_part["experts"] == experts and sum(found.per_layer) == experts + 2 * (ATTENTION + 4 * 8 + 16)
        assert not found.at_most and found.mtp == 0
    assert parameters(catalog.spec("deepseek-ai/DeepSeek-V3")).mtp > 10**10


def test_what_sees_both_ways_keeps_nothing_around_its_halves_either():
    """Inkling keeps the inputs of convolutions beside its cache; of a stack that sees all tokens nothing is left."""
    spec = catalog.spec("thinkingmachines/Inkling")
    assert memory(spec, 100).by_kind["conv"] > 0
    assert memory(replace(spec, bidirectional=True), 100).by_kind == {}


def test_a_token_reads_all_that_is_kept_where_no_indexer_chooses():
    """Qwen3-8B: 36 layers of 8 keys and values of 128, two bytes each, at every context; a prompt writes as much."""
    spec = catalog.spec("Qwen/Qwen3-8B")
    for context in (1, 4096):
        assert flops(spec, context).cache_bytes == flops(spec, context, prefill=True).cache_bytes
        assert flops(spec, context).cache_bytes == context * 36 * 2 * 8 * 128 * 2


def test_gpt2_xl_has_its_published_parameters():
    """1,557,611,200, as the Hub counts its safetensors: norms and matrices with biases, one table for both ends."""
    assert parameters(catalog.spec("openai-community/gpt2-xl")).total == 1_557_611_200


def test_the_usual_formula_takes_the_heads_of_most_layers():
    """Three layers of GQA against two of latent attention, then the other way round."""
    grouped = catalog.spec("Qwen/Qwen3-8B").layers[0]
    latent = catalog.spec("deepseek-ai/DeepSeek-V3").layers[0]
    compressed = catalog.spec("deepseek-ai/DeepSeek-V4-Flash").layers[3]

    def usual(*layers) -> list[int]:
        return cache_growth.usual_shape(replace(tiny(), layers=layers, num_hidden_layers=len(layers)))

    for other, shape in ((latent, [128, 128]), (compressed, [1, 512])):
        assert usual(*[grouped] * 3, *[other] * 2) == [5, 8, 128]
        assert usual(*[grouped] * 2, *[other] * 3) == [5, *shape]


def test_of_a_norm_only_what_it_scales_is_saved():
    """Its first input; of a product both factors; of what is moved nothing, and a value under two names once."""
    graph = Graph(
        (
            Node("a", "linear", ("stream",), {"weight": matrix(3, 7)}, {}),
            Node("b", "linear", ("stream",), {"weight": matrix(5, 7)}, {}),
            Node("n", "norm", ("a", "b"), {}, {}),
            Node("k", "keep", ("b",), {}, {}),
            Node("p", "multiply", ("n", "k"), {}, {}),
        ),
        "p",
    )
    found = activations.count_activations(graph, 7)
    assert (found.matrices, found.others, found.both) == (7, 3 + 3 + 5, 0)
    alone = activations.count_activations(replace(graph, nodes=graph.nodes[:3]), 7)
    assert (alone.matrices, alone.others) == (7, 3)
