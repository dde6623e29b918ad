"""Gemma 3n: AltUp's parallel streams, LAuReL's low-rank residual, per-layer embeddings, late layers reuse K and V."""

from gallery.reading.attention import Reading, attention
from gallery.reading.families.gemma4 import extras as per_layer_extras
from gallery.reading.families.gemma4 import model_extras as per_layer_tables
from gallery.reading.families.gemma4 import sharing
from gallery.reading.family import Family
from gallery.reading.scales import unscaled
from gallery.spec import Extra


def full(r: Reading, index: int) -> object:
    """Full layers."""
    return attention(r, index, kv_source=sharing(r, index))


def sliding(r: Reading, index: int) -> object:
    """Windowed layers."""
    return attention(r, index, "sliding", kv_source=sharing(r, index))


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """AltUp's predictor and corrector, and LAuReL."""
    n, h, rank = r.facts.need("altup_num_inputs", 4), r.hidden_size, r.facts.need("laurel_rank", 64)
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
    n, h = r.facts.need("altup_num_inputs", 4), r.hidden_size
    names = [f"model.altup_{word}.{i}.weight" for word in ("projections", "unembed_projections") for i in range(n - 1)]
    streams = Extra("altup", "AltUp: into and out of the streams", tuple((name, (h, h)) for name in names), "residual")
    return (*per_layer_tables(r), streams)


FAMILY = Family(
    source="transformers 5.23.0, models/gemma3n",
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh", "sliding_window_pattern": 5,
              "hidden_size_per_layer_input": 256, "num_kv_shared_layers": 15,
              "max_position_embeddings": 32_768},
    norms="sandwich",
    qk_norm="head",
    mixers={"full": full, "sliding": sliding},
    scale=unscaled,
    extras=extras,
    model_extras=model_extras,
)  # fmt: skip
