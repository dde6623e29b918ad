"""LongCat-Flash: each layer holds two MLAs and two dense MLPs in turn, with experts on a shortcut across them; some
experts only return their input."""

from typing import Any

from cutaway.gallery.reading.attention import Reading, latent, norm
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation, moe
from cutaway.gallery.reading.scales import yarn
from cutaway.gallery.residuals.shortcut import Shortcut
from cutaway.gallery.spec import Combined, Dense, Extra, Layer, Norm


def twice(r: Reading, index: int) -> Combined:
    """Two sublayers of attention, one after the other."""
    scales: dict[str, Any] = {
        word: (r.hidden_size / r.facts.need_width(f"{part}_lora_rank")) ** 0.5 if r.facts.flag(key, True) else 1.0
        for word, part, key in (("q_scale", "q", "mla_scale_q_lora"), ("kv_scale", "kv", "mla_scale_kv_lora"))
    }
    one = latent(r, index, **scales)
    return Combined((one, one), "serial")


def mlp(r: Reading, index: int, word: str) -> Combined:
    """Two dense MLPs, and the experts beside them."""
    one = Dense(r.facts.need_width("intermediate_size"), True, activation(r))
    return Combined((one, one, moe(r, index)), "parallel")


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Two pairs."""
    names = (("mixer_in", "input_layernorm"), ("mlp_in", "post_attention_layernorm"))
    return tuple(norm(r, place, f"{name}.{i}") for i in range(2) for place, name in names)


def finish(r: Reading, fields: dict) -> dict:
    """The shortcut."""
    return {**fields, "residual": Shortcut()}


def mtp(r: Reading, layers: tuple[Layer, ...]) -> tuple:
    """One layer of MLA and a dense MLP, with an embedding of its own; no key declares it (published total)."""
    h, first = r.hidden_size, layers[0]
    if not isinstance(first.mixer, Combined) or not isinstance(first.mlp, Combined):
        return (), ()
    two = (norm(r, "mixer_in"), norm(r, "mlp_in"))
    parts = (("eh_proj.weight", (h, 2 * h)), ("enorm.weight", (h,)), ("hnorm.weight", (h,)), ("norm.weight", (h,)),
             ("embed_tokens.weight", (r.facts.need("vocab_size"), h)))  # fmt: skip
    mixer: Any = first.mixer.parts[0]
    mlp: Any = first.mlp.parts[0]
    layer = Layer(r.depth, mixer, mlp, two)
    return (layer,), (Extra("mtp", "joins the stream with the next token's embedding", parts, "other"),)


def ngrams(r: Reading) -> tuple[Extra, ...]:
    """The Lite models' tables: hashes of the last tokens choose rows that are projected and added to the embedding."""
    longest, ratio = r.facts.need("ngram_size", 0), r.facts.number("ngram_vocab_size_ratio") or 0
    count = max(longest - 1, 0) * r.facts.need("heads_per_ngram", 0)
    if not (ratio and count):
        return ()
    rows, width = int(ratio * r.facts.need("vocab_size")), r.hidden_size // count
    tables = [(f"ngram_embeddings.embedders.{i}.weight", (rows + 2 * i + 1, width)) for i in range(count)]
    outs = [(f"ngram_embeddings.post_projs.{i}.weight", (r.hidden_size, width)) for i in range(count)]
    label = f"adds rows that hashes of 2 to {longest} tokens choose"
    return (Extra("ngram_embedding", label, (*tables, *outs), "embedding"),)


FAMILY = Family(
    source="transformers 5.23.0, models/longcat_flash; the experts it allocates for identity experts are left out",
    mixers={"full": twice},
    mlp=mlp,
    norms_of=norms,
    mtp=mtp,
    model_extras=ngrams,
    finish=finish,
    scale=yarn,
    norm_topk=False,
    names=(("mlp.0", "mlps.0"), ("mlp.1", "mlps.1"), ("mlp.gate", "mlp.router.classifier")),
    router_buffer="mlp.router.e_score_correction_bias",
)
