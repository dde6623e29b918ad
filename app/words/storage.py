"""How a model's weights are stored -> the words of its tile, its fact sheet and its quantization section."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.drawing.totals import mixed_formats
from cutaway.gallery.formats.scalar import FORMATS
from cutaway.gallery.formats.schemes import SCHEMES


def tile(spec: s.ModelSpec) -> tuple[str, str]:
    """(format, where): ("FP8 E4M3", "weights, 128 × 128 blocks"); of mixed ones that of most numbers, and the next."""
    quantization = spec.quantization
    if quantization is None:
        return format_words(spec.dtype), "weights"
    what = "expert weights" if quantization.only_experts else "weights"
    if quantization.scheme == "mixed":
        first, *others = mixed_formats(spec)
        return first, what + (f", with {others[0]}" if others else "")
    blocks = block_words(quantization)
    return short_scheme(quantization), what + (f", {blocks} blocks" if blocks else "")


def rows(q: s.Quantization) -> list[tuple[str, str]]:
    """(what, value) of quantization_config, in words; what each of mixed formats holds is a table of its own."""
    mixed = q.scheme == "mixed"
    found = [
        ("Scheme", scheme_words(q)),
        ("Element", "" if mixed else q.element),
        ("Block", "" if mixed else block_words(q)),
        ("Scale", f"{q.scale}, which dequantizing multiplies by" if q.scale and not mixed else ""),
        ("Method", q.method),
        ("Activations", q.activations),
        ("KV cache", q.kv_cache),
        ("Quantized weights", "routed experts only" if q.only_experts else ""),
        ("Not quantized", some(q.ignore)),
        ("Keys not read", some(q.unread)),
    ]
    return [row for row in found if row[1]]


def some(names: tuple[str, ...], most: int = 12) -> str:
    """A list that stays readable: the first dozen, and how many follow."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def format_words(name: str) -> str:
    """A format's own label: bfloat16 -> BF16."""
    return FORMATS[name].label if name in FORMATS else name


def block_words(quantization: s.Quantization) -> str:
    """128 × 128; nothing where the whole tensor or a whole row shares its scale."""
    shape = quantization.block_shape
    return " × ".join(str(side) for side in shape) if shape and all(shape) else ""


def short_scheme(quantization: s.Quantization) -> str:
    """For a tile: the element where the scheme is FP8, else the scheme."""
    if quantization.scheme == "fp8":
        return format_words(quantization.element)
    return scheme_words(quantization)


def scheme_words(quantization: s.Quantization) -> str:
    """A scheme's own label, or what the config calls it."""
    if quantization.scheme == "mixed":
        return "mixed formats"
    return (
        SCHEMES[quantization.row].label if quantization.row in SCHEMES else quantization.scheme or quantization.method
    )
