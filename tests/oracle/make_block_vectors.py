"""Once: what other people's quantizers do with the same 4,096 and 16,384 numbers -> tests/oracle/block_vectors.json.

The test suite only reads the JSON. To make it anew, in a virtual environment outside this repository:

    pip install torch==2.13.0
    pip install torchao==0.18.0 gfloat==0.5.2 gguf==0.19.0 compressed-tensors==0.20.0 bitsandbytes==0.50.2
    pip install nvidia-modelopt==0.47.0 hqq==0.2.8.post1 mlx==0.32.4 mlx-cpu==0.32.4
    pip install fouroversix==0.1.0 libggml-python==0.20.2.post1
    python tests/oracle/make_block_vectors.py

(torch first and from its CPU index, or the others pull CUDA.) Arrays are base64 of little-endian bytes.
"""

import base64
import hashlib
import importlib.metadata
import json
from pathlib import Path

import block_vectors_more as more
import gguf
import numpy as np
import torch
from bitsandbytes import functional as bnb
from compressed_tensors.quantization import QuantizationArgs
from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
from compressed_tensors.quantization.utils.mxfp_utils import generate_mx_scales
from gfloat import BlockFormatInfo, RoundMode, compute_scale_amax, formats, quantize_block
from modelopt.torch.quantization.qtensor.mxfp4_tensor import MXFP4QTensor
from modelopt.torch.quantization.qtensor.nvfp4_tensor import NVFP4QTensor
from torchao.prototype.mx_formats.config import ScaleCalculationMode
from torchao.prototype.mx_formats.mx_tensor import MXTensor
from torchao.prototype.mx_formats.nvfp4_tensor import nvfp4_quantize, per_tensor_amax_to_scale

SEED, WIDE_SEED = 20261120, 20261128
OUT = Path(__file__).with_name("block_vectors.json")
MX = {
    "mxfp8_e4m3": torch.float8_e4m3fn,
    "mxfp8_e5m2": torch.float8_e5m2,
    "mxfp6_e2m3": "fp6_e2m3",
    "mxfp6_e3m2": "fp6_e3m2",
    "mxfp4": torch.float4_e2m1fn_x2,
}
GFLOAT = {
    "mxfp8_e4m3": formats.format_info_mxfp8_e4m3,
    "mxfp8_e5m2": formats.format_info_mxfp8_e5m2,
    "mxfp6_e2m3": formats.format_info_mxfp6_e2m3,
    "mxfp6_e3m2": formats.format_info_mxfp6_e3m2,
    "mxfp4": formats.format_info_mxfp4_e2m1,
    "mxint8": formats.format_info_mxint8,
}


def inputs() -> np.ndarray:
    """128 blocks of 32: bells, heavy tails, wide exponents, exact ties, thresholds of the rules, a block of zeros."""
    rng = np.random.default_rng(SEED)
    bell = rng.standard_normal((40, 32))
    heavy = rng.standard_t(4, (40, 32))
    wide = rng.standard_normal((16, 32)) * 2.0 ** rng.integers(-20, 12, (16, 1))
    ties = rng.integers(-31, 32, (15, 32)) / 4 * 2.0 ** rng.integers(-3, 4, (15, 1))
    tops = rng.uniform(-1, 1, (16, 32))
    tops[:, 3] = [1, 1.5, 1.75, 1.9375, 2, 3, 3.5, 6, 7, 7.5, 7.75, 448, 480, 28, 57344, 0.4375]
    blocks = np.concatenate([bell, heavy, wide, ties, tops, np.zeros((1, 32))]).astype(np.float32)
    blocks[blocks == 0] = 0.0  # no -0: libraries disagree about its sign
    return blocks


def b64(array) -> str:
    """Raw little-endian bytes as text."""
    array = array.numpy() if isinstance(array, torch.Tensor) else np.asarray(array)
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def digest(values) -> str:
    """Dequantized float32 values as a hash, +0 and -0 told apart."""
    return hashlib.sha256(np.ascontiguousarray(np.asarray(values, np.float32)).tobytes()).hexdigest()


def low_first(packed) -> np.ndarray:
    """Packed nibbles -> one code per element, the low nibble being the first."""
    packed = np.asarray(packed, np.uint8)
    return np.stack([packed & 15, packed >> 4], axis=-1).reshape(*packed.shape[:-1], -1)


def row(tool: str, scheme: str, rule: str = "", note: str = "", **arrays) -> dict:
    """One recorded run."""
    return {"tool": tool, "scheme": scheme, "rule": rule, "note": note, **arrays}


def torchao_mx(x: torch.Tensor):
    for scheme, element in MX.items():
        for rule in ("floor", "ceil", "rceil", "even"):
            made = MXTensor.to_mx(x, element, 32, scaling_mode=ScaleCalculationMode[rule.upper()])
            raw = made.qdata.view(torch.uint8).numpy()
            codes = low_first(raw) if scheme == "mxfp4" else raw
            values = digest(made.dequantize(torch.float32))
            yield row("torchao", scheme, rule, codes=b64(codes), scale=b64(made.scale.view(torch.uint8)), values=values)


def gfloat_mx(x: np.ndarray):
    for scheme, info in GFLOAT.items():
        assert isinstance(info, BlockFormatInfo)
        blocks = [
            quantize_block(info, block.astype(np.float64), compute_scale_amax, RoundMode.TiesToEven) for block in x
        ]
        yield row("gfloat", scheme, "floor", values=digest(blocks))


def modelopt(x: torch.Tensor):
    made, scale = MXFP4QTensor.quantize(x, 32)
    ties = "ties go to the smaller magnitude"
    codes = low_first(made._quantized_data)
    yield row("nvidia-modelopt", "mxfp4", "rceil", ties, codes=b64(codes), scale=b64(scale))
    y = x.reshape(-1, 16)[:-2]  # without the block of zeros
    made, scale, second = NVFP4QTensor.quantize(y.clone(), 16)
    values = made.dequantize(dtype=torch.float32, scale=scale, double_scale=second, block_sizes={-1: 16})
    arrays = {"codes": b64(low_first(made._quantized_data)), "scale": b64(scale.view(torch.uint8))}
    yield row("nvidia-modelopt", "nvfp4", "", second=b64(second.reshape(1)), values=digest(values), **arrays)


def torchao_nvfp4(x: torch.Tensor):
    y = x.reshape(-1, 16)[:-2].contiguous()
    second = per_tensor_amax_to_scale(y.abs().max())
    scale, packed = nvfp4_quantize(y, 16, second)
    note = "clamps block scales to 2^-6 from below; multiplies by a reciprocal"
    arrays = {"codes": b64(low_first(packed)), "scale": b64(scale.view(torch.uint8)), "second": b64(second.reshape(1))}
    yield row("torchao", "nvfp4", "", note, **arrays)


def compressed(x: torch.Tensor):
    tool = "compressed-tensors"
    amax = x.abs().amax(-1)
    for bits, scheme in ((4, "mxfp4"), (6, "mxfp6_e2m3")):
        scale = generate_mx_scales(amax[:-1], bits).to(torch.uint8)
        yield row(tool, scheme, "even", "scales only; without the block of zeros", scale=b64(scale))
    from compressed_tensors.quantization.lifecycle.forward import dequantize, quantize

    for scheme, size, args in (
        ("fp8_1x128", 128, {"num_bits": 8, "type": "float"}),
        ("int4_gptq", 128, {"num_bits": 4, "type": "int", "symmetric": False, "scale_dtype": torch.float16}),
        ("int4_g32", 32, {"num_bits": 4, "type": "int", "scale_dtype": torch.bfloat16}),
    ):
        y = x.reshape(-1, size)[: -1 if size == 32 else None]
        options = QuantizationArgs(strategy="group", group_size=size, **args)
        scale, zero = calculate_qparams(y.amin(-1, keepdim=True), y.amax(-1, keepdim=True), options)
        dtype = torch.float8_e4m3fn if options.type == "float" else torch.int8
        codes = quantize(y, scale, zero, options, dtype=dtype)
        values = dequantize(codes, scale, zero, options)
        arrays = {"codes": b64(codes.view(torch.uint8)), "scale": b64(scale), "zero": b64(zero.to(torch.int8))}
        yield row(tool, scheme, "", "", values=digest(values), **arrays)
    y = x.reshape(-1, 1024)
    options = QuantizationArgs(num_bits=8, type="int", strategy="channel")
    scale, zero = calculate_qparams(y.amin(-1, keepdim=True), y.amax(-1, keepdim=True), options)
    codes = quantize(y, scale, zero, options, dtype=torch.int8)
    arrays = {"codes": b64(codes.view(torch.uint8)), "scale": b64(scale)}
    yield row(tool, "int8_channel", "", values=digest(dequantize(codes, scale, zero, options)), **arrays)
    divisor = generate_gparam(x.reshape(-1, 16).min(), x.reshape(-1, 16).max())
    yield row(tool, "nvfp4", "", "the tensor's scale is stored as its reciprocal", second=b64(divisor.reshape(1)))


def others(x: torch.Tensor):
    flat = x.reshape(-1, 64).contiguous()
    packed, state = bnb.quantize_4bit(flat, blocksize=64, quant_type="nf4")
    codes = np.stack([packed.numpy() >> 4, packed.numpy() & 15], axis=-1).reshape(-1, 64)
    values = digest(bnb.dequantize_4bit(packed, state))
    yield row("bitsandbytes", "nf4", "", codes=b64(codes), scale=b64(state.absmax), values=values)
    for scheme, kind in (("q4_0", "Q4_0"), ("q8_0", "Q8_0"), ("gguf_mxfp4", "MXFP4")):
        kind = gguf.GGMLQuantizationType[kind]
        raw = gguf.quants.quantize(x.numpy(), kind)
        values = digest(gguf.quants.dequantize(raw, kind))
        note = "" if scheme != "gguf_mxfp4" else "ties go to the smaller magnitude"
        yield row("gguf", scheme, "", note, bytes=b64(raw), values=values)


def recorded(found: dict) -> dict:
    """A run of block_vectors_more: arrays as text, values as a hash."""
    kept = {key: value for key, value in found.items() if key not in ("tool", "scheme", "values")}
    arrays = {key: value if isinstance(value, str) else b64(value) for key, value in kept.items()}
    values = {"values": digest(found["values"])} if "values" in found else {}
    return row(found["tool"], found["scheme"], **arrays, **values)


def main() -> None:
    x, wide = inputs(), more.wide_inputs(WIDE_SEED)
    t = torch.from_numpy(x)
    rows = [*torchao_mx(t), *gfloat_mx(x), *modelopt(t), *torchao_nvfp4(t), *compressed(t), *others(t)]
    runs = [*more.ggml({"input": x, "wide": wide}), *more.double_quantized(torch.from_numpy(wide.astype(np.float32)))]
    rows += map(recorded, [*runs, *more.with_mlx(x), *more.with_hqq(t), *more.adaptive(t)])
    names = ("torch", "torchao", "gfloat", "gguf", "compressed-tensors", "bitsandbytes", "nvidia-modelopt", "numpy")
    names += ("mlx", "hqq", "fouroversix", "libggml-python")
    versions = {name: importlib.metadata.version(name) for name in names}
    versions["ggml"] = more.libggml().ggml_version().decode()
    head = {"made_by": "tests/oracle/make_block_vectors.py", "seed": SEED, "versions": versions, "input": b64(x)}
    head["wide"] = b64(wide)
    OUT.write_text(json.dumps({**head, "rows": rows}, indent=0) + "\n")
    print(f"{len(rows)} rows, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
