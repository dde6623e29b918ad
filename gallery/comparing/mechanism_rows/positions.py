"""Mechanisms of position: RoPE and its parts, no position, biases by distance, learned vectors."""

from __future__ import annotations

from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.mechanism_rows.questions import has_rope, is_softmax, sees_all, sees_window
from cutaway.gallery.comparing.mechanism_rows.row import PLACE, Mechanism


def _placeless(p: Any, spec: s.ModelSpec) -> bool:
    """Attention that sees no position at all."""
    return is_softmax(p) and not has_rope(p) and getattr(p, "position", "nope") in ("nope", "rope")


ROPE = f.mixer(object, lambda p, spec: has_rope(p))
NOPE = f.mixer(object, _placeless)
BESIDE_ROPE = ("alibi", "learned", "waves", "relative")
OTHER_POSITION = f.mixer(object, lambda p, spec: getattr(p, "position", "") in BESIDE_ROPE)
UNDIVIDED = (s.Attention, s.ConvolvedAttention, s.LightningAttention)  # a latent's rotated part is a design of its own


# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("rope", "position", "RoPE", "RoPE", ROPE, "RoPE",
              "{where}: queries and keys are rotated by their position.",
              "arXiv 2104.09864",
              meaning="Pairs of numbers in queries and keys are rotated by angles that grow with position, so that "
                      "scores depend on relative distance.",
              also=("rotary", "rotary position embedding"), learn=PLACE),
    Mechanism("partial-rope", "position", "partial RoPE", "partial RoPE",
              f.mixer(UNDIVIDED, lambda p, spec: p.rope and 0 < p.rope.dims < p.head_dim
                      and p.rope.kind != "proportional"),
              "RoPE on {rotated} of {p.head_dim} dimensions", "leaves the other {rest} unrotated.",
              "rotary_dim in GPT-J's config",
              meaning="RoPE rotates only a part of each head's dimensions; latent attention, whose keys have a rotated "
                      "part by design, is not counted.",
              also=("partial rotary", "RoPE on a part of each head"), learn=PLACE),
    Mechanism("proportional-rope", "position", "proportional RoPE", "proportional RoPE",
              f.mixer(object, lambda p, spec: (r := getattr(p, "rope", None)) and r.kind == "proportional"),
              "Proportional RoPE", "{where}: only the fast frequencies rotate.",
              "rope_type proportional in Gemma 4's config",
              meaning="RoPE rotates only the dimensions with high frequencies; the others are not rotated.",
              also=("p-RoPE",)),
    Mechanism("two-bases", "position", "two RoPE bases", "a second RoPE base",
              f.with_other(
                  f.mixer(object, lambda p, spec: has_rope(p) and sees_window(p, spec)),
                  f.mixer(object, lambda p, spec: has_rope(p) and sees_all(p, spec)), lambda p: p.rope.theta,
              ),
              "Two RoPE bases", "differ by reach: {bases}.", "arXiv 2412.13663",
              meaning="Attention with a sliding window has one RoPE base, and attention to the whole text another, "
                      "usually a much larger one.",
              also=("local RoPE base", "rope_local_base_freq", "separate RoPE base", "dual RoPE"), learn=PLACE,
              near=False),
    Mechanism("m-rope", "position", "M-RoPE", "M-RoPE",
              f.all_hold(f.model(lambda spec: spec.mrope and spec.towers, "stack"), ROPE),
              "M-RoPE", "{where}: an image token's time, row and column rotate {sections} pairs of each head.",
              "arXiv 2409.12191",
              meaning="The pairs that RoPE rotates are divided among the time, the row and the column of an image "
                      "token; for text, all three are the position.",
              also=("multimodal RoPE", "multimodal rotary position embedding", "interleaved MRoPE", "mrope_section"),
              learn=PLACE, near=False),
    Mechanism("nope", "position", "NoPE layers", "NoPE layers", f.all_hold(ROPE, NOPE),
              "NoPE layers", "{n} of {of} layers have attention without position encoding; the others use RoPE.",
              "arXiv 2501.18795",
              meaning="Some attention layers have no position encoding, while others use RoPE.",
              also=("NoPE", "no position embedding", "no positional encoding", "layers without position", "RNoPE",
              "iRoPE"), learn=PLACE),
    Mechanism("no-position", "position", "NoPE", "no position encoding",
              f.all_hold(f.none_of(ROPE, OTHER_POSITION), NOPE),
              "No position encoding", "{where}: queries and keys are not rotated.",
              "arXiv 2403.19887",
              meaning="No attention layer has a position encoding; the recurrent layers track the order of tokens.",
              also=("NoPE", "no positional encoding", "attention without position"), learn=PLACE),
    Mechanism("alibi", "position", "ALiBi", "ALiBi", f.mixer(object, lambda p, spec: getattr(p, "position",
              "") == "alibi"),
              "ALiBi", "{where}: scores fall linearly with distance, with a slope per head.", "arXiv 2108.12409",
              meaning="Attention scores fall linearly with distance, with a fixed slope per head.",
              also=("linear biases",)),
    Mechanism("learned-position", "position", "learned positions", "learned position embeddings",
              f.all_hold(f.opening_operation("positions"), f.mixer(object, lambda p, spec: getattr(p, "position",
              "") == "learned")),
              "Learned position embeddings", "add a stored vector for each of {context} positions to the token "
              "embedding.",
              "GPT-2",
              meaning="Every position has a learned vector that is added to the token's embedding.",
              also=("absolute position embedding",)),
)
# fmt: on
