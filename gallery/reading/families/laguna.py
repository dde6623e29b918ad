"""Laguna: query heads that differ layer by layer, one gate per head, a router with a trained bias, a shared expert."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """Half of a head is rotated where no rope_parameters say otherwise."""
    said = r.facts.text.get("rope_parameters")
    return attention(r, index) if said else attention(r, index, rotary_dim=r.facts.need("head_dim") // 2)


def sliding(r: Reading, index: int) -> object:
    """All of a head is, whatever partial_rotary_factor says beside them."""
    said = r.facts.text.get("rope_parameters")
    return (
        attention(r, index, "sliding") if said else attention(r, index, "sliding", rotary_dim=r.facts.need("head_dim"))
    )


FAMILY = Family(
    source="transformers 5.23.0, models/laguna",
    windowed=True,
    qk_norm="head",
    every_layer="full",
    mixers={"full": full, "sliding": sliding},
    unread={
        "mlp_only_layers": [0],
        "decoder_sparse_step": 1,
    },  # mlp_layer_types alone, or only the first layer is dense
    gate="headwise",
    gate_act="softplus",
    scoring="sigmoid",
    norm_topk=True,
    router_buffer="mlp.gate.e_score_correction_bias",
    router_trained=True,
    names=(
        ("mlp.gate.e_score_correction_bias", "mlp.experts.e_score_correction_bias"),
        ("mlp.shared_experts", "mlp.shared_expert"),
        ("self_attn.gate_proj", "self_attn.g_proj"),
    ),
    state_names=(
        ("mlp.experts.e_score_correction_bias", "mlp.gate.e_score_correction_bias"),
        ("mlp.shared_expert", "mlp.shared_experts"),
    ),
)
