"""A spec -> its shape as one would say it: depth, width, heads, experts, windows, context. Two shapes -> clauses.

A clause has a rank beside those of slots.py: structure is said before sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.cached import cached_for_spec
from cutaway.gallery.comparing.mechanism_rows.questions import sees_window
from cutaway.gallery.comparing.text.number import number_word, say_times
from cutaway.gallery.joined import join_words
from cutaway.gallery.sublayers import parts_of


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a model; 0 where it has none of it. Of parts that differ from layer to layer, the commonest counts."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    head_dim: int
    latent: int
    experts: int
    active: int
    expert_width: int
    expert_layers: tuple[int, ...]  # places among all layers
    shared: int
    dense_width: int
    window: int
    window_layers: tuple[int, ...]  # places among the layers with attention
    attention_layers: int
    rope_base: int
    context: int
    vocabulary: int
    mtp: int
    encoders: tuple[str, ...]  # "vision", "audio"


@cached_for_spec
def shape_of(spec: s.ModelSpec) -> Shape:
    """The shape of a model."""
    mixers = [part for layer in spec.layers for part in parts_of(layer.mixer)]
    mlps = [part for layer in spec.layers for part in parts_of(layer.mlp)]
    attention = [one for one in mixers if getattr(one, "num_attention_heads", 0) and not getattr(one, "cross", False)]
    windows = tuple(i for i, one in enumerate(attention) if sees_window(one, spec))
    moe = [one for one in mlps if isinstance(one, s.MoE)]
    dense = [one for one in mlps if isinstance(one, s.Dense)]
    return Shape(
        len(spec.layers), spec.hidden_size, common(attention, "num_attention_heads"),
        common(attention, "num_key_value_heads"), common(attention, "head_dim"), common(attention, "kv_lora_rank"),
        common(moe, "num_experts"), common(moe, "num_experts_per_tok"), common(moe, "moe_intermediate_size"),
        expert_layers(spec),
        max(common(moe, "n_shared_experts"), bool(common(moe, "shared_expert_intermediate_size"))),
        common(dense, "intermediate_size"), common([attention[i] for i in windows], "sliding_window"), windows,
        len(attention), 0 if said_by_class(spec) else int(common([one.rope for one in attention if one.rope], "base")),
        spec.max_position_embeddings or 0, spec.vocab_size, len(spec.mtp), encoders_of(spec),
    )  # fmt: skip


def said_by_class(spec: s.ModelSpec) -> bool:
    """Whether the RoPE base is only a class's default, in a config that was put together."""
    return bool({"rope_theta", "rope_parameters"} & set(spec.assumed))


def encoders_of(spec: s.ModelSpec) -> tuple[str, ...]:
    """What a model takes in beside text, by the encoders that its config names."""
    return tuple("audio" if tower.name.startswith("audio") else "vision" for tower in spec.towers)


def expert_layers(spec: s.ModelSpec) -> tuple[int, ...]:
    """Places of layers with experts; none where some layers have no MLP at all."""
    if any(layer.mlp is None for layer in spec.layers):
        return ()
    return tuple(i for i, layer in enumerate(spec.layers) if any(isinstance(one, s.MoE) for one in parts_of(layer.mlp)))


def common(parts: list[Any], name: str) -> int:
    """The value that most parts have; 0 where none has the field."""
    held = Counter(getattr(one, name, 0) or 0 for one in parts)
    return held.most_common(1)[0][0] if held else 0


class ShapeClause(NamedTuple):
    """A part of a sentence that says a size."""

    rank: float
    words: str
    row: str  # of the table of differences


WORTH = 1.12  # a ratio below which a size is not said
FAR = 1.5
LONGEST = 8  # layers of a pattern that is said as a fraction
WIDER = 1.25  # an MLP, beside the model's width


def ratio(a: int, b: int) -> float:
    """How many times the larger is the smaller; 1 where one of both is missing."""
    return max(a, b) / min(a, b) if a and b else 1.0


def shape_clauses(a: Shape, b: Shape) -> Iterator[ShapeClause]:
    """What differs in shape, and is worth saying: experts first, then depth and width, heads, windows, context."""
    for rank, say, row in SHAPES:
        if words := say(a, b):
            yield ShapeClause(rank, words, row)


def say_many(a: int, b: int, what: str) -> str:
    """Half the heads; eight KV heads instead of two."""
    times = say_times(a, b)
    if times and max(a, b) > 8:
        return f"{times} the {what}"
    return f"{number_word(b)} {what if b > 1 else what.removesuffix('s')} instead of {number_word(a)}"


def say_experts(a: Shape, b: Shape) -> str:
    """256 smaller experts (8 active) instead of 160 (6); twice the experts; eight active experts instead of six."""
    if not a.experts or not b.experts:
        return ""
    kind = say_expert_size(a, b)
    count, active = ratio(a.experts, b.experts) >= WORTH, a.active != b.active
    if count and active:
        return f"{b.experts} {kind}experts ({b.active} active) instead of {a.experts} ({a.active})"
    if count:
        return f"{b.experts} {kind}experts instead of {a.experts}"
    if active:
        each = f", each {kind}" if kind else ""
        return f"{number_word(b.active)} active experts instead of {number_word(a.active)}{each}".rstrip()
    return f"{kind}experts" if kind else ""


def say_expert_layers(a: Shape, b: Shape) -> str:
    """Experts in every layer instead of half the layers; a few dense layers in front are not said."""
    parts = [interleaved(one) for one in (a, b)]
    if parts[0] == parts[1] or not a.experts or not b.experts:
        return ""
    return f"experts in {parts[1] or 'every layer'} instead of {parts[0] or 'every layer'}"


def interleaved(one: Shape) -> str:
    """In which layers experts stand, where dense MLPs stand between them; "" where they follow one another."""
    at = one.expert_layers
    return part_of(at, one.layers) if at and at[-1] - at[0] + 1 > len(at) else ""


def say_rope_base(a: Shape, b: Shape) -> str:
    """A RoPE base of 500,000 instead of 10,000."""
    return f"a RoPE base of {b.rope_base:,} instead of {a.rope_base:,}" if ratio(a.rope_base, b.rope_base) >= 2 else ""


def say_expert_size(a: Shape, b: Shape) -> str:
    """Smaller or larger, where an expert is so as such and beside the model's width."""
    sizes = [(a.expert_width, b.expert_width), (a.expert_width / a.width, b.expert_width / b.width)]
    if all(one >= FAR * other for one, other in sizes):
        return "smaller "
    return "larger " if all(other >= FAR * one for one, other in sizes) else ""


def say_windows(a: Shape, b: Shape) -> str:
    """Windows in five of six layers instead of every other one; windows of 1,024 tokens instead of 4,096."""
    if not a.window_layers or not b.window_layers:
        return ""
    was, becomes = part_of(a.window_layers, a.attention_layers), part_of(b.window_layers, b.attention_layers)
    sizes = ratio(a.window, b.window) >= FAR
    if was != becomes:
        size = f" of {b.window:,}" if sizes else ""
        return f"windows{size} in {becomes} instead of {was.removesuffix(' the layers').removesuffix(' layers')}"
    return f"windows of {b.window:,} tokens instead of {a.window:,}" if sizes else ""


def part_of(at: Collection[int], of: int) -> str:
    """Layers at some places, of so many: every layer; half the layers; three of four layers; 28 of 36 layers.

    A fraction is said of a pattern that repeats within eight layers; one layer may be out of it.
    """
    n, here = len(at), set(at)
    if n == of:
        return "every layer"
    for whole in range(2, min(LONGEST, of // 2) + 1):
        part = [i for i in range(whole) if i in here]
        out = sum((i % whole in part) != (i in here) for i in range(of))
        if 0 < len(part) < whole and out <= 1:
            return "half the layers" if whole == 2 else f"{number_word(len(part))} of {number_word(whole)} layers"
    return f"{n:,} of {of:,} layers"


def say_encoders(a: Shape, b: Shape) -> str:
    """A vision encoder; vision and audio encoders; no vision encoder."""
    new, old = ([one for one in x if one not in y] for x, y in ((b.encoders, a.encoders), (a.encoders, b.encoders)))
    if new:
        return f"{join_words(new)} encoders" if len(new) > 1 else f"{ARTICLES[new[0]]} {new[0]} encoder"
    return f"no {' or '.join(old)} encoder" if old else ""


ARTICLES = {"vision": "a", "audio": "an"}


def say_heads(a: Shape, b: Shape) -> str:
    """Half the heads, where the width does not explain it."""
    many = ratio(a.heads, b.heads)
    return say_many(a.heads, b.heads, "heads") if many >= FAR and many > WORTH * ratio(a.width, b.width) else ""


def say_kv_heads(a: Shape, b: Shape) -> str:
    """Eight KV heads instead of two, where several query heads share each."""
    shared = 0 < a.kv_heads < a.heads and 0 < b.kv_heads < b.heads
    return say_many(a.kv_heads, b.kv_heads, "KV heads") if shared and ratio(a.kv_heads, b.kv_heads) >= FAR else ""


def say_shared(a: Shape, b: Shape) -> str:
    """Two shared experts instead of one."""
    if not a.shared or not b.shared or a.shared == b.shared:
        return ""
    return f"{number_word(b.shared)} shared expert{'s' if b.shared > 1 else ''} instead of {number_word(a.shared)}"


def say_far_context(a: Shape, b: Shape) -> str:
    """A context of 131,072 instead of 8,192."""
    return f"a context of {b.context:,} instead of {a.context:,}" if ratio(a.context, b.context) >= 2 else ""


def say_near_context(a: Shape, b: Shape) -> str:
    """A context of 202,752 instead of 131,072: less than twice, and said late."""
    near = WORTH <= ratio(a.context, b.context) < 2
    return f"a context of {b.context:,} instead of {a.context:,}" if near else ""


def say_vocabulary(a: Shape, b: Shape) -> str:
    """A vocabulary of 262,208 instead of 32,000."""
    far = ratio(a.vocabulary, b.vocabulary) >= FAR
    return f"a vocabulary of {b.vocabulary:,} instead of {a.vocabulary:,}" if far else ""


def say_dense_width(a: Shape, b: Shape) -> str:
    """A wider MLP, beside the model's width; of dense models."""
    if not (a.dense_width and b.dense_width) or a.experts or b.experts:
        return ""
    was, becomes = a.dense_width * b.width, b.dense_width * a.width
    return f"a {'wider' if becomes > was else 'narrower'} MLP" if ratio(was, becomes) >= WIDER else ""


def say_depth_and_width(a: Shape, b: Shape) -> str:
    """48 layers of 2,048 instead of 24 of 2,880 (deeper, narrower)."""
    deep, wide = ratio(a.layers, b.layers) >= WORTH, ratio(a.width, b.width) >= WORTH
    depth, width = "deeper" if b.layers > a.layers else "shallower", "wider" if b.width > a.width else "narrower"
    if deep and wide:
        told = f"{b.layers} layers of {b.width:,} instead of {a.layers} of {a.width:,}"
        return told if (b.layers > a.layers) == (b.width > a.width) else f"{told} ({depth}, {width})"
    if deep:
        return f"{b.layers} layers instead of {a.layers}"
    return f"a width of {b.width:,} instead of {a.width:,}" if wide else ""


# (rank beside those of slots.py, what says it, the row of the table whose disc it has)
SHAPES: tuple[tuple[float, Callable[[Shape, Shape], str], str], ...] = (
    (1.9, say_encoders, "encoders"), (2.2, say_experts, "routed experts"), (2.3, say_expert_layers, "kind of MLP"),
    (2.4, say_windows, "window"), (2.6, say_far_context, "context"), (3.1, say_heads, "attention heads"),
    (3.2, say_depth_and_width, "layers"), (3.3, say_shared, "shared experts, total width"),
    (3.4, say_kv_heads, "key and value heads"), (4.2, say_vocabulary, "vocabulary"),
    (4.3, say_dense_width, "width"), (5.0, say_near_context, "context"), (7.0, say_rope_base, "RoPE base"),
)  # fmt: skip
