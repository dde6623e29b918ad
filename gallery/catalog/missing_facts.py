"""A row -> what the copy of the config at hand lacks, in sentences: what its page then prints is not the file's."""

from __future__ import annotations

import re

from cutaway.gallery.catalog.model_row import CatalogModel
from cutaway.gallery.joined import join_words
from cutaway.gallery.reading.assumed import bases
from cutaway.gallery.spec import ModelSpec

PACKED = re.compile(r"FP8|NVFP4|MXFP4|w\d+a\d+|AWQ|GPTQ|Int[48]", re.IGNORECASE)


def _keys(row: CatalogModel, spec: ModelSpec) -> str:
    missing = row.source.get("lacks", ())
    if not missing:
        return ""
    drawn = f" (RoPE base {' and '.join(f'{base:,.0f}' for base in bases(spec))})" if "rope_theta" in missing else ""
    stand = "default of the class is" if len(missing) == 1 else "defaults of the class are"
    return f"Our copy of the config lacks {join_words(missing)}; the {stand} used instead{drawn}."


def _context(row: CatalogModel, spec: ModelSpec) -> str:
    """A context is a fact only where a file or a card says it."""
    if not row.reconstructed or spec.max_position_embeddings or not bases(spec):
        return ""
    return "Our copy of the config does not say how long a context the model is made for."


def _packing(row: CatalogModel, spec: ModelSpec) -> str:
    word = PACKED.search(row.slug)
    if not word or spec.quantization:
        return ""
    return (
        f"The name says {word[0]}, but our copy of the config has no quantization_config, so weights are counted in "
        "16 bits."
    )


def _exceptions(row: CatalogModel, spec: ModelSpec) -> str:
    """NVIDIA's sidecar may have come without the list of what is not quantized."""
    q = spec.quantization
    if not q or q.method != "modelopt" or q.ignore or q.overrides or q.only_experts:
        return ""
    return (
        "Our copy of the config lacks exclude_modules, the list of modules that stay in 16 bits, so every matrix is "
        "shown and counted as quantized. Models in this format usually keep some modules, such as the output head and "
        "attention, in 16 bits."
    )


def list_missing(row: CatalogModel, spec: ModelSpec) -> tuple[str, ...]:
    """What a reader of a row's page has to know of its copy."""
    return tuple(filter(None, (rule(row, spec) for rule in (_keys, _context, _packing, _exceptions))))
