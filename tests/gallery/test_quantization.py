"""quantization_config of every tool -> one record, and from it the bytes of every weight."""

import time
from math import prod

import pytest

from cutaway.gallery import catalog, parameters, weights
from cutaway.gallery.counting.module_patterns import Matcher, simple
from cutaway.gallery.formats.schemes import SCHEMES
from cutaway.gallery.reading.quantization import list_stored, normalise, stored_bytes

FP8_BLOCK = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
NVFP4_GROUP = {"weights": {"num_bits": 4, "type": "float", "group_size": 16}, "targets": ["Linear"]}
INT4_GROUP = {"weights": {"num_bits": 4, "type": "int", "group_size": 32, "strategy": "group"}, "targets": ["Linear"]}
EIGHT = {"num_bits": 8, "type": "float", "strategy": "channel", "dynamic": False}

CASES = [
    (FP8_BLOCK, "fp8", "fp8_128x128"),
    ({**FP8_BLOCK, "scale_fmt": "ue8m0"}, "fp8", "fp8_128x128_ue8m0"),
    ({"quant_method": "fp8", "weight_block_size": None}, "fp8", "fp8_tensor"),
    ({"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}, "mxfp4", "mxfp4"),
    ({"quant_method": "fbgemm_fp8"}, "fp8", "fp8_channel"),
    ({"quant_method": "compressed-tensors", "config_groups": {"group_0": INT4_GROUP}}, "int4", "int4_g32"),
    ({"quant_method": "compressed-tensors", "config_groups": {"g": {"weights": EIGHT}}}, "fp8", "fp8_channel"),
    ({"quant_method": "modelopt", "quant_algo": "NVFP4", "config_groups": {"group_0": NVFP4_GROUP}}, "nvfp4", "nvfp4"),
    ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "int4", "int4_gptq"),
    ({"quant_method": "awq", "bits": 4, "group_size": 128}, "int4", "int4_awq"),
    ({"quant_method": "awq", "w_bit": 4, "q_group_size": 128}, "int4", "int4_awq"),
    ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4", "nf4"),
    ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "int8", "int8_channel"),
    ({"quant_method": "brand-new"}, "unknown", ""),
]


@pytest.mark.parametrize(("raw", "scheme", "row"), CASES, ids=[f"{c[0]['quant_method']}-{c[2]}" for c in CASES])
def test_every_tool_gives_the_same_kind_of_record(raw, scheme, row):
    """Whatever wrote it, a record names the scheme and its row."""
    found = normalise(raw)
    assert (scheme, row) == (found.scheme, found.row)
    assert not row or found.element == SCHEMES[row].element


def test_a_sidecar_speaks_where_the_config_is_silent():
    """hf_quant_config.json of NVIDIA ModelOpt is read like a quantization_config."""
    sidecar = {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}
    found = normalise(None, sidecar=sidecar)
    assert (found.scheme, found.kv_cache) == ("fp8", "float8_e4m3fn")
    assert normalise(None) is None


def test_v4_experts_are_fp4_because_a_key_beside_says_so():
    """DeepSeek-V4: expert_dtype fp4 turns an fp8 config into a mixed one."""
    spec = catalog.spec("deepseek-ai/DeepSeek-V4-Flash")
    rows = {item.row for item in list_stored(spec) if ".experts." in item.name}
    assert ("mixed", {"mxfp4"}) == (spec.quantization.scheme, rows)


NVFP4_V4 = {"nvidia/DeepSeek-V4-Flash-NVFP4": 170.44, "nvidia/DeepSeek-V4-Pro-NVFP4": 921.61}


@pytest.mark.parametrize("slug", sorted(NVFP4_V4))
def test_an_entry_for_experts_outranks_expert_dtype(slug):
    """NVIDIA repacked V4's experts and left expert_dtype fp4 as it was: quantized_layers says NVFP4 for each layer."""
    spec = catalog.spec(slug)
    assert {item.row for item in list_stored(spec) if ".experts." in item.name} == {"nvfp4"}
    assert {row for _, row in spec.quantization.overrides} == {"nvfp4"}
    assert round(stored_bytes(spec) / 1e9, 2) == NVFP4_V4[slug]


def test_an_entry_for_shared_experts_leaves_routed_ones_in_fp4():
    """Only a name with the word "experts" is of routed experts."""
    raw = {**FP8_BLOCK, "quant_algo": "MIXED_PRECISION"}
    entries = {"layers.0.ffn.shared_experts.w1": {"quant_algo": "NVFP4"}}
    found = normalise({**raw, "quantized_layers": entries}, "fp4")
    assert [row for _, row in found.overrides] == ["nvfp4", "mxfp4"]


SCALE_BYTES = {"deepseek-ai/DeepSeek-V3.1": "fp8_128x128", "deepseek-ai/DeepSeek-V3.2": "fp8_128x128",
               "deepseek-ai/DeepSeek-V3.2-Exp": "fp8_128x128", "deepseek-ai/DeepSeek-V4-Flash": "fp8_128x128_ue8m0",
               "sgl-project/DeepSeek-V4-Pro-FP8": "fp8_128x128_ue8m0"}  # fmt: skip


@pytest.mark.parametrize("slug", sorted(SCALE_BYTES))
def test_scales_that_are_rounded_may_be_stored_in_32_bits(slug):
    """All five files say scale_fmt ue8m0; V3's line stores the rounded scales in FP32, V4's as exponents."""
    assert catalog.load(slug)["quantization_config"]["scale_fmt"] == "ue8m0"
    assert catalog.spec(slug).quantization.row == SCALE_BYTES[slug]


COMPRESSORS = ["deepseek-ai/DeepSeek-V4-Flash", "deepseek-ai/DeepSeek-V4-Pro", "sgl-project/DeepSeek-V4-Flash-FP8",
               "sgl-project/DeepSeek-V4-Pro-FP8"]  # fmt: skip


@pytest.mark.parametrize("slug", COMPRESSORS)
def test_v4_compressors_stay_in_16_bits(slug):
    """Their wkv and wgate, and those of the indexer, are BF16 in the file; the wkv of attention is not."""
    spec = catalog.spec(slug)
    kept = {one.name: one for one in list_stored(spec)}
    pooled = [one for one in weights(spec) if one.name.endswith((".compressor.wkv.weight", ".compressor.wgate.weight"))]
    assert {kept[one.name].row for one in pooled} == {""}
    assert sum(kept[one.name].bytes for one in pooled) == 2 * sum(prod(one.shape) for one in pooled)
    ratios = catalog.load(slug)["compress_ratios"][: spec.num_hidden_layers]
    assert len(pooled) == 2 * sum(map(bool, ratios)) + 2 * ratios.count(4)
    assert kept["layers.2.attn.wkv.weight"].row == "fp8_128x128_ue8m0"


SCALES = {  # scale numbers in the published checkpoints: total elements minus weights, towers and buffers
    "MiniMaxAI/MiniMax-M2.5": 13_880_064, "Qwen/Qwen3-235B-A22B-FP8": 14_269_952, "Qwen/Qwen3-32B-FP8": 1_904_640,
    "Qwen/Qwen3-30B-A3B-FP8": 1_824_768, "ibm-granite/granite-3.3-8b-instruct-FP8": 1_597_440,
    "meta-llama/Llama-3.1-405B-Instruct-FP8": 15_237_120,
    "RedHatAI/Llama-4-Scout-17B-16E-Instruct-FP8-dynamic": 17_547_264,
}  # fmt: skip


@pytest.mark.parametrize("slug", sorted(SCALES))
def test_scales_are_as_many_as_the_published_checkpoint_has(slug):
    """Which modules are quantized, and in what blocks, shows in how many scales a checkpoint holds."""
    assert SCALES[slug] == sum(item.scales for item in list_stored(catalog.spec(slug)))


def test_gpt_oss_takes_the_bytes_its_files_take():
    """gpt-oss-120b: 4.25 bits for experts, bfloat16 for the rest; its files are 65.25 GB."""
    assert round(stored_bytes(catalog.spec("openai/gpt-oss-120b")) / 1e9, 2) == 65.25


def test_an_unquantized_model_takes_two_bytes_a_number():
    """bfloat16 is 16 bits."""
    spec = catalog.spec("meta-llama/Llama-3.1-8B")
    assert 2 * parameters(spec).total == stored_bytes(spec)


def test_modules_that_are_listed_stay():
    """The router and the head of an FP8 model keep their dtype."""
    kept = {item.name for item in list_stored(catalog.spec("deepseek-ai/DeepSeek-V3")) if not item.row}
    assert {"lm_head.weight", "model.embed_tokens.weight", "model.layers.3.mlp.gate.weight"} <= kept


PATTERNS = [
    ("lm_head", "lm_head", True), ("model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.q_proj", True),
    ("model.layers.0.self_attn", "model.layers.0.self_attn.q_proj", True), ("gate", "model.layers.3.mlp.gate", True),
    ("gate", "model.layers.3.mlp.gate_proj", False),
    ("model.layers.*.self_attn", "model.layers.7.self_attn.o_proj", True),
    ("re:.*self_attn.*", "language_model.model.layers.7.self_attn.o_proj", True),
    ("*.attn.*", "layers.1.attn.wq_a", True),
    ("language_model.model.layers.1.mlp.up_proj", "model.language_model.layers.1.mlp.up_proj", True),
    ("model.layers.1", "model.layers.10.mlp.up_proj", False), ("re:(", "lm_head", False),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "module", "hit"), PATTERNS)
def test_patterns_mean_modules(pattern, module, hit):
    """Plain names, parts of names, wildcards and expressions."""
    assert hit is Matcher((pattern,)).hits(module)


def test_no_expression_from_a_config_can_take_long():
    """Nested repetition is not run at all."""
    assert not simple("(a+)+$")
    assert not simple("(.*.*)*x")
    started = time.process_time()
    Matcher(tuple(f"re:{'.*' * n}(x+)+y" for n in range(50))).hits("model.layers.0.self_attn." + "x" * 200)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(("group", "shape"), [(64, (1, 64)), (128, (1, 128)), (32, (1, 32))])
def test_a_group_that_the_config_states_is_the_block(group, shape):
    """Rows of so many weights share a scale; the scheme's own 128 gives way."""
    found = normalise({"quant_method": "gptq", "bits": 4, "group_size": group})
    assert found is not None and found.block_shape == shape
