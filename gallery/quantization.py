"""quantization_config -> Quantization: one record, whatever the tool that wrote it."""

from __future__ import annotations

from collections.abc import Mapping

from .spec import Quantization


def normalise(raw: object) -> Quantization | None:
    """A first reading: the method alone."""
    if not isinstance(raw, Mapping):
        return None
    return Quantization(scheme="unknown", element="unknown", method=str(raw.get("quant_method", ""))[:40])
