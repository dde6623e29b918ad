"""run(spec, tensors, tokens) -> logits: the graphs of a model computed in numpy, node by node, slow and obvious.

The only room that needs numpy; everything else of the gallery runs without it.
"""

from __future__ import annotations

from gallery.running.interpreter import run

__all__ = ["run"]
