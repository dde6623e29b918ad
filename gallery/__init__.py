"""Cutaway's core: a config becomes a spec, and the spec becomes weights, memory and a drawing.

`read`, `weights`, `parameters` and `memory` share their names with modules of this package. Loading those modules here,
before the names are bound, is what keeps `gallery.weights` the function whoever imports the module later.
"""

from __future__ import annotations

from . import count, memory, read, weights  # noqa: F401
from .count import parameters
from .memory import memory
from .read import read
from .spec import ConfigError, ModelSpec
from .weights import weights

__all__ = ["ConfigError", "ModelSpec", "draw", "memory", "parameters", "read", "weights"]


def draw(spec: ModelSpec, **options: object) -> str:
    """The drawing of a spec as one standalone SVG; see svg.draw for the options. Loaded when first used."""
    from .svg import draw as drawing

    return drawing(spec, **options)
