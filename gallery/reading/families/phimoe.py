"""Phi-3.5-MoE: Mixtral's experts behind a router of its own kind, LayerNorm with biases, biases on attention and head
where keys say so."""

from collections.abc import Mapping
from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.mixtral import MIXTRAL_NAMES, STATE_NAMES
from cutaway.gallery.reading.family import Family
from cutaway.gallery.spec import Attention


def prepare(r: Reading) -> None:
    """PhimoeRotaryEmbedding asks for its frequencies without a length, and gets those of short texts for all."""
    said = r.facts.text.get("rope_scaling") or r.facts.text.get("rope_parameters") or {}
    if isinstance(said, Mapping) and said.get("long_factor") not in (None, said.get("short_factor")):
        r.contradict(
            "longrope", "long_factor is not read by transformers' class: it turns long texts by short_factor too."
        )


def full(r: Reading, index: int) -> Attention:
    """With as_class, texts of any length turn by short_factor; only the growth of cos and sin goes by the length."""
    made = attention(r, index, r.words[index])
    rope, said = made.rope, dict(made.rope.scaling) if made.rope else {}
    if rope is None or not r.as_class or "long_factor" not in said:
        return made
    scaling = tuple(sorted({**said, "long_factor": said["short_factor"]}.items()))
    return replace(made, rope=rope._replace(scaling=scaling))


FAMILY = Family(
    source="transformers 5.23.0, models/phimoe",
    windowed=True,
    unread={"num_experts_per_tok": 2},  # sparsemixer writes it out
    prepare=prepare,
    mixers={"full": full, "sliding": full},
    defaults={"norm_eps": 1e-5, "router_jitter_noise": 0.01},
    norm="LayerNorm",
    norm_bias=True,
    scoring="sparsemixer",
    topk_first=True,
    norm_topk=False,
    names=MIXTRAL_NAMES,
    state_names=(*STATE_NAMES, ("mlp.gate", "mlp.router")),
)
