"""GLM-5.3-Flash: Kimi's delta rule with indexed MLA every fourth layer, no positions, V4's hyper-connections."""

from dataclasses import replace

from cutaway.gallery.reading.attention import latent
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3
from cutaway.gallery.reading.families.deepseek_v4 import connections
from cutaway.gallery.reading.families.kimi_linear import FAMILY as KIMI
from cutaway.gallery.reading.indexers import indexer_of
from cutaway.gallery.reading.mlps import dense, silu_moe
from cutaway.gallery.reading.reading import Reading, normal
from cutaway.gallery.residuals.hyper_connections import HyperConnections
from cutaway.gallery.spec import LatentAttention


def words(facts: Facts, depth: int) -> list[str]:
    """Where layer_types is missing, every fourth layer is indexed."""
    return ["sparse" if index % 4 == 3 else "linear" for index in range(depth)]


def mixer(r: Reading, index: int) -> LatentAttention:
    """MLA without positions; its indexer scores weighed means of a few keys."""
    facts = r.facts
    size, tail = facts.integer("index_kpool", 16) or 1, facts.flag("index_kpool_always_select_tail", True)
    rank = facts.integer("q_lora_rank") or 0
    indexer = indexer_of(r, index, "pools", block_size=size, tail=tail, q_rank=rank)
    return latent(r, index, "sparse", indexer=indexer)


def mlp(r: Reading, index: int, word: str) -> object:
    """Gate and up are clamped in dense MLPs too; hidden_act is for these and for shared experts."""
    if word == "dense":
        return replace(dense(r, index), limit=r.facts.number("swiglu_limit") or 0.0)
    return silu_moe(r, index)


def finish(r: Reading, fields: dict) -> dict:
    """V4's streams, whose mean is what the head reads."""
    facts = r.facts
    streams, iters = facts.at_least("hc_mult", facts.need("hc_mult", 4)), facts.need("hc_sinkhorn_iters")
    eps = facts.number("hc_eps", 1e-6) or 0.0
    return {**fields, "residual": HyperConnections(streams, iters, eps, head="mean", normal=normal(r))}


FAMILY = replace(
    V3,
    source="transformers 5.23.0, models/glm5_next",
    defaults={"first_k_dense_replace": 3, "swiglu_limit": 10.0, "hc_sinkhorn_iters": 20},
    words=words,
    scale=None,
    latent_norm_eps=0.0,
    mixers={"sparse": mixer, "full": mixer},
    mlp=mlp,
    extras=connections,
    mtp=None,
    finish=finish,
    state_names=KIMI.state_names[:5],
    nested="model.language_model",
    zoo="",
)
