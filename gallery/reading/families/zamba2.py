"""Zamba2: Mamba-2 layers; some also run a shared transformer on stream and embedding, with adapters."""

import math
from dataclasses import replace
from itertools import islice

from cutaway.gallery.reading.attention import Reading, attention, norm
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation
from cutaway.gallery.reading.recurrent import mamba2
from cutaway.gallery.reading.scales import half_root
from cutaway.gallery.residuals.shared_block import SharedBlock
from cutaway.gallery.spec import Attention, Combined, Dense, Mamba2, Norm, Normal


def turn_of(r: Reading, index: int) -> int:
    """Which use of the shared transformer this layer is."""
    return r.words[:index].count("hybrid")


def owner(r: Reading, index: int) -> int | None:
    """The layer that holds the shared weights; None if it is this one."""
    turn = turn_of(r, index)
    blocks = r.facts.integer("num_mem_blocks", 1) or 1
    if turn < blocks:
        return None
    hybrids = (place for place, word in enumerate(r.words) if word == "hybrid")
    return next(islice(hybrids, turn % blocks, None))


def shared_attention(r: Reading, index: int) -> Attention:
    """It reads the stream and the embedding side by side: twice hidden_size; positions only if use_mem_rope says so."""
    facts = r.facts
    facts.settle("attention_hidden_size", "kv_channels")  # the class works both out, whatever the file says
    wide = 2 * r.hidden_size
    d = facts.integer("head_dim") or wide // facts.need("num_attention_heads")
    place = {"rotary_dim": d} if facts.flag("use_mem_rope") else {"rotary_dim": 0, "position": "nope", "rope": None}
    made = attention(r, index, input_size=wide, head_dim=d, v_head_dim=d, weights_of=owner(r, index), **place)
    if facts.flag("use_shared_attention_adapter"):
        made = replace(made, adapter=(facts.need("adapter_rank", 128), turn_of(r, index)))
    return made


def mixer(r: Reading, index: int) -> Mamba2:
    """Mamba-2, whose inner width is expand x hidden_size; the step size has a least value and no largest."""
    limits = (r.facts.number("time_step_min", 0.001) or 0.0, math.inf)
    normal = Normal("RMSNorm", 1e-5)
    return replace(mamba2(r, index), proj_bias=r.facts.flag("use_bias"), time_step_limit=limits, normal=normal)


def hybrid(r: Reading, index: int) -> Combined:
    """First the shared transformer, then Mamba-2."""
    return Combined((shared_attention(r, index), mixer(r, index)), "serial")


def mlp(r: Reading, index: int, word: str) -> Dense | None:
    """Only hybrid layers have an MLP, the shared one."""
    if r.words[index] != "hybrid":
        return None
    facts = r.facts
    width = facts.per_layer("intermediate_size", index) or 4 * r.hidden_size
    adapter = facts.need("adapter_rank", 128), turn_of(r, index)
    return Dense(width, True, activation(r), facts.flag("use_bias"), weights_of=owner(r, index), adapter=adapter)


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Plain Mamba layers have one norm; hybrids those of the shared transformer and one in front of Mamba."""
    if word != "hybrid":
        return (norm(r, "mixer_in"),)
    of = owner(r, index)
    return (
        replace(norm(r, "mixer_in", "shared.input_layernorm"), size=2 * r.hidden_size, of=of),
        replace(norm(r, "mlp_in", "shared.pre_ff_layernorm"), of=of),
        norm(r, "state_in", "mamba_decoder.input_layernorm"),
    )


def finish(r: Reading, fields: dict) -> dict:
    """The layers hang in the stream as the shared transformer wants it."""
    return {**fields, "residual": SharedBlock()}


# Hybrid layers keep Mamba under mamba_decoder and the shared half under shared_transformer.
NAMES = (
    ("mamba", "mamba_decoder.mamba", "linear.weight"),
    ("shared", "shared_transformer"),
    ("self_attn", "shared_transformer.self_attn"),
    ("mlp.gate_proj + mlp.up_proj", "shared_transformer.feed_forward.gate_up_proj"),
    ("mlp", "shared_transformer.feed_forward"),
)


FAMILY = Family(
    source="transformers 5.23.0, models/zamba2",
    defaults={
        "tie_word_embeddings": True,
        "hidden_act": "gelu",
        "num_mem_blocks": 1,
        "expand": 2,
        "mamba_hidden_act": "silu",
        "norm_eps": 1e-5,
    },
    # Zamba2MambaMixer's convolution always has a bias, Zamba2MLP always its adapters
    unread={"use_conv_bias": True, "use_shared_mlp_adapter": True},
    final_norm="final_layernorm",
    scale=half_root,
    spellings={"kv_channels": "kv_channels"},
    mixers={"hybrid": hybrid, "mamba": mixer, "linear": mixer},
    mlp=mlp,
    norms_of=norms,
    finish=finish,
    qkv_bias=False,
    names=NAMES,
)
