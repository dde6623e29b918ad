"""Inkling: convolved keys and values, positions as learned biases, a router that weighs the shared experts too."""

from __future__ import annotations

from cutaway.gallery.graph import Graph, Wires
from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation, dense_width, moe
from cutaway.gallery.reading.openings import normalised_embedding
from cutaway.gallery.residuals.convolved_halves import ConvolvedHalves
from cutaway.gallery.spec import Dense, MoE, RelativeAttention


def words(facts: Facts, depth: int) -> list[str]:
    """Those listed are windowed; without a list, all but every sixth."""
    local = facts.integers("local_layer_ids")
    near = set(local) if local is not None else {index for index in range(depth) if (index + 1) % 6}
    return ["hybrid_sliding" if index in near else "hybrid" for index in range(depth)]


def prepare(r: Reading) -> None:
    """The first so many layers are dense; a width for dense layers makes the other one the experts'."""
    facts = r.facts
    first = facts.integer("dense_mlp_idx") or 0
    if facts.raw("mlp_layer_types") is None:
        r.mlp_words = ["dense" if index < first else "moe" for index in range(r.depth)]
    facts.settle("local_layer_ids", "log_scaling_alpha", "log_scaling_n_floor", "shared_expert_sink", "d_rel",
                 "rel_extent", "unpadded_vocab_size", "num_nextn_predict_layers")  # fmt: skip


def relative(r: Reading, index: int, **changes: object) -> RelativeAttention:
    """A window has its own heads, and sees biases as far as it reaches."""
    facts, sliding = r.facts, r.words[index] == "hybrid_sliding"
    usual = attention(r, index, "sliding" if sliding else "full", rotary_dim=0, position="relative", rope=None)
    floor = facts.number("log_scaling_n_floor")
    own = {
        "d_rel": facts.need("d_rel", 16), "kernel": facts.need("conv_kernel", 4),
        "rel_extent": usual.sliding_window if sliding else facts.need("rel_extent", 1024),
        "log_scaling": (facts.number("log_scaling_alpha", 0.1) or 0.1, floor) if floor and not sliding else (),
    }  # fmt: skip
    fields = {name: getattr(usual, name) for name in usual.__dataclass_fields__}
    return RelativeAttention(**{**fields, **own, **changes})


def mixer(r: Reading, index: int) -> RelativeAttention:
    """Queries and keys are normalised, so q·k is divided by head_dim itself."""
    made = relative(r, index)
    return relative(r, index, scale=1 / made.head_dim)


def mlp(r: Reading, index: int, word: str) -> Dense | MoE:
    """Sigmoids of all chosen and shared experts, over their sum."""
    facts = r.facts
    if word != "moe":
        return Dense(dense_width(r, index), True, activation(r), global_scale=True)
    width = facts.integer("moe_intermediate_size") or 0
    if facts.has("dense_intermediate_size"):
        width = facts.per_layer("intermediate_size", index) or width
    count = facts.integer("n_shared_experts") or 0
    return moe(r, index, moe_intermediate_size=width, scoring="sigmoid", norm_topk_prob=True, shared_routed=True,
               global_scale=True, n_shared_experts=count, shared_expert_intermediate_size=count * width)  # fmt: skip


def opening(r: Reading) -> Graph:
    """The embedding is normalised."""
    g = Wires()
    return g.graph(normalised_embedding(g, r, "x", "embed_tokens.embed_norm"))


def finish(r: Reading, fields: dict) -> dict:
    """A convolution behind each half."""
    return {**fields, "residual": ConvolvedHalves(r.facts.need("conv_kernel", 4))}


FAMILY = Family(
    source="transformers 5.23.0, models/inkling",
    windowed=True,
    defaults={"logits_scaling": 24.0, "tie_word_embeddings": False},
    spellings={"embedding_multiplier": "logits_scaling"},
    words=words,
    prepare=prepare,
    qk_norm="head",
    mixers={"hybrid": mixer, "hybrid_sliding": mixer},
    mlp=mlp,
    opening=opening,
    finish=finish,
    router_buffer="mlp.gate.e_score_correction_bias",
    names=(("mixer_conv", "attn_sconv"), ("mlp_conv", "mlp_sconv")),
)
