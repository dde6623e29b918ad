"""A row -> what the copy of the config at hand lacks, in sentences: what its page then prints is not the file's."""

from __future__ import annotations

import re

from cutaway.gallery.catalog.models import CatalogModel
from cutaway.gallery.reading.assumed import bases
from cutaway.gallery.spec import ModelSpec

PACKED = re.compile(r"FP8|NVFP4|MXFP4|w\d+a\d+|AWQ|GPTQ|Int[48]", re.IGNORECASE)


def _keys(row: CatalogModel, spec: ModelSpec) -> str:
    missing = row.source.get("lacks", ())
    if not missing:
        return ""
    drawn = f" (base {' and '.join(f'{base:,.0f}' for base in bases(spec))})" if "rope_theta" in missing else ""
    stand = "default is used" if len(missing) == 1 else "defaults are used"
    return f"Not in the copy of the config at hand: {', '.join(missing)}. The class's {stand}{drawn}."


def _packing(row: CatalogModel, spec: ModelSpec) -> str:
    word = PACKED.search(row.slug)
    if not word or spec.quantization:
        return ""
    return (
        f"The name says {word[0]}, but the copy of the config at hand has no quantization_config: weights are counted "
        "in 16 bits."
    )


def _exceptions(row: CatalogModel, spec: ModelSpec) -> str:
    """NVIDIA's sidecar may have come without the list of what is not quantized."""
    q = spec.quantization
    if not q or q.method != "modelopt" or q.ignore or q.overrides or q.only_experts:
        return ""
    return (
        "The copy of the config at hand lacks exclude_modules, the list of modules that stay in 16 bits: every matrix "
        "is shown and counted as quantized. Such copies usually keep some in 16 bits, as the head and attention."
    )


def list_missing(row: CatalogModel, spec: ModelSpec) -> tuple[str, ...]:
    """What a reader of a row's page has to know of its copy."""
    return tuple(filter(None, (rule(row, spec) for rule in (_keys, _packing, _exceptions))))
