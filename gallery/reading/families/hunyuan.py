"""Hunyuan, dense and MoE: QK-norm per head under names of its own; per-layer lists for the experts."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family


def prepare(r: Reading) -> None:
    """Cross-layer attention is a key that published models leave off."""
    if r.facts.flag("use_cla"):
        r.not_understood.append("use_cla: layers that share K and V are drawn as if each had its own.")
    r.facts.raw("cla_share_factor")


FAMILY = Family(
    source="transformers 5.23.0, models/hunyuan_v1_moe",
    defaults={"n_shared_experts": 1},
    qk_norm="head",
    qk_norm_after_rope=True,
    norm_topk=True,
    routed_scale=False,
    prepare=prepare,
    names=(
        ("self_attn.q_norm", "self_attn.query_layernorm"),
        ("self_attn.k_norm", "self_attn.key_layernorm"),
        ("mlp.gate.weight", "mlp.gate.wg.weight"),
        ("mlp.shared_experts", "mlp.shared_mlp"),
    ),
)
