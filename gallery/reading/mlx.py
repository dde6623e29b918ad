"""What MLX writes of quantization, which names no tool: a group and bits -> what is known of the scheme."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.reading.config_groups import size_of
from cutaway.gallery.reading.text_part import short

SCALES = 16  # bits of MLX's scale, and of its bias: the dtype of the weights


def is_mlx(raw: Mapping) -> bool:
    """Whether mlx_lm wrote it: a group and bits, and nobody named."""
    named = any(key in raw for key in ("quant_method", "quant_algo", "config_groups"))
    return not named and all(type(raw.get(key)) is int for key in ("group_size", "bits"))


def is_module(key: object, value: object) -> bool:
    """Whether an entry is MLX's word on one module: its own group and bits, or whether it is quantized at all."""
    return isinstance(value, Mapping) or (isinstance(value, bool) and "." in str(key))


def mlx(raw: Mapping) -> tuple[str, dict]:
    """MLX: all linear layers, embedding and head in groups; "affine" has a scale and a bias for each group."""
    bits, size, mode = raw["bits"], size_of(raw), raw.get("mode", "affine")
    what = f"{bits} bits in groups of {size or 'unknown size'}"
    if mode == "affine" and size and 0 < bits <= 16:
        what += f" with a 16-bit scale and bias, {bits + 2 * SCALES / size:g} bits a weight"
    own = sum(is_module(key, value) for key, value in raw.items())
    but = f"; {own:,} modules have entries of their own" if own else ""
    sentence = (
        f"MLX's {short(mode, 20)} quantization ({what}, embedding and head too{but}) is no scheme known here; "
        "weights are counted in the model's dtype."
    )
    return "", {"activations": "none", "group_size": size, "not_understood": (sentence,)}
