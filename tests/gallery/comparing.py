"""What the tests of the comparing room share: small specs, and every drawn model that is no packing of another."""

from __future__ import annotations

from functools import cache

from cutaway.gallery import catalog
from cutaway.gallery import spec as s
from cutaway.gallery.comparing.entries import variants

FULL, WINDOW = s.Attention(8, 2, 64, 64), s.Attention(8, 2, 64, 64, sliding_window=128)
MLP, NORM = s.Dense(2048, True, "silu", False), s.Norm("mixer_in", "RMSNorm")


def model(*mixers, mlp=MLP, **more) -> s.ModelSpec:
    """A small model of these mixers."""
    layers = tuple(s.Layer(i, mixer, mlp, (NORM,)) for i, mixer in enumerate(mixers))
    return s.ModelSpec("x", "", 512, 1000, len(layers), layers, None, False, "bfloat16", None, **more)


@cache
def structures() -> dict[str, s.ModelSpec]:
    """Slug -> spec of every drawn model whose base is not drawn too."""
    packed = variants(catalog.MODELS)
    return {row.slug: catalog.spec(row.slug) for row in catalog.drawable_rows() if row.slug not in packed}
