"""Gemma 3n: AltUp's parallel streams, LAuReL's low-rank residual, per-layer embeddings, late layers reuse K and V."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.gemma4 import extras as per_layer_extras
from cutaway.gallery.reading.families.gemma4 import in_front, per_layer, sharing
from cutaway.gallery.reading.families.gemma4 import model_extras as per_layer_tables
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation, dense
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.reading.scales import unit_scale
from cutaway.gallery.residuals.altup import AltUp
from cutaway.gallery.spec import Dense, Extra


def full(r: Reading, index: int) -> object:
    """Full layers."""
    return attention(r, index, kv_source=sharing(r, index), v_norm=True)


def sliding(r: Reading, index: int) -> object:
    """Windowed layers."""
    return attention(r, index, "sliding", kv_source=sharing(r, index), v_norm=True)


def sparsity(r: Reading, index: int) -> float:
    """The share of a layer's gate that becomes zero: the first ten layers of more than ten where no key says."""
    said = r.facts.raw("activation_sparsity_pattern")
    if said is None:
        return 0.95 if r.depth > 10 and index < 10 else 0.0
    share = said[index] if isinstance(said, list) and index < len(said) else said
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < 1:
        r.facts.refuse("activation_sparsity_pattern", said, "a share from 0 to 1 for every layer")
    return float(share)


def copies(r: Reading) -> int:
    """How many copies of the stream: one active, at least one predicted."""
    return r.facts.at_least("altup_num_inputs", r.facts.need("altup_num_inputs", 4), 2)


def laurel_rank(r: Reading) -> int:
    """How narrow the learned residual is (LAuReL)."""
    return r.facts.need("laurel_rank", 64)


def mlp(r: Reading, index: int, word: str) -> Dense:
    """A dense MLP whose gate may be sparse."""
    return replace(dense(r, index), sparsity=sparsity(r, index))


def finish(r: Reading, fields: dict) -> dict:
    """AltUp's streams, and the embeddings per layer in front of them."""
    facts, width = r.facts, per_layer(r)
    streams = AltUp(
        copies(r), facts.integer("altup_active_idx", 0) or 0, laurel_rank(r),
        facts.flag("altup_correct_scale", True), width, activation(r), normal(r),
    )  # fmt: skip
    return {**fields, "residual": streams, "opening": in_front(r)}


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """AltUp's predictor and corrector, and LAuReL."""
    n, h, rank = copies(r), r.hidden_size, laurel_rank(r)
    altup = (
        ("altup.correct_output_scale", (h,)), ("altup.correction_coefs.weight", (n, n)),
        ("altup.prediction_coefs.weight", (n * n, n)), ("altup.modality_router.weight", (n, h)),
        ("altup.router_norm.weight", (h,)),
    )  # fmt: skip
    laurel = (
        ("laurel.linear_left.weight", (rank, h)), ("laurel.linear_right.weight", (h, rank)),
        ("laurel.post_laurel_norm.weight", (h,)),
    )  # fmt: skip
    own = (Extra("altup", f"AltUp: {n} parallel streams", altup), Extra("laurel", "LAuReL residual", laurel))
    return own + per_layer_extras(r, index)


def model_extras(r: Reading) -> tuple[Extra, ...]:
    """Into and out of the parallel streams."""
    n, h = copies(r), r.hidden_size
    names = [f"model.altup_{word}.{i}.weight" for word in ("projections", "unembed_projections") for i in range(n - 1)]
    streams = Extra("altup", "AltUp: into and out of the streams", tuple((name, (h, h)) for name in names), "residual")
    return (*per_layer_tables(r), streams)


FAMILY = Family(
    source="transformers 5.23.0, models/gemma3n",
    reads_direction=True,
    windowed=True,
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh", "sliding_window_pattern": 5,
              "hidden_size_per_layer_input": 256, "num_kv_shared_layers": 15,
              "max_position_embeddings": 32_768, "rope_theta": 1_000_000.0, "local_rope_theta": 10_000.0,
              "final_logit_softcapping": 30.0},
    stretched=("full_attention",),
    norms="sandwich",
    qk_norm="head",
    mixers={"full": full, "sliding": sliding},
    scale=unit_scale,
    embedding_root=True,
    mlp=mlp,
    finish=finish,
    extras=extras,
    model_extras=model_extras,
)  # fmt: skip
