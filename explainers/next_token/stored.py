"""Named matrices <-> weights.bin: every row as int8 with a scale of its own in float32."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

Shapes = Mapping[str, tuple[int, ...]]


def shapes(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The tensors of a llama with tied embeddings, by their names in transformers."""
    wide, inner, head = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    q, kv = config["num_attention_heads"] * head, config["num_key_value_heads"] * head
    found: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config["vocab_size"], wide)}
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        found |= {
            f"{at}input_layernorm.weight": (wide,),
            f"{at}self_attn.q_proj.weight": (q, wide),
            f"{at}self_attn.k_proj.weight": (kv, wide),
            f"{at}self_attn.v_proj.weight": (kv, wide),
            f"{at}self_attn.o_proj.weight": (wide, q),
            f"{at}post_attention_layernorm.weight": (wide,),
            f"{at}mlp.gate_proj.weight": (inner, wide),
            f"{at}mlp.up_proj.weight": (inner, wide),
            f"{at}mlp.down_proj.weight": (wide, inner),
        }
    return found | {"model.norm.weight": (wide,)}


def rows_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """(rows, numbers in a row); a vector is one row."""
    return (1, shape[0]) if len(shape) == 1 else (shape[0], prod(shape[1:]))


def pack(tensors: Mapping[str, np.ndarray]) -> bytes:
    """All scales first, then all numbers, tensor after tensor and row after row in both."""
    numbers, scales = [], []
    for array in tensors.values():
        rows = np.asarray(array, np.float32).reshape(rows_of(array.shape))
        scale = np.maximum(np.abs(rows).max(1) / np.float32(127), np.float32(1e-30))
        numbers.append(np.rint(rows / scale[:, None]).astype(np.int8))
        scales.append(scale.astype("<f4"))
    return b"".join([one.tobytes() for one in scales] + [one.tobytes() for one in numbers])


def unpack(packed: bytes, wanted: Shapes) -> dict[str, np.ndarray]:
    """The tensors again, in float32; a ValueError says how many bytes were looked for."""
    sizes = [rows_of(shape) for shape in wanted.values()]
    count, rows = sum(prod(size) for size in sizes), sum(size[0] for size in sizes)
    if len(packed) != count + 4 * rows:
        raise ValueError(f"A weights file has {len(packed):,} bytes; {count + 4 * rows:,} were looked for.")
    scales = np.frombuffer(packed, "<f4", rows)
    numbers = np.frombuffer(packed, np.int8, count, 4 * rows).astype(np.float32)
    found, at, row = {}, 0, 0
    for (name, shape), size in zip(wanted.items(), sizes, strict=True):
        made = numbers[at : at + prod(size)].reshape(size) * scales[row : row + size[0], None]
        found[name] = made.reshape(shape)
        at, row = at + prod(size), row + size[0]
    return found
