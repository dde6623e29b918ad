"""Quantized copies of Llama 3.1 8B by every tool: the bytes that its files take."""

import sys
from pathlib import Path

import pytest

ORACLE = Path(__file__).parents[1] / "oracle"
sys.path.insert(0, str(ORACLE))
import quantization  # noqa: E402

OUTCOMES = list(quantization.outcomes(ORACLE / "quantization.json"))


@pytest.mark.parametrize("one", OUTCOMES, ids=[one.case for one in OUTCOMES])
def test_a_copy_takes_the_bytes_its_tool_stores(one):
    """Codes, scales, zeros and indices, and 16 bits for the rest."""
    assert one.ours == one.expected
