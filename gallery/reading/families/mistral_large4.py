"""Mistral Large 4: indexed MLA with a full query projection, every fourth layer without positions, latents that later
layers may share, learned temperatures and learned frequencies."""

from typing import Any

from cutaway.gallery.graph import Graph, Node, Tensor
from cutaway.gallery.reading.attention import latent
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.reading.scales import yarn
from cutaway.gallery.spec import Indexer, LatentAttention

ALPHA = "model:opening.alpha"


def mixer(r: Reading, index: int) -> LatentAttention:
    """Without positions the rotated part of a head joins the rest, and the indexer has no rotation either."""
    facts = r.facts
    changes: dict[str, Any] = {"learned_temperature": True}
    sources = facts.integers("kv_source_layers") or []
    if index < len(sources) and sources[index] != index:
        changes["kv_source"] = sources[index]
    if not r.rotary[index]:
        whole = facts.need("qk_nope_head_dim") + facts.need("qk_rope_head_dim")
        changes |= {"qk_nope_head_dim": whole, "qk_rope_head_dim": 0, "rotary_dim": 0}
    made = latent(r, index, "sparse", **changes)
    return learned(made)


def learned(m: LatentAttention) -> LatentAttention:
    """Every rotation's frequencies times exp(alpha); the indexer reads the stream itself."""
    from dataclasses import replace

    rope = m.rope and m.rope._replace(learned=ALPHA)
    if not isinstance(m.indexer, Indexer):
        return replace(m, rope=rope)
    own = m.indexer.rope and m.indexer.rope._replace(learned=ALPHA)
    indexer = replace(m.indexer, rope=own, input_norm=True, learned_temperature=True, q_rank=0)
    return replace(m, rope=rope, indexer=indexer)


def finish(r: Reading, fields: dict) -> dict:
    """One learned number per frequency, for all layers."""
    alpha = Tensor("model.rotary_emb.alpha", (r.facts.need("qk_rope_head_dim") // 2,), "buffer")
    node = Node("alpha", "parameter", (), {"weight": alpha}, words="learned frequencies: times exp(alpha)")
    return {**fields, "opening": Graph((node,), "x")}


ROPE = {"rope_type": "yarn", "rope_theta": 10_000.0, "factor": 2048.0, "original_max_position_embeddings": 512,
        "beta_fast": 32.0, "beta_slow": 1.0, "attention_factor": 1.0}  # fmt: skip

FAMILY = Family(
    source="transformers 5.23.0, models/mistral_large4",
    defaults={
        "no_rope_layer_interval": 4,
        "first_k_dense_replace": 1,
        "final_logit_softcapping": 30.0,
        "rope_parameters": ROPE,
    },
    mlp_bias=False,
    scale=yarn,
    latent_norm_eps=0.0,
    index_interleaved=True,
    mixers={"sparse": mixer, "full": mixer},
    group_score="top2",
    group_masked=0.0,
    norm_topk=True,
    norm_topk_eps=1e-20,
    finish=finish,
    nested="model.language_model",
)
