"""ERNIE 4.5 with images: ERNIE's experts for text, and a second router with experts of its own for image tokens."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.families.ernie4_5 import FAMILY as ERNIE
from cutaway.gallery.reading.mlps import dense, mlp_bias, moe
from cutaway.gallery.spec import Extra


def widths(r: Reading) -> list[int]:
    """Expert widths for text and for images; not layer by layer."""
    return r.facts.integers("moe_intermediate_size") or [1536, 512]


def mlp(r: Reading, index: int, word: str) -> object:
    """What a text token visits."""
    if word != "moe":
        return dense(r, index)
    width, count = widths(r)[0], r.facts.per_layer("n_shared_experts", index) or 0
    return moe(
        r, index, moe_intermediate_size=width, n_shared_experts=count, shared_expert_intermediate_size=count * width,
        selection_bias_row=True, shared_bias=mlp_bias(r),
    )  # fmt: skip


def images(r: Reading, index: int) -> tuple[Extra, ...]:
    """The router and the experts of image tokens."""
    if r.mlp_words[index] != "moe":
        return ()
    e, h, width, p = r.facts.need("num_experts"), r.hidden_size, widths(r)[-1], "mlp.vision_moe."
    shapes = (
        (p + "gate.weight", (e, h)),
        (p + "gate.moe_statics.e_score_correction_bias", (1, e)),
        (p + "experts.gate_up_proj", (e, 2 * width, h)),
        (p + "experts.down_proj", (e, h, width)),
    )
    return (Extra("experts", f"{e} experts for image tokens", shapes, "experts"),)


def prepare(r: Reading) -> None:
    """The first layer is dense where no key says otherwise."""
    if not any(r.facts.has(name) for name in ("mlp_layer_types", "moe_layer_start_index", "first_k_dense_replace")):
        r.facts.defaults["first_k_dense_replace"] = 1


FAMILY = replace(
    ERNIE,
    source="transformers 5.23.0, models/ernie4_5_vl_moe",
    prepare=prepare,
    mlp=mlp,
    extras=images,
    finish=None,
    state_names=(
        ("mlp.gate", "mlp.text_moe.gate"),
        ("mlp.experts", "mlp.text_moe.experts"),
        ("mlp.moe_statics", "mlp.text_moe.gate.moe_statics"),
    ),
)
