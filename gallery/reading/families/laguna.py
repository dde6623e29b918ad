"""Laguna: query heads that differ layer by layer, one gate per head, a router with a trained bias, a shared expert."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family


def full(r: Reading, index: int) -> object:
    """Half of a head is rotated where no rope_parameters say otherwise."""
    said = r.facts.text.get("rope_parameters")
    return attention(r, index) if said else attention(r, index, rotary_dim=r.facts.need("head_dim") // 2)


def prepare(r: Reading) -> None:
    """The first layer is dense where no key says otherwise."""
    if not r.facts.has("mlp_layer_types") and not r.facts.has("mlp_only_layers"):
        r.facts.defaults["first_k_dense_replace"] = 1


FAMILY = Family(
    source="transformers 5.23.0, models/laguna",
    windowed=True,
    qk_norm="head",
    every_layer="full",
    mixers={"full": full},
    prepare=prepare,
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
