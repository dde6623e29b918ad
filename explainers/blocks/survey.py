"""How often blocks clip and how large the error is under each scale rule: many blocks of two samples."""

from __future__ import annotations

import numpy as np

from cutaway.explainers.blocks import codec
from cutaway.explainers.blocks.samples import sample


def survey(blocks: int = 2048) -> dict:
    """Scheme -> sample -> rule -> [share of blocks whose largest number clips, mean squared error]."""
    out: dict = {}
    for scheme in codec.MX:
        for kind in ("bell", "heavy"):
            x = sample(kind, 0, 32 * blocks).astype(np.float32).reshape(blocks, 32)
            for rule in codec.RULES:
                made = codec.quantize(scheme, x, rule)
                error = np.mean((made.values.astype(np.float64) - x) ** 2)
                cell = [round(float(made.clipped.any(axis=1).mean()), 4), float(f"{error:.3g}")]
                out.setdefault(scheme, {}).setdefault(kind, {})[rule] = cell
    return out
