"""A spec and a mechanism that it has -> the sentence that its row of MECHANISMS makes of the model's own numbers."""

from __future__ import annotations

from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.comparing.finding import Hit
from cutaway.gallery.comparing.mechanism_rows.questions import sees_window
from cutaway.gallery.comparing.mechanisms import BY_KEY, find_mechanism
from cutaway.gallery.comparing.shape import said_by_class
from cutaway.gallery.comparing.text.number import number_word, scaled_count
from cutaway.gallery.counting.parameters import parameters
from cutaway.gallery.joined import join_words

GATES = {"elementwise": "computed by extra rows of q_proj", "separate": "computed by its own matrix"}
K_IS_V = "there is no v_proj, and the keys before norm and RoPE serve as values; both are cached"
ONE_VECTOR = "one cached vector is both key and value for all heads; since RoPE rotated it, the output is rotated back"


def values(spec: s.ModelSpec, hits: list[Hit]) -> dict[str, Any]:
    """What a template may use."""
    p, of = hits[0].part, len(spec.layers)
    n = len({index for hit in hits for index in hit.layers})
    rope = getattr(p, "rope", None)
    counted = parameters(spec).mtp if spec.mtp else 0
    kv, several = getattr(p, "num_key_value_heads", 0), number_word(getattr(p, "n_shared_experts", 1))
    alone = several == number_word(1)
    return {
        "p": p, "s": spec, "n": n, "of": of, "where": "in every layer" if n == of else f"in {n} of {of} layers",
        "per_kv": p.num_attention_heads // kv if kv else 0, "gate_from": GATES.get(getattr(p, "gate", ""), ""),
        "rotated": rope.dims if rope else 0, "rest": getattr(p, "head_dim", 0) - (rope.dims if rope else 0),
        "bases": say_bases(spec, hits), "sections": join_words([*map(str, spec.mrope)]),
        "taps": join_words([*map(str, spec.deepstack)]),
        "context": f"{spec.max_position_embeddings or 0:,}", "mtp": number_word(len(spec.mtp)).capitalize(),
        "one_for_both": ONE_VECTOR if isinstance(p, s.CompressedAttention) else K_IS_V,
        "shared": "A shared expert" if alone else f"{several.capitalize()} shared experts",
        "several": several, "it": "it" if alone else "them",
        "mtp_s": "" if len(spec.mtp) == 1 else "s", "mtp_size": scaled_count(counted),
    }  # fmt: skip


def say_bases(spec: s.ModelSpec, hits: list[Hit]) -> str:
    """10,000 in 52 layers with windows, 1,000,000 in the other 10; no number where only a class's defaults say it."""
    told = []
    for words, windowed in (("with windows", True), ("that see the whole text", False)):
        mine = [hit for hit in hits if windowed is sees_window(hit.part, spec) and getattr(hit.part, "rope", None)]
        layers = len({index for hit in mine for index in hit.layers})
        base = "one" if said_by_class(spec) else join_words(sorted({f"{hit.part.rope.theta:,.0f}" for hit in mine}))
        told.append(f"{base} in {'the layer' if layers == 1 else f'{layers} layers'} {words}")
    return f"{told[0]}, {told[1].replace('one in', 'another in')}"


def say_mechanism(spec: s.ModelSpec, key: str) -> tuple[str, str]:
    """(in bold, the rest of the sentence) of a mechanism that the model has."""
    row = BY_KEY[key]
    given = values(spec, find_mechanism(spec, key))
    return row.head.format_map(given), row.says.format_map(given)


def name_mechanism(spec: s.ModelSpec | None, key: str) -> str:
    """The word for a mechanism in a sentence on a model; with its number where it has several: "two shared experts"."""
    row = BY_KEY[key]
    hits = find_mechanism(spec, key) if spec and row.many else []
    given = values(spec, hits) if spec and hits else {}
    return row.many.format_map(given) if given and given["it"] == "them" else row.word
