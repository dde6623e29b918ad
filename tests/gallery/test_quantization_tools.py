"""Every tool's spelling of one scheme, one row each, and what a weight costs under every shape of block."""

from math import ceil

import pytest

from cutaway.gallery.counting.module_patterns import Matcher, simple, tail
from cutaway.gallery.counting.stored_bytes import cost, is_matrix
from cutaway.gallery.counting.weights import Weight
from cutaway.gallery.formats.scalar import label
from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.reading.quantization import normalise

GROUP = {"num_bits": 8, "type": "float"}
NF4 = {"quant_method": "bitsandbytes", "bnb_4bit_quant_type": "nf4"}
ROW_4, FP4 = "uint4 1x0 float16 zero=4 column=32", "float4_e2m1fn 1x64 float32"
HQQ = {"weight_quant_params": {"nbits": 3, "group_size": 64, "axis": 1}}
TOOLS = [  # (what the file says, row, group, activations)
    ({"quant_method": "gptq", "bits": 4, "group_size": 64}, "int4_gptq", 64, "none"),
    ({"quant_method": "auto-round", "bits": 4, "group_size": 128}, "uint4 1x128 float16 zero=4", 128, "none"),
    ({"quant_method": "gptq", "bits": 3, "group_size": 64}, "uint3 1x64 float16 zero=3 column=32", 64, "none"),
    ({"quant_method": "gptq", "bits": 4, "group_size": -1}, ROW_4, 0, "none"),
    ({"quant_method": "gptq", "bits": 4, "group_size": True}, ROW_4, 0, "none"),
    ({"quant_method": "gptq", "bits": 4, "group_size": 65536}, "int4_gptq", 65536, "none"),
    ({"quant_method": "gptq", "bits": 4, "group_size": 65537}, ROW_4, 0, "none"),
    ({"quant_method": "awq", "bits": 8, "group_size": 64}, "", 64, "none"),
    ({"quant_method": "awq", "w_bit": 4, "q_group_size": 64}, "int4_awq", 64, "none"),
    ({**NF4, "load_in_4bit": True}, "nf4", 0, "none"),
    ({**NF4, "_load_in_4bit": True, "bnb_4bit_use_double_quant": True}, "nf4_dq", 0, "none"),
    ({**NF4, "load_in_4bit": True, "bnb_4bit_quant_type": "fp4"}, FP4, 0, "none"),
    ({"quant_method": "bitsandbytes", "load_in_4bit": True}, FP4, 0, "none"),  # FP4 is what the class assumes
    ({"quant_method": "bitsandbytes", "_load_in_8bit": True}, "int8_channel", 0, "dynamic"),
    ({"quant_method": "bitsandbytes"}, "", 0, "dynamic"),
    ({"quant_method": "torchao", "quant_type": "int4_weight_only"}, "int4 1x128 bfloat16 zero=16", 0, "none"),
    ({"quant_method": "torchao", "quant_type": "Float8DynamicPerRow"}, "fp8_channel", 0, "dynamic"),
    ({"quant_method": "torchao", "quant_type": "float8_weight_only"}, "fp8_tensor", 0, "dynamic"),
    ({"quant_method": "torchao", "quant_type": "int8_dynamic"}, "int8 1x0 bfloat16", 0, "dynamic"),
    ({"quant_method": "torchao", "quant_type": "int8_weight_only"}, "int8 1x0 bfloat16 zero=64", 0, "none"),
    ({"quant_method": "torchao", "quant_type": "other"}, "", 0, "none"),
    ({"quant_method": "hqq", "quant_config": HQQ}, "uint3 1x64 bfloat16 zero=16 word=10 along=1", 0, "none"),
    ({"quant_method": "quanto", "weights": "int4"}, "uint4 1x128 bfloat16 zero=16", 0, "none"),
    ({"quant_method": "eetq"}, "int8 1x0 float16", 0, "none"),
    ({"quant_method": "bitnet"}, "uint2 tensor bfloat16", 0, "dynamic"),
    ({"quant_method": "aqlm", "num_codebooks": 2, "nbits_per_codebook": 8},
     "uint8 1x0 bfloat16 per=8 codes=2 each=65536", 0, "none"),
    ({"quant_method": "fp_quant", "forward_dtype": "mxfp4"},
     "float4_e2m1fn 1x32 float8_e8m0fnu each=32800", 0, "dynamic"),
    ({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3", "qscheme": "per_tensor"}}},
     "float8_e4m3fn tensor float32", 0, "none"),
    ({"quant_method": "nvfp4"}, "nvfp4", 0, ""), ({"quant_method": "mxfp8"}, "mxfp8_e4m3", 0, ""),
    ({"quant_method": "mxfp4"}, "mxfp4", 0, "none"), ({"quant_method": "fbgemm_fp8"}, "fp8_channel", 0, "dynamic"),
    ({"quant_method": "fp8", "activation_scheme": "static"}, "fp8_tensor", 0, "static"),
    ({"quant_method": "fp8", "weight_block_size": [64, 64]}, "float8_e4m3fn 64x64 float32", 0, ""),
    ({"quant_method": "fp8", "weight_block_size": 128}, "", 0, ""),
    ({"quant_algo": "NVFP4", "group_size": 16}, "nvfp4", 16, "static"),
    ({"quant_algo": "nothing"}, "", 0, "static"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {
        "weights": {**GROUP, "strategy": "tensor"}, "input_activations": {"dynamic": True}}}},
     "fp8_tensor", 0, "dynamic"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {
        "weights": {**GROUP, "strategy": "channel"}, "input_activations": {}}}}, "fp8_channel", 0, "static"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": GROUP}}}, "fp8_tensor", 0, "none"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {
        "weights": {**GROUP, "strategy": "block", "block_structure": [128, 128]}}}}, "fp8_128x128", 0, "none"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {
        "weights": {**GROUP, "strategy": "group", "group_size": 128}}}}, "fp8_1x128", 128, "none"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {
        "weights": {**GROUP, "strategy": "group", "group_size": 32}}}}, "mxfp8_e4m3", 32, "none"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {
        "weights": {"num_bits": 4, "type": "int", "group_size": 64}}}}, "int4_g128", 64, "none"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {
        "weights": {"num_bits": 8, "type": "int"}}}}, "int8_channel", 0, "none"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "row", "group", "activations"), TOOLS)
def test_each_tool_says_its_row_its_group_and_its_activations(raw, row, group, activations):
    """And a group the file states stands where the row has its own block."""
    found = normalise(raw)
    assert (row, activations) == (found.row, found.activations)
    assert group == found.group_size
    shape = SCHEMES[row].block_shape if row else ()
    assert found.block_shape == ((1, group) if group and len(shape) == 2 and shape[0] == 1 and shape[1] > 1 else shape)
    assert bool(found.not_understood) is not bool(row)


CACHES = [("FP8", "float8_e4m3fn"), ({"num_bits": 8, "type": "float"}, "float8_e4m3fn"), (None, ""),
          ({"num_bits": 3}, ""),
          ({"num_bits": 4, "type": "float"}, "float4_e2m1fn"), ({"num_bits": 8, "type": "int"}, "int8")]  # fmt: skip


@pytest.mark.parametrize(("said", "name"), CACHES)
def test_a_cache_format_is_read_in_words_or_in_bits(said, name):
    """kv_cache_scheme of compressed-tensors, kv_cache_quant_algo of ModelOpt."""
    found = normalise({"quant_method": "mxfp4", "kv_cache_scheme": said})
    assert (name, bool(said) and not name) == (found.kv_cache, bool(found.not_understood))


SHAPE = (3, 200, 300)  # three experts of 200 rows and 300 columns
N = 3 * 200 * 300
COSTS = [  # (row, group, turned, bits, scales)
    ("fp8_tensor", 0, False, 8 * N + 3 * 32, 3),
    ("fp8_channel", 0, False, 8 * N + 3 * 200 * 32, 3 * 200), ("fp8_channel", 0, True, 8 * N + 3 * 300 * 32, 3 * 300),
    ("fp8_128x128", 0, False, 8 * N + 3 * 2 * 3 * 32, 18), ("fp8_128x128_ue8m0", 0, True, 8 * N + 3 * 2 * 3 * 8, 18),
    ("mxfp4", 0, False, 4 * N + 3 * 200 * 10 * 8, 6000), ("mxfp4", 0, True, 4 * N + 3 * 300 * 7 * 8, 6300),
    ("nvfp4", 0, False, 4 * N + 3 * 200 * 19 * 8, 11400), ("nvfp4", 32, False, 4 * N + 3 * 200 * 10 * 8, 6000),
    ("int4_gptq", 0, False, 4 * N + 3 * 200 * 3 * (16 + 4), 1800), ("int4_g32", 0, False, 4 * N + 6000 * 16, 6000),
    ("int4_g128", 64, False, 4 * N + 3 * 200 * 5 * 16, 3000),
]  # fmt: skip


@pytest.mark.parametrize(("row", "group", "turned", "bits", "scales"), COSTS)
def test_a_weight_costs_its_elements_and_its_scales(row, group, turned, bits, scales):
    """Blocks that do not fill the matrix cost a whole scale; a transposed matrix has its blocks along the input."""
    assert (ceil(bits / 8), scales) == cost(SHAPE, row, group, turned)


WEIGHTS = [
    ("mlp.up_proj.weight", (4, 4), "dense", True), ("mlp.up_proj.bias", (4,), "dense", False),
    ("mlp.experts.gate_up_proj", (2, 4, 4), "experts", True), ("mlp.experts.w", (2, 4, 4), "experts", True),
    ("mlp.experts.{expert}.w1.weight", (2, 4, 4), "experts", True),
    ("linear.conv1d.weight", (4, 1, 4), "linear", False),
    ("conv.conv.weight", (4, 4), "conv", False), ("model.norm.weight", (4,), "norm", False),
    ("mlp.gate.weight", (4, 4), "router", False), ("self_attn.indexer.weights_proj.weight", (4, 4), "indexer", False),
    ("self_attn.indexer.wk.weight", (4, 4), "indexer", True), ("mlp.shared_gate.weight", (1, 4), "shared", False),
    ("a.weight", (4, 1), "dense", False), ("a.weight", (2, 2), "dense", True), ("a.weight", (2, 4, 4), "dense", False),
    ("mixer.A_log", (4, 4), "ssm", False), ("lm_head.weight", (4, 4), "head", True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shape", "part", "taken"), WEIGHTS)
def test_only_matrices_are_converted(name, shape, part, taken):
    """No bias, norm, router, convolution or vector in disguise."""
    assert taken is is_matrix(Weight(name, shape, part, 0))


def test_expressions_are_run_up_to_a_length_and_a_number_of_stars():
    """200 characters, four repetitions, none inside another."""
    assert (simple("a" * 200), simple("a" * 201)) == (True, False)
    assert (simple(".*a.*b.*c.*"), simple(".*a.*b.*c.*d.*")) == (True, False)
    assert (simple("a.+b"), simple("(a*)*"), simple("a\0b")) == (True, False, False)
    assert [simple("+".join("abcde"[:count])) for count in (4, 5)] == [True, True]
    assert not simple("a+b+c+d+e+")


def test_names_are_compared_from_their_layers_on():
    """Whatever a checkpoint puts in front, and whatever it calls its layers."""
    assert tail("model.layers.3.mlp") == tail("transformer.h.3.mlp") == tail("blocks.3.mlp") == "layers.3.mlp"
    assert tail("lm_head") == "lm_head"
    assert not Matcher(()).hits("lm_head")
    assert [Matcher(("re:.*gate$",)).hits(name) for name in ("a.gate", "a.gate_proj")] == [True, False]
    assert [Matcher(("model.layers.1.mlp*",)).hits(f"layers.1.{name}") for name in ("mlp.up", "attn")] == [True, False]


BITS = {  # published, or the bytes of a C struct
    "mxfp8_e4m3": 8.25, "mxfp6_e2m3": 6.25, "mxfp4": 4.25, "nvfp4": 4.5, "fp8_tensor": 8, "fp8_1x128": 8.25,
    "fp8_128x128": 8 + 32 / 128**2, "int4_gptq": 4 + 20 / 128, "int4_g32": 4.5, "int4_g128": 4.125, "nf4": 4.5,
    "nf4_dq": 4 + 8 / 64 + 32 / (64 * 256), "nvfp4_2d": 4 + 8 / 256, "q4_0": 18 * 8 / 32, "q4_1": 20 * 8 / 32,
    "q5_0": 22 * 8 / 32, "q8_0": 34 * 8 / 32, "q2_k": 84 * 8 / 256, "q3_k": 110 * 8 / 256, "q4_k": 144 * 8 / 256,
}  # fmt: skip


@pytest.mark.parametrize(("name", "bits"), BITS.items())
def test_a_scheme_costs_the_bits_that_are_published(name, bits):
    """Elements, scales, zero points and scales of scales, shared out among the weights."""
    assert bits == SCHEMES[name].bits_per_weight


def test_a_format_is_labelled_as_people_write_it():
    """A name without a row is cut short."""
    assert (label("bfloat16"), label("a" * 20)) == ("BF16", "a" * 12)


def test_no_list_of_a_strange_file_grows_without_end():
    """Fifty unknown keys of sixty letters, patterns of two hundred."""
    strange = {f"{'x' * 70}{number:02}": 1 for number in range(60)}
    found = normalise(
        {"quant_method": "mxfp4", "ignore": ["a" * 300, 3, "b"], **{k[::-1]: v for k, v in strange.items()}}
    )
    assert ([len(key) for key in found.unread], [len(one) for one in found.ignore]) == ([60] * 50, [200, 1])


def test_strange_names_of_groups_are_cut_short():
    """Forty letters of a group, forty of its key."""
    said = {"quant_method": "mxfp4", "config_groups": {"g" * 99: 3, "h": {"k" * 99: 1, "weights": {"w" * 99: 1}}}}
    wanted = [f"config_groups.{'g' * 40}", f"config_groups.h.{'k' * 40}", f"config_groups.h.weights.{'w' * 40}"]
    assert [one[:60] for one in wanted] == list(normalise(said).unread)
