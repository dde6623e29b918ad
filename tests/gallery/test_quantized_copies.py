"""Quantized copies of Llama 3.1 8B by every tool: the bytes that its files take."""

from pathlib import Path

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.counting.stored_bytes import stored_bytes
from cutaway.gallery.formats.schemes import SCHEMES
from tests.oracle import quantization

OUTCOMES = list(quantization.outcomes(Path(quantization.__file__).with_suffix(".json")))


@pytest.mark.parametrize("one", OUTCOMES, ids=[one.case for one in OUTCOMES])
def test_a_copy_takes_the_bytes_its_tool_stores(one):
    """Codes, scales, zeros and indices, and 16 bits for the rest."""
    assert one.ours == one.expected


def copy(**said):
    """What Llama 3.1 8B takes with a quantization_config."""
    return stored_bytes(read({**catalog.load("meta-llama/Llama-3.1-8B"), "quantization_config": said}))


UNKNOWN = [
    {"quant_method": "vptq"}, {"quant_method": "gptq", "bits": 5, "group_size": 128},
    {"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {"+:.*down.*": {"bits": 5}}},
    {"quant_method": "fp8", "weight_block_size": [128, 128], "modules_to_not_convert": ["re:(.*)+down"]},
]  # fmt: skip


@pytest.mark.parametrize("said", UNKNOWN, ids=str)
def test_what_no_rule_knows_has_no_bytes(said):
    """A tool, a width, a module's width, an expression that is too involved to be run."""
    assert copy(**said) is None


def test_an_entry_of_dynamic_that_begins_with_a_minus_stays():
    """GPTQModel: down_proj of every layer in 16 bits."""
    down, packed = 32 * 4096 * 14336, copy(quant_method="gptq", bits=4, group_size=128)
    beside = down // 128 * 20 // 8 + 32 * 14336 * 4  # FP16 scales, zeros of four bits, g_idx
    kept = copy(quant_method="gptq", bits=4, group_size=128, dynamic={"-:.*down.*": {}})
    assert kept == packed + 2 * down - down // 2 - beside


@pytest.mark.parametrize("word", ["int8 x y", "uint4 1x -", "uint4 1x128", "int8 tensor - zero=x", "float8_e4m3fn", ""])
def test_a_word_that_nobody_spelled_is_no_scheme(word):
    """What is neither a row nor a key that `spell` wrote is a KeyError, as in any dict."""
    assert (word in SCHEMES, SCHEMES.get(word)) == (False, None)
    with pytest.raises(KeyError):
        SCHEMES[word]


@pytest.mark.parametrize("sides", [[10**4000, 1], [0, 128], [1.5, 2], [True, 1], "128"])
def test_a_block_that_nobody_would_store_is_unknown(sides):
    """Sides of a block are whole numbers up to 65,536: others are told, and no number of 4,000 digits is printed."""
    spec = read({**catalog.load("meta-llama/Llama-3.1-8B"), "quantization_config": {
        "quant_method": "fp8", "weight_block_size": sides}})  # fmt: skip
    assert stored_bytes(spec) is None
    assert len(str(spec.not_understood)) < 400
