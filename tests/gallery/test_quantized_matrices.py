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


def two_groups(target: str) -> dict:
    """Four bits for MLPs, and FP8 rows for what a second group names."""
    int4 = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "symmetric": True}
    rows = {"num_bits": 8, "type": "float", "strategy": "channel"}
    named = {"first": {"targets": ["re:.*mlp.*"], "weights": int4}, "second": {"targets": [target], "weights": rows}}
    return {"quant_method": "compressed-tensors", "format": "mixed-precision", "config_groups": named}


UP = 512 * 256  # as many as gate_proj and down_proj have; attention has 4 x 65,536 in 16 bits
TWO_GROUPS = 8 * 65_536 + 2 * (UP // 2 + UP // 128 * 2 + 16) + UP + 2 * 256  # down_proj in FP8
LAST_GROUP = 8 * 65_536 + 3 * UP + 2 * (2 * 512 + 256)  # all three


def attention_and_mlp(attention: dict, mlp: dict, **more) -> dict:
    """A group for each half of a layer."""
    halves = {"a": {"targets": ["re:.*self_attn.*"], **attention}, "b": {"targets": ["re:.*mlp.*"], **mlp}, **more}
    named = {"format": "mixed-precision", "ignore": ["lm_head"], "config_groups": halves}
    return {"quant_method": "compressed-tensors", **named}


FP8 = {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False}
FIXED = {"weights": FP8, "input_activations": FP8}
ROWS_OF_FP8 = {"weights": {**FP8, "strategy": "channel"}, "input_activations": {**FP8, "dynamic": True}}
FP4 = {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16, "dynamic": False}
NVFP4 = {"weights": FP4, "input_activations": {**FP4, "dynamic": "local"}}


def torchao(kind: str, version: int = 2, **data) -> dict:
    serialized = {"_type": kind, "_version": version, "_data": data}
    return {"quant_method": "torchao", "quant_type": {"default": serialized}}


def per(kind: str, **data) -> dict:
    """A granularity as torchao serializes it."""
    return {"_type": kind, "_version": 1, "_data": data}


def dtype(name: str) -> dict:
    return {"_type": "torch.dtype", "_data": name}


INT8 = {"_type": "Int8WeightOnlyConfig", "_version": 2, "_data": {}}


def modelopt(algorithm: str, **more) -> dict:
    return {"quant_method": "modelopt", "quant_algo": algorithm, "exclude_modules": ["lm_head"], **more}


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
    # compressed-tensors, pack_to_int32: words have 32 // bits codes of a row, and no empty bits from 0.18 on;
    # weight_shape is two I64. These and those named "run" were held against 0.20.0 on a small Llama.
    "compressed-tensors 0.12, 3 bits": (
        {**ct(num_bits=3, type="int", strategy="group", group_size=64), "version": "0.12.2"},
        sum(4 * r * up(c, 10) for r, c in SHAPES) + COUNT // 64 * 2 + 16 * MATRICES,
    ),
    "compressed-tensors, 3 bits": (
        ct(num_bits=3, type="int", strategy="group", group_size=64),
        COUNT * 3 // 8 + COUNT // 64 * 2 + 16 * MATRICES,
    ),
    "compressed-tensors, run: names win over expressions": (two_groups("model.layers.0.mlp.down_proj"), TWO_GROUPS),
    "compressed-tensors, run: expressions go by the alphabet": (two_groups("re:.*down_proj"), TWO_GROUPS),
    "compressed-tensors, run: the last of two groups of one target": (two_groups("re:.*mlp.*"), LAST_GROUP),
    "compressed-tensors, run: a word is no module's whole name": (
        {**ct(num_bits=4, type="int", strategy="channel"), "ignore": ["lm_head", "down_proj", "model.layers.0.mlp"]},
        COUNT // 2 + 2 * ROWS + 16 * MATRICES,
    ),
    "compressed-tensors, run: zeros of blocks are bytes": (
        ct(num_bits=4, type="int", strategy="block", block_structure=[64, 64], symmetric=False),
        COUNT // 2 + COUNT // 4096 * (2 + 1) + 16 * MATRICES,
    ),
    "compressed-tensors, run: MXFP6": (
        {**ct(num_bits=6, type="float", strategy="group", group_size=32, scale_dtype="torch.uint8"),
         "format": "mxfp6-pack-quantized"}, COUNT * 6 // 8 + COUNT // 32,
    ),
    "compressed-tensors, run: FP8 groups of 32": (
        {**ct(num_bits=8, type="float", strategy="group", group_size=32), "format": "float-quantized"},
        COUNT + COUNT // 32 * 2,
    ),
    "compressed-tensors, run: fixed scales of activations": (
        {**ct(num_bits=8, type="int", strategy="tensor"), "format": "int-quantized", "config_groups": {"group_0": {
            "targets": ["Linear"], "weights": {"num_bits": 8, "type": "int", "strategy": "tensor", "symmetric": True},
            "input_activations": {"num_bits": 8, "type": "int", "dynamic": False, "symmetric": False}}}},
        COUNT + (2 + 2 + 1) * MATRICES,
    ),
    "compressed-tensors, run: a scale of activations in the first group alone": (
        attention_and_mlp(FIXED, ROWS_OF_FP8), COUNT + 4 * (2 + 2) + 2 * (2 * 512 + 256)
    ),
    "compressed-tensors, run: a scale of activations in the second group alone": (
        attention_and_mlp(NVFP4, FIXED), 4 * 65_536 * 9 // 16 + 4 * 8 + 3 * UP + 3 * (2 + 2)
    ),
    "compressed-tensors, run: a third group for all that is left": (
        attention_and_mlp(
            {"weights": {**FP8, "strategy": "channel"}, "input_activations": {**FP8, "dynamic": True}},
            {"targets": ["re:.*(gate|up)_proj$"], "format": "pack-quantized", "weights": {
                "num_bits": 4, "type": "int", "strategy": "group", "group_size": 64, "symmetric": False}},
            c={"targets": ["Linear"], "format": "int-quantized", "weights": {
                "num_bits": 8, "type": "int", "strategy": "channel"}}),
        4 * 65_536 + 2 * 4 * 256 + 2 * (UP // 2 + UP // 64 * 2 + UP // 64 // 2 + 16) + UP + 2 * 256,
    ),
    "compressed-tensors, embeddings too": (
        {**ct(), "config_groups": {"group_0": {"targets": ["Linear", "Embedding"], "weights": {
            "num_bits": 8, "type": "int", "strategy": "channel"}}}}, None,
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
    # measured by running torchao 0.18.0 (_version 2) and 0.12.0 (_version 1) on a matrix of 512 x 256
    "torchao, int8 weights": (torchao("Int8WeightOnlyConfig"), COUNT + 5 * ROWS),
    "torchao, int8 weights in groups": (
        torchao("Int8WeightOnlyConfig", granularity=per("PerGroup", group_size=32)), COUNT + COUNT // 32 * 5
    ),
    "torchao, int8 weights, first version": (torchao("Int8WeightOnlyConfig", 1), COUNT + 10 * ROWS),
    "torchao, int8 both": (torchao("Int8DynamicActivationInt8WeightConfig"), COUNT + 5 * ROWS),
    "torchao, int8 both, one scale": (
        torchao("Int8DynamicActivationInt8WeightConfig", granularity=[per("PerRow", dim=-1), per("PerTensor")]),
        COUNT + 5 * MATRICES,
    ),
    "torchao, int8 both, first version": (torchao("Int8DynamicActivationInt8WeightConfig", 1), COUNT + 2 * ROWS),
    "torchao, int8 by int4, first version": (
        torchao("Int8DynamicActivationInt4WeightConfig", 1, layout=per("PlainLayout")), COUNT + COUNT // 32 * 4
    ),
    "torchao, int8 by int4 for a CPU": (torchao("Int8DynamicActivationInt4WeightConfig", 1, group_size=32), None),
    "torchao, four bits in a byte": (
        torchao("IntxWeightOnlyConfig", weight_dtype=dtype("int4"), granularity=per("PerGroup", group_size=32)),
        COUNT + COUNT // 32 * 3,
    ),
    "torchao, rows of bytes": (torchao("IntxWeightOnlyConfig", granularity=per("PerAxis", axis=0)), COUNT + 3 * ROWS),
    "torchao, int4": (torchao("Int4WeightOnlyConfig", group_size=32), COUNT // 2 + COUNT // 32 * 4),
    "torchao, int4 in tiles": (  # columns are filled up to 1,024: int4_tile_packed_to_4d_tensor.py
        torchao("Int4WeightOnlyConfig", group_size=32, int4_packing_format={
            "_type": "Int4PackingFormat", "_data": "TILE_PACKED_TO_4D"}),
        1024 * ROWS // 2 + 1024 * ROWS // 32 * 4,
    ),
    "torchao, int4 shuffled": (
        torchao("Int4WeightOnlyConfig", int4_packing_format={"_type": "Int4PackingFormat", "_data": "PRESHUFFLED"}),
        None,
    ),
    "torchao, float8 rows": (
        torchao("Float8DynamicActivationFloat8WeightConfig", granularity=[per("PerRow", dim=-1)] * 2),
        COUNT + 4 * ROWS,
    ),
    "torchao, float8 groups": (
        torchao("Float8WeightOnlyConfig", granularity=per("PerGroup", group_size=64)), COUNT + COUNT // 64 * 4
    ),
    "torchao, MXFP8": (torchao("MXDynamicActivationMXWeightConfig", 1), COUNT + COUNT // 32),
    "torchao, MXFP4": (
        torchao("MXDynamicActivationMXWeightConfig", 1, weight_dtype=dtype("float4_e2m1fn_x2")),
        COUNT // 2 + COUNT // 32,
    ),
    "torchao, NVFP4": (
        torchao("NVFP4DynamicActivationNVFP4WeightConfig", 1), COUNT // 2 + COUNT // 16 + 4 * MATRICES
    ),
    "torchao, NVFP4 with one level": (
        torchao("NVFP4WeightOnlyConfig", 1, use_dynamic_per_tensor_scale=False), COUNT // 2 + COUNT // 16
    ),
    "torchao, embedding and head too": (
        {**torchao("Int8WeightOnlyConfig"), "include_input_output_embeddings": True}, None
    ),
    "torchao, modules": (
        torchao("FqnToConfig", 1, fqn_to_config={
            "re:.*self_attn.*": {"_type": "Int8WeightOnlyConfig", "_version": 2, "_data": {}}, "_default": None}),
        4 * 65_536 + 5 * 4 * 256 + 393_216 * 2,
    ),
    # torchao 0.18.0, FqnToConfig: names win over expressions, which match the whole name; None leaves a module as it is
    "torchao, names before expressions": (
        torchao("FqnToConfig", 1, fqn_to_config={
            "re:.*self_attn.*": INT8, "re:.*mlp": INT8, "model.layers.0.self_attn.q_proj": None, "_default": None}),
        3 * 65_536 + 5 * 3 * 256 + 2 * 65_536 + 393_216 * 2,
    ),
    "torchao, run: the name of a module that holds matrices means none of them": (
        torchao("FqnToConfig", 1, fqn_to_config={
            "model.layers.0.mlp": INT8, "model.layers.0.self_attn.q_proj": INT8, "_default": None}),
        65_536 + 5 * 256 + (COUNT - 65_536) * 2,
    ),
    "compressed-tensors, run: the name of a module that holds matrices means none of them": (
        two_groups("model.layers.0.mlp"), 8 * 65_536 + 3 * (UP // 2 + UP // 128 * 2 + 16)
    ),
    "quark, quantized twice": (
        {"quant_method": "quark", "global_quant_config": {"weight": [
            {"dtype": "fp8_e4m3", "qscheme": "per_tensor"}, {"dtype": "int4", "qscheme": "per_channel"}]}}, None,
    ),
    "fp8, static blocks": (
        {"quant_method": "fp8", "activation_scheme": "static", "weight_block_size": [128, 128]},
        COUNT + COUNT // 16_384 * 4 + 4 * MATRICES,
    ),
    "fp8, static blocks of 100": (
        {"quant_method": "fp8", "activation_scheme": "static", "weight_block_size": [100, 100]},
        COUNT + sum(up(r, 100) * up(c, 100) * 4 for r, c in SHAPES) + 4 * MATRICES,
    ),
    # AutoAWQ 0.2.9: zeros of gemv_fast are FP16, Marlin has none
    "awq, gemv_fast": ({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemv_fast"},
                       COUNT // 2 + COUNT // 128 * 4),
    "awq, marlin": ({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "marlin"},
                    COUNT // 2 + COUNT // 128 * 2),
    "awq, a layout of tomorrow": ({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "tiles"}, None),
    "gptq, Marlin's layout": (
        {"quant_method": "gptq", "bits": 4, "group_size": 128, "checkpoint_format": "marlin"}, None
    ),
    "gptq, attention alone": (
        {"quant_method": "gptq", "bits": 4, "group_size": 128, "modules_in_block_to_quantize": [
            ["self_attn.k_proj", "self_attn.v_proj", "self_attn.q_proj"], ["self_attn.o_proj"]]},
        4 * 65_536 // 2 + 4 * 65_536 // 128 * 2 + 4 * 65_536 // 256 + 4 * 4 * 256 + 393_216 * 2,
    ),
    # auto-round 0.16.1, experimental/qmodules: mx.py and nvfp4.py
    "auto-round, MXFP4": (
        {"quant_method": "auto-round", "data_type": "mx_fp", "bits": 4, "group_size": 32,
         "packing_format": "auto_round:llm_compressor"}, COUNT // 2 + COUNT // 32
    ),
    "auto-round, NVFP4": (
        {"quant_method": "auto-round", "data_type": "nv_fp", "bits": 4, "group_size": 16,
         "packing_format": "auto_round:llm_compressor"}, COUNT // 2 + COUNT // 16 + 8 * MATRICES
    ),
    "auto-round, another block": (
        {"quant_method": "auto-round", "data_type": "mx_fp", "bits": 6, "group_size": 32}, None
    ),
    # ModelOpt 0.47.0, export/quant_utils.py: W4A16_NVFP4 and W8A16 have no input_scale, AWQ's groups are stated
    "modelopt, W4A16_NVFP4": (modelopt("W4A16_NVFP4", group_size=16), COUNT // 2 + COUNT // 16 + 4 * MATRICES),
    "modelopt, NVFP4": (modelopt("NVFP4", group_size=16), COUNT // 2 + COUNT // 16 + 8 * MATRICES),
    "modelopt, NVFP4_AWQ": (
        modelopt("NVFP4_AWQ", group_size=16), COUNT // 2 + COUNT // 16 + 8 * MATRICES + 2 * COLUMNS
    ),
    "modelopt, W8A16": (modelopt("W8A16"), COUNT + 4 * ROWS),
    "modelopt, W4A16_AWQ g64": (modelopt("W4A16_AWQ", group_size=64), COUNT // 2 + COUNT // 64 * 2 + 2 * COLUMNS),
    "modelopt, SVD": (modelopt("NVFP4_SVD", group_size=16), None),
    # a measured scale of activations is stored: FP32 (transformers' activation_scale), or the model's dtype
    "fp8, static": ({"quant_method": "fp8", "activation_scheme": "static"}, COUNT + 8 * MATRICES),
    "fp8, dynamic": ({"quant_method": "fp8", "activation_scheme": "dynamic"}, COUNT + 4 * MATRICES),
    "fp8, e5m2": (
        {"quant_method": "fp8", "fmt": "e5m2", "weight_block_size": [128, 128]}, COUNT + COUNT // 16_384 * 4
    ),
    "fp8, bits of tomorrow": ({"quant_method": "fp8", "fmt": "e3m4", "weight_block_size": [128, 128]}, None),
    "fbgemm, everything": ({"quant_method": "fbgemm_fp8"}, COUNT + 4 * ROWS),
    "compressed-tensors, FP8 with a stored input_scale": (
        {"quant_method": "compressed-tensors", "format": "float-quantized", "ignore": ["lm_head"], "config_groups": {
            "group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float", "strategy": "tensor"},
                        "input_activations": {"num_bits": 8, "type": "float", "dynamic": False}}}},
        COUNT + 4 * MATRICES,
    ),
    "compressed-tensors, no group": ({"quant_method": "compressed-tensors", "config_groups": {}}, COUNT * 2),
    # compressed-tensors 0.9.2, sparse_24_bitmask.py: half of the values, a bit for each, the shape as two I64
    "compressed-tensors, 2:4": (
        {"quant_method": "compressed-tensors", "config_groups": {}, "format": "dense", "sparsity_config": {
            "format": "sparse-24-bitmask", "sparsity_structure": "2:4", "ignore": ["lm_head"]}},
        COUNT + COUNT // 8 + 16 * MATRICES,
    ),
    "compressed-tensors, FP8 and 2:4": (
        {"quant_method": "compressed-tensors", "format": "float-quantized", "ignore": ["lm_head"], "config_groups": {
            "group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}},
         "sparsity_config": {"format": "sparse-24-bitmask", "ignore": ["lm_head"]}},
        COUNT // 2 + COUNT // 8 + 2 * ROWS + 16 * MATRICES,
    ),
    # marlin_24.py: half of the codes, two bits for each of them, FP16 scales
    "compressed-tensors, Marlin 2:4": (
        {**ct(num_bits=4, type="int", strategy="group", group_size=128), "format": "marlin-24"},
        COUNT // 4 + COUNT // 8 + COUNT // 128 * 2,
    ),
    "compressed-tensors, any zeros": (
        {"quant_method": "compressed-tensors", "config_groups": {}, "sparsity_config": {"format": "sparse-bitmask"}},
        None,
    ),
    # FP-Quant 0.3.2, module/linear.py: two scales in 16 bits, and two rotations of 32 x 32 or 16 x 16
    "fp_quant, MXFP4": ({"quant_method": "fp_quant", "forward_dtype": "mxfp4"},
                        COUNT // 2 + COUNT // 32 + (4 + 2 * 2 * 32 * 32) * MATRICES),
    "fp_quant, NVFP4": ({"quant_method": "fp_quant"}, COUNT // 2 + COUNT // 16 + (4 + 2 * 2 * 16 * 16) * MATRICES),
    "fp_quant, pseudo": ({"quant_method": "fp_quant", "pseudoquantization": True}, None),
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


HEAD = 16 * 256


@pytest.mark.parametrize(("method", "key", "codes"), [
    ("bitsandbytes", "llm_int8_skip_modules", HEAD + 4 * 16), ("eetq", "modules_to_not_convert", HEAD + 2 * 16),
])  # fmt: skip
@pytest.mark.parametrize(("listed", "taken"), [(None, False), (["lm_head"], False), (["self_attn"], True), ([], True)])
def test_transformers_keeps_the_head_only_where_no_list_leaves_it_out(method, key, codes, listed, taken):
    """quantizers/base.py, get_modules_to_not_convert: the head stays by default, and a list replaces the default."""
    said = {"quant_method": method, "load_in_8bit": True, key: listed}
    other = {**said, key: [*(listed or []), "lm_head"]}
    found, kept = (stored_bytes(read({**TINY, "quantization_config": one})) for one in (said, other))
    assert found - kept == (codes - 2 * HEAD if taken else 0)
