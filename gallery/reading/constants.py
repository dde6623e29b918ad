"""The constants that a config sets: multipliers, scales, epsilons, bases, caps and limits that are not neutral.

A constant moves logits, but no tensor has another shape for it. A proof of a model holds where each of them was in a
golden case of its own family with a value that is not neutral either: see running/proofs.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.keys import KEYS
from cutaway.gallery.reading.ropes import ALIASES

NOT_CONSTANTS = {  # numbers that shape tensors or say which layers; or that act in training alone
    "partial_rotary_factor", "expand", "qk_dim_factor", "v_dim_factor", "expansion_ratio", "block_ffn_dim_multiplier",
    "ngram_vocab_size_ratio", "ffn_proj_factor", "router_jitter_noise",
}  # fmt: skip
LISTS = {"mlp_multipliers", "ssm_multipliers", "time_step_limit", "logit_scale", "llama_4_scaling", "kda_lower_bound"}
CONSTANTS = frozenset(key.name for key in KEYS if key.unit in ("number", "base")) - NOT_CONSTANTS | LISTS
NEUTRAL = (None, 0, 1, False, True)  # as a factor, a summand or a switch: nothing to get wrong
ROPES = ("rope_scaling", "rope_parameters")
NAMES_OF_ROPES = ("rope_type", "type", "rope_theta", "partial_rotary_factor", "original_max_position_embeddings",
                  "mrope_section", "mrope_interleaved", "truncate", "finetuned")  # fmt: skip


def constants_of(facts: Facts) -> tuple[tuple[str, object], ...]:
    """(name, value) of the constants that the file sets, rope's own under names like "yarn.factor"."""
    said = [(name, value) for name, value in facts.said() if name in CONSTANTS]
    found = {(name, plain(value)) for name, value in (*said, *stretches(facts.text)) if is_set(value)}
    return tuple(sorted(found, key=str))


def plain(value: object) -> object:
    """A value as part of a spec: lists as tuples; an object among numbers is none of them."""
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return None if isinstance(value, Mapping) else value


def is_set(value: object) -> bool:
    """Whether a constant says something: a number that is not neutral, or a list with one."""
    if isinstance(value, list | tuple):
        return any(is_set(one) for one in value)
    return isinstance(value, int | float) and value not in NEUTRAL


def stretches(text: Mapping) -> Iterator[tuple[str, object]]:
    """Numbers of a stretched rotation, each with its kind: "yarn.factor"; and bases of single layer words."""
    said: Mapping = next((text[key] for key in ROPES if isinstance(text.get(key), Mapping) and text[key]), {})
    inner = [value for value in said.values() if isinstance(value, Mapping)]
    for one in (said, *inner):
        kind = one.get("rope_type", one.get("type"))
        if one is not said and "rope_theta" in one:
            yield "rope_theta", one["rope_theta"]
        if isinstance(kind, str) and kind not in ("default", "mrope"):
            word = ALIASES.get(kind, kind[:20])
            yield from ((f"{word}.{key}", one[key]) for key in one if key not in NAMES_OF_ROPES)


USUAL = {"norm_eps": (1e-5, 1e-6, 1e-8, 1e-12), "rope_theta": (10_000,), "local_rope_theta": (10_000,)}


def is_unusual(name: str, value: object, defaults: Mapping) -> bool:
    """Whether a class that did not read the key would be caught: the value is neither its default nor everybody's."""
    return value != defaults.get(name) and value not in USUAL.get(name, ())
