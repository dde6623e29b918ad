"""Casts as people call them: a format and doubles -> what a library makes of them, as doubles, or its error."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

Cast = Callable[[str, np.ndarray], Any]


def cast_of(library: str, run: dict[str, Cast] | None = None) -> Cast:
    """The cast of a row of policies.py, by how the library's name there begins."""
    casts = run or RUN
    return casts[max((name for name in casts if library.startswith(name)), key=len)]


def ml(name: str, x: np.ndarray) -> np.ndarray:
    """astype of numpy, from float64, to one of ml_dtypes' types or to one of its own."""
    import ml_dtypes

    with np.errstate(all="ignore"):
        return x.astype(getattr(ml_dtypes, name, name)).astype(np.float64)


def torch(name: str, x: np.ndarray) -> np.ndarray:
    """to() from float64: in one long tensor, and number by number; both are the same."""
    import torch

    kind = getattr(torch, name)
    long = torch.from_numpy(x).to(kind).to(torch.float64).numpy()
    short = np.array([torch.tensor(float(one), dtype=torch.float64).to(kind).to(torch.float64).item() for one in x])
    assert np.array_equal(long, short, equal_nan=True), name
    return long


def gfloat(saturates: bool) -> Cast:
    import gfloat

    from tests import gfloats
    from tests.explainers.bits_oracle import FORMATS

    def cast(name: str, x: np.ndarray) -> list[float | str]:
        return [one(gfloats.info(FORMATS[name]), float(v)) for v in x]

    def one(info: Any, v: float) -> float | str:
        try:
            return gfloat.round_float(info, v, sat=saturates)
        except ValueError:
            return "ValueError"

    return cast


def xla(name: str, x: np.ndarray) -> np.ndarray:
    """lax.reduce_precision of what jnp.asarray makes of doubles without x64: float32."""
    import jax

    assert name == "tf32" and not jax.config.jax_enable_x64
    reduced = jax.jit(lambda v: jax.lax.reduce_precision(v, 8, 10))(jax.numpy.asarray(x))
    return np.asarray(reduced).astype(np.float64)


@cache
def graph(node: str, given: str, kept: str, **options: int) -> Any:
    """One ONNX node from x (and a scale of 1, and a zero point of 0), and a Cast of what it makes to float."""
    from onnx import TensorProto, helper

    kinds = [getattr(TensorProto, one) for one in (given, kept)]
    floats = node == "Cast"
    first = helper.make_node(node, ["x"] if floats else ["x", "s", "z"], ["y"], **options)
    back = helper.make_node("Cast" if floats else "DequantizeLinear", ["y"] if floats else ["y", "s", "z"], ["out"],
                            **({"to": TensorProto.FLOAT} if floats else {}))  # fmt: skip
    constants = (
        []
        if floats
        else [helper.make_tensor("s", TensorProto.FLOAT, [], [1.0]), helper.make_tensor("z", kinds[1], [], [0])]
    )
    value = helper.make_tensor_value_info
    body = helper.make_graph([first, back], "casts", [value("x", kinds[0], [None])],
                             [value("out", TensorProto.FLOAT, [None])], constants)  # fmt: skip
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def onnx_cast(saturate: int) -> Cast:
    def cast(name: str, x: np.ndarray) -> np.ndarray:
        from onnx import TensorProto
        from onnx.reference import ReferenceEvaluator

        kept = name.replace("float8_", "FLOAT8").upper()
        with np.errstate(all="ignore"):
            model = graph("Cast", "DOUBLE", kept, to=getattr(TensorProto, kept), saturate=saturate)
            return ReferenceEvaluator(model).run(None, {"x": x})[0].astype(np.float64)

    return cast


def onnx_quantize(name: str, x: np.ndarray) -> np.ndarray:
    """onnxruntime: the reference evaluator goes through int32, and past it 1e10 becomes the lowest number."""
    import onnxruntime

    model = graph("QuantizeLinear", "FLOAT", name.upper())
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    with np.errstate(all="ignore"):
        return session.run(None, {"x": x.astype(np.float32)})[0].astype(np.float64)


def bitsandbytes(name: str, x: np.ndarray) -> np.ndarray:
    """quantize_4bit of float32: a block of 64 for each number, which ends in 1, so that nothing is scaled."""
    import torch
    from bitsandbytes import functional

    blocks = torch.zeros(len(x), 64)
    blocks[:, 0], blocks[:, -1] = torch.from_numpy(x).float(), 1
    packed, _ = functional.quantize_4bit(blocks.flatten(), blocksize=64, quant_type=name)
    entries = functional.get_4bit_type(name, device="cpu").double().numpy()
    return entries[(packed.reshape(-1, 32)[:, 0] >> 4).numpy()]


RUN: dict[str, Cast] = {
    "ml_dtypes": ml,
    "numpy": ml,
    "torch": torch,
    "XLA ReducePrecision": xla,
    "ONNX Cast, saturate=1": onnx_cast(1),
    "ONNX Cast, saturate=0": onnx_cast(0),
    "ONNX QuantizeLinear": onnx_quantize,
    "gfloat 0.5.2, sat=False": lambda name, x: gfloat(False)(name, x),
    "gfloat 0.5.2, sat=True": lambda name, x: gfloat(True)(name, x),
    "bitsandbytes": bitsandbytes,
}
