"""The runs of make_block_vectors.py that need ggml's own library, MLX, HQQ, fouroversix, or blocks of 256 numbers.

ggml quantizes K-quants and IQ4_NL in C only; the wheel libggml-python carries that library, and ctypes calls it.
"""

import ctypes
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import gguf
import mlx.core as mlx
import numpy as np
import torch
from bitsandbytes import functional as bnb
from fouroversix.quantize import reference as four_over_six
from hqq.core.quantize import Quantizer

GGML = {"q4_k": (12, 144, 256), "q6_k": (14, 210, 256), "iq4_nl": (20, 18, 32), "gguf_mxfp4": (39, 17, 32),
        "gguf_nvfp4": (40, 36, 64), "q4_0": (2, 18, 32), "q8_0": (8, 34, 32),
        }  # type, bytes of a block, numbers of a block  # fmt: skip


def wide_inputs(seed: int) -> np.ndarray:
    """64 super-blocks of 256 FP16 numbers: bells, heavy tails, outliers, sub-blocks of far sizes, zeros, one sign."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.standard_normal((24, 256)), rng.standard_t(3, (40, 256))])
    x[8:16, ::37] *= 30
    x[16:32] *= np.repeat(2.0 ** rng.integers(-8, 5, (16, 16)), 16, axis=1)
    x[32:36, 64:96], x[36, :], x[37, 16:] = 0, 0, 0
    x[38:42] = abs(x[38:42])
    x[42:46] = -abs(x[42:46])
    x[46:50] = np.round(x[46:50] * 4) / 4
    x[50:54] *= 0.02
    stored = x.astype(np.float16)
    stored[stored == 0] = 0
    return stored


def libggml() -> ctypes.CDLL:
    """ggml's library, with the signatures that are called."""
    folder = Path(find_spec("libggml").submodule_search_locations[0])
    base = ctypes.CDLL(str(next(folder.rglob("libggml-base.so*"))))
    base.ggml_version.restype = ctypes.c_char_p
    base.ggml_quantize_chunk.restype = ctypes.c_size_t
    base.ggml_quantize_chunk.argtypes = [ctypes.c_int, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 3, ctypes.c_void_p]
    return base


def ggml(sets: dict[str, np.ndarray]) -> Iterator[dict]:
    """Bytes and values of every type, of each set of inputs, without an importance matrix."""
    base = libggml()
    for name, x in sets.items():
        for scheme, (kind, size, block) in GGML.items():
            flat = np.ascontiguousarray(x.reshape(-1, max(block, 256)), np.float32)
            raw = np.zeros(flat.size // block * size, np.uint8)
            made = base.ggml_quantize_chunk(kind, flat.ctypes.data, raw.ctypes.data, 0, *flat.shape, None)
            assert made == raw.size, scheme
            back = np.zeros(flat.size, np.float32)
            dequantize = getattr(base, f"dequantize_row_{scheme.removeprefix('gguf_').replace('_k', '_K')}")
            dequantize(ctypes.c_void_p(raw.ctypes.data), ctypes.c_void_p(back.ctypes.data), ctypes.c_int64(flat.size))
            if scheme != "gguf_nvfp4":  # and as Python's gguf reads the same bytes
                assert np.array_equal(gguf.quants.dequantize(raw, gguf.GGMLQuantizationType(kind)), back), scheme
            yield {"tool": "ggml", "scheme": scheme, "input": name, "bytes": raw, "values": back}


def double_quantized(x: torch.Tensor) -> Iterator[dict]:
    """bitsandbytes' NF4 with the scales of 256 blocks quantized once more: 16,384 numbers."""
    packed, state = bnb.quantize_4bit(x.reshape(-1, 64), blocksize=64, quant_type="nf4", compress_statistics=True)
    codes = np.stack([packed.numpy() >> 4, packed.numpy() & 15], axis=-1).reshape(-1)
    yield {"tool": "bitsandbytes", "scheme": "nf4_dq", "input": "wide", "codes": codes, "scale": state.absmax,
           "second": np.array([state.offset, *state.state2.absmax], np.float32), "book": state.state2.code,
           "values": bnb.dequantize_4bit(packed, state)}  # fmt: skip


def with_mlx(x: np.ndarray) -> Iterator[dict]:
    """MLX on the CPU: affine groups of 64, and MXFP4."""
    mlx.set_default_device(mlx.cpu)
    for scheme, size, mode in (("mlx_4bit", 64, "affine"), ("mxfp4", 32, "mxfp4")):
        y = mlx.array(x.reshape(-1, max(size, 64))[:-1])
        words, scale, *bias = mlx.quantize(y, group_size=size, bits=4, mode=mode)
        raw = np.array(words).view(np.uint8)
        row = {"tool": "mlx", "scheme": scheme, "bytes": raw, "scale": np.array(scale)}
        back = mlx.dequantize(words, scale, *bias, group_size=size, bits=4, mode=mode)
        extra = {"zero": np.array(bias[0])} if bias else {}
        yield row | extra | {"values": np.array(back.astype(mlx.float32))}


def with_hqq(x: torch.Tensor) -> Iterator[dict]:
    """HQQ's grid before its optimizer moves the zero points."""
    y = x.reshape(-1, 64)
    codes, meta = Quantizer.quantize(y, nbits=4, group_size=64, axis=1, optimize=False, bitpack=False, device="cpu")
    back = Quantizer.dequantize(codes, {**meta, "compute_dtype": torch.float32})
    yield {"tool": "hqq", "scheme": "int4_hqq", "codes": codes.to(torch.uint8), "scale": meta["scale"],
           "zero": meta["zero"], "values": back}  # fmt: skip


def adaptive(x: torch.Tensor) -> Iterator[dict]:
    """fouroversix' reference quantizer in float32, under a tensor scale that leaves block scales up to 256, or 448."""
    pack, four_over_six.to_blocked = four_over_six.quantize_bf16_to_unpacked_fp4, lambda scales: scales
    four_over_six.quantize_bf16_to_unpacked_fp4 = lambda y: pack(y.to(torch.bfloat16))
    for scheme, most in (("nvfp4_46", 256), ("nvfp4_46_448", 448)):
        y = x.reshape(-1, 16)[:-2].contiguous()
        scale = y.abs().max() / (most * 6)
        packed, scales, second = four_over_six.quantize_to_fp4(y, norm_constant=scale)
        packed = packed.numpy()
        codes = np.stack([packed & 15, packed >> 4], axis=-1).reshape(-1, 16)
        yield {"tool": "fouroversix", "scheme": scheme, "codes": codes, "scale": scales.view(torch.uint8),
               "second": second.reshape(1)}  # fmt: skip
