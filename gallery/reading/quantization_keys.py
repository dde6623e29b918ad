"""A config -> what it says of quantization, under whichever of its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from cutaway.gallery.formats.bits import BITS
from cutaway.gallery.reading.ignored import CACHE_FORMAT, QUANTIZED
from cutaway.gallery.reading.quantization import kv_format, normalise, refuse_slow
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.spec import Quantization

NOTHING: tuple[object, ...] = (None, False, {})  # what stands for "not quantized"


class Said(NamedTuple):
    """What was read, and under which key."""

    key: str
    value: object


def describe_keys(text: Mapping, top: Mapping) -> list[Said]:
    """What the keys say, the text part's first; what does not count comes after what does."""
    found = [Said(key, part[key]) for key in QUANTIZED for part in (text, top) if part.get(key) not in NOTHING]
    return [Said(one.key, older(one.value) if one.key == "compression_config" else one.value) for one in found]


def older(value: object) -> object:
    """compression_config, as sparseml and the first compressed-tensors wrote it: the same, or the same one deeper."""
    if not isinstance(value, Mapping):
        return value
    around, inner = dict(value), value.get("quantization_config")
    if isinstance(inner, Mapping):
        around = {**around, **inner}
        del around["quantization_config"]
    return {**around, "quant_method": "compressed-tensors"}


def read_quantization(text: Mapping, top: Mapping, r: Reading) -> tuple[Quantization | None, tuple[str, ...]]:
    """What the keys say, and which keys inside nobody read; what nobody understands goes to the reading."""
    found = describe_keys(text, top)
    cache = kv_format(text.get(CACHE_FORMAT) or top.get(CACHE_FORMAT), r.not_understood, CACHE_FORMAT)
    experts, rounded = top.get("expert_dtype"), r.family.rounded_scales
    made = normalise(found[0].value, experts, key=found[0].key, rounded=rounded) if found else None
    if found and not made and isinstance(found[0].value, Mapping):
        cache = cache or kv_format(found[0].value.get("kv_cache_scheme"), r.not_understood, found[0].key)
        r.notes.append(f"{found[0].key}: no group names modules, so weights stay in the model's dtype.")
    if cache in BITS and not made:
        r.notes.append(
            f"{key_of_cache(found)}: the cache is {cache} while decoding; no key says that weights are quantized."
        )
    if not made:
        return None, ()
    if wrong := find_contradiction(found):
        r.contradict("quantization_config", wrong)
    refuse_slow(made, r.depth)
    r.not_understood += made.not_understood
    return replace(made, kv_cache=made.kv_cache or cache), tuple(f"{found[0].key}.{name}" for name in made.unread)


def key_of_cache(found: list[Said]) -> str:
    """The key that names a format of the cache."""
    return "kv_cache_scheme" if found else CACHE_FORMAT


def find_contradiction(found: list[Said]) -> str:
    """The sentence where two keys say two things; "" where they agree."""
    first = found[0]
    other = next((one for one in found if one.key != first.key and one.value != first.value), None)
    return f"{first.key} and {other.key} differ; {first.key} was used." if other else ""
