"""Beam: norms around each half, a gate with a bias per head, sums weighed by depth, DeepSeek's router over groups;
full layers have no position, and queries that grow with theirs."""

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.residuals.weighted import Weighted


def full(r: Reading, index: int) -> object:
    """No position; q times (1 + (position + 1) / 2048) ** 0.1."""
    growth = (0.1, 2048.0, 1, "power")
    return attention(r, index, rotary_dim=0, position="nope", temperature=growth, gate_bias=True)


def sliding(r: Reading, index: int) -> object:
    """The gate has a bias here too."""
    return attention(r, index, "sliding", gate_bias=True)


def words(facts: Facts, depth: int) -> list[str]:
    """Every sixth layer and the last see everything."""
    return ["sliding" if (i + 1) % 6 and i < depth - 1 else "full" for i in range(depth)]


def prepare(r: Reading) -> None:
    """The first three layers are dense where no key says otherwise."""
    if not r.facts.has("mlp_layer_types"):
        r.facts.defaults["first_k_dense_replace"] = 3


def finish(r: Reading, fields: dict) -> dict:
    """Each sum is weighed by how many there were."""
    return {**fields, "residual": Weighted("depth")}


FAMILY = Family(
    source="transformers 5.23.0, models/beam",
    windowed=True,
    defaults={"norm_topk_prob": True, "routed_scaling_factor": 2.5, "final_logit_softcapping": 30.0},
    norms="sandwich",
    qk_norm="head",
    gate="separate",
    words=words,
    prepare=prepare,
    mixers={"full": full, "sliding": sliding},
    finish=finish,
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.e_score_correction_bias",
)
