"""/formats/: bits, errors and bytes by other routes, every claim with a source, short lists that follow the answers."""

from __future__ import annotations

import json
from math import prod

import ml_dtypes
import numpy as np
import pytest

from cutaway.app.formats import errors, shortlist, sizes
from cutaway.app.formats.rows import AMPERE, BLACKWELL, CHOICES, ENGINES, HARDWARE, HOPPER, SUPPORT
from cutaway.app.formats.sources import SOURCES
from cutaway.gallery import catalog
from cutaway.gallery.counting.stored_bytes import is_matrix
from cutaway.gallery.counting.weights import weights
from cutaway.gallery.planning.devices import DEVICES

KEPT = json.loads(errors.KEPT.read_text("utf-8"))
E4M3, E2M1 = ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn
HARD = {row.key: row for row in HARDWARE}


def plainly(key: str, x: np.ndarray) -> np.ndarray:
    """Four formats written with ml_dtypes alone: the second route to the blocks page's quantizers."""
    n, most = {"nvfp4": (16, 6), "mxfp4": (32, 6), "fp8_tensor": (x.size, 448), "fp8_channel": (1024, 448)}[key]
    blocks = x.reshape(-1, n)
    amax = np.abs(blocks).max(axis=1, keepdims=True)
    scale, element = amax / np.float32(most), E4M3 if most == 448 else E2M1
    if key == "mxfp4":
        scale = np.exp2(np.floor(np.log2(amax)) - 2).astype(np.float32)
    if key == "nvfp4":
        whole = np.float32(np.abs(x).max() / np.float32(6 * 448))
        scale = (amax / (6 * whole)).astype(E4M3).astype(np.float32) * whole
    return (np.clip(blocks / scale, -most, most).astype(element).astype(np.float32) * scale).reshape(x.shape)


@pytest.mark.parametrize("key", ["nvfp4", "mxfp4", "fp8_tensor", "fp8_channel"])
def test_errors_are_those_of_ml_dtypes(key):
    """The kept error of seed 20 is what four lines of ml_dtypes give, to 0.02 dB."""
    x = errors.matrix(20)
    assert KEPT["decibels"][key][0] == pytest.approx(errors.decibels(x, plainly(key, x)), abs=0.02)


def test_errors_are_kept_as_they_are_measured():
    """Measured again, seed 21 gives the kept number of each format but Q4_K, whose own is that of ggml."""
    x = errors.matrix(21)
    for key in errors.QUANTIZERS.keys() - {"q4_k"}:
        assert KEPT["decibels"][key][1] == pytest.approx(errors.decibels(x, errors.quantized(key, x)), abs=0.001), key
    assert KEPT["decibels"]["q4_k"][0] == pytest.approx(21.9, abs=0.05)  # ggml 0.13.1 on the matrix of seed 20
    assert all(len(row) == len(errors.SEEDS) == len(KEPT["seeds"]) for row in KEPT["decibels"].values())
    assert errors.as_kept(KEPT["decibels"]) == errors.KEPT.read_text("utf-8")


def test_an_interval_is_students():
    """Mean ± 2.571 standard errors of six seeds."""
    row, found = KEPT["decibels"]["nf4"], errors.measured()["nf4"]
    mean = sum(row) / 6
    spread = (sum((one - mean) ** 2 for one in row) / 5) ** 0.5
    assert found == pytest.approx((mean, 2.571 * spread / 6**0.5))


@pytest.mark.parametrize("slug", ["meta-llama/Llama-3.1-8B", "openai/gpt-oss-20b"])
def test_bytes_are_codes_and_scales(slug):
    """Packed bytes are 2 for each number that stays, and for matrices codes and one scale a block, added by hand."""
    spec = catalog.spec(slug)
    whole, *packed = sizes.packed(spec)
    found = dict(zip((row.key for row in CHOICES), packed, strict=True))
    listed = weights(spec)
    matrices = [one for one in listed if is_matrix(one) and one.part != "head"]
    rest = 2 * (sum(one.size for one in listed) - sum(one.size for one in matrices))
    total = sum(one.size for one in matrices)
    assert whole == rest + 2 * total
    assert not any("embed" in one.name or "lm_head" in one.name for one in matrices)
    stacks = sum(prod(one.shape[:-2]) for one in matrices)
    assert found["nf4"] == rest + total // 2 + total // 64 * 4
    assert found["mxfp4"] == rest + sum(
        one.size // 2 + -(-one.shape[-1] // 32) * one.size // one.shape[-1] for one in matrices
    )
    assert found["fp8_tensor"] == rest + total + 4 * stacks
    read = [(one.size, one.shape[-2] if ".experts." in one.name else one.shape[-1]) for one in matrices]
    assert found["q4_k"] == rest + sum(size * 22 // 32 if inputs % 256 else size * 144 // 256 for size, inputs in read)


def test_rows_that_256_does_not_divide_are_q5_0():
    """A 64 x 320 matrix takes Q5_0’s 22 bytes per 32 numbers, a 64 x 512 one Q4_K’s 144 per 256."""
    row = next(one for one in CHOICES if one.key == "q4_k")
    assert sizes.one(row, (64, 320), False) == 64 * 320 // 32 * 22
    assert sizes.one(row, (64, 512), False) == 64 * 512 // 256 * 144
    assert sizes.one(row, (320, 512), True) == 512 * 320 // 32 * 22  # stored transposed: its rows have 320 numbers


def test_matrices_stored_transposed_go_by_their_own_rows():
    """GPT-2 XL's layers read 1,600 numbers, which 256 does not divide, three times, and 6,400 once; 48 layers."""
    whole, *packed = sizes.packed(catalog.spec("openai-community/gpt2-xl"))
    found = dict(zip((row.key for row in CHOICES), packed, strict=True))
    q5_0, q4_k = 1600 * (4800 + 1600 + 6400), 6400 * 1600
    assert whole - found["q4_k"] == 48 * (q5_0 * (64 - 22) // 32 + q4_k * (512 - 144) // 256)


def test_every_claim_has_a_source_that_is_listed():
    """Traps, engines and chips name sources that exist; each source is used; every address is https."""
    named = {key for row in CHOICES for trap in row.traps for key in trap.sources}
    assert all(trap.sources for row in CHOICES for trap in row.traps)
    named |= {row.source for row in SUPPORT} | {key for row in HARDWARE for key in row.sources}
    assert named == set(SOURCES)
    assert all(address.startswith("https://") for _, address in SOURCES.values())
    assert all(bool(row.native) == bool(row.sources) for row in HARDWARE)
    assert {row.engine for row in SUPPORT} == set(ENGINES)
    assert len({(row.engine, row.choice) for row in SUPPORT}) == len(SUPPORT)
    assert {row.choice for row in SUPPORT} == {row.key for row in CHOICES}
    assert all(set(row.hardware) <= set(HARD) for row in SUPPORT)


def test_hardware_agrees_with_the_planners_devices():
    """A chip multiplies FP8, and FP4, where the planner’s device has a peak for it, and nowhere else."""
    for row in HARDWARE:
        for name in row.devices:
            peaks = DEVICES[name].peaks
            assert ("fp8" in row.native, "nvfp4" in row.native) == ("fp8" in peaks, "fp4" in peaks), name
    assert {"b200_sxm", "h100_sxm", "l4", "a100_sxm"} <= {name for row in HARDWARE for name in row.devices}


def test_short_lists_follow_the_answers():
    """Speed asks for what the chip multiplies, size for few bits, quality for decibels; no list has the unsupported."""
    assert shortlist.shortlist(BLACKWELL, "vllm", "speed")[:2] == ["mxfp4", "nvfp4"]
    assert shortlist.shortlist(HOPPER, "vllm", "speed")[0] == "fp8_channel"
    assert shortlist.shortlist(HOPPER, "vllm", "quality")[0] == "fp8_channel"
    assert shortlist.shortlist(AMPERE, "vllm", "speed")[0] == "int8_channel"
    assert shortlist.shortlist("apple", "llama", "size") == ["q4_k"]
    by_size = ["mxfp4", "nvfp4", "fp8_channel"]  # 4.25, 4.5, 8 bits; FP8 with one scale has 8 and errs more
    assert shortlist.shortlist(BLACKWELL, "vllm", "size") == by_size
    assert shortlist.shortlist("cpu", "trt", "size") == []
    assert "int8_channel" not in shortlist.shortlist(BLACKWELL, "vllm", "speed")
    every = shortlist.every()
    assert len(every) == (len(HARDWARE) + 1) * (len(ENGINES) + 1) * 3
    for answers, keys in every.items():
        hardware, engine, _ = answers.split()
        able = {row.choice for row in SUPPORT if engine in ("any", row.engine) and hardware in ("any", *row.hardware)}
        assert set(keys) <= able, answers
        assert len(keys) == min(3, len(able)), answers
