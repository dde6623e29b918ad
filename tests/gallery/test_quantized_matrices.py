"""Bytes of one small quantized model, counted by hand from the tensors that each tool's own code writes.

One layer of Llama: q, k, v and o of 256 x 256, gate and up of 512 x 256, down of 256 x 512; an embedding and a head of
16 x 256.
"""

from __future__ import annotations

import pytest

from cutaway.gallery import read
from cutaway.gallery.counting.stored_bytes import stored_bytes

TINY = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 256, "intermediate_size": 512,
    "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 16,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16", "rms_norm_eps": 1e-6,
}  # fmt: skip
SHAPES = [(256, 256)] * 4 + [(512, 256)] * 2 + [(256, 512)]
COUNT = sum(rows * columns for rows, columns in SHAPES)
REST = 2 * (2 * 16 * 256 + 3 * 256)  # embedding, head and three norms in 16 bits
MATRICES = len(SHAPES)
ROWS, COLUMNS = (sum(shape[side] for shape in SHAPES) for side in (0, 1))


def up(count: int, each: int) -> int:
    """How many groups of `each` hold so many."""
    return -(-count // each)


def hqq(bits: int, group: int | None, **more) -> dict:
    return {
        "quant_method": "hqq",
        "quant_config": {"weight_quant_params": {"nbits": bits, "group_size": group, **more}},
    }


def ct(**weights) -> dict:
    group = {"targets": ["Linear"], "weights": {"symmetric": True, **weights}}
    named = {"format": "pack-quantized", "config_groups": {"group_0": group}, "ignore": ["lm_head"]}
    return {"quant_method": "compressed-tensors", **named}


def torchao(kind: str, **data) -> dict:
    return {"quant_method": "torchao", "quant_type": {"default": {"_type": kind, "_data": data}}}


CASES = {
    # HQQ 0.2.8, bitpack.py: pack_3bit_32 takes W.reshape(-1, group): ten of its rows are one row of int32
    "hqq, 3 bits, axis 1": (hqq(3, 64, axis=1), sum(4 * 64 * up(r * c // 64, 10) for r, c in SHAPES) + COUNT // 64 * 4),
    # axis 0: W.reshape(group, -1); ten of the 64 rows are one
    "hqq, 3 bits, axis 0": (hqq(3, 64, axis=0), sum(4 * up(64, 10) * r * c // 64 for r, c in SHAPES) + COUNT // 64 * 4),
    "hqq, 3 bits, columns": (hqq(3, None), sum(4 * c * up(r, 10) for r, c in SHAPES) + 4 * COLUMNS),
    "hqq, 4 bits, rows": (hqq(4, None, axis=1), COUNT // 2 + 4 * ROWS),
    # bitsandbytes: FP4 codes, absmax of 64 in FP32; or in 8 bits, with an FP32 of 256 absmax
    "bitsandbytes, FP4": ({"quant_method": "bitsandbytes", "load_in_4bit": True}, COUNT // 2 + COUNT // 64 * 4),
    "bitsandbytes, FP4 twice": (
        {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True},
        COUNT // 2 + COUNT // 64 + sum(4 * up(r * c // 64, 256) for r, c in SHAPES),
    ),
    "gptq, 8 bits": (
        {"quant_method": "gptq", "bits": 8, "group_size": 128, "desc_act": True},
        COUNT + COUNT // 128 * 3 + 4 * COLUMNS,  # codes; an FP16 scale and 8 bits of zero; g_idx
    ),
    "auto-round, o_proj in 8 bits": (
        {"quant_method": "auto-round", "bits": 4, "group_size": 128, "packing_format": "auto_round:auto_gptq",
         "extra_config": {"model.layers.0.self_attn.o_proj": {"bits": 8}}},
        COUNT // 2 + 65_536 // 2 + COUNT * 2 // 128 + (COUNT - 65_536) // 256 + 65_536 // 128,
    ),
    "auto-round, all attention stays": (
        {"quant_method": "auto-round", "bits": 4, "group_size": 128, "packing_format": "auto_round:auto_gptq",
         "extra_config": {".*self_attn.*": {"bits": 16}}},
        4 * 65_536 * 2 + 393_216 // 2 + 393_216 // 128 * 2 + 393_216 // 256,
    ),
    "quark, FP8 blocks": (
        {"quant_method": "quark", "global_quant_config": {"weight": {
            "dtype": "fp8_e4m3", "qscheme": "per_block", "block_size": [128, 128]}}},
        COUNT + COUNT // 16_384 * 4,
    ),
    "quark, int8 rows": (
        {"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "int8", "qscheme": "per_channel"}}},
        COUNT + 4 * ROWS,
    ),
    "quark, uint4 groups with zeros": (
        {"quant_method": "quark", "global_quant_config": {"weight": {
            "dtype": "uint4", "qscheme": "per_group", "group_size": 32, "symmetric": False}}},
        COUNT // 2 + COUNT // 32 * 2 + COUNT // 64,
    ),
    "quark, int4 groups": (
        {"quant_method": "quark", "global_quant_config": {"weight": {
            "dtype": "int4", "qscheme": "per_group", "group_size": 32}}},
        COUNT // 2 + COUNT // 32 * 2,
    ),
    # compressed-tensors, pack_to_int32: 32 // bits codes of a row are a word; weight_shape is two I64
    "compressed-tensors, 3 bits": (
        ct(num_bits=3, type="int", strategy="group", group_size=64),
        sum(4 * r * up(c, 10) for r, c in SHAPES) + COUNT // 64 * 2 + 16 * MATRICES,
    ),
    "compressed-tensors, groups of 64": (
        ct(num_bits=4, type="int", strategy="group", group_size=64), COUNT // 2 + COUNT // 64 * 2 + 16 * MATRICES
    ),
    "compressed-tensors, 9 bits": (ct(num_bits=9, type="int", strategy="channel"), None),
    "compressed-tensors, no integer": (ct(num_bits=4, type="nested", strategy="channel"), None),
    "awq, rows": ({"quant_method": "awq", "bits": 4, "group_size": -1}, COUNT // 2 + 2 * ROWS + ROWS // 2),
    "awq, 8 bits": ({"quant_method": "awq", "bits": 8, "group_size": -1}, None),
    "torchao, float8 weights": (torchao("Float8WeightOnlyConfig"), COUNT + 4 * ROWS),
    "torchao, float8": (torchao("Float8DynamicActivationFloat8WeightConfig"), COUNT + 4 * MATRICES),
    "torchao, float8 with int4": (torchao("Float8DynamicActivationInt4WeightConfig"), None),
    "torchao, int8 weights": (torchao("Int8WeightOnlyConfig"), COUNT + 2 * ROWS),
    "eetq": ({"quant_method": "eetq", "weights": "int8"}, COUNT + 2 * ROWS),
    "bitnet": ({"quant_method": "bitnet"}, COUNT // 4 + 2 * MATRICES),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_matrices_take_what_the_tool_writes(name):
    """Codes with their padding, scales, zeros and indices; embedding, head and norms stay in 16 bits."""
    said, expected = CASES[name]
    if name.startswith("quark"):  # quantizes the head as well, unless it is excluded
        said = {**said, "exclude": ["lm_head"]}
    assert stored_bytes(read({**TINY, "quantization_config": said})) == (None if expected is None else expected + REST)


@pytest.mark.parametrize("bits", [True, 5, "4", None, 4.0])
def test_a_width_that_gptq_does_not_pack_is_unknown(bits):
    """True is no 1, and words are no numbers."""
    said = {"quant_method": "gptq", "bits": bits, "group_size": 128}
    assert stored_bytes(read({**TINY, "quantization_config": said})) is None
