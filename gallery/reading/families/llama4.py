"""Llama 4: chunked attention with rotary position, every fourth layer full without; experts stacked, transposed."""

from dataclasses import replace
from typing import Any

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.layer_words import rotary_flags
from cutaway.gallery.reading.mlps import activation, moe
from cutaway.gallery.spec import Dense


def words(facts: Facts, depth: int) -> list[str]:
    """Layers with rotary position are chunked; those without see everything."""
    return ["chunked" if rotary else "full" for rotary in rotary_flags(facts, depth)]


def full(r: Reading, index: int) -> object:
    """Layers without position have no QK-norm, and queries that grow with theirs. (Some files say every layer has
    one.)"""
    mixer, facts = attention(r, index), r.facts
    if mixer.rope:
        return mixer
    growth = (facts.number("attn_scale", 0.1), facts.number("floor_scale", 8192.0), 1)
    tuned: Any = growth if facts.raw("attn_temperature_tuning", True) else ()
    return replace(mixer, qk_norm="", temperature=tuned)


def mlp(r: Reading, index: int, word: str) -> object:
    """intermediate_size is one expert's width and the shared expert's; dense layers have intermediate_size_mlp."""
    facts = r.facts
    width = facts.need_width("intermediate_size")
    if word == "dense":
        return Dense(facts.integer("dense_intermediate_size") or width, True, activation(r))
    return moe(r, index, moe_intermediate_size=width, n_shared_experts=1, shared_expert_intermediate_size=width,
               on_input=True)  # fmt: skip


FAMILY = Family(
    source="transformers 5.23.0, models/llama4",
    defaults={"no_rope_layer_interval": 4, "interleave_moe_layer_step": 1, "attention_chunk_size": 8192},
    qk_norm_if_said="unweighted",
    qk_norm_after_rope=True,
    rope_interleaved=True,
    scoring="sigmoid",
    topk_first=True,
    norm_topk=False,
    words=words,
    mixers={"full": full},
    mlp=mlp,
    names=(
        ("mlp.gate", "feed_forward.router"),
        ("mlp.shared_experts", "feed_forward.shared_expert"),
        (
            "mlp.experts.{expert}.gate_proj.weight + mlp.experts.{expert}.up_proj.weight",
            "T feed_forward.experts.gate_up_proj",
        ),
        ("mlp.experts.{expert}.down_proj.weight", "T feed_forward.experts.down_proj"),
        ("mlp", "feed_forward"),
    ),
    nested="language_model.model",
    zoo="llama4",
)
