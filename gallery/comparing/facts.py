"""A spec -> what is structural in it, as (field, value) pairs: how many differ settles ties and near-clones."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from typing import Any

from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.sublayers import parts_of

FRAME = ("hidden_size", "vocab_size", "num_hidden_layers", "max_position_embeddings", "tie_word_embeddings",
         "head_bias", "embedding_size", "has_head", "bidirectional", "loops", "final_norm", "residual",
         "logits_softcap", "logits_multiplier", "embedding_multiplier")  # fmt: skip
POINTERS = ("kv_source", "weights_of", "adapter", "router_from")  # which other layer a part reads: no structure
LIGHT = ("vocab_size", "max_position_embeddings", "scale", "rope")  # what near-clones may differ in at any time

Facts = frozenset[tuple[str, Any]]


def leaf(name: str, value: Any) -> Any:
    """A field's value, pointers to other layers as yes or no."""
    return (value is not None and value != ()) if name in POINTERS else value


def facts(spec: ModelSpec) -> Facts:
    """Everything structural, each field of each sort of part once with all the values it takes."""
    out: dict[str, Any] = {name: getattr(spec, name) for name in FRAME}
    for half in ("mixer", "mlp"):
        counts: Counter[str] = Counter()
        values: dict[str, set] = {}
        seen: set[int] = set()
        for layer in spec.layers:
            for part in parts_of(getattr(layer, half)):
                kind = type(part).__name__
                counts[kind] += 1
                if id(part) in seen:
                    continue
                seen.add(id(part))
                for one in fields(part):
                    values.setdefault(f"{half}.{kind}.{one.name}", set()).add(leaf(one.name, getattr(part, one.name)))
        out |= {name: frozenset(held) for name, held in values.items()}
        out |= {f"layers.{kind}": number for kind, number in counts.items()}
    out["norms"] = tuple(dict.fromkeys(norm for layer in spec.layers for norm in layer.norms))
    out["parallel"] = any(layer.parallel for layer in spec.layers)
    out["extras"] = frozenset(one.kind for layer in spec.layers for one in layer.extras)
    out["extras.model"] = frozenset(one.kind for one in spec.extras)
    out["mtp"] = len(spec.mtp)
    return frozenset(out.items())


def differing_fields(a: Facts, b: Facts) -> set[str]:
    """The fields in which two differ."""
    return {name for name, _ in a ^ b}


def only_light(a: Facts, b: Facts) -> bool:
    """Whether nothing but vocabulary, context or scale differs."""
    return bool(a and b) and all(name.rpartition(".")[2] in LIGHT for name in differing_fields(a, b))
