"""Catalogued models -> the sizes of their latent attention; devices -> how fast they compute and read.

A row: COLUMNS. Layers that read an earlier layer's latent keep none, and are not counted; of several sizes in one model
the one in most layers stands.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from cutaway.explainers import catalogued

COLUMNS = ("slug", "title", "heads", "rank", "rope", "nope", "v", "layers", "turned", "picked")
CHIPS = {"a100_sxm": "A100", "h100_sxm": "H100", "h200_sxm": "H200", "b200_sxm": "B200"}
OTHER = "meta-llama/Llama-3.1-70B"  # grouped heads, to compare with on many GPUs


def chips() -> list[dict]:
    """Dense BF16 FLOP/s and bytes a second, as the planner has them."""
    from cutaway.gallery.planning.devices import DEVICES

    made = []
    for key, title in CHIPS.items():
        peak, bandwidth = DEVICES[key].peaks["bfloat16"], DEVICES[key].bandwidth_bytes
        made.append({"key": key, "title": title, "peak": peak, "bandwidth": bandwidth, "ridge": peak / bandwidth})
    return made


def latents(spec: Any) -> Counter:
    """Every latent attention that keeps its own: sizes -> in how many layers."""
    from cutaway.gallery import spec as s
    from cutaway.gallery.sublayers import parts_of

    found: Counter = Counter()
    for layer in spec.layers:
        for m in parts_of(layer.mixer):
            if isinstance(m, s.LatentAttention) and m.kv_source is None:
                sizes = (m.num_attention_heads, m.kv_lora_rank, m.qk_rope_head_dim, m.qk_nope_head_dim, m.v_head_dim)
                found[*sizes, m.rope is not None, m.indexer.at_most if m.indexer else 0] += 1
    return found


def row(spec: Any) -> list | None:
    """The sizes in most layers; None where a model has no latent attention."""
    found = latents(spec)
    if not found:
        return None
    (*sizes, turned, picked), layers = found.most_common(1)[0]
    return [*sizes, layers * spec.loops, int(turned), picked]


def rows() -> list[list]:
    """Every catalogued model with latent attention; a variant only where it differs from its base."""
    from cutaway.gallery import catalog

    return catalogued.rows(catalog.drawable_rows(), row)


def grouped_model() -> dict:
    """The model that is compared with: its key/value heads, and bytes a token keeps in all layers."""
    from cutaway.gallery import catalog
    from cutaway.gallery.counting.memory import memory
    from cutaway.gallery.spec import Attention

    spec = catalog.spec(OTHER)
    mixer = spec.layers[0].mixer
    assert isinstance(mixer, Attention)
    return {
        "title": catalog.BY_SLUG[OTHER].title,
        "pairs": mixer.num_key_value_heads,
        "bytes": memory(spec, 1).total_bytes,
    }
