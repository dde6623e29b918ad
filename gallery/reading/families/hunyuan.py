"""Hunyuan, dense and MoE: QK-norm per head under names of its own; per-layer lists for the experts."""

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family


def prepare(r: Reading) -> None:
    """Cross-layer attention is a key that published models leave off."""
    if r.facts.flag("use_cla"):
        r.not_understood.append("use_cla: layers that share K and V are drawn as if each had its own.")
    r.facts.settle("cla_share_factor")
    follow_width(r)
    if r.facts.raw("num_experts"):
        r.follow_class("first_k_dense_replace", 0)


def follow_width(r: Reading) -> None:
    """Experts of transformers' class are intermediate_size wide; published code and engines read the list."""
    facts = r.facts
    width, said = facts.per_layer("intermediate_size", 0), facts.raw("moe_intermediate_size")
    widths = said if isinstance(said, list | tuple) else [said]
    if not width or not said or not facts.raw("num_experts") or all(one == width for one in widths):
        return
    name = facts.word_for("moe_intermediate_size")
    r.contradict(name, f"{name} is not read by transformers' class, whose experts are {width} wide; it is drawn.")
    if r.as_class:
        facts.overrule("moe_intermediate_size", width)


FAMILY = Family(
    source="transformers 5.23.0, models/hunyuan_v1_moe",
    defaults={"n_shared_experts": 1},
    run_as={"use_qk_norm": True},
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
