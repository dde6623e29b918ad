"""Quantized copies of Llama 3.1 8B by every tool: the bytes that its files take."""

import sys
from pathlib import Path

import pytest

ORACLE = Path(__file__).parents[1] / "oracle"
sys.path.insert(0, str(ORACLE))
import quantization  # noqa: E402

from cutaway.gallery import catalog, read  # noqa: E402
from cutaway.gallery.counting.stored_bytes import stored_bytes  # noqa: E402

OUTCOMES = list(quantization.outcomes(ORACLE / "quantization.json"))


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
