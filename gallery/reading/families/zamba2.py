"""Zamba2: Mamba-2 layers; some also run a shared transformer on stream and embedding, with adapters."""

from dataclasses import replace

from gallery.reading.attention import Reading, attention, norm
from gallery.reading.family import Family
from gallery.reading.mlps import activation
from gallery.reading.recurrent import mamba2
from gallery.reading.scales import half_root
from gallery.spec import Combined, Dense, Extra, Norm


def hybrids(r: Reading) -> list[int]:
    """The layers with the shared transformer, in order."""
    return [index for index, word in enumerate(r.words) if word == "hybrid"]


def turn_of(r: Reading, index: int) -> int:
    """Which use of the shared transformer this layer is."""
    return r.words[:index].count("hybrid")


def owner(r: Reading, index: int) -> int | None:
    """The layer that holds the shared weights; None if it is this one."""
    turn = turn_of(r, index)
    blocks = r.facts.integer("num_mem_blocks", 1) or 1
    first = hybrids(r)[turn % blocks]
    return None if first == index else first


def shared_attention(r: Reading, index: int) -> object:
    """It reads the stream and the embedding side by side: twice hidden_size."""
    facts = r.facts
    wide = facts.integer("attention_hidden_size") or 2 * r.hidden_size
    d = facts.integer("head_dim") or wide // facts.need("num_attention_heads")
    return attention(r, index, input_size=wide, head_dim=d, v_head_dim=d, weights_of=owner(r, index))


def mixer(r: Reading, index: int) -> object:
    """Mamba-2, whose inner width is expand x hidden_size."""
    return replace(mamba2(r, index), proj_bias=r.facts.flag("use_bias"))


def hybrid(r: Reading, index: int) -> Combined:
    """First the shared transformer, then Mamba-2."""
    return Combined((shared_attention(r, index), mixer(r, index)), "serial")


def mlp(r: Reading, index: int, word: str) -> object:
    """Only hybrid layers have an MLP, the shared one."""
    if r.words[index] != "hybrid":
        return None
    width = r.facts.per_layer("intermediate_size", index) or 4 * r.hidden_size
    return Dense(width, True, activation(r), r.facts.flag("use_bias"), weights_of=owner(r, index))


def adapters(r: Reading, turn: int) -> list:
    """Low-rank adapters of one use of the shared block."""
    facts, h = r.facts, r.hidden_size
    rank, wide = facts.need("adapter_rank", 128), facts.integer("attention_hidden_size") or 2 * h
    width = facts.per_layer("intermediate_size", 0) or 4 * h
    out = []
    if facts.flag("use_shared_attention_adapter"):
        for word in "qkv":
            p = f"shared_transformer.self_attn.linear_{word}_adapter_list.{turn}."
            out += [(p + "0.weight", (rank, wide)), (p + "1.weight", (wide, rank))]
    if facts.flag("use_shared_mlp_adapter", True):
        p = f"shared_transformer.feed_forward.gate_up_proj_adapter_list.{turn}."
        out += [(p + "0.weight", (rank, h)), (p + "1.weight", (2 * width, rank))]
    return out


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """The projection back into the stream, the adapters, and the shared norms where the shared weights live."""
    if r.words[index] != "hybrid":
        return ()
    h = r.hidden_size
    wide = r.facts.integer("attention_hidden_size") or 2 * h
    turn = turn_of(r, index)
    own = [("linear.weight", (h, h)), ("mamba_decoder.input_layernorm.weight", (h,)), *adapters(r, turn)]
    if owner(r, index) is None:
        own += [
            ("shared_transformer.input_layernorm.weight", (wide,)),
            ("shared_transformer.pre_ff_layernorm.weight", (h,)),
        ]
    return (Extra("shared_block", "shared transformer with its own adapters", tuple(own)),)


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Plain Mamba layers have one norm; hybrids list theirs among the extras."""
    return () if word == "hybrid" else (norm(r, "mixer_in"),)


# Hybrid layers keep Mamba under mamba_decoder and the shared half under shared_transformer.
NAMES = (
    ("mamba", "mamba_decoder.mamba", "linear.weight"),
    ("self_attn", "shared_transformer.self_attn"),
    ("mlp.gate_proj + mlp.up_proj", "shared_transformer.feed_forward.gate_up_proj"),
    ("mlp", "shared_transformer.feed_forward"),
)


FAMILY = Family(
    source="transformers 5.23.0, models/zamba2",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu", "num_mem_blocks": 1, "expand": 2},
    final_norm="final_layernorm",
    scale=half_root,
    mixers={"hybrid": hybrid, "mamba": mixer, "linear": mixer},
    mlp=mlp,
    norms_of=norms,
    extras=extras,
    names=NAMES,
)
