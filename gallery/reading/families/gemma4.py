"""Gemma 4: full layers with larger heads of their own, values taken from keys, late layers that reuse K and V,
embeddings per layer, and experts beside a dense MLP."""

from collections.abc import Mapping

from cutaway.gallery.graph import Graph
from cutaway.gallery.reading.attention import Reading, attention, norm
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.layer_words import fit, mixer_words
from cutaway.gallery.reading.mlps import activation, moe
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.reading.ropes import kind_of, parameters
from cutaway.gallery.reading.scales import unit_scale
from cutaway.gallery.residuals.per_layer import PerLayer, per_layer_opening
from cutaway.gallery.spec import Combined, Dense, Extra, Norm, Shapes


def sharing(r: Reading, index: int) -> int | None:
    """The last layer of the same kind that has K and V of its own."""
    return None if index < r.shared_from else r.last_of_word.get(r.words[index])


def rotated_share(r: Reading) -> float:
    """The share of a full layer's head that turns: of the fast pairs alone where the kind is "proportional"."""
    if not isinstance(r.facts.text.get("rope_parameters"), Mapping):
        return 0.25
    share = r.facts.rotary_share("full_attention")
    return 1.0 if share is None or kind_of(parameters(r, "full_attention")) == "default" else share


def full(r: Reading, index: int) -> object:
    """Full layers: global_head_dim, and one matrix for K and V where attention_k_eq_v says so.

    A file that the class itself wrote says their sizes layer by layer, and nothing of global_head_dim.
    """
    facts = r.facts
    apart, same = facts.has("per_layer_config"), facts.flag("attention_k_eq_v")
    d = (0 if apart else facts.integer("global_head_dim")) or facts.need("head_dim")
    kv = facts.integer("num_global_key_value_heads") if same and not apart else None
    return attention(
        r, index, head_dim=d, v_head_dim=d, k_eq_v=same, kv_source=sharing(r, index),
        num_key_value_heads=kv or facts.need("num_key_value_heads"),
        rotary_dim=int(d * rotated_share(r)), v_norm=True,
    )  # fmt: skip


def sliding(r: Reading, index: int) -> object:
    """Windowed layers."""
    return attention(r, index, "sliding", kv_source=sharing(r, index), v_norm=True)


def per_layer(r: Reading) -> int:
    """Width of the per-layer embeddings; 0 = none."""
    return r.facts.integer("hidden_size_per_layer_input") or 0


def width(r: Reading, index: int) -> int:
    """KV-shared layers may have twice the width."""
    base = r.facts.width_at("intermediate_size", index)
    return base * 2 if r.facts.flag("use_double_wide_mlp") and index >= r.shared_from else base


def mlp(r: Reading, index: int, word: str) -> object:
    """A dense MLP; with enable_moe_block experts run beside it."""
    dense = Dense(width(r, index), True, activation(r))
    if not r.facts.flag("enable_moe_block") or not r.facts.integer("num_experts"):
        return dense
    experts = moe(r, index, n_shared_experts=0, shared_expert_intermediate_size=0, router_normal=normal(r))
    return Combined((dense, experts), "parallel")


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """Gemma 2's four, and three more where experts run beside the dense MLP."""
    four = tuple(norm(r, place) for place in ("mixer_in", "mixer_out", "mlp_in", "mlp_out"))
    if not r.facts.flag("enable_moe_block"):
        return four
    beside = (("mlp_in", "pre_feedforward_layernorm_2"), ("mlp_out", "post_feedforward_layernorm_1"),
              ("mlp_out", "post_feedforward_layernorm_2"))  # fmt: skip
    return four + tuple(norm(r, place, name) for place, name in beside)


def extras(r: Reading, index: int) -> tuple[Extra, ...]:
    """The gate and projection of the per-layer embedding, and the router's scales."""
    n, h = per_layer(r), r.hidden_size
    out: tuple[Extra, ...] = ()
    tensors: Shapes
    if n:
        tensors = (
            ("per_layer_input_gate.weight", (n, h)), ("per_layer_projection.weight", (h, n)),
            ("post_per_layer_input_norm.weight", (h,)),
        )  # fmt: skip
        out += (Extra("per_layer_embedding", "per-layer embedding", tensors),)
    experts = r.facts.integer("num_experts") or 0
    if r.facts.flag("enable_moe_block") and experts:
        tensors = (("router.scale", (h,)), ("router.per_expert_scale", (experts,)))
        out += (Extra("router", "scales of the router", tensors, "router"),)
    return out


def model_extras(r: Reading) -> tuple[Extra, ...]:
    """One more embedding table for all layers together, and its projection."""
    n, h = per_layer(r), r.hidden_size
    if not n:
        return ()
    rows = r.facts.need("vocab_size_per_layer_input", 262144)
    tensors = (
        ("model.embed_tokens_per_layer.weight", (rows, r.depth * n)),
        ("model.per_layer_model_projection.weight", (r.depth * n, h)),
        ("model.per_layer_projection_norm.weight", (n,)),
    )
    return (Extra("per_layer_embedding", "embeddings per layer", tensors, "embedding"),)


def prepare(r: Reading) -> None:
    """The last layer is full, whatever layer_types says of it."""
    r.words = mixer_words(r.facts, r.depth) or []
    if r.words and r.words[-1] == "sliding":
        r.words = [*r.words[:-1], "full"]
        r.contradict("layer_types", "layer_types ends with a windowed layer; the class makes the last one full.")


def words(facts: Facts, depth: int) -> list[str]:
    """Every sixth layer is full, and so is the last one."""
    out = ["full" if (index + 1) % 6 == 0 else "sliding" for index in range(depth)]
    return fit("layer_types", [*out[:-1], "full"], depth, facts)


def in_front(r: Reading) -> Graph | None:
    """The embeddings per layer, if there are any."""
    n = per_layer(r)
    rows = r.facts.need("vocab_size_per_layer_input", 262144) if n else 0
    return per_layer_opening(r.depth, n, rows, r.hidden_size, normal(r)) if n else None


def finish(r: Reading, fields: dict) -> dict:
    """One stored scalar per layer, embeddings per layer."""
    return {
        **fields, "buffers": tuple((f"model.layers.{i}.layer_scalar", (1,)) for i in range(r.depth)),
        "residual": PerLayer(per_layer(r), activation(r), "layer_scalar", normal(r)), "opening": in_front(r),
    }  # fmt: skip


FULL = {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1_000_000.0}
SLIDING = {"rope_type": "default", "rope_theta": 10_000.0}
FAMILY = Family(
    source="transformers 5.23.0, models/gemma4",
    reads_direction=True,
    windowed=True,
    defaults={"tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh", "global_head_dim": 512,
              "max_position_embeddings": 131_072,
              "rope_parameters": {"full_attention": FULL, "sliding_attention": SLIDING}},
    embedding_root=True,
    norm_topk=True,
    norms="sandwich",
    qk_norm="head",
    prepare=prepare,
    words=words,
    mixers={"full": full, "sliding": sliding},
    scale=unit_scale,
    mlp=mlp,
    norms_of=norms,
    extras=extras,
    model_extras=model_extras,
    finish=finish,
    names=(
        ("residual_mlp", "mlp.dense"),
        ("mlp.gate", "router.proj"),
        ("mlp.experts.{expert}.gate_proj.weight + mlp.experts.{expert}.up_proj.weight", "experts.gate_up_proj"),
        ("mlp.experts.{expert}.down_proj.weight", "experts.down_proj"),
        ("mlp.dense", "mlp"),
    ),
    zoo="gemma4_vision",
)  # fmt: skip
