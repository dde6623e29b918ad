"""From facts to a Rope: base, kind of stretching and its numbers, wherever a config keeps them.

transformers 5 writes rope_parameters (flat, or one dict per layer word); older files rope_theta beside rope_scaling.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cutaway.gallery.reading.text_part import short
from cutaway.gallery.records import Rope

if TYPE_CHECKING:
    from cutaway.gallery.reading.reading import Reading

KINDS = ("linear", "dynamic", "yarn", "longrope", "llama3", "proportional")
ALIASES = {"su": "longrope", "ntk": "dynamic", "xdrope": "dynamic", "mrope": "default", "none": "default",
           "deepseek_yarn": "yarn"}  # fmt: skip  # the last is vLLM's word (models/sarvam.py)
NUMBERS = ("factor", "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim",
           "short_mscale", "long_mscale", "low_freq_factor", "high_freq_factor", "alpha",
           "original_max_position_embeddings", "truncate")  # fmt: skip
LISTS = ("long_factor", "short_factor")


def parameters(r: Reading, word: str) -> Mapping[str, object]:
    """What the file says of rotation for layers of this word (full_attention, sliding_attention, ...)."""
    text: Mapping = r.facts.text
    if not text.get("rope_scaling") and not text.get("rope_parameters"):
        text = r.facts.defaults  # some classes assume a stretching (Apertus, Ministral 3)
    alone = bool(text.get("rope_scaling"))  # beside it, rope_parameters are not read
    found = text.get("rope_scaling" if alone else "rope_parameters")
    if (alone and word not in (stretched_words(r) or (word,))) or not isinstance(found, Mapping):
        return {}
    if not is_by_word(found):
        if alone and r.family.stretched:
            return laid_over(r, word, found)
        return found if word in (r.family.stretched or (word,)) else {}
    said = without_truncate(found.get(word))
    return {**said, "truncate": found["truncate"]} if "truncate" in found else said


def laid_over(r: Reading, word: str, stretch: Mapping[str, object]) -> Mapping[str, object]:
    """One rope_scaling, which the class lays over what rope_parameters say for the words that it stretches."""
    both = r.facts.text.get("rope_parameters")
    own = both.get(word) if isinstance(both, Mapping) else None
    own = own if isinstance(own, Mapping) else {}
    return without_truncate({**own, **stretch} if word in r.family.stretched else own)


def without_truncate(said: object) -> dict[str, object]:
    """A layer word's mapping without `truncate`, which transformers looks for beside the layer words alone."""
    return {key: said[key] for key in said if key != "truncate"} if isinstance(said, Mapping) else {}


def is_by_word(said: object) -> bool:
    """Whether a mapping has one of its own for each layer word."""
    return isinstance(said, Mapping) and any(isinstance(value, Mapping) for value in said.values())


def has_own_rope(r: Reading, word: str) -> bool:
    """Whether rope_parameters has a mapping for this layer word: lists of a layer each are then not read (Step 3.5)."""
    said = r.facts.text.get("rope_parameters")
    return isinstance(said, Mapping) and isinstance(said.get(word), Mapping)


def stretched_words(r: Reading) -> list:
    """The layer words that rope_scaling is for, where the file lists them (Step 3.5)."""
    return list(r.facts.text.get("yarn_only_types") or ())


def number(value: object, low: float = 0.0) -> float | None:
    """A finite number above `low`, or None."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if usable and value > low else None  # type: ignore[operator,arg-type]


def word_of(said: Mapping[str, object]) -> object:
    """What the file calls the stretching, in our word for it where there is one; nothing said is "default"."""
    word = said.get("rope_type", said.get("type"))
    return ALIASES.get(word, word) if isinstance(word, str) else "default" if word is None else word


def kind_of(said: Mapping[str, object]) -> str:
    """The kind of stretching; a word nobody here knows is drawn as "default" (`tell_strange` says so)."""
    word = word_of(said)
    return str(word) if word in KINDS else "default"


def tell_strange(r: Reading, said: Mapping[str, object], stretched: bool) -> None:
    """A stretching that nobody here knows, or that lacks its numbers, is not understood: it is drawn without."""
    word, sentence = word_of(said), ""
    if word != "default" and word not in KINDS:
        sentence = f"rope_type {short(word, 40)} is not understood yet: positions are drawn as they turn unstretched."
    elif word != "default" and not stretched:
        missing = " and ".join(LISTS) if word == "longrope" else "factor"
        sentence = f"rope_type {word} has no {missing}: positions are drawn as they turn unstretched."
    if sentence and sentence not in r.not_understood:
        r.not_understood.append(sentence)


def scaling_of(r: Reading, said: Mapping[str, object], kind: str) -> tuple[tuple[str, object], ...]:
    """The keys that change the frequencies of this kind, sorted."""
    if kind == "default":
        return ()
    found: dict[str, object] = {}
    for key in NUMBERS:
        value = said.get(key)
        if isinstance(value, bool) or number(value, -1.0) is not None:
            found[key] = value
    for key in LISTS:
        value = said.get(key)
        if isinstance(value, list | tuple) and all(number(one) for one in value):
            found[key] = tuple(value)
    if "original_max_position_embeddings" not in found or r.family.length_beside:
        old = r.facts.integer("original_max_position_embeddings")
        if old:
            found["original_max_position_embeddings"] = old
    if kind == "longrope" and not all(key in found for key in LISTS):
        return ()
    return tuple(sorted(found.items()))


def rope_of(r: Reading, dims: int, word: str = "full_attention", whole: int = 0, **changes: Any) -> Rope | None:
    """The rotation of `dims` numbers per head in layers of this word; None where nothing is rotated.

    "proportional" turns pairs of the `whole` head, the fast ones alone (Gemma 4, LFM3).
    """
    if not dims:
        return None
    said = parameters(r, word)
    kind = kind_of(said)
    scaling = scaling_of(r, said, kind)
    theta = number(said.get("rope_theta")) or theta_of(r, word)
    if "kind" not in changes:  # else the class has its own, whatever the file says
        tell_strange(r, said, bool(scaling) or kind == "proportional")
    if kind == "proportional":
        scaling, dims = (("factor", number(said.get("factor")) or 1.0), ("rotated", dims)), whole or dims
    values: dict[str, Any] = {
        "dims": dims, "theta": theta, "kind": kind if scaling else "default", "scaling": scaling,
        "interleaved": r.family.rope_interleaved, "backwards": r.family.rope_backwards,
        "context": r.facts.integer("max_position_embeddings") or 0,
    }  # fmt: skip
    return Rope(**(values | changes))


def theta_of(r: Reading, word: str) -> float:
    """The base: windowed layers may have their own (Gemma 3, MiMo-V2, ModernBERT)."""
    facts = r.facts
    if word == "sliding_attention":
        own = facts.number("local_rope_theta")
        if own:
            return own
    if isinstance(facts.raw("rope_theta"), list):  # layer by layer: see `layer_theta`
        return 10_000.0
    return facts.number("rope_theta") or 10_000.0


def layer_theta(r: Reading, index: int, word: str) -> dict[str, float]:
    """{"theta": a base of this layer's own} where a list gives each layer one (Granite SWA, Step 3.5, Muse), and no
    mapping of its word does.
    """
    for name in ("layer_rope_theta", *(() if has_own_rope(r, word) else ("rope_theta",))):
        values = r.facts.raw(name)
        own = number(values[index]) if isinstance(values, list) and index < len(values) else None
        if own:
            return {"theta": own}
    return {}
