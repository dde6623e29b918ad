"""Odd and hostile quantization configs: a sentence and no bytes, never the unquantized size."""

from __future__ import annotations

from random import Random

import pytest

from cutaway.app.compare import model_file
from cutaway.app.model import tables, weight_rows
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import precision
from cutaway.app.words import storage
from cutaway.gallery import read
from cutaway.gallery.command import report
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.drawing.totals import weight_format
from tests.gallery.test_quantized_matrices import CASES, TINY

FOUR = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 64, "symmetric": True}


def ct(weights: object, **more) -> dict:
    group = {"targets": ["Linear"], "weights": weights}
    return {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"g": group}, **more}


ODD = {
    "VPTQ": {"quant_method": "vptq", "shared_layer_config": {}},
    "HIGGS": {"quant_method": "higgs", "bits": 4, "p": 2, "group_size": 256},
    "SpQR": {"quant_method": "spqr", "bits": 3, "beta1": 16, "beta2": 16, "shapes": {}},
    "SINQ": {"quant_method": "sinq", "nbits": 4, "group_size": 64},
    "Metal": {"quant_method": "metal", "bits": 4, "group_size": 64},
    "Four Over Six": {"quant_method": "fouroversix", "dtype": "nvfp4"},
    "Gemma's own": {"quant_method": "gemma", "num_bits": 4},
    "EXL3": {"quant_method": "exl3", "bits": 3.5, "head_bits": 6},
    "QuIP": {"quant_method": "quip", "codebook": "E8P12"},
    "a list": ["fp8"],
    "a word": "fp8",
    "a number": 8,
    "an empty method": {"quant_method": ""},
    "a method that is a list": {"quant_method": ["fp8"]},
    "no method, other keys": {"bits": 4},
    "GPTQ of one bit": {"quant_method": "gptq", "bits": 1, "group_size": 128},
    "GPTQ with bits as a word": {"quant_method": "gptq", "bits": "4", "group_size": 128},
    "GPTQ stored for BitBLAS": {"quant_method": "gptq", "bits": 4, "checkpoint_format": "bitblas"},
    "AWQ of three bits": {"quant_method": "awq", "bits": 3, "group_size": 128},
    "blocks without a column": {"quant_method": "fp8", "weight_block_size": [128]},
    "blocks of nothing": {"quant_method": "fp8", "weight_block_size": [0, 128]},
    "blocks below nothing": {"quant_method": "fp8", "weight_block_size": [-1, 128]},
    "compressed, 16 bits": ct({**FOUR, "num_bits": 16}),
    "compressed, no bits": ct({"type": "int"}),
    "compressed, groups of nothing": ct({**FOUR, "group_size": 0}),
    "compressed, a strategy of tomorrow": ct({**FOUR, "strategy": "spiral"}),
    "compressed, float of five bits": ct({**FOUR, "num_bits": 5, "type": "float"}),
    "compressed, groups that are a list": {"quant_method": "compressed-tensors", "config_groups": [{"weights": FOUR}]},
    "compressed, no groups at all": {"quant_method": "compressed-tensors"},
    "compressed, weights that are a word": {"quant_method": "compressed-tensors", "config_groups": "int4"},
    "compressed, an expression that takes forever": ct(FOUR, ignore=["re:(a+)+$"]),
    "compressed, an expression that is none": ct(FOUR, ignore=["re:(["]),
    "ModelOpt, an algorithm of tomorrow": {"quant_method": "modelopt", "quant_algo": "NVFP3"},
    "ModelOpt, mixed of nothing": {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {
        "model.layers.0.mlp.up_proj": {"quant_algo": "INT5_ODD"}}},
    "bitsandbytes, neither four nor eight": {"quant_method": "bitsandbytes"},
    "bitsandbytes, codes of tomorrow": {"quant_method": "bitsandbytes", "load_in_4bit": True,
                                        "bnb_4bit_quant_type": "nf3"},
    "torchao, a class of tomorrow": {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int6Config"}}},
    "torchao, no class": {"quant_method": "torchao", "quant_type": {"default": None}},
    "HQQ, scales quantized too": {"quant_method": "hqq", "quant_config": {
        "weight_quant_params": {"nbits": 4, "group_size": 64}, "scale_quant_params": {"nbits": 8}}},
    "HQQ of five bits": {"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 5}}},
    "quanto, int3": {"quant_method": "quanto", "weights": "int3"},
    "Quark, a width of tomorrow": {"quant_method": "quark", "global_quant_config": {"weight": {
        "dtype": "fp5", "qscheme": "per_tensor"}}},
    "Quark, rules by type": {"quant_method": "quark", "layer_type_quant_config": {"Linear": {}},
                             "global_quant_config": {"weight": {"dtype": "int8", "qscheme": "per_tensor"}}},
    "AQLM without books": {"quant_method": "aqlm", "num_codebooks": 0},
    "FP-Quant with its master weights": {"quant_method": "fp_quant", "store_master_weights": True},
    "MLX of seven bits": {"group_size": 64, "bits": 7},
    "MLX, a mode of tomorrow": {"group_size": 32, "bits": 4, "mode": "mxfp3"},
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_what_no_rule_knows_has_a_sentence_and_no_bytes(name):
    """Not the unquantized size, which would be a claim."""
    spec = read({**TINY, "quantization_config": ODD[name]})
    assert stored_bytes(spec) is None
    assert spec.not_understood


@pytest.mark.parametrize("name", ODD)
def test_pages_files_and_the_command_call_it_unknown(name):
    """Tile, facts, tables, legend, figures of a comparison and `cutaway facts`: none has the dtype's size."""
    config = {**TINY, "quantization_config": ODD[name]}
    spec = read(config)
    view = SpecView(spec, "x", config)
    assert storage.tile(spec)[0] != "BF16" != weight_format(spec)[0]
    assert ("Weights as stored", "unknown", "") in tables.facts(view)
    lost = next(row for row in weight_rows.stored_rows(view) if row.words == "unknown")
    assert (lost.bytes, lost.bits) == (None, None)
    assert [row.bytes for row in precision.legend(view)].count(None) == 1
    matrices = [row for table in weight_rows.weight_tables(view) for row in table.rows if row.bytes is None]
    assert matrices and all(row.stored == "unknown" for row in matrices)
    assert tables.numbers(view)["stored_bytes"] is None and tables.numbers(view)["stored_mtp_bytes"] is None
    assert report.facts_json(spec)["stored_bytes"] is None
    assert any(line.split() == ["weights", "as", "stored", "unknown"] for line in report.facts_lines(spec))


def test_a_comparison_has_no_bytes_of_what_is_unknown():
    """Null in the file of a model, which the page tells as a word."""
    config = {**TINY, "quantization_config": ODD["VPTQ"]}
    spec = read(config)
    assert model_file.Compared(SpecView(spec, "x", config), "x/y").figures["weights_bytes"] is None


JUNK = (None, True, 0, -1, 3.5, 10**30, "", "x", "re:(", "*", [], [1], {}, {"_type": [], "_data": 3}, [[["x"]]])


def spoil(value: object, rng: Random) -> object:
    """The value with something else in one of its places."""
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        return {**value, key: spoil(value[key], rng) if rng.random() < 0.6 else rng.choice(JUNK)}
    if isinstance(value, list) and value:
        place = rng.randrange(len(value))
        return [spoil(one, rng) if at == place else one for at, one in enumerate(value)]
    return rng.choice(JUNK)


def test_spoiled_configs_are_read_or_refused_and_never_cost_a_traceback(verified):
    """Wrong types anywhere inside: bytes, or unknown with a sentence."""
    rng, silent, tried = Random(26), [], 0
    known = [said for said, _ in CASES.values()] + [said for said in ODD.values() if isinstance(said, dict)]
    for _ in range(600):
        said = spoil(rng.choice(known), rng)
        spec = read({**TINY, "quantization_config": said})
        tried += 1
        if stored_bytes(spec) is None and not spec.not_understood:
            silent.append(said)
    assert silent == []
    verified("invalid quantization configs", tried, len(silent), "a message if the size is unknown")
