"""A config and another number of layers -> the config whose lists of layers say as many, going on as they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.gallery.designing.places import at, text_path
from cutaway.gallery.editing.depth import pattern
from cutaway.gallery.spec import ModelSpec

INDICES = {  # lists of layers by number -> counted from
    "mlp_only_layers": 0, "full_attn_idxs": 0, "attn_layer_indices": 0, "cross_attention_layers": 0, "moe_layers": 0,
    "local_layer_ids": 0, "kda_layers": 1, "full_attn_layers": 1, "ple_layer_ids": 1,
}  # fmt: skip


def restack(config: dict, spec: ModelSpec, count: int) -> dict:
    """The config with lists of `count` layers, each a copy of what one of its own layers has there."""
    depth, sources = len(spec.layers), pattern(spec).sources(count)
    where = text_path(config)
    return replaced(config, where, relist("", at(config, where), depth, sources))


def relist(key: str, value: Any, depth: int, sources: Sequence[int]) -> Any:
    """A value of the config for other layers: lists with an entry a layer, or of numbers of layers, follow."""
    if isinstance(value, Mapping):
        return {inner: relist(inner, one, depth, sources) for inner, one in value.items()}
    if key in INDICES and isinstance(value, list):
        base = INDICES[key]
        return [index + base for index, source in enumerate(sources) if source + base in value]
    if isinstance(value, list) and len(value) == depth > 1:
        return [value[source] for source in sources]
    if key == "hybrid_override_pattern" and isinstance(value, str) and len(value) == depth:
        return "".join(value[source] for source in sources)
    return value


def replaced(config: Mapping, path: tuple[str, ...], part: dict) -> dict:
    """The config with another part at a path."""
    if not path:
        return part
    head, *rest = path
    return {**config, head: replaced(config[head], tuple(rest), part)}
