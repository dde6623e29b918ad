"""Qwen4-Exp: Gated DeltaNet with sparse attention every fourth layer, several residual streams, and layers whose tokens
look n-grams up."""

from dataclasses import replace

from cutaway.gallery.mixers.gated_delta import GatedDeltaNet
from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.qwen3_5 import FAMILY as QWEN35
from cutaway.gallery.reading.indexers import indexer_of
from cutaway.gallery.reading.mlps import activation
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.reading.recurrent import gated_delta
from cutaway.gallery.residuals.gated_streams import GatedStreams
from cutaway.gallery.residuals.ngrams import NGrams, look_up
from cutaway.gallery.spec import Extra


def delta(r: Reading, index: int) -> GatedDeltaNet:
    """The gate z may have an activation of its own."""
    return replace(gated_delta(r, index), gate_act=r.facts.word("output_gate_type") or activation(r))


def sparse(r: Reading, index: int) -> object:
    """Files call these layers full, the class indexed: an indexer that scores means of a few keys."""
    plain = attention(r, index)
    size = r.facts.integer("indexer_compress_ratio") or 1
    indexer = indexer_of(r, index, "means", plain.rope, block_size=size, normal=normal(r))
    return replace(plain, indexer=indexer)


TABLE = ("ple_embed_dim", "ple_conv_kernel_size", "ngram_size", "heads_per_ngram", "ngram_vocab_size_base",
         "make_ngram_vocab_size_divisible_by", "seed")  # fmt: skip

MOST_HEADS = 128  # a prime each, found by trial; the published model has 2 layers with 16


def ngrams(r: Reading) -> tuple[tuple[int, NGrams], ...]:
    """(layer, table) of every layer in ple_layer_ids, which counts from 1."""
    facts, layers = r.facts, sorted(set(r.facts.integers("ple_layer_ids") or []))
    eos = facts.text.get("eos_token_id")
    eos = eos[0] if isinstance(eos, list) and eos else eos
    facts.settle("split_ngram_parts", "indexer_kv_heads", *TABLE)
    size, each = facts.need("ngram_size", 3), facts.need("heads_per_ngram", 8)
    heads = (size - 1) * each
    if layers and heads < 1:
        facts.refuse("heads_per_ngram", facts.raw("heads_per_ngram"), "at least one head, and an ngram_size from 2 on")
    if len(layers) * heads > MOST_HEADS:
        facts.refuse("ple_layer_ids", layers, f"layers with at most {MOST_HEADS} heads of n-grams in all")
    return tuple(
        (layer - 1, NGrams(
            facts.integer("ple_embed_dim") or r.hidden_size, size, each,
            facts.need("ngram_vocab_size_base", 20_000_000),
            facts.need("make_ngram_vocab_size_divisible_by", 128), number, facts.integer("seed", 1234) or 0,
            facts.need("vocab_size"), eos if isinstance(eos, int) else 0, facts.need("ple_conv_kernel_size", 4),
        ))
        for number, layer in enumerate(layers)
    )  # fmt: skip


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """What a layer's tokens look up."""
    looked = dict(ngrams(r)).get(index)
    if not looked:
        return ()
    graph = look_up(looked, r.facts.at_least("hc_mult", r.facts.need("hc_mult", 4)), r.hidden_size, normal(r))
    tensors = tuple((tensor.name, tensor.shape) for tensor in graph.tensors())
    return (Extra("ngrams", f"n-grams of 2 to {looked.size} tokens, looked up", tensors, "embedding"),)


def finish(r: Reading, fields: dict) -> dict:
    """Streams in place of the stream."""
    streams = GatedStreams(
        r.facts.at_least("hc_mult", r.facts.need("hc_mult", 4)), r.facts.need("hc_lowrank", 320), normal(r), ngrams(r)
    )
    return {**fields, "residual": streams}


FAMILY = replace(
    QWEN35,
    source="transformers 5.23.0, models/qwen4_exp",
    defaults={"full_attention_interval": 4, "norm_topk_prob": True},
    norm_topk=None,
    norms="none",
    final_norm="",
    mixers={"linear": delta, "full": sparse, "sparse": sparse},
    mtp=None,
    extras=extras,
    finish=finish,
)
