"""The block codec against what torchao, gfloat, ModelOpt, compressed-tensors, bitsandbytes, gguf, ggml, MLX, HQQ and
fouroversix did with the same numbers."""

import base64
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from cutaway.explainers.blocks import codec
from cutaway.explainers.blocks import rows as scheme_rows
from cutaway.explainers.blocks.packing import pack_elements, scale_bytes

GOLDEN = json.loads((Path(__file__).parents[1] / "oracle" / "block_vectors.json").read_text())
F32 = np.float32
SIZE = {name: row.n for name, row in scheme_rows.PLAYED.items()}


def unb64(text: str, dtype) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype)


INPUT = unb64(GOLDEN["input"], F32)
SETS = {"input": INPUT, "wide": unb64(GOLDEN["wide"], np.float16).astype(F32)}


def rows(tool: str, *schemes: str) -> list:
    """The recorded runs of a tool, as pytest parameters."""
    found = [r for r in GOLDEN["rows"] if r["tool"] == tool and (not schemes or r["scheme"] in schemes)]
    return [pytest.param(r, id=f"{r['scheme']}-{r['rule']}{r.get('input', '')}") for r in found]


def against(*tools: str) -> str:
    return ", ".join(f"{tool} {GOLDEN['versions'][tool]}" for tool in tools)


def blocks_of(row: dict) -> np.ndarray:
    """The input in blocks of the scheme; some runs left the block of zeros out."""
    size = SIZE.get(row["scheme"], 32)
    x = SETS[row.get("input", "input")].reshape(-1, size)
    return x[: len(unb64(row["codes"], np.uint8)) // size] if "codes" in row else x


def ours(row: dict) -> codec.Blocks:
    x = blocks_of(row)
    return codec.quantize(row["scheme"], x, row["rule"], np.abs(x).max())


def digest(values: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(values, F32).tobytes()).hexdigest()


def wrong(expected, actual) -> int:
    """How many numbers differ, bit by bit."""
    return int((np.asarray(expected).reshape(-1) != np.asarray(actual).reshape(-1)).sum())


def test_mx_equals_torchao(verified):
    """Five elements under four scale rules: every code, every scale byte and every dequantized bit is torchao's."""
    checked = bad = 0
    for param in rows("torchao", *codec.MX):
        row = param.values[0]
        got = ours(row)
        bad += wrong(unb64(row["codes"], np.uint8), got.codes) + wrong(unb64(row["scale"], np.uint8), got.scale_code)
        assert row["values"] == digest(got.values), (row["scheme"], row["rule"])
        checked += got.codes.size
    verified("blocks: recorded MXFP8, MXFP6 and MXFP4 results with four scale rules", checked, bad, against("torchao"))


@pytest.mark.parametrize("row", rows("gfloat"))
def test_floor_equals_gfloat(row):
    """The OCP rule dequantizes to gfloat's very bits."""
    assert row["values"] == digest(ours(row).values)


def test_nvfp4_equals_modelopt(verified):
    """Codes, block scales and the tensor's scale are ModelOpt's."""
    row = rows("nvidia-modelopt", "nvfp4")[0].values[0]
    got = ours(row)
    bad = wrong(unb64(row["codes"], np.uint8), got.codes) + wrong(unb64(row["scale"], np.uint8), got.scale_code)
    second = codec.nvfp4_tensor_scale(np.abs(blocks_of(row)).max())
    assert unb64(row["second"], F32)[0] == second
    assert row["values"] == digest(got.values + F32(0))  # ModelOpt has no -0
    verified("blocks: recorded NVFP4 results", got.codes.size, bad, against("nvidia-modelopt"))


def test_nvfp4_in_torchao_order(verified):
    """In torchao's order (two divisions, a reciprocal, block scales from 2^-6 up) every bit is torchao's."""
    row = rows("torchao", "nvfp4")[0].values[0]
    x = blocks_of(row)
    second = codec.nvfp4_tensor_scale(np.abs(x).max())
    block = codec.amax_of(x) / F32(6) / second
    stored = np.clip(block, F32(2**-6), F32(448)).astype(codec.E4M3)
    codes, _ = codec.encode(x * (F32(1) / second / stored.astype(F32)), codec.MX["mxfp4"])
    bad = wrong(unb64(row["codes"], np.uint8), codes) + wrong(unb64(row["scale"], np.uint8), stored.view(np.uint8))
    assert unb64(row["second"], F32)[0] == second
    verified("blocks: recorded NVFP4 results in torchao's order of operations", codes.size, bad, against("torchao"))


def test_nvfp4_tensor_scale_is_the_reciprocal_of_compressed_tensors():
    """What ModelOpt multiplies by, compressed-tensors divides by."""
    row = rows("compressed-tensors", "nvfp4")[0].values[0]
    product = unb64(row["second"], F32)[0] * codec.nvfp4_tensor_scale(np.abs(INPUT).max())
    assert product == pytest.approx(1, abs=2e-7)


@pytest.mark.parametrize("row", rows("nvidia-modelopt", "mxfp4"))
def test_modelopt_mxfp4_differs_only_at_ties(row):
    """ModelOpt scales MXFP4 by rceil; where an element is exactly between two codes it takes the smaller."""
    got = ours(row)
    assert wrong(unb64(row["scale"], np.uint8), got.scale_code) == 0
    smaller_at_ties(blocks_of(row), got, unb64(row["codes"], np.uint8).reshape(got.codes.shape))


@pytest.mark.parametrize("row", rows("gguf", "gguf_mxfp4"))
def test_gguf_mxfp4_bytes_are_gguf_s(row, verified):
    """Scaled by floor, the smaller magnitude at a tie, no -0, element i beside i + 16: every byte of the 17."""
    raw = unb64(row["bytes"], np.uint8).reshape(-1, 17)
    got = codec.quantize("mxfp4", INPUT.reshape(-1, 32), "floor", gguf=True)
    made = [pack_elements("mxfp4", "halves", codes)["bytes"] for codes in got.codes.tolist()]
    whole = np.concatenate([got.scale_code.astype(np.uint8), np.array(made, np.uint8)], axis=1)
    verified("blocks: recorded GGUF MXFP4 results", raw.size, wrong(raw, whole), against("gguf"))
    smaller_at_ties(INPUT.reshape(-1, 32), codec.quantize("mxfp4", INPUT.reshape(-1, 32), "floor"), got.codes)


def smaller_at_ties(x: np.ndarray, got: codec.Blocks, theirs: np.ndarray) -> None:
    """Wherever two sets of FP4 codes differ in magnitude, x stood exactly on a tie and `theirs` is one code smaller."""
    differ = (theirs & 7) != (got.codes & 7)
    y = np.abs(x / got.scale)[differ]
    assert differ.sum() > 50
    assert set(y.tolist()) <= {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0}
    assert ((theirs & 7)[differ] == (got.codes & 7)[differ] - 1).all()


@pytest.mark.parametrize("row", rows("compressed-tensors", "mxfp4", "mxfp6_e2m3"))
def test_even_scales_equal_compressed_tensors(row):
    """compressed-tensors writes the scale bytes of the rule called even."""
    theirs = unb64(row["scale"], np.uint8)
    got = codec.quantize(row["scheme"], INPUT.reshape(-1, 32)[: len(theirs)], "even")
    assert wrong(theirs, got.scale_code) == 0


def test_fp8_and_int4_equal_compressed_tensors(verified):
    """FP8 1x128, asymmetric INT4 in 128 and symmetric INT4 in 32: codes, scales, zero points and values."""
    checked = bad = 0
    for param in rows("compressed-tensors", "fp8_1x128", "int4_gptq", "int4_g32"):
        row = param.values[0]
        got = ours(row)
        signed = row["scheme"] != "fp8_1x128"
        theirs = unb64(row["codes"], np.uint8)
        bad += wrong(theirs + np.uint8(8) if signed else theirs, got.codes)
        bad += wrong(unb64(row["scale"], F32), got.scale)
        if got.zero is not None:
            bad += wrong(unb64(row["zero"], np.int8) + 8, got.zero)
        assert row["values"] == digest(got.values + F32(0) if signed else got.values), row["scheme"]
        checked += got.codes.size
    verified("blocks: recorded FP8 1x128, INT4 g128 and INT4 g32 results", checked, bad, against("compressed-tensors"))


def test_nf4_equals_bitsandbytes(verified):
    """The code of every number, its scale, and the number that comes back."""
    row = rows("bitsandbytes", "nf4")[0].values[0]
    got = ours(row)
    bad = wrong(unb64(row["codes"], np.uint8), got.codes) + wrong(unb64(row["scale"], F32), got.scale)
    assert row["values"] == digest(got.values)
    verified("blocks: recorded NF4 results", got.codes.size, bad, against("bitsandbytes"))


def test_q4_0_and_q8_0_equal_gguf(verified):
    """Every byte of the 18 is gguf's, and of the 34 of Q8_0."""
    checked = bad = 0
    for scheme in ("q4_0", "q8_0"):
        row = rows("gguf", scheme)[0].values[0]
        raw = unb64(row["bytes"], np.uint8)
        bad += wrong(raw, stored_bytes(scheme, INPUT.reshape(-1, 32)))
        assert row["values"] == digest(codec.quantize(scheme, INPUT.reshape(-1, 32)).values)
        checked += raw.size
    verified("blocks: recorded Q4_0 and Q8_0 results", checked, bad, against("gguf"))


def test_q8_0_rounds_as_c_does():
    """A half goes away from zero; the float just below a half goes to 0, as roundf has it."""
    below = np.nextafter(F32(0.5), F32(0))
    block = np.zeros((1, 32), F32)
    block[0, :5] = [127, below, -below, 0.5, -0.5]
    assert codec.quantize("q8_0", block).elements[0, :5].tolist() == [127, 0, 0, 1, -1]


# ---------------------------------------------------------------- ggml, MLX, HQQ, Four over Six


def stored_bytes(scheme: str, x: np.ndarray, gguf: bool = False) -> np.ndarray:
    """Every block as it stands in a file of GGUF: (blocks, bytes)."""
    made = codec.quantize(scheme, x, "floor", gguf=gguf)
    found = []
    for b, codes in enumerate(made.codes.tolist()):
        one = codec.Blocks(*(None if part is None else part[b : b + 1] for part in made))
        beside, packing = scale_bytes(scheme, one, 0), "halves" if gguf else scheme_rows.PLAYED[scheme].packings[0]
        packed = np.concatenate([pack_elements(scheme, packing, part)["bytes"] for part in pieces(scheme, codes)])
        if scheme == "q6_k":  # the low bits of both halves stand before the high bits
            half = packed.reshape(2, 96)
            packed = np.concatenate([half[:, :64].reshape(-1), half[:, 64:].reshape(-1)])
        found.append([*packed, *beside] if scheme == "q6_k" else [*beside, *packed])
    return np.array(found, np.uint8)


def pieces(scheme: str, codes: list[int]) -> list[list[int]]:
    """The codes of a super-block in the parts that are packed alike, which are what the page draws."""
    size = scheme_rows.PLAYED[scheme].shown
    return [codes[i : i + size] for i in range(0, len(codes), size)]


def test_ggml_writes_the_same_bytes(verified):
    """Q4_K, Q6_K, IQ4_NL, NVFP4, MXFP4, Q4_0, Q8_0: every byte that ggml writes, and every value it reads."""
    checked = bad = 0
    for param in rows("ggml"):
        row = param.values[0]
        gguf = row["scheme"] == "gguf_mxfp4"
        scheme = "mxfp4" if gguf else row["scheme"]
        x = SETS[row["input"]].reshape(-1, SIZE[scheme])
        raw = unb64(row["bytes"], np.uint8)
        bad += wrong(raw, stored_bytes(scheme, x, gguf))
        assert row["values"] == digest(codec.quantize(scheme, x, "floor", gguf=gguf).values), (scheme, row["input"])
        checked += raw.size
    verified("blocks: bytes of Q4_K, Q6_K, IQ4_NL, NVFP4, MXFP4, Q4_0 and Q8_0", checked, bad, against("ggml"))


def test_nf4_double_quantization_equals_bitsandbytes(verified):
    """Codes, indices of the scales, their mean and their FP32, the table of 256 numbers, and the values."""
    row = rows("bitsandbytes", "nf4_dq")[0].values[0]
    got = ours(row)
    bad = wrong(unb64(row["codes"], np.uint8), got.codes) + wrong(unb64(row["scale"], np.uint8), got.scale_code)
    bad += wrong(unb64(row["second"], F32), got.second)
    assert unb64(row["book"], F32).tolist() == scheme_rows.BOOKS["dynamic8"]
    assert row["values"] == digest(got.values)
    checked = got.codes.size + got.scale_code.size
    verified("blocks: recorded NF4 double quantization", checked, bad, against("bitsandbytes"))


def test_mlx_equals_mlx(verified):
    """Affine groups of 64: codes, scales, biases, values. Its MXFP4 rounds scales up and ties to the smaller code."""
    row = rows("mlx", "mlx_4bit")[0].values[0]
    raw, x = unb64(row["bytes"], np.uint8), INPUT.reshape(-1, 64)[:-1]
    got = codec.quantize("mlx_4bit", x)
    bad = wrong(np.stack([raw & 15, raw >> 4], axis=-1), got.codes) + wrong(unb64(row["scale"], F32), got.scale)
    bad += wrong(unb64(row["zero"], F32), got.second)
    assert row["values"] == digest(got.values)
    other = rows("mlx", "mxfp4")[0].values[0]
    raw = unb64(other["bytes"], np.uint8)
    four = codec.quantize("mxfp4", x.reshape(-1, 32), "rceil", gguf=True)
    bad += wrong(np.stack([raw & 7, raw >> 4 & 7], axis=-1), four.codes & 7)  # MLX keeps the sign of a zero
    bad += wrong(unb64(other["scale"], np.uint8), four.scale_code)
    verified("blocks: recorded MLX 4-bit and MXFP4 results", got.codes.size + four.codes.size, bad, against("mlx"))


def test_hqq_equals_hqq(verified):
    """HQQ's start, before its optimizer: codes, scales, float zero points and values."""
    row = rows("hqq")[0].values[0]
    got = ours(row)
    bad = wrong(unb64(row["codes"], np.uint8), got.codes) + wrong(unb64(row["scale"], F32), got.scale)
    bad += wrong(unb64(row["zero"], F32), got.second)
    assert row["values"] == digest(got.values)
    verified("blocks: recorded HQQ results", got.codes.size, bad, against("hqq"))


def test_four_over_six_equals_fouroversix(verified):
    """Under either tensor scale the same blocks take 4 in place of 6, with the same codes and block scales."""
    checked = bad = 0
    for param in rows("fouroversix"):
        row = param.values[0]
        got = ours(row)
        bad += wrong(unb64(row["codes"], np.uint8), got.codes) + wrong(unb64(row["scale"], np.uint8), got.scale_code)
        facts = scheme_rows.PLAYED[row["scheme"]].facts
        assert unb64(row["second"], F32)[0] == codec.nvfp4_tensor_scale(np.abs(blocks_of(row)).max(), facts)
        checked += got.codes.size
    verified("blocks: recorded Four over Six results", checked, bad, against("fouroversix"))


def test_int8_per_channel_equals_compressed_tensors(verified):
    """Codes in two's complement, FP32 scales, values."""
    row = rows("compressed-tensors", "int8_channel")[0].values[0]
    got = ours(row)
    bad = wrong(unb64(row["codes"], np.uint8), got.codes) + wrong(unb64(row["scale"], F32), got.scale)
    assert row["values"] == digest(got.values + F32(0))
    verified("blocks: recorded INT8 per channel results", got.codes.size, bad, against("compressed-tensors"))
