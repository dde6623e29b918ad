"""Phi-3.5-MoE: Mixtral's experts behind a router of its own kind, LayerNorm with biases, biases on attention and head
where keys say so."""

from cutaway.gallery.reading.families.mixtral import MIXTRAL_NAMES, STATE_NAMES
from cutaway.gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/phimoe",
    windowed=True,
    defaults={"norm_eps": 1e-5, "router_jitter_noise": 0.01},
    norm="LayerNorm",
    norm_bias=True,
    scoring="sparsemixer",
    topk_first=True,
    norm_topk=False,
    names=MIXTRAL_NAMES,
    state_names=(*STATE_NAMES, ("mlp.gate", "mlp.router")),
)
