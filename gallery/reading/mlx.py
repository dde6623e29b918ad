"""What MLX writes of quantization, which names no tool: a group and bits -> what is known of the scheme."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.formats.schemes import spell
from cutaway.gallery.reading.config_groups import size_of
from cutaway.gallery.reading.quantized_tools import UNKNOWN

BITS = (2, 3, 4, 5, 6, 8)  # that mlx.core.quantize packs into words of 32 bits
OTHER = {  # mode -> key of SCHEMES: mlx.core.quantize
    "mxfp4": "mxfp4", "mxfp8": "mxfp8_e4m3", "nvfp4": spell("float4_e2m1fn", (1, 16), "float8_e4m3fn"),
}  # fmt: skip


def is_mlx(raw: Mapping) -> bool:
    """Whether mlx_lm wrote it: a group and bits, and nobody named."""
    named = any(key in raw for key in ("quant_method", "quant_algo", "config_groups"))
    return not named and all(type(raw.get(key)) is int for key in ("group_size", "bits"))


def is_module(key: object, value: object) -> bool:
    """Whether an entry is MLX's word on one module: its own group and bits, or whether it is quantized at all."""
    return isinstance(value, Mapping) or (isinstance(value, bool) and "." in str(key))


def mlx(raw: Mapping) -> tuple[str, dict]:
    """MLX: all linear layers, embedding and head in groups; a module's own entry is a word, or its group and bits."""
    parts = [(str(name)[:200], part) for name, part in raw.items() if is_module(name, part)][:50_000]
    overrides = tuple((name, mlx_row({**raw, **part}) if isinstance(part, Mapping) else mlx_row(raw) if part else "")
                      for name, part in parts)  # fmt: skip
    return mlx_row(raw), {"activations": "none", "group_size": size_of(raw), "overrides": overrides, "head": True,
                          "tables": True}  # fmt: skip


def mlx_row(raw: Mapping) -> str:
    """ "affine" has a scale and a bias for each group, both in the dtype of the weights."""
    bits, size, mode = raw["bits"], size_of(raw), raw.get("mode", "affine")
    if mode != "affine":
        return OTHER.get(str(mode), UNKNOWN)
    return spell(f"uint{bits}", (1, size), "bfloat16", zero=16) if size and bits in BITS else UNKNOWN
