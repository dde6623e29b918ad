"""DeepSeek-V3, R1, V3.1, Kimi K2, GLM-4.7-Flash, Mistral Small 4: MLA, a sigmoid router with a correction buffer."""

from dataclasses import replace
from typing import Any

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.scales import yarn
from cutaway.gallery.spec import Extra, Layer, Shapes


def own_indexer(mixer: Any) -> Any:
    """An MTP layer has an indexer of its own even where the last layer shares one (GLM-5.2, published total)."""
    found = getattr(mixer, "indexer", None)
    return replace(mixer, indexer=replace(found, shared=False)) if found and found.shared else mixer


def mtp(r: Reading, layers: tuple[Layer, ...]) -> tuple:
    """The last layer again, with eh_proj, three norms, and copies of embedding and head that the file stores."""
    count, h = r.mtp_layers, r.hidden_size
    vocab, last = r.facts.need("vocab_size"), layers[-1]
    mixer = own_indexer(last.mixer)
    made = tuple(Layer(r.depth + i, mixer, last.mlp, last.norms, last.parallel) for i in range(min(count, 16)))
    parts: Shapes = (
        ("eh_proj.weight", (h, 2 * h)),
        ("enorm.weight", (h,)),
        ("hnorm.weight", (h,)),
        ("shared_head.norm.weight", (h,)),
    )
    if r.facts.flag("mtp_stores_embeddings", True):
        parts += (("embed_tokens.weight", (vocab, h)), ("shared_head.head.weight", (vocab, h)))
    return made, tuple(Extra("mtp", "joins the stream with the next token's embedding", parts, "other") for _ in made)


FAMILY = Family(
    source="transformers 5.23.0, models/deepseek_v3; MTP against published totals (tests/oracle)",
    mlp_bias=False,
    unread={"moe_layer_freq": 1},
    run_as={"scoring_func": "sigmoid", "topk_method": "noaux_tc"},
    scale=yarn,
    mtp=mtp,
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    router_buffer="mlp.gate.e_score_correction_bias",
    rounded_scales=True,  # V3.1's o_proj have scales that are no powers of two (deepseek-ai/DeepSeek-V3, issue 961);
    #                       V3.2-Exp's inference/model.py has all of them in float32
    nested="language_model.model",
    zoo="kimi_vit",
)
