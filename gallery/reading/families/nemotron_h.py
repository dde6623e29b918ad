"""Nemotron-H and Nemotron 3: each layer is one mixer or one MLP; relu2 without a gate; latent experts in the larger."""

import math
from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import moe
from cutaway.gallery.reading.recurrent import mamba2
from cutaway.gallery.spec import Extra, Layer

LETTERS = {"*": "full", "E": "moe", "M": "mamba", "-": "mlp"}
OWN_LAYERS = ("mamba", "moe", "full", "mlp")  # of the class, where a file lists none
WORDS = {"attention": "*", "full_attention": "*", "moe": "E", "mamba": "M", "linear_attention": "M", "mlp": "-"}


def full(r: Reading, index: int) -> object:
    """Attention without any position. Older files say attention_head_dim, which the class does not read."""
    said, d = r.facts.integer("attention_head_dim"), r.facts.integer("head_dim") or 128
    if said and said != d:
        r.contradict("head_dim", f"attention_head_dim = {said} is not read by the class; head_dim = {d} was used.")
    return attention(r, index, rotary_dim=0, position="nope")


def mamba(r: Reading, index: int) -> object:
    """use_bias is for the projections of Mamba; the step size has a least value and no largest."""
    limits = (r.facts.number("time_step_min", 0.001) or 0.0, math.inf)
    return replace(mamba2(r, index), proj_bias=r.facts.flag("use_bias"), time_step_limit=limits)


def mlp(r: Reading, index: int, word: str) -> object:
    """Experts, or a dense MLP of intermediate_size."""
    from cutaway.gallery.reading.mlps import dense

    if word == "moe":
        return moe(r, index, shared_bias=r.facts.flag("mlp_bias"))
    return dense(r, index) if word == "dense" else None


def depth_of_lists(r: Reading) -> int:
    """How many layers the list of layers has, in its three spellings; 0 where there is none."""
    words = r.facts.items("layer_types") or r.facts.items("layers_block_type")
    return len(words or r.facts.word("hybrid_override_pattern").replace("|", ""))


def prepare(r: Reading) -> None:
    """expand says again what heads times head size say."""
    r.facts.settle("expand", "n_shared_experts")
    r.facts.assume("shared_expert_intermediate_size", 7688)
    r.facts.flag("mamba_proj_bias")
    listed = depth_of_lists(r)
    if not listed:
        r.words = list(OWN_LAYERS)
    if (made := listed or len(OWN_LAYERS)) != r.depth:
        why = f"{listed} layers are listed" if listed else f"without a list of layers it makes {made} of its own"
        r.contradict("depth", f"num_hidden_layers = {r.depth} is not read by the class: {why}.")
        r.depth = made


def mtp(r: Reading, layers: tuple[Layer, ...]) -> tuple:
    """The halves that mtp_hybrid_override_pattern lists, each with a norm; the first joins two streams."""
    facts, h = r.facts, r.hidden_size
    letters = facts.word("mtp_hybrid_override_pattern") or "".join(
        WORDS.get(str(word), "?") for word in facts.items("mtp_layers_block_type") or ("attention", "moe")
    )
    count = r.mtp_layers
    made = []
    for position, letter in enumerate(letters[:16] * count):
        model = next((layer for layer in layers if r.words[layer.index] == LETTERS.get(letter)), None)
        if model:
            made.append(Layer(r.depth + position, model.mixer, model.mlp, model.norms))
    parts = (
        ("eh_proj.weight", (h, 2 * h)),
        ("enorm.weight", (h,)),
        ("hnorm.weight", (h,)),
        ("final_layernorm.weight", (h,)),
    )
    joins = Extra("mtp", "joins the stream with the next token's embedding", parts, "other")
    return tuple(made), (joins,) if made else ()


FAMILY = Family(
    source="transformers 5.23.0, models/nemotron_h",
    defaults={"hidden_act": "relu2", "mamba_hidden_act": "silu", "norm_eps": 1e-5, "norm_topk_prob": True},
    norms="single_half",
    final_norm="norm_f",
    gated=False,
    qkv_bias=False,
    o_bias=False,
    prepare=prepare,
    mixers={"full": full, "mamba": mamba, "linear": mamba},
    mlp=mlp,
    scoring="sigmoid",
    group_score="top2",
    norm_topk_eps=1e-20,
    mtp=mtp,
    unread={"tie_word_embeddings": False},  # its _tied_weights_keys is empty
    spellings={"attention_head_dim": "attention_head_dim"},
    names=(
        ("input_layernorm", "norm"),
        ("mlp", "mixer"),
        ("self_attn", "mixer"),
        ("mamba", "mixer"),
        ("model.embed_tokens", "backbone.embeddings"),
        ("model.norm_f", "backbone.norm_f"),
        ("model.layers", "backbone.layers"),
    ),
    state_names=(
        ("mixer.experts.{expert}.up_proj.weight", "mixer.experts.up_proj"),
        ("mixer.experts.{expert}.down_proj.weight", "mixer.experts.down_proj"),
        ("backbone", "model"),
    ),
    router_buffer="mixer.gate.e_score_correction_bias",
)
