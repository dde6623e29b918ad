"""Rows of gallery.schemes: every bit they count, by a second route."""

import re

import pytest

from cutaway.gallery.formats.scalar import FORMATS
from cutaway.gallery.formats.schemes import SCHEMES

GGUF = {"q4_0": "Q4_0", "q4_1": "Q4_1", "q5_0": "Q5_0", "q8_0": "Q8_0", "q2_k": "Q2_K", "q3_k": "Q3_K"}
GGUF |= {"q4_k": "Q4_K", "q5_k": "Q5_K", "q6_k": "Q6_K", "gguf_mxfp4": "MXFP4", "gguf_nvfp4": "NVFP4"}
PUBLISHED = {"mxfp8_e4m3": 8.25, "mxfp6_e2m3": 6.25, "mxfp4": 4.25, "nvfp4": 4.5, "fp8_1x128": 8.25, "nf4": 4.5}
PUBLISHED |= {"nf4_dq": 4.126953125, "int4_gptq": 4.15625, "fp8_128x128": 8.001953125, "fp8_tensor": 8.0}


@pytest.mark.parametrize("name", GGUF)
def test_gguf_bits_are_the_bytes_of_the_c_struct(name):
    """A GGUF row costs exactly what gguf's own size table says."""
    gguf = pytest.importorskip("gguf")
    weights, size = gguf.GGML_QUANT_SIZES[getattr(gguf.GGMLQuantizationType, GGUF[name])]
    assert size * 8 / weights == SCHEMES[name].bits_per_weight


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_bits_per_weight(name):
    """The ledger sums to the figure its paper or code states."""
    assert PUBLISHED[name] == SCHEMES[name].bits_per_weight


def test_elements_are_formats():
    """Every element is a row of gallery.formats with as many bits as the ledger counts, or a bare integer width."""
    for scheme in SCHEMES.values():
        integer = re.fullmatch(r"u?int(\d)", scheme.element)
        bits = int(integer[1]) if integer else FORMATS[scheme.element].bits
        assert bits == scheme.ledger[0].bits, scheme.name


def test_every_row_names_its_source():
    """No row without a source, and each is filed under its own name."""
    assert [key for key, row in SCHEMES.items() if not row.source or row.name != key] == []
